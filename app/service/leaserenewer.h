// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/storehealth.h"
#include "models/engine/worker.h"

#include <thread>
#include <vector>

namespace unavez::service {

// Keeps the leases of running jobs alive from a thread and a connection of its own, so that a worker may wait for its
// handler as long as it is allowed to.
class LeaseRenewer final : public engine::LeaseKeeper
{
public:
    // Renews each lease every `every`, by `lease` (contract.md §10.6: every ≤ lease / 3).
    LeaseRenewer(OpenStore open, StoreHealth& health, Log& log, contract::Millis every, contract::Millis lease);
    ~LeaseRenewer() override;
    LeaseRenewer(const LeaseRenewer&) = delete;
    LeaseRenewer& operator=(const LeaseRenewer&) = delete;

    void begin(const contract::JobLease& lease, std::stop_source lost) override;
    void end(const contract::JobLease& lease) override;

private:
    // Steady time: a suspended host's leases are over in the store, whose clock is the one that counts there.
    using Clock = std::chrono::steady_clock;
    struct Kept
    {
        contract::JobLease lease;
        std::stop_source lost;
        Clock::time_point renewAt;
        Clock::time_point overAt; // certainly over by then, whatever the store says
    };

    void run(std::stop_token stop);
    std::optional<Kept> due(std::stop_token stop);
    void renewed(const contract::JobLease& lease, Clock::time_point asked);
    void postponed(const contract::JobLease& lease);
    void lost(const contract::JobLease& lease);

    StoreLink m_store;
    Log& m_log;
    contract::Millis m_every;
    contract::Millis m_lease;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::vector<Kept> m_kept;
    std::jthread m_thread; // last: it uses the rest
};

} // namespace unavez::service
