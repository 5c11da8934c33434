// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqlactionstore.h"

#include "models/async/crashpoint.h"
#include "models/stores/sql/actionwrites.h"
#include "models/stores/sql/casefacts.h"
#include "models/stores/sql/transaction.h"

namespace unavez::stores {

using namespace contract;

namespace {

// G0 before its line "a row version differs": these are told even where the rows have moved since.
bool isToldBeforeChanged(Reason reason)
{
    switch (reason) {
    case Reason::StoreUnreachable:
    case Reason::StoreReadOnly:
    case Reason::SchemaNewer:
    case Reason::WrongMode:
    case Reason::NotPermitted:
    case Reason::NotFound: return true;
    default: return false;
    }
}

// These cannot be audited: the store cannot be written by this login, or the reason is too short to be kept.
bool canBeAudited(Reason reason)
{
    switch (reason) {
    case Reason::StoreUnreachable:
    case Reason::StoreReadOnly:
    case Reason::SchemaNewer:
    case Reason::NotPermitted:
    case Reason::ReasonTooShort: return false;
    default: return true;
    }
}

std::optional<Because> whyNot(const Plan& plan, const CaseFacts& facts, const QString& reason)
{
    const auto judged = judge(plan.request, facts, reason);
    if (judged.refused && isToldBeforeChanged(judged.refused->reason))
        return judged.refused;
    if (const auto moved = stillAsSeen(plan, facts); moved.refused)
        return moved.refused;
    if (judged.refused)
        return judged.refused;
    // Time alone may have changed what an allowed request does: the person confirmed these rows and no others.
    const auto fresh = planned(plan.request, facts);
    const bool same = fresh.rows == plan.rows && fresh.requeueJob == plan.requeueJob && fresh.newKey == plan.newKey
        && fresh.abandons == plan.abandons && fresh.insertsResumeJob == plan.insertsResumeJob;
    if (!same)
        return Because{Reason::Changed, {{QStringLiteral("target"), targetOf(plan.request)}}};
    return std::nullopt;
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

} // namespace

SqlActionStore::SqlActionStore(SqlConnection& connection, GuardPolicy policy)
    : m_connection(connection)
    , m_policy(std::move(policy))
    , m_writes(actionWritesOn(connection))
{
}

SqlActionStore::~SqlActionStore() = default;

Result<CaseFacts> SqlActionStore::facts(const ActionRequest& request)
{
    return CaseReader(m_connection, m_policy).of(request);
}

Result<ActionOutcome> SqlActionStore::apply(const Plan& plan, const QString& reason)
{
    // A login without the right, or a store that cannot be written, is answered before any lock is asked for.
    const auto offered = CaseReader(m_connection, m_policy).of(plan.request);
    if (!offered)
        return fail(offered.error());
    const auto judged = judge(plan.request, *offered, reason);
    if (judged.refused && !canBeAudited(judged.refused->reason))
        return outcomeOf(*judged.refused);
    auto outcome = inTransaction(m_connection, [&] { return attempted(plan, reason); });
    if (outcome || outcome.error().kind != Error::Kind::Refused)
        return outcome;
    // The last line of defence saw a row move after our look: nothing was written; the refusal is.
    if (outcome.error().detail.contains(QLatin1String("second_person_needed")))
        return refused(plan, reason, {Reason::SecondPersonNeeded, {}});
    return refused(plan, reason, {Reason::Changed, {{QStringLiteral("target"), targetOf(plan.request)}}});
}

Result<ActionOutcome> SqlActionStore::refused(const Plan& plan, const QString& reason, const Because& because)
{
    return inTransaction(m_connection, [&]() -> Result<ActionOutcome> { return recorded(plan, reason, because); });
}

Result<ActionOutcome> SqlActionStore::recorded(const Plan& plan, const QString& reason, const Because& because)
{
    const auto log = m_writes->recordRefusal(plan, reason, because.reason);
    if (!log)
        return fail(log.error());
    auto outcome = outcomeOf(because);
    outcome.logId = *log;
    return outcome;
}

// One try, inside a transaction.
Result<ActionOutcome> SqlActionStore::attempted(const Plan& plan, const QString& reason)
{
    if (const auto locked = m_writes->lock(plan.request); !locked)
        return fail(locked.error());
    const auto facts = CaseReader(m_connection, m_policy).of(plan.request);
    if (!facts)
        return fail(facts.error());
    if (const auto because = whyNot(plan, *facts, reason))
        return recorded(plan, reason, *because);
    const auto written = m_writes->write(plan, *facts, reason);
    if (!written)
        return fail(written.error());
    if (written->rowsChanged != plan.rows.size())
        return fail(Error::Kind::Refused, QStringLiteral("changed %1 rows").arg(written->rowsChanged));
    UNAVEZ_CRASH_POINT("action.after_apply_before_commit");
    ActionOutcome outcome;
    outcome.result = ActionResult::Applied;
    outcome.rowsChanged = written->rowsChanged;
    outcome.logId = written->logId;
    outcome.newKey = written->newKey;
    outcome.resumeJob = written->resumeJob;
    return outcome;
}

} // namespace unavez::stores
