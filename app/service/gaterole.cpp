// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/gaterole.h"

namespace unavez::service {

using namespace contract;

namespace {

ListenerSettings listenerOf(const ListenAddress& listen)
{
    ListenerSettings settings;
    settings.listen = listen;
    settings.bodyMax = 64 * 1024;
    settings.maxConnections = 256; // and so the calls that may wait
    return settings;
}

} // namespace

GateRole::GateRole(const ListenAddress& listen, GateFrontParts parts)
    : m_front(std::move(parts))
    , m_listener(listenerOf(listen),
          [this](HttpRequest&& request, const Reply& reply) { m_front.answer(std::move(request), reply); })
{
}

void GateRole::drain(Millis within)
{
    m_listener.drain(within);
    m_front.stop();
}

} // namespace unavez::service
