// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/engine/evidence.h"
#include "models/engine/workerrules.h"

#include <functional>

// The worker (contract.md §10.3): claim, evidence, settle, handler, finish. One step is one job.
namespace unavez::engine {

// Who keeps the lease alive while a step runs; the service renews from another thread.
class LeaseKeeper
{
public:
    virtual ~LeaseKeeper() = default;
    // Renew until end(); when the lease is lost, request_stop() so that the step ends. Both on the step's thread.
    virtual void begin(const contract::JobLease& lease, std::stop_source lost) = 0;
    virtual void end(const contract::JobLease& lease) = 0;
};

struct WorkerSettings
{
    QString owner;
    contract::Millis lease{60000};
    contract::Seconds grace{10};
    contract::Millis handlerTime{600000};
    bool payload = true; // hand the event's body to the handler
    Backoff backoff;
    std::function<double()> random; // [0, 1); absent: no jitter
};

struct JobReport
{
    contract::Job job; // as claimed
    std::optional<contract::Event> event;
    contract::JobFinish finish = contract::JobFinish::Done; // Dead: somebody must be alerted
    QString errorClass; // empty when done
    std::optional<contract::EvidenceEffect> evidence; // Settled: a dead job of that effect may be requeued now
};

class Worker
{
public:
    // `evidence` and `keeper` may be nullptr. One Worker per thread.
    Worker(contract::JobStore& jobs, contract::ReservationStore& reservations, Gate& gate,
        contract::JobHandler& handler, Evidence* evidence, LeaseKeeper* keeper, WorkerSettings settings);

    // Claims one job, the sources in rotation and resume jobs (source 0) among them, and runs it to its end. Absent:
    // nothing to do. On an error the job stays leased; the reaper frees it.
    contract::Result<std::optional<JobReport>> step(const QList<contract::Source>& sources, std::stop_token stop = {});

private:
    contract::Result<JobReport> run(
        const contract::ClaimedJob& claimed, const contract::Source& source, std::stop_token stop);
    contract::Result<JobDecision> decide(
        const contract::ClaimedJob& claimed, const contract::Source& source, std::stop_token stop, JobReport& report);
    contract::Result<std::optional<JobDecision>> settle(
        const contract::ClaimedJob& claimed, std::stop_token stop, contract::Millis backoff);
    contract::Result<contract::JobFinish> finish(
        const contract::ClaimedJob& claimed, const JobDecision& decision, JobReport& report);

    contract::JobStore& m_jobs;
    contract::ReservationStore& m_reservations;
    Gate& m_gate;
    contract::JobHandler& m_handler;
    Evidence* m_evidence;
    LeaseKeeper* m_keeper;
    WorkerSettings m_settings;
    qsizetype m_next = 0; // rotation only: where it starts is of no weight
};

} // namespace unavez::engine
