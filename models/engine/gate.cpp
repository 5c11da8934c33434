// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine/gate.h"

#include "models/async/crashpoint.h"

#include <QJsonDocument>

#include <algorithm>

namespace unavez::engine {

using namespace contract;

namespace {

GateAnswer storeAway() { return refusal(Reason::StoreAway); }

// Damaged rows are no outage: asking again does not mend them.
GateAnswer storeTrouble(const Error& error, const QString& key)
{
    return error.kind == Error::Kind::Corrupt ? refusal(damaged(key)) : storeAway();
}

// Of the plan only what the tool's caller may spell: the rest is the backend's business (contract.md §13.2).
Because mismatchOf(const EffectTool& tool, const Intent& intent)
{
    const auto plan = QJsonDocument::fromJson(intent.plan.value_or(QByteArray())).object();
    const auto spellable = tool.inputSchema().value(QLatin1String("properties")).toObject();
    QVariantMap arguments;
    for (auto it = plan.begin(); it != plan.end(); ++it) {
        if (spellable.contains(it.key()))
            arguments.insert(it.key(), it->toVariant());
    }
    return {Reason::PlanMismatch,
        {{QStringLiteral("intent"), intent.id.intentKey}, {QStringLiteral("field"), QStringLiteral("arguments")},
            {QStringLiteral("arguments"), arguments}}};
}

// A mark refused because the reservation went to another hand, not because the job did.
bool isOfRow(const Because& because)
{
    return because.reason == Reason::LeaseLost
        && because.facts.value(QStringLiteral("id")).typeId() == QMetaType::QString;
}

} // namespace

Gate::Gate(ReservationStore& store, const HostClock& clock, GateSettings settings, QList<EffectTool*> tools)
    : m_store(store)
    , m_clock(clock)
    , m_settings(std::move(settings))
    , m_tools(std::move(tools))
    , m_provider(clock)
{
}

EffectTool* Gate::tool(const QString& name) const
{
    const auto found = std::find_if(m_tools.begin(), m_tools.end(), [&](EffectTool* t) { return t->name() == name; });
    return found == m_tools.end() ? nullptr : *found;
}

GateAnswer Gate::call(const QString& toolName, const QJsonObject& arguments, const std::optional<JobLease>& job,
    std::stop_token cancelled)
{
    auto* const asked = tool(toolName);
    if (!asked)
        return refusal(Reason::UnknownTool, {{QStringLiteral("name"), toolName.left(64)}});
    const auto spelled = asked->spelled(arguments);
    if (!spelled)
        return refusal(spelled.error());
    const auto planned = asked->plan(arguments);
    // With the backend away, an intent under the id as spelled still answers; nothing new is begun.
    const auto state = m_store.find(planned ? planned->intent : *spelled);
    if (!state)
        return storeAway();
    if (!*state) {
        if (!planned)
            return refusal(planned.error());
        if (!planned->due)
            return refusal(Reason::NotDue,
                {{QStringLiteral("id"), planned->intent.intentKey}, {QStringLiteral("state"), planned->state}});
        return reserveAndSend(*asked, *planned, job, cancelled);
    }
    if (planned && (*state)->intent.argsSha256 != planned->argsSha256)
        return refusal(mismatchOf(*asked, (*state)->intent));
    return answerExisting(**state, *asked, job, cancelled);
}

GateAnswer Gate::answerExisting(
    const IntentState& state, EffectTool& tool, const std::optional<JobLease>& job, std::stop_token cancelled)
{
    if (job) {
        const auto used = m_store.use(state.intent.id, *job);
        if (!used)
            return storeAway();
        if (!*used)
            return refusal(Reason::LeaseLost, {{QStringLiteral("id"), job->job}});
    }
    const auto hold = holdOf(state.last, state.now, m_settings.grace);
    if (hold != RowHold::Opened && hold != RowHold::Resumable)
        return answerOf(state, m_settings.grace, m_settings.policy);
    auto taken = take(state, hold, tool);
    if (!taken)
        return storeTrouble(taken.error(), state.last.id.key);
    if (taken->because)
        return refusal(*taken->because);
    if (taken->away)
        return answerOf(state, m_settings.grace, m_settings.policy);
    if (!taken->held) {
        const auto again = m_store.find(state.intent.id);
        if (!again || !*again)
            return storeAway();
        return answerOf(**again, m_settings.grace, m_settings.policy);
    }
    const auto driven = drive(tool, *taken->held, job, cancelled);
    return answerDriven(driven, *taken->held);
}

GateAnswer Gate::reserveAndSend(
    EffectTool& tool, const PlannedIntent& planned, const std::optional<JobLease>& job, std::stop_token cancelled)
{
    // Before anything is written: a credential that is not known to be this account's must leave no row behind.
    if (const auto because = checkAccount(tool, planned.intent.account, false))
        return refusal(*because);
    Intent intent;
    intent.id = planned.intent;
    intent.tool = tool.name();
    intent.amount = planned.amount;
    intent.customer = planned.customer;
    intent.plan = planned.plan;
    intent.planSha256 = sha256(planned.plan);
    intent.argsSha256 = planned.argsSha256;
    intent.maxAttempts = tool.maxAttempts();
    const auto bytes = tool.encode(intent, 1);
    if (!bytes)
        return refusal(bytes.error());
    const auto reserved = m_store.reserve(
        {planned.intent, tool.name(), planned.amount, planned.customer, planned.plan, planned.argsSha256,
            tool.maxAttempts(), *bytes, tool.window(), tool.margin(), m_settings.owner, m_settings.lease, job});
    if (!reserved)
        return storeAway();
    if (reserved->refused && reserved->refused->reason == Reason::PlanMismatch) {
        const auto theirs = m_store.find(planned.intent);
        if (!theirs || !*theirs)
            return storeAway();
        return refusal(mismatchOf(tool, (*theirs)->intent));
    }
    if (reserved->refused)
        return refusal(*reserved->refused);
    if (reserved->existing) // somebody reserved it between our look and now; it is theirs to send
        return answerExisting(*reserved->existing, tool, job, cancelled);
    if (!reserved->held)
        return storeAway();
    UNAVEZ_CRASH_POINT("gate.after_reserve_before_connect");
    auto held = *reserved->held;
    const auto driven = drive(tool, held, job, cancelled);
    return answerDriven(driven, held);
}

Result<Gate::Taken> Gate::take(const IntentState& state, RowHold hold, EffectTool& tool)
{
    const auto& row = state.last;
    if (const auto because = checkAccount(tool, row.id.account, true)) {
        Taken taken;
        if (because->reason == Reason::WrongAccount)
            taken.because = because;
        else
            taken.away = true;
        return taken;
    }
    if (hold == RowHold::Resumable) {
        const auto held = m_store.resume(row.id, row.fence, m_settings.owner, m_settings.lease, m_settings.grace);
        if (!held)
            return fail(held.error());
        return Taken{*held, {}, false};
    }
    const auto bytes = tool.encode(state.intent, row.attempt);
    if (!bytes && bytes.error().reason == Reason::BackendUnreachable)
        return Taken{{}, {}, true};
    if (!bytes)
        return Taken{{}, bytes.error(), false};
    const auto held = m_store.start(row.id, row.rowVersion, m_settings.owner, m_settings.lease, *bytes);
    if (!held)
        return fail(held.error());
    if (*held)
        UNAVEZ_CRASH_POINT("gate.after_reserve_before_connect");
    return Taken{*held, {}, false};
}

GateAnswer Gate::answerDriven(const Drive& driven, const Held& held)
{
    // What the row itself says better is answered from the row.
    if (driven.end == Drive::End::Refused && driven.because && driven.because->reason != Reason::PastCutoff
        && driven.because->reason != Reason::ClockWentBack && !isOfRow(*driven.because))
        return refusal(*driven.because);
    if (driven.end == Drive::End::StoreAway)
        return storeAway();
    const auto state = m_store.find(held.intent.id);
    IntentState told{held.intent, {}, held.now};
    if (state && *state) {
        told = **state;
    } else if (driven.finished) {
        // The outcome is committed; a store that went away since must not turn it into an error.
        told.last.id = held.key;
        told.last.intentKey = held.intent.id.intentKey;
        told.last.attempt = parsedKey(held.key.key).attempt;
        told.last.status = driven.finished->status;
        told.last.outcomeClass = contract::wordOf(driven.finished->outcome);
        told.last.result = driven.finished->result;
        told.last.error = driven.finished->error;
    } else {
        return storeAway();
    }
    auto answer = answerOf(told, m_settings.grace, m_settings.policy);
    answer.replayed = driven.end == Drive::End::Refused;
    if (answer.status == GateStatus::InProgress && driven.retryAfter)
        answer.retryAfter = std::max(*answer.retryAfter, Millis{*driven.retryAfter});
    return answer;
}

Result<Settled> Gate::settle(const Reservation& open, const JobLease& job, std::stop_token cancelled)
{
    const auto found = m_store.findKey(open.id);
    if (!found)
        return fail(found.error());
    if (!*found)
        return fail(Error::Kind::Corrupt, QStringLiteral("an open effect without its row"));
    const auto& state = **found;
    const auto hold = holdOf(state.last, state.now, m_settings.grace);
    switch (hold) {
    case RowHold::Final: return Settled{Settled::Kind::Closed, {}, {}};
    case RowHold::Unknown:
    case RowHold::PastCutoff:
    case RowHold::ClockWentBack: return Settled{Settled::Kind::Unknown, {}, {}};
    case RowHold::Live: return Settled{Settled::Kind::Live, *state.last.leaseExpiresAt + m_settings.grace, {}};
    case RowHold::Opened:
    case RowHold::Resumable: break;
    }
    auto* const owner = tool(state.intent.tool);
    if (!owner)
        return Settled{
            Settled::Kind::Refused, {}, Because{Reason::UnknownTool, {{QStringLiteral("name"), state.intent.tool}}}};
    auto taken = take(state, hold, *owner);
    if (!taken && taken.error().kind == Error::Kind::Corrupt)
        return Settled{Settled::Kind::Refused, {}, damaged(state.last.id.key)};
    if (!taken)
        return fail(taken.error());
    if (taken->because)
        return Settled{Settled::Kind::Refused, {}, taken->because};
    if (taken->away)
        return Settled{Settled::Kind::Away, {}, {}};
    const Settled inAnotherHand{Settled::Kind::Live, state.now + m_settings.lease + m_settings.grace, {}};
    if (!taken->held)
        return inAnotherHand;
    const auto driven = drive(*owner, *taken->held, job, cancelled);
    switch (driven.end) {
    case Drive::End::Finished:
        return Settled{
            driven.finished->status == ReservationStatus::Unknown ? Settled::Kind::Unknown : Settled::Kind::Closed, {},
            {}};
    case Drive::End::Unanswered:
    case Drive::End::Retryable:
    case Drive::End::TooLate:
    case Drive::End::Fenced:
        return Settled{Settled::Kind::Unanswered,
            driven.retryAfter ? std::optional(taken->held->now + *driven.retryAfter) : std::nullopt, {}};
    case Drive::End::Mismatch: return Settled{Settled::Kind::Mismatch, {}, {}};
    case Drive::End::Away: return Settled{Settled::Kind::Away, {}, {}};
    case Drive::End::StoreAway: return fail(Error::Kind::Offline, QStringLiteral("store went away while settling"));
    case Drive::End::Refused: break;
    }
    if (isOfRow(*driven.because))
        return inAnotherHand;
    if (driven.because->reason == Reason::LeaseLost)
        return Settled{Settled::Kind::LeaseLost, {}, driven.because};
    if (driven.because->reason == Reason::PastCutoff || driven.because->reason == Reason::ClockWentBack)
        return Settled{Settled::Kind::Unknown, {}, driven.because};
    return Settled{Settled::Kind::Refused, {}, driven.because};
}

} // namespace unavez::engine
