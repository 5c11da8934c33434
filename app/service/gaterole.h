// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/gatefront.h"

namespace unavez::service {

// The gate role whole: what answers and what listens.
class GateRole
{
public:
    GateRole(const ListenAddress& listen, GateFrontParts parts);

    contract::Result<> start() { return m_listener.start(); } // what HttpListener::start() says
    quint16 port() const { return m_listener.port(); } // 0 on a Unix socket
    // Takes nothing more and answers what it took, for at most `within`; then tells what has not begun to send to stop.
    // A request whose bytes have left is waited for.
    void drain(contract::Millis within);

private:
    GateFront m_front;
    HttpListener m_listener; // last: it stops before what it calls goes
};

} // namespace unavez::service
