// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/httplistener.h"
#include "app/service/lazystore.h"
#include "app/service/metrics.h"

#include <condition_variable>
#include <thread>
#include <vector>

namespace unavez::service {

// What a load balancer and a monitor ask: /healthz (the process lives), /readyz (its store can be written to), and
// /metrics. Says no ids and asks for no token: it listens on loopback, or behind a proxy.
class AdminFront
{
public:
    // What /readyz takes at most; the listener says `late()` then.
    static constexpr contract::Millis probeTime{2000};
    static constexpr contract::Millis validFor{1000}; // an answer of /readyz is given again
    static HttpResponse late();

    AdminFront(OpenStore open, StoreHealth& health, const Metrics& metrics, const Counters& counters);
    ~AdminFront();
    AdminFront(const AdminFront&) = delete;
    AdminFront& operator=(const AdminFront&) = delete;

    // For the listener: does not block.
    void answer(HttpRequest&& request, const Reply& reply);
    // From now on not ready: nothing new should come here.
    void setDraining();

private:
    using Clock = std::chrono::steady_clock;
    void askReady(const Reply& reply);
    void run();
    HttpResponse probed();

    StoreHealth& m_health;
    const Metrics& m_metrics;
    const Counters& m_counters;

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<Reply> m_waiting; // for the answer of the running probe, or of the next
    std::optional<Clock::time_point> m_probingSince;
    std::optional<HttpResponse> m_last;
    Clock::time_point m_lastAt;
    bool m_isDraining = false;
    bool m_isStopping = false;

    LazyStore m_store; // of the probe's thread alone
    std::thread m_thread; // last: it uses the rest
};

} // namespace unavez::service
