// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine/worker.h"

#include "models/async/crashpoint.h"

#include <algorithm>

namespace unavez::engine {

using namespace contract;

namespace {

class KeptLease
{
public:
    KeptLease(LeaseKeeper* keeper, const JobLease& lease, const std::stop_source& lost)
        : m_keeper(keeper)
        , m_lease(lease)
    {
        if (m_keeper)
            m_keeper->begin(m_lease, lost);
    }
    ~KeptLease()
    {
        if (m_keeper)
            m_keeper->end(m_lease);
    }
    KeptLease(const KeptLease&) = delete;
    KeptLease& operator=(const KeptLease&) = delete;

private:
    LeaseKeeper* m_keeper;
    JobLease m_lease;
};

} // namespace

Worker::Worker(JobStore& jobs, ReservationStore& reservations, Gate& gate, JobHandler& handler, Evidence* evidence,
    LeaseKeeper* keeper, WorkerSettings settings)
    : m_jobs(jobs)
    , m_reservations(reservations)
    , m_gate(gate)
    , m_handler(handler)
    , m_evidence(evidence)
    , m_keeper(keeper)
    , m_settings(std::move(settings))
{
}

Result<std::optional<JobReport>> Worker::step(const QList<Source>& sources, std::stop_token stop)
{
    auto all = sources;
    if (std::none_of(all.begin(), all.end(), [](const Source& s) { return s.id == 0; }))
        all.append(Source{}); // resume jobs have no source
    for (qsizetype tried = 0; tried < all.size() && !stop.stop_requested(); ++tried) {
        const auto source = all[m_next++ % all.size()];
        const auto claimed = m_jobs.claim(source.id, m_settings.owner, m_settings.lease);
        if (!claimed)
            return fail(claimed.error());
        if (!*claimed)
            continue;
        UNAVEZ_CRASH_POINT("worker.after_claim");
        auto report = run(**claimed, source, stop);
        if (!report)
            return fail(report.error());
        return std::optional(std::move(*report));
    }
    return std::optional<JobReport>();
}

Result<JobReport> Worker::run(const ClaimedJob& claimed, const Source& source, std::stop_token stop)
{
    JobReport report{claimed.job, claimed.event, JobFinish::Done, {}, {}};
    std::stop_source lost;
    const std::stop_callback forward(stop, [&lost] { lost.request_stop(); });
    const KeptLease kept(m_keeper, claimed.lease(), lost);
    auto decision = decide(claimed, source, lost.get_token(), report);
    if (!decision)
        return fail(decision.error());
    if (stop.stop_requested() && decision->kind == JobDecision::Kind::Later)
        decision->counted = false; // our own end cut it short: the job is not to blame
    const auto finished = finish(claimed, *decision, report);
    if (!finished)
        return fail(finished.error());
    report.finish = *finished;
    return report;
}

Result<JobDecision> Worker::decide(
    const ClaimedJob& claimed, const Source& source, std::stop_token stop, JobReport& report)
{
    const auto backoff = m_settings.backoff.after(claimed.job.attempts, m_settings.random ? m_settings.random() : 0.5);
    std::optional<QByteArray> payload;
    if (claimed.event && claimed.job.eventPk) {
        auto read = m_jobs.payload(*claimed.job.eventPk);
        if (!read)
            return fail(read.error());
        payload = std::move(*read);
        if (m_evidence && payload) {
            const auto observed = m_evidence->observe(*claimed.event, source, *payload);
            if (!observed)
                return fail(observed.error());
            report.evidence = *observed;
        }
    }
    const auto settled = settle(claimed, stop, backoff);
    if (!settled)
        return fail(settled.error());
    if (*settled)
        return **settled;
    UNAVEZ_CRASH_POINT("worker.after_settle_before_handler");
    if (claimed.job.kind == JobKind::Resume || !claimed.event)
        return JobDecision{};
    if (stop.stop_requested())
        return JobDecision{JobDecision::Kind::Later, Millis{0}, false, QStringLiteral("stopped"), {}};
    const HandlerRequest request{claimed.lease(), claimed.job.attempts, *claimed.event,
        m_settings.payload ? payload : std::nullopt, claimed.now + m_settings.handlerTime};
    const auto answer = m_handler.handle(request, stop);
    UNAVEZ_CRASH_POINT("worker.after_handler_before_finish");
    const auto open = m_reservations.openEffects(claimed.job.id);
    if (!open)
        return fail(open.error());
    const auto now = m_reservations.now();
    if (!now)
        return fail(now.error());
    return afterHandler(answer, *open, *now, m_settings.grace, backoff);
}

Result<std::optional<JobDecision>> Worker::settle(const ClaimedJob& claimed, std::stop_token stop, Millis backoff)
{
    auto open = m_reservations.openEffects(claimed.job.id);
    if (!open)
        return fail(open.error());
    auto effects = *open;
    if (claimed.job.key) { // a resume job names its key, whether or not a use was written
        const auto named = m_reservations.findKey(*claimed.job.key);
        if (!named)
            return fail(named.error());
        const auto isNamed = [&](const Reservation& row) { return *named && row.id == (*named)->last.id; };
        if (*named && isOpen((*named)->last.status) && std::none_of(effects.begin(), effects.end(), isNamed))
            effects.append((*named)->last);
    }
    QList<Settled> settled;
    for (const auto& row : std::as_const(effects)) {
        auto one = m_gate.settle(row, claimed.lease(), stop);
        if (!one)
            return fail(one.error());
        settled.append(std::move(*one));
        if (settled.last().kind == Settled::Kind::LeaseLost)
            break;
    }
    if (effects.isEmpty())
        return std::optional<JobDecision>();
    const auto now = m_reservations.now();
    if (!now)
        return fail(now.error());
    return afterSettling(settled, *now, backoff);
}

Result<JobFinish> Worker::finish(const ClaimedJob& claimed, const JobDecision& decision, JobReport& report)
{
    const auto lease = claimed.lease();
    report.errorClass = decision.errorClass;
    switch (decision.kind) {
    case JobDecision::Kind::LeaseLost: return JobFinish::LeaseLost;
    case JobDecision::Kind::Dead: return m_jobs.finishDead(lease, decision.errorClass, decision.errorText);
    case JobDecision::Kind::Later:
        return m_jobs.finishLater(lease, decision.runIn, decision.counted, decision.errorClass, decision.errorText);
    case JobDecision::Kind::Done: break;
    }
    const auto done = m_jobs.finishDone(lease);
    if (!done || *done != JobFinish::OpenEffect)
        return done;
    // An effect was begun between our look and the finish: the job waits for it, at no cost.
    const auto open = m_reservations.openEffects(claimed.job.id);
    if (!open)
        return fail(open.error());
    const auto now = m_reservations.now();
    if (!now)
        return fail(now.error());
    return finish(claimed, openEffect(*open, *now, m_settings.grace), report);
}

} // namespace unavez::engine
