// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/workerpool.h"

#include <QRandomGenerator>

namespace unavez::service {

using namespace contract;

namespace {

// What the job's event proved of an effect of ours, as a person on call wants to find it.
void logEvidence(Log& log, EvidenceEffect effect, const QJsonObject& fields)
{
    switch (effect) {
    case EvidenceEffect::Recorded: return log.info(QLatin1String("evidence_recorded"), fields);
    case EvidenceEffect::Settled: return log.warning(QLatin1String("evidence_settled"), fields);
    case EvidenceEffect::DoubleCharge: return log.error(QLatin1String("evidence_double_charge"), fields);
    case EvidenceEffect::Conflict: return log.error(QLatin1String("evidence_conflict"), fields);
    }
}

// The lease of the job a thread runs, kept by whoever keeps leases, and the thread counted as busy meanwhile.
class BusyKeeper final : public engine::LeaseKeeper
{
public:
    BusyKeeper(engine::LeaseKeeper& keeper, Metrics& metrics)
        : m_keeper(keeper)
        , m_metrics(metrics)
    {
    }
    void begin(const JobLease& lease, std::stop_source lost) override
    {
        m_busy.emplace(m_metrics, Role::Worker);
        m_keeper.begin(lease, std::move(lost));
    }
    void end(const JobLease& lease) override
    {
        m_keeper.end(lease);
        m_busy.reset();
    }

private:
    engine::LeaseKeeper& m_keeper;
    Metrics& m_metrics;
    std::optional<Metrics::Busy> m_busy;
};

// What stands on one session, and falls with it.
struct Bench
{
    Bench(StoreSession& store, const SharedParts& shared, const WorkerPoolParts& parts)
        : gate(store.reservations(), shared.clock, parts.gate, parts.tools)
        , evidence(store.evidence(), store.reservations(), parts.events, parts.mode)
        , keeper(parts.keeper, shared.metrics)
        , worker(store.jobs(), store.reservations(), gate, parts.handler, &evidence, &keeper, parts.worker)
    {
    }
    engine::Gate gate;
    engine::Evidence evidence;
    BusyKeeper keeper;
    engine::Worker worker;
};

} // namespace

WorkerPool::WorkerPool(const SharedParts& shared, WorkerPoolParts parts)
    : m_shared(shared)
    , m_parts(std::move(parts))
    , m_alive(m_parts.concurrency)
{
    for (int i = 0; i < m_parts.concurrency; ++i)
        m_threads.emplace_back([this](std::stop_token stop) {
            run(std::move(stop));
            const std::lock_guard lock(m_mutex);
            --m_alive;
            m_ended.notify_all();
        });
}

WorkerPool::~WorkerPool()
{
    claimNoMore();
    m_abort.request_stop();
}

void WorkerPool::claimNoMore()
{
    for (auto& thread : m_threads)
        thread.request_stop();
}

void WorkerPool::drain(Millis within)
{
    claimNoMore();
    std::unique_lock lock(m_mutex);
    if (!m_ended.wait_for(lock, within, [this] { return m_alive == 0; })) {
        m_shared.log.warning(QLatin1String("drain_over"), {{QStringLiteral("running"), running()}});
        m_abort.request_stop();
        m_ended.wait(lock, [this] { return m_alive == 0; });
    }
}

void WorkerPool::run(std::stop_token stop)
{
    StoreLink link(m_shared.openStore, m_shared.health);
    std::unique_ptr<Bench> bench;
    bool reopened = false;
    while (auto* store = link.session(stop, &reopened)) {
        if (reopened || !bench)
            bench = std::make_unique<Bench>(*store, m_shared, m_parts);
        ++m_running;
        const auto job = bench->worker.step(m_parts.sources, m_abort.get_token());
        --m_running;
        if (!job) {
            bench.reset(); // before the session it stands on
            link.failed(job.error());
            continue;
        }
        link.worked();
        if (*job) {
            report(**job);
            continue;
        }
        // ± 20 %, so that the threads of many services do not knock together.
        const auto spread = 0.8 + QRandomGenerator::global()->generateDouble() * 0.4;
        rest(stop, Millis{static_cast<qint64>(static_cast<double>(m_parts.poll.count()) * spread) + 1});
    }
    bench.reset();
}

void WorkerPool::report(const engine::JobReport& job)
{
    auto& counters = m_shared.counters;
    ++counters.jobsClaimed;
    QJsonObject fields{{QStringLiteral("job"), job.job.id}, {QStringLiteral("token"), job.job.leaseToken},
        {QStringLiteral("attempt"), job.job.attempts}};
    if (job.event)
        fields.insert(QStringLiteral("event"), job.event->eventId);
    if (job.evidence)
        logEvidence(m_shared.log, *job.evidence, fields);
    if (!job.errorClass.isEmpty())
        fields.insert(QStringLiteral("class"), job.errorClass);
    switch (job.finish) {
    case JobFinish::Done:
        ++counters.jobsDone;
        m_shared.log.info(QLatin1String("job_done"), fields);
        return;
    case JobFinish::Later:
    case JobFinish::OpenEffect:
        ++counters.jobsLater;
        m_shared.log.info(QLatin1String("job_later"), fields);
        return;
    case JobFinish::LeaseLost:
        ++counters.leasesLost;
        m_shared.log.warning(QLatin1String("job_lost"), fields);
        return;
    case JobFinish::Dead: break;
    }
    ++counters.jobsDead;
    m_shared.log.error(QLatin1String("job_dead"), fields);
    m_shared.alert.died({job.job.id, job.event ? job.event->eventId : QString(),
        job.event ? job.event->source : QString(), job.errorClass});
}

} // namespace unavez::service
