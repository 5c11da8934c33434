// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/async/crashpoint.h"
#include "tests/support/memorycase.h"
#include "tests/support/memoryports.h"

#include <QJsonArray>

// The operator's writes: one action, one transaction, the same guard inside it (contract.md §11.10).
namespace unavez::tests {

using namespace contract;

namespace {

// One applied plan, row by row. Every member answers how many rows it changed.
class Application
{
public:
    Application(MemoryTables& tables, const Plan& plan, const CaseFacts& facts, const QString& reason)
        : m_tables(tables)
        , m_plan(plan)
        , m_facts(facts)
        , m_reason(reason)
    {
    }

    Result<int> run()
    {
        const auto& request = m_plan.request;
        switch (request.action) {
        case Action::RequeueJob: return requeue(*request.job);
        case Action::ReleaseLease: return release(*request.job);
        case Action::ExpireReservation: return expire(*request.key);
        case Action::OpenAttempt: return openAttempt(*request.intent);
        case Action::RecordOutcome: return record(*request.key, *request.evidence);
        case Action::DiscardJob: return discard(*request.job);
        case Action::EnqueueEvent: return enqueue(*request.event);
        case Action::Hold: return hold(*request.hold);
        }
        return fail(Error::Kind::Invalid, QStringLiteral("action"));
    }

    std::optional<QString> newKey;
    std::optional<qint64> resumeJob;

private:
    Result<int> updated(const Job& job)
    {
        const auto done = m_tables.updateJob(job);
        return done ? Result<int>(1) : Result<int>(fail(done.error()));
    }

    Result<int> updated(const MemoryReservation& next)
    {
        const auto done = m_tables.updateReservation(next);
        return done ? Result<int>(1) : Result<int>(fail(done.error()));
    }

    MemoryReservation moved(const KeyId& key, ReservationStatus to) const
    {
        auto next = m_tables.rows().reservations.value(key);
        next.row.status = to;
        next.row.statusAt = m_tables.now();
        next.row.fence += 1;
        next.row.owner.reset();
        next.row.leaseExpiresAt.reset();
        if (!isOpen(to))
            next.row.completedAt = m_tables.now();
        return next;
    }

    Result<int> requeue(qint64 id)
    {
        auto job = m_tables.rows().jobs.value(id);
        if (job.state != JobState::Dead)
            return 0;
        job.state = JobState::Queued;
        job.runAt = m_tables.now();
        job.deadAt.reset();
        job.requeuedAt = m_tables.now();
        job.postponed = 0;
        job.maxAttempts = std::max(job.maxAttempts, job.attempts + 1);
        return updated(job);
    }

    Result<int> andRequeue(const Result<int>& already)
    {
        if (!already || !m_plan.requeueJob)
            return already;
        const auto job = requeue(*m_plan.requeueJob);
        return job ? Result<int>(*already + *job) : job;
    }

    Result<int> release(qint64 id)
    {
        auto job = m_tables.rows().jobs.value(id);
        job.state = JobState::RetryWait;
        job.leaseToken += 1;
        job.leaseOwner.reset();
        job.leaseExpiresAt.reset();
        job.runAt = m_tables.now();
        job.errorClass = QStringLiteral("lease_released");
        return updated(job);
    }

    Result<int> expire(const KeyId& key) { return updated(moved(key, ReservationStatus::Unknown)); }

    Result<int> openAttempt(const IntentId& intent)
    {
        const auto& last = m_facts.attempts.last();
        MemoryReservation made;
        made.row.id = {intent.provider, intent.account, *m_plan.newKey};
        made.row.intentKey = intent.intentKey;
        made.row.attempt = last.attempt + 1;
        made.row.status = ReservationStatus::Opened;
        made.row.fence = 0;
        made.row.reservedAt = m_tables.now();
        made.row.statusAt = m_tables.now();
        made.row.window = last.window;
        made.row.margin = last.margin;
        if (const auto inserted = m_tables.insertReservation(made); !inserted)
            return fail(inserted.error());
        newKey = m_plan.newKey;
        if (!m_plan.insertsResumeJob)
            return andRequeue(1);
        Job job;
        job.kind = JobKind::Resume;
        job.key = made.row.id;
        job.runAt = m_tables.now();
        const auto id = m_tables.insertJob(job);
        if (!id)
            return fail(id.error());
        resumeJob = *id;
        m_tables.insertUse(intent, *id);
        return 2;
    }

    Result<int> record(const KeyId& key, const Evidence& evidence)
    {
        Reconciliation row;
        row.key = key;
        row.verdict = evidence.verdict;
        row.source = evidence.source;
        for (const auto& object : evidence.objects)
            row.objectIds.append(object.id);
        row.evidenceSha256 = evidence.sha256;
        row.evidenceUntil = evidence.until;
        row.by = m_facts.store.login;
        row.proposalId = m_plan.request.proposal;
        if (const auto inserted = m_tables.insertReconciliation(row); !inserted)
            return fail(inserted.error());
        if (evidence.verdict == EvidenceVerdict::DoubleCharged) {
            m_tables.raiseIncident(IncidentKind::DoubleCharge, subjectOf(key), Severity::Red,
                {{QStringLiteral("objects"), QJsonArray::fromStringList(row.objectIds)}});
            return andRequeue(1);
        }
        const auto settled = settle(key, evidence);
        return settled ? andRequeue(1 + *settled) : settled;
    }

    Result<int> settle(const KeyId& key, const Evidence& evidence)
    {
        const bool charged = evidence.verdict == EvidenceVerdict::Charged;
        const bool failed = evidence.verdict == EvidenceVerdict::Failed;
        auto next = moved(key,
            charged      ? ReservationStatus::Done
                : failed ? ReservationStatus::Failed
                         : ReservationStatus::Abandoned);
        next.row.flag.reset();
        next.row.outcomeClass = charged ? wordOf(OutcomeClass::Success)
            : failed                    ? wordOf(OutcomeClass::DefinitiveFailure)
                                        : QStringLiteral("not_charged");
        if (charged)
            next.row.providerObjectId = evidence.objects.first().id;
        return updated(next);
    }

    Result<int> discard(qint64 id)
    {
        auto job = m_tables.rows().jobs.value(id);
        job.state = JobState::Discarded;
        job.deadAt.reset();
        job.finishedAt = m_tables.now();
        auto total = updated(job);
        for (const auto& key : m_plan.abandons) {
            auto next = moved(key, ReservationStatus::Abandoned);
            next.row.outcomeClass = QStringLiteral("discarded");
            const auto abandoned = total ? updated(next) : total;
            if (!abandoned)
                return abandoned;
            total = *total + 1;
        }
        return total;
    }

    Result<int> enqueue(qint64 pk)
    {
        Job job;
        job.eventPk = pk;
        job.sourceId = m_tables.rows().events.value(pk).sourceId;
        job.runAt = m_tables.now();
        const auto id = m_tables.insertJob(job);
        if (!id)
            return fail(id.error());
        resumeJob = *id;
        return 1;
    }

    Result<int> hold(const HoldRequest& wanted)
    {
        auto& holds = m_tables.anyRows().holds;
        if (wanted.release)
            return int(holds.removeIf(
                [&](const Hold& held) { return held.kind == wanted.kind && held.target == wanted.target; }));
        holds.append({wanted.kind, wanted.target, m_reason, m_facts.store.login, m_tables.now()});
        return 1;
    }

    MemoryTables& m_tables;
    const Plan& m_plan;
    const CaseFacts& m_facts;
    const QString& m_reason;
};

qint64 logged(MemoryTables& tables, const Plan& plan, const QString& reason, int rowsChanged,
    const std::optional<Reason>& refused)
{
    auto& rows = tables.anyRows();
    LogEntry entry;
    entry.id = rows.log.size() + 1;
    entry.at = tables.now();
    entry.by = QStringLiteral("ana");
    entry.executedBy = entry.by;
    entry.action = plan.request.action;
    entry.target = targetOf(plan.request);
    entry.reason = reason;
    entry.rowsChanged = rowsChanged;
    if (refused)
        entry.refused = wordOf(*refused);
    else if (plan.request.proposal && rows.proposals.contains(*plan.request.proposal))
        rows.proposals[*plan.request.proposal].usedAt = tables.now();
    rows.log.append(entry);
    return entry.id;
}

ActionOutcome outcomeOf(const Because& because)
{
    ActionOutcome outcome;
    outcome.because = because;
    outcome.result = because.reason == Reason::Changed ? ActionResult::Changed
        : because.reason == Reason::NotFound           ? ActionResult::Missing
                                                       : ActionResult::Refused;
    return outcome;
}

// The order of G0: what is told even where the rows have moved, then `changed`, then the action's own table.
std::optional<Because> whyNot(const Plan& plan, const CaseFacts& facts, const QString& reason)
{
    const auto judged = judge(plan.request, facts, reason);
    if (judged.refused
        && (judged.refused->reason == Reason::WrongMode || judged.refused->reason == Reason::NotPermitted
            || judged.refused->reason == Reason::NotFound))
        return judged.refused;
    if (const auto moved = stillAsSeen(plan, facts); moved.refused)
        return moved.refused;
    if (judged.refused)
        return judged.refused;
    const auto fresh = planned(plan.request, facts);
    if (fresh.rows != plan.rows || fresh.requeueJob != plan.requeueJob || fresh.newKey != plan.newKey
        || fresh.abandons != plan.abandons || fresh.insertsResumeJob != plan.insertsResumeJob)
        return Because{Reason::Changed, {{QStringLiteral("target"), targetOf(plan.request)}}};
    return std::nullopt;
}

} // namespace

Result<CaseFacts> MemoryActionStore::facts(const ActionRequest& request)
{
    return m_store.inTransaction(
        [&](MemoryTables& tables) -> Result<CaseFacts> { return memoryCase(tables, request, m_policy); });
}

Result<ActionOutcome> MemoryActionStore::recorded(const Plan& plan, const QString& reason, const Because& because)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<ActionOutcome> {
        auto outcome = outcomeOf(because);
        if (because.reason != Reason::ReasonTooShort && because.reason != Reason::NotPermitted)
            outcome.logId = logged(tables, plan, reason, 0, because.reason);
        return outcome;
    });
}

Result<ActionOutcome> MemoryActionStore::apply(const Plan& plan, const QString& reason)
{
    std::optional<Because> because;
    const auto outcome = m_store.inTransaction([&](MemoryTables& tables) -> Result<ActionOutcome> {
        const auto facts = memoryCase(tables, plan.request, m_policy);
        because = whyNot(plan, facts, reason);
        if (because)
            return fail(Error::Kind::Refused, wordOf(because->reason));
        Application application(tables, plan, facts, reason);
        const auto changed = application.run();
        if (!changed)
            return fail(changed.error());
        if (*changed != plan.rows.size())
            return fail(Error::Kind::Refused, QStringLiteral("changed %1 rows").arg(*changed));
        ActionOutcome applied;
        applied.result = ActionResult::Applied;
        applied.rowsChanged = *changed;
        applied.logId = logged(tables, plan, reason, *changed, {});
        applied.newKey = application.newKey;
        applied.resumeJob = application.resumeJob;
        UNAVEZ_CRASH_POINT("action.after_apply_before_commit");
        return applied;
    });
    if (outcome || outcome.error().kind != Error::Kind::Refused)
        return outcome;
    return recorded(
        plan, reason, because.value_or(Because{Reason::Changed, {{QStringLiteral("target"), targetOf(plan.request)}}}));
}

} // namespace unavez::tests
