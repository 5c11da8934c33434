// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/failuretally.h"
#include "app/service/lazystore.h"
#include "app/service/metrics.h"
#include "models/engine/intake.h"

#include <condition_variable>
#include <deque>
#include <thread>

namespace unavez::service {

struct BatcherSettings
{
    int most = 128; // deliveries of one commit
    int queue = 4096; // deliveries that may wait; the next one is told 503
    contract::Millis flush{1000}; // between two writes of failures
    contract::Millis longestPause{1000}; // between two tries to open a store that is away
};

// Records verified deliveries in micro-batches (contract.md §10.2): one thread with a store of its own takes what waits
// and commits it at once. While it commits, the next batch gathers: an idle edge adds no delay, a busy one shares its
// commits.
class DeliveryBatcher
{
public:
    using Answered = std::function<void(const engine::IntakeAnswer&)>; // in the batcher's thread, or the caller's

    DeliveryBatcher(OpenStore open, StoreHealth& health, Metrics& metrics, BatcherSettings settings = {});
    ~DeliveryBatcher(); // stop()
    DeliveryBatcher(const DeliveryBatcher&) = delete;
    DeliveryBatcher& operator=(const DeliveryBatcher&) = delete;

    void start();
    // Answered exactly once: 200 only after its commit. 503 at once while the store is away or the queue is full.
    void submit(contract::Delivery delivery, Answered answered);
    // Recorded within a second or so; kept while the store is away, lost with the process.
    void note(const contract::SignatureFailure& failure);
    // Answers what waits, writes the failures, ends. Whoever submits later is told 503.
    void stop();

private:
    struct Waiting
    {
        contract::Delivery delivery;
        Answered answered;
    };
    using Clock = std::chrono::steady_clock;

    void run();
    std::deque<Waiting> taken(bool& isStopping);
    void record(std::deque<Waiting> batch);
    void noteState(const QList<engine::IntakeAnswer>& answers);
    void flush();

    Metrics& m_metrics;
    const BatcherSettings m_settings;

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Waiting> m_waiting;
    bool m_isStopping = false;
    FailureTally m_failures;

    // Of the batcher's thread alone.
    LazyStore m_store;
    Clock::time_point m_flushAfter;

    std::thread m_thread; // last: it uses all of the above
};

} // namespace unavez::service
