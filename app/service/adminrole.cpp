// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/adminrole.h"

namespace unavez::service {

namespace {

ListenerSettings listenerOf(const ListenAddress& listen)
{
    ListenerSettings settings;
    settings.listen = listen;
    settings.bodyMax = 1024;
    settings.maxConnections = 64;
    settings.answer = AdminFront::probeTime;
    settings.late = AdminFront::late();
    return settings;
}

} // namespace

AdminRole::AdminRole(
    const ListenAddress& listen, OpenStore open, StoreHealth& health, const Metrics& metrics, const Counters& counters)
    : m_front(std::move(open), health, metrics, counters)
    , m_listener(listenerOf(listen),
          [this](HttpRequest&& request, const Reply& reply) { m_front.answer(std::move(request), reply); })
{
}

} // namespace unavez::service
