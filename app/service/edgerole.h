// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/edgefront.h"

namespace unavez::service {

// The edge role whole: what records, what answers, what listens, in the order they need one another.
class EdgeRole
{
public:
    EdgeRole(const EdgeSettings& settings, QList<EdgeSource> sources, contract::StoreMode mode, int maxAttempts,
        OpenStore open, StoreHealth& health, Metrics& metrics, const contract::HostClock& clock);

    contract::Result<> start(); // what HttpListener::start() says
    quint16 port() const { return m_listener.port(); }
    // Takes nothing more, answers what it took, for at most `within`; then it is over.
    void drain(contract::Millis within);

private:
    const int m_maxConnections;
    DeliveryBatcher m_batcher;
    EdgeFront m_front;
    HttpListener m_listener; // last: it stops before what it calls goes
};

} // namespace unavez::service
