// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/guardrules.h"

// The tables whose target is a job, an event or a hold: contract.md §11.1, 11.2, 11.6, 11.7, 11.8.
namespace unavez::contract::rules {

namespace {

Because ofJob(Reason reason, const Job& job)
{
    Because because{reason, {{QStringLiteral("id"), job.id}, {QStringLiteral("state"), wordOf(job.state)}}};
    if (job.leaseOwner)
        because.facts.insert(QStringLiteral("owner"), *job.leaseOwner);
    return because;
}

Because ofJobAt(Reason reason, const Job& job, Instant time)
{
    auto because = ofJob(reason, job);
    because.facts.insert(QStringLiteral("time"), time.ms);
    return because;
}

bool isRefetchable(const CaseFacts& facts)
{
    return facts.event && facts.policy.refetchable.count() > 0
        && facts.now - facts.event->receivedAt <= facts.policy.refetchable;
}

std::optional<Because> payloadGone(const CaseFacts& facts)
{
    if (!facts.event || facts.event->hasPayload || isRefetchable(facts))
        return std::nullopt;
    return Because{Reason::PayloadGone,
        {{QStringLiteral("time"), facts.event->receivedAt.ms},
            {QStringLiteral("provider"), facts.event->source.section(QLatin1Char(':'), 0, 0)}}};
}

std::optional<Because> blockedByAttempt(const CaseFacts& facts)
{
    // One reason per row of the table, over all reservations, so that the order of the table rules, not that of the
    // rows.
    for (const auto& a : facts.attempts) {
        if (a.status == ReservationStatus::Unknown)
            return about(Reason::OutcomeUnknown, a);
    }
    for (const auto& a : facts.attempts) {
        if (a.status == ReservationStatus::InProgress && isLive(a, facts))
            return aboutAt(Reason::ReservationLive, a, *a.leaseExpiresAt);
    }
    for (const auto& a : facts.attempts) {
        if (a.status == ReservationStatus::InProgress && a.sends > 0 && a.firstSentAt > facts.now)
            return aboutAt(Reason::ClockWentBack, a, *a.firstSentAt);
    }
    for (const auto& a : facts.attempts) {
        if (a.status == ReservationStatus::InProgress && a.sends > 0 && facts.now >= a.resumeUntil)
            return aboutAt(Reason::PastCutoff, a, a.resumeUntil);
    }
    return std::nullopt;
}

bool isMoneyMoving(const QString& eventType)
{
    static const QStringList families{QStringLiteral("invoice."), QStringLiteral("charge."),
        QStringLiteral("payment_intent."), QStringLiteral("refund."), QStringLiteral("payout."),
        QStringLiteral("transfer.")};
    return std::any_of(
        families.begin(), families.end(), [&](const QString& family) { return eventType.startsWith(family); });
}

} // namespace

std::optional<Because> requeue(const CaseFacts& facts)
{
    const auto& job = *facts.job;
    switch (job.state) {
    case JobState::Queued:
    case JobState::RetryWait: return ofJobAt(Reason::AlreadyQueued, job, job.runAt);
    case JobState::Done: return ofJobAt(Reason::JobDone, job, job.finishedAt.value_or(facts.now));
    case JobState::Discarded: return ofJobAt(Reason::JobDiscarded, job, job.finishedAt.value_or(facts.now));
    case JobState::Leased: {
        const auto end = job.leaseExpiresAt.value_or(facts.now);
        return ofJobAt(end > facts.now ? Reason::LeaseLive : Reason::LeaseOver, job, end);
    }
    case JobState::Dead: break;
    }
    if (job.requeuedAt && facts.now - *job.requeuedAt < facts.policy.tooSoon) {
        auto because = ofJobAt(Reason::TooSoon, job, *job.requeuedAt + facts.policy.tooSoon);
        because.facts.insert(QStringLiteral("age"), qint64((facts.now - *job.requeuedAt).count() / 1000));
        return because;
    }
    if (job.kind == JobKind::Event) {
        if (const auto gone = payloadGone(facts))
            return gone;
    }
    for (const auto& incident : facts.incidents) {
        if (incident.kind != IncidentKind::Mismatch || incident.closedAt)
            continue;
        for (const auto& attempt : facts.attempts) {
            if (incident.subject == subjectOf(attempt.id))
                return Because{Reason::MismatchOpen,
                    {{QStringLiteral("key"), attempt.id.key}, {QStringLiteral("id"), incident.id}}};
        }
    }
    return blockedByAttempt(facts);
}

std::optional<Because> release(const CaseFacts& facts)
{
    const auto& job = *facts.job;
    if (job.state != JobState::Leased)
        return ofJob(Reason::NotLeased, job);
    if (*job.leaseExpiresAt + facts.policy.grace >= facts.now)
        return ofJobAt(Reason::LeaseLive, job, *job.leaseExpiresAt + facts.policy.grace);
    for (const auto& call : facts.calls) {
        const auto age = facts.now - call.sentAt;
        if (call.jobId == job.id && !call.endedAt && age < facts.policy.providerTotal) {
            return Because{Reason::CallRunning,
                {{QStringLiteral("age"), qint64(age.count() / 1000)},
                    {QStringLiteral("s"), qint64((facts.policy.providerTotal - age).count() / 1000) + 1}}};
        }
    }
    return std::nullopt;
}

std::optional<Because> discard(const CaseFacts& facts)
{
    const auto& job = *facts.job;
    if (job.state != JobState::Dead)
        return ofJob(Reason::NotDead, job);
    for (const auto& a : facts.attempts) {
        if (a.status == ReservationStatus::Unknown)
            return about(Reason::OutcomeUnknown, a);
    }
    for (const auto& a : facts.attempts) {
        if (a.status == ReservationStatus::InProgress && a.sends > 0)
            return about(Reason::EffectOpen, a);
    }
    for (const auto& a : facts.attempts) {
        if (a.status == ReservationStatus::InProgress && isLive(a, facts))
            return aboutAt(Reason::ReservationLive, a, *a.leaseExpiresAt);
    }
    const bool unpaid = std::any_of(facts.intents.begin(), facts.intents.end(),
        [](const Intent& intent) { return intent.amount && intent.lastStatus != ReservationStatus::Done; });
    if (unpaid || (facts.event && isMoneyMoving(facts.event->eventType))) {
        ActionRequest request;
        request.action = Action::DiscardJob;
        request.job = job.id;
        request.proposal = facts.proposal ? std::optional(facts.proposal->id) : std::nullopt;
        return needsTwoPeople(request, facts, unpaid ? QStringLiteral("unpaid_effect") : QStringLiteral("money_event"));
    }
    return std::nullopt;
}

std::optional<Because> enqueue(const CaseFacts& facts)
{
    const auto& event = *facts.event;
    if (event.hasJob) {
        return Because{Reason::HasJob,
            {{QStringLiteral("event"), event.eventId}, {QStringLiteral("id"), facts.job ? facts.job->id : 0}}};
    }
    const auto age = facts.now - event.receivedAt;
    if (age < facts.policy.youngEvent) {
        return Because{Reason::TooYoung,
            {{QStringLiteral("event"), event.eventId}, {QStringLiteral("age"), qint64(age.count() / 1000)}}};
    }
    return payloadGone(facts);
}

std::optional<Because> hold(const ActionRequest& request, const CaseFacts& facts)
{
    const auto& wanted = *request.hold;
    for (const auto& held : facts.holds) {
        if (held.kind != wanted.kind || held.target != wanted.target)
            continue;
        if (wanted.release)
            return std::nullopt;
        return Because{Reason::AlreadyHeld,
            {{QStringLiteral("what"), wanted.target.isEmpty() ? wordOf(wanted.kind) : wanted.target},
                {QStringLiteral("time"), held.at.ms}, {QStringLiteral("login"), held.by}}};
    }
    if (!wanted.release)
        return std::nullopt;
    return Because{
        Reason::NotHeld, {{QStringLiteral("what"), wanted.target.isEmpty() ? wordOf(wanted.kind) : wanted.target}}};
}

} // namespace unavez::contract::rules
