// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/adminfront.h"

namespace unavez::service {

// The admin listener whole.
class AdminRole
{
public:
    AdminRole(const ListenAddress& listen, OpenStore open, StoreHealth& health, const Metrics& metrics,
        const Counters& counters);

    contract::Result<> start() { return m_listener.start(); } // what HttpListener::start() says
    quint16 port() const { return m_listener.port(); }
    // /readyz says 503 from here on, while the others drain; the listener ends with the object.
    void setDraining() { m_front.setDraining(); }

private:
    AdminFront m_front;
    HttpListener m_listener; // last: it stops before what it calls goes
};

} // namespace unavez::service
