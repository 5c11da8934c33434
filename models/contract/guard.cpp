// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/guard.h"

#include "models/contract/guardrules.h"

#include <QHash>

// G0 and the entrance to the tables; each action's own table stands in its guard_<action>.cpp.
namespace unavez::contract {

namespace {

constexpr qsizetype shortestReason = 8; // characters
constexpr Seconds proposalLife{24 * 3600};

bool hasTarget(const ActionRequest& request, const CaseFacts& facts)
{
    switch (request.action) {
    case Action::RequeueJob:
    case Action::ReleaseLease:
    case Action::DiscardJob: return facts.job && facts.job->id == request.job;
    case Action::ExpireReservation:
    case Action::RecordOutcome: return request.key && rules::attemptOf(facts, *request.key);
    case Action::OpenAttempt: return request.intent && !rules::attemptsOf(facts, *request.intent).isEmpty();
    case Action::EnqueueEvent: return facts.event && facts.event->pk == request.event;
    case Action::Hold: return request.hold.has_value();
    }
    return false;
}

// Which role an action needs (contract.md §12.2).
QStringList rolesFor(Action action)
{
    QStringList roles{QStringLiteral("operator"), QStringLiteral("admin")};
    if (action == Action::RecordOutcome)
        roles.prepend(QStringLiteral("finance"));
    return roles;
}

std::optional<Because> beforeEveryTable(
    const ActionRequest& request, const CaseFacts& facts, const std::optional<QString>& reason)
{
    const auto& store = facts.store;
    if (!store.reachable)
        return Because{Reason::StoreUnreachable, {{QStringLiteral("time"), store.lastAnswer.ms}}};
    if (store.readOnly)
        return Because{Reason::StoreReadOnly, {{QStringLiteral("why"), store.readOnlyWhy}}};
    if (store.schema > store.knownSchema)
        return Because{
            Reason::SchemaNewer, {{QStringLiteral("n"), store.schema}, {QStringLiteral("m"), store.knownSchema}}};
    if (request.confirmedMode && *request.confirmedMode != store.mode) {
        return Because{Reason::WrongMode,
            {{QStringLiteral("confirmed"), wordOf(*request.confirmedMode)},
                {QStringLiteral("mode"), wordOf(store.mode)}}};
    }
    const auto needed = rolesFor(request.action);
    const bool permitted = std::any_of(
        needed.begin(), needed.end(), [&store](const QString& role) { return store.roles.contains(role); });
    if (!permitted) {
        return Because{Reason::NotPermitted,
            {{QStringLiteral("action"), wordOf(request.action)}, {QStringLiteral("role"), needed.first()},
                {QStringLiteral("login"), store.login},
                {QStringLiteral("roles"), store.roles.join(QStringLiteral(", "))}}};
    }
    if (!hasTarget(request, facts))
        return Because{Reason::NotFound, {{QStringLiteral("target"), targetOf(request)}}};
    if (reason && reason->trimmed().size() < shortestReason)
        return Because{Reason::ReasonTooShort, {}};
    return std::nullopt;
}

std::optional<Because> byTable(const ActionRequest& request, const CaseFacts& facts)
{
    switch (request.action) {
    case Action::RequeueJob: return rules::requeue(facts);
    case Action::ReleaseLease: return rules::release(facts);
    case Action::ExpireReservation: return rules::expire(request, facts);
    case Action::OpenAttempt: return rules::openAttempt(request, facts);
    case Action::RecordOutcome: return rules::recordOutcome(request, facts);
    case Action::DiscardJob: return rules::discard(facts);
    case Action::EnqueueEvent: return rules::enqueue(facts);
    case Action::Hold: return rules::hold(request, facts);
    }
    return Because{Reason::NotFound, {}};
}

} // namespace

namespace rules {

// Two people: a proposal by one login, approved by another, within a day (contract.md §11.10).
std::optional<Because> needsTwoPeople(const ActionRequest& request, const CaseFacts& facts, const QString& why)
{
    const auto& proposal = facts.proposal;
    const bool covers = proposal && request.proposal == proposal->id && proposal->action == request.action
        && proposal->target == targetOf(request) && !proposal->usedAt;
    if (!covers || proposal->approved == false)
        return Because{Reason::SecondPersonNeeded, {{QStringLiteral("why"), why}}};
    if (proposal->approved != true && proposal->proposedBy == facts.store.login)
        return Because{Reason::SamePerson, {{QStringLiteral("login"), proposal->proposedBy}}};
    if (facts.now - proposal->proposedAt > proposalLife)
        return Because{Reason::ProposalExpired, {{QStringLiteral("time"), proposal->proposedAt.ms}}};
    if (proposal->approved != true)
        return Because{Reason::SecondPersonNeeded, {{QStringLiteral("why"), why}}};
    return std::nullopt;
}

const Reservation* attemptOf(const CaseFacts& facts, const KeyId& key)
{
    for (const auto& attempt : facts.attempts) {
        if (attempt.id == key)
            return &attempt;
    }
    return nullptr;
}

QList<Reservation> attemptsOf(const CaseFacts& facts, const IntentId& intent)
{
    QList<Reservation> found;
    for (const auto& attempt : facts.attempts) {
        if (attempt.intent() == intent)
            found.append(attempt);
    }
    return found;
}

const Intent* intentOf(const CaseFacts& facts, const IntentId& id)
{
    for (const auto& intent : facts.intents) {
        if (intent.id == id)
            return &intent;
    }
    return nullptr;
}

bool isLive(const Reservation& attempt, const CaseFacts& facts)
{
    return attempt.leaseExpiresAt && *attempt.leaseExpiresAt + facts.policy.grace >= facts.now;
}

Because about(Reason reason, const Reservation& attempt)
{
    Because because{
        reason, {{QStringLiteral("key"), attempt.id.key}, {QStringLiteral("status"), wordOf(attempt.status)}}};
    if (attempt.owner)
        because.facts.insert(QStringLiteral("owner"), *attempt.owner);
    return because;
}

Because aboutAt(Reason reason, const Reservation& attempt, Instant time)
{
    auto because = about(reason, attempt);
    because.facts.insert(QStringLiteral("time"), time.ms);
    return because;
}

std::optional<Because> stillHeld(const CaseFacts& facts, const QString& tool, qint64 sourceId)
{
    for (const auto& hold : facts.holds) {
        const bool binds = hold.kind == HoldKind::Sends
            || (hold.kind == HoldKind::Tool && !tool.isEmpty() && hold.target == tool)
            || (hold.kind == HoldKind::Source && sourceId != 0 && hold.target == QString::number(sourceId));
        if (binds) {
            return Because{Reason::Held,
                {{QStringLiteral("what"), hold.target.isEmpty() ? wordOf(hold.kind) : hold.target},
                    {QStringLiteral("time"), hold.at.ms}, {QStringLiteral("login"), hold.by},
                    {QStringLiteral("reason"), hold.reason}}};
        }
    }
    return std::nullopt;
}

} // namespace rules

Verdict judge(const ActionRequest& request, const CaseFacts& facts, const std::optional<QString>& reason)
{
    if (const auto refused = beforeEveryTable(request, facts, reason))
        return {refused};
    return {byTable(request, facts)};
}

Verdict stillAsSeen(const Plan& plan, const CaseFacts& facts)
{
    const auto changed = [](const QString& target) {
        return Verdict{Because{Reason::Changed, {{QStringLiteral("target"), target}}}};
    };
    QHash<qint64, qint64> jobs;
    if (facts.job)
        jobs.insert(facts.job->id, facts.job->rowVersion);
    for (const auto& use : facts.uses)
        jobs.insert(use.jobId, use.jobVersion);
    for (auto it = plan.seen.jobs.begin(); it != plan.seen.jobs.end(); ++it) {
        if (jobs.value(it.key(), -1) != it.value())
            return changed(subjectOfJob(it.key()));
    }
    for (auto it = plan.seen.keys.begin(); it != plan.seen.keys.end(); ++it) {
        const auto* attempt = rules::attemptOf(facts, it.key());
        if (!attempt || attempt->rowVersion != it.value())
            return changed(subjectOf(it.key()));
    }
    return {};
}

} // namespace unavez::contract
