// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/guardrules.h"

// A case in one word, its first broken link, and what may be tried (contract.md §13.3, §14).
namespace unavez::contract {

namespace {

const Reservation* withStatus(const CaseFacts& facts, ReservationStatus status)
{
    for (const auto& attempt : facts.attempts) {
        if (attempt.status == status)
            return &attempt;
    }
    return nullptr;
}

bool isPastCutoff(const CaseFacts& facts)
{
    return std::any_of(facts.attempts.begin(), facts.attempts.end(), [&](const Reservation& attempt) {
        return attempt.status == ReservationStatus::InProgress && attempt.sends > 0 && facts.now >= attempt.resumeUntil;
    });
}

// The newest attempt of some intent ended without effect: requeueing alone replays that.
bool needsNewAttempt(const CaseFacts& facts)
{
    return std::any_of(facts.intents.begin(), facts.intents.end(), [](const Intent& intent) {
        return intent.lastStatus == ReservationStatus::Failed || intent.lastStatus == ReservationStatus::Abandoned;
    });
}

} // namespace

QString wordOf(CaseVerdict verdict)
{
    switch (verdict) {
    case CaseVerdict::NotSeen: return QStringLiteral("not_seen");
    case CaseVerdict::Lost: return QStringLiteral("lost");
    case CaseVerdict::Waiting: return QStringLiteral("waiting");
    case CaseVerdict::Running: return QStringLiteral("running");
    case CaseVerdict::SafeToRequeue: return QStringLiteral("safe_to_requeue");
    case CaseVerdict::RecordFirst: return QStringLiteral("record_first");
    case CaseVerdict::NewAttempt: return QStringLiteral("new_attempt");
    case CaseVerdict::Settled: return QStringLiteral("settled");
    case CaseVerdict::Unsettled: return QStringLiteral("unsettled");
    case CaseVerdict::Discarded: return QStringLiteral("discarded");
    case CaseVerdict::PayloadGone: return QStringLiteral("payload_gone");
    }
    return {};
}

CaseVerdict verdictOf(const CaseFacts& facts)
{
    if (withStatus(facts, ReservationStatus::Unknown) || isPastCutoff(facts))
        return CaseVerdict::RecordFirst;
    if (!facts.job) {
        if (facts.event)
            return facts.event->hasJob ? CaseVerdict::Waiting : CaseVerdict::Lost;
        if (facts.attempts.isEmpty())
            return CaseVerdict::NotSeen;
        if (withStatus(facts, ReservationStatus::InProgress) || withStatus(facts, ReservationStatus::Opened))
            return CaseVerdict::Unsettled;
        return needsNewAttempt(facts) ? CaseVerdict::NewAttempt : CaseVerdict::Settled;
    }
    switch (facts.job->state) {
    case JobState::Queued:
    case JobState::RetryWait: return CaseVerdict::Waiting;
    case JobState::Leased: return CaseVerdict::Running;
    case JobState::Discarded: return CaseVerdict::Discarded;
    case JobState::Done: return needsNewAttempt(facts) ? CaseVerdict::NewAttempt : CaseVerdict::Settled;
    case JobState::Dead: break;
    }
    if (needsNewAttempt(facts))
        return CaseVerdict::NewAttempt;
    const auto refused = rules::requeue(facts);
    return refused && refused->reason == Reason::PayloadGone ? CaseVerdict::PayloadGone : CaseVerdict::SafeToRequeue;
}

std::optional<QString> brokenLink(const CaseFacts& facts)
{
    if (facts.event && !facts.event->hasJob)
        return QStringLiteral("job");
    if (withStatus(facts, ReservationStatus::Unknown) || isPastCutoff(facts))
        return QStringLiteral("outcome");
    for (const auto& attempt : facts.attempts) {
        if (attempt.status == ReservationStatus::InProgress && !rules::isLive(attempt, facts))
            return attempt.sends > 0 ? QStringLiteral("provider_call") : QStringLiteral("reservation");
    }
    if (needsNewAttempt(facts))
        return QStringLiteral("outcome");
    if (facts.job && facts.job->state == JobState::Dead)
        return QStringLiteral("job");
    if (facts.job && facts.job->state == JobState::Leased && facts.job->leaseExpiresAt
        && *facts.job->leaseExpiresAt + facts.policy.grace < facts.now)
        return QStringLiteral("lease");
    return std::nullopt;
}

QList<ActionRequest> offersFor(const CaseFacts& facts)
{
    QList<ActionRequest> offers;
    const auto ofJob = [&facts](Action action) {
        ActionRequest request;
        request.action = action;
        request.job = facts.job->id;
        return request;
    };
    if (facts.event && !facts.event->hasJob) {
        ActionRequest request;
        request.action = Action::EnqueueEvent;
        request.event = facts.event->pk;
        offers.append(request);
    }
    if (facts.job)
        offers.append(ofJob(Action::RequeueJob));
    for (const auto& intent : facts.intents) {
        ActionRequest request;
        request.action = Action::OpenAttempt;
        request.intent = intent.id;
        offers.append(request);
    }
    for (const auto& attempt : facts.attempts) {
        if (!isOpen(attempt.status))
            continue;
        for (const auto action : {Action::RecordOutcome, Action::ExpireReservation}) {
            ActionRequest request;
            request.action = action;
            request.key = attempt.id;
            offers.append(request);
        }
    }
    if (facts.job) {
        offers.append(ofJob(Action::ReleaseLease));
        offers.append(ofJob(Action::DiscardJob));
    }
    return offers;
}

} // namespace unavez::contract
