// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/alert.h"
#include "app/service/counters.h"
#include "app/service/metrics.h"
#include "app/service/storehealth.h"
#include "models/contract/jobhandler.h"
#include "models/engine/worker.h"

#include <thread>
#include <vector>

namespace unavez::service {

// What the threads of one process share. All of it outlives them.
struct SharedParts
{
    OpenStore openStore;
    StoreHealth& health;
    Log& log;
    Alert& alert;
    Counters& counters;
    Metrics& metrics;
    const contract::HostClock& clock;
};

struct WorkerPoolParts
{
    int concurrency = 4;
    contract::Millis poll{200}; // between two looks for a job where there was none
    contract::StoreMode mode = contract::StoreMode::Practice;
    engine::GateSettings gate;
    engine::WorkerSettings worker;
    QList<contract::Source> sources;
    QList<contract::EffectTool*> tools; // thread-safe
    contract::JobHandler& handler; // thread-safe
    const contract::EventReader& events;
    engine::LeaseKeeper& keeper;
};

// The worker role: so many threads, each with its own store, gate and worker, each running one job at a time.
class WorkerPool
{
public:
    WorkerPool(const SharedParts& shared, WorkerPoolParts parts);
    // Ends at once; drain() first.
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    void claimNoMore();
    // Blocks until every running job ended; after `within` those that still run are told to stop, which gives them back
    // uncounted. A request whose bytes have left is waited for.
    void drain(contract::Millis within);
    int running() const { return m_running.load(); }

private:
    void run(std::stop_token stop);
    void report(const engine::JobReport& job);

    SharedParts m_shared;
    WorkerPoolParts m_parts;
    std::stop_source m_abort; // of running jobs; a thread's own token only ends its claims
    std::atomic<int> m_running{0};
    std::mutex m_mutex;
    std::condition_variable m_ended;
    int m_alive = 0;
    std::vector<std::jthread> m_threads; // last: they use the rest
};

} // namespace unavez::service
