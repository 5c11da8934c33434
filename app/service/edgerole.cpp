// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/edgerole.h"

#include <algorithm>

#include <sys/resource.h>

namespace unavez::service {

using namespace contract;

namespace {

ListenerSettings listenerOf(const EdgeSettings& edge)
{
    ListenerSettings settings;
    settings.listen = edge.listen;
    settings.behindProxy = edge.behindProxy;
    settings.tlsCertificate = edge.tlsCertificate;
    settings.tlsKey = edge.tlsKey;
    settings.bodyMax = edge.bodyMax;
    settings.headerMax = edge.headerMax;
    settings.read = edge.read;
    settings.maxConnections = edge.maxConnections;
    // A store that hangs must not gather providers' connections: what is told late is sent again.
    settings.answer = Millis{15000};
    settings.late.retryAfter = Seconds{5};
    // Verifying a signature is all a thread does; the store takes the other processors.
    settings.threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 2, 1, 4);
    return settings;
}

// A shell's usual limit of 1,024 descriptors is less than the connections promised; stores and files need some too.
void allowDescriptors(int connections)
{
    constexpr rlim_t others = 512;
    const auto needed = static_cast<rlim_t>(connections) + others;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return;
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace

EdgeRole::EdgeRole(const EdgeSettings& settings, QList<EdgeSource> sources, StoreMode mode, int maxAttempts,
    OpenStore open, StoreHealth& health, Metrics& metrics, const HostClock& clock)
    : m_maxConnections(settings.maxConnections)
    , m_batcher(std::move(open), health, metrics)
    , m_front(std::move(sources), mode, maxAttempts, clock, m_batcher, metrics)
    , m_listener(
          listenerOf(settings),
          [this](HttpRequest&& request, const Reply& reply) { m_front.answer(std::move(request), reply); },
          [this](const RefusedRequest& request) { m_front.refused(request); })
{
}

Result<> EdgeRole::start()
{
    allowDescriptors(m_maxConnections);
    m_batcher.start();
    return m_listener.start();
}

void EdgeRole::drain(Millis within)
{
    m_listener.drain(within);
    m_batcher.stop();
}

} // namespace unavez::service
