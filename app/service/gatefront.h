// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/httplistener.h"
#include "app/service/lazystore.h"
#include "app/service/metrics.h"
#include "models/engine/gate.h"

#include <condition_variable>
#include <deque>
#include <stop_token>
#include <thread>
#include <vector>

namespace unavez::service {

struct GateFrontParts
{
    OpenStore openStore;
    StoreHealth& health;
    Metrics& metrics;
    const contract::HostClock& clock;
    QByteArray token; // bearer; empty: nobody is let in
    engine::GateSettings gate;
    QList<contract::EffectTool*> tools; // thread-safe
    int threads = 8; // calls at work at once; more of them wait
};

// Tool calls in (contract.md §13.2): token → tool → arguments → gate → one JSON answer with a sentence for the model.
// A call blocks a thread of the pool for as long as backend and provider take; each thread has a store and a gate of
// its own.
class GateFront
{
public:
    explicit GateFront(GateFrontParts parts);
    ~GateFront(); // stop()
    GateFront(const GateFront&) = delete;
    GateFront& operator=(const GateFront&) = delete;

    // For the listener: does not block; the reply comes from the pool. A caller that goes away cancels nothing.
    void answer(HttpRequest&& request, const Reply& reply);
    // Answers what waits with 503, lets what runs end; what has not yet sent its first byte sends none. Blocks up to
    // the provider's total time. Any later request is told 503.
    void stop();

private:
    class Desk;
    struct Call
    {
        HttpRequest request;
        Reply reply;
    };

    bool isAllowed(const HttpRequest& request) const;
    void enqueue(HttpRequest&& request, const Reply& reply);
    std::optional<Call> next();
    void run();

    const GateFrontParts m_parts;
    std::stop_source m_cancel;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Call> m_waiting;
    bool m_isStopping = false;
    std::vector<std::thread> m_threads; // last: they use the rest
};

} // namespace unavez::service
