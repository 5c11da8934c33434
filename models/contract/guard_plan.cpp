// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/guardrules.h"

// What an allowed request will do (contract.md §11.1, 11.4–11.8, 11.10).
namespace unavez::contract {

namespace {

const QString nothing = QStringLiteral("–");

RowChange jobMoves(qint64 id, JobState before, JobState after)
{
    return {subjectOfJob(id), wordOf(before), wordOf(after)};
}

PlannedEffect effectOf(const Reservation& attempt)
{
    switch (attempt.status) {
    case ReservationStatus::Done: return {attempt.id.key, Will::Replay, {}};
    case ReservationStatus::Failed:
    case ReservationStatus::Abandoned: return {attempt.id.key, Will::ReplayFailure, {}};
    case ReservationStatus::InProgress:
        if (attempt.sends > 0)
            return {attempt.id.key, Will::Resume, attempt.resumeUntil};
        return {attempt.id.key, Will::Send, {}};
    case ReservationStatus::Opened:
    case ReservationStatus::Unknown: break;
    }
    return {attempt.id.key, Will::Send, {}};
}

// What a run of the job does to each of its intents: the newest attempt rules.
void addEffects(Plan& plan, const CaseFacts& facts)
{
    for (const auto& intent : facts.intents) {
        const auto attempts = rules::attemptsOf(facts, intent.id);
        if (attempts.isEmpty())
            continue;
        const auto effect = effectOf(attempts.last());
        plan.effects.append(effect);
        if (effect.will == Will::ReplayFailure) {
            plan.notes.append({Reason::NeedsNewAttempt,
                {{QStringLiteral("key"), effect.key},
                    {QStringLiteral("class"), attempts.last().outcomeClass.value_or(QString())}}});
        }
    }
    if (plan.effects.isEmpty())
        plan.effects.append({{}, Will::Run, {}});
}

void addHeldNote(Plan& plan, const CaseFacts& facts, qint64 sourceId)
{
    if (auto held = rules::stillHeld(facts, {}, sourceId)) {
        held->reason = Reason::HeldWaits;
        plan.notes.append(*held);
    }
}

void see(Plan& plan, const Job& job) { plan.seen.jobs.insert(job.id, job.rowVersion); }

void planRequeue(Plan& plan, const CaseFacts& facts)
{
    plan.rows.append(jobMoves(facts.job->id, facts.job->state, JobState::Queued));
    see(plan, *facts.job);
    for (const auto& attempt : facts.attempts)
        plan.seen.keys.insert(attempt.id, attempt.rowVersion);
    addEffects(plan, facts);
    addHeldNote(plan, facts, facts.job->sourceId);
}

void planOpenAttempt(Plan& plan, const CaseFacts& facts)
{
    const auto attempts = rules::attemptsOf(facts, *plan.request.intent);
    const auto& last = attempts.last();
    plan.newKey = attemptKey(last.intentKey, last.attempt + 1);
    plan.rows.append({subjectOf(KeyId{last.id.provider, last.id.account, *plan.newKey}), nothing,
        wordOf(ReservationStatus::Opened)});
    plan.seen.keys.insert(last.id, last.rowVersion);
    plan.effects.append({*plan.newKey, Will::Send, {}});
    const auto use = rules::newestUse(facts, *plan.request.intent);
    if (use && use->jobState == JobState::Dead) {
        plan.requeueJob = use->jobId;
        plan.rows.append(jobMoves(use->jobId, JobState::Dead, JobState::Queued));
        plan.seen.jobs.insert(use->jobId, use->jobVersion);
    } else if (!use || isFinal(use->jobState)) {
        plan.insertsResumeJob = true;
        plan.rows.append({QStringLiteral("job"), nothing, wordOf(JobState::Queued)});
    }
}

void planRecordOutcome(Plan& plan, const CaseFacts& facts)
{
    const auto& attempt = *rules::attemptOf(facts, *plan.request.key);
    const auto verdict = plan.request.evidence->verdict;
    plan.seen.keys.insert(attempt.id, attempt.rowVersion);
    plan.rows.append({QStringLiteral("reconciliation"), nothing, wordOf(verdict)});
    if (verdict != EvidenceVerdict::DoubleCharged) {
        const auto after = verdict == EvidenceVerdict::Charged ? ReservationStatus::Done
            : verdict == EvidenceVerdict::Failed               ? ReservationStatus::Failed
                                                               : ReservationStatus::Abandoned;
        plan.rows.append({subjectOf(attempt.id), wordOf(attempt.status), wordOf(after)});
    }
    const auto use = rules::newestUse(facts, attempt.intent());
    if (!plan.request.requeueAfterRecord || !use || use->jobState != JobState::Dead)
        return;
    // Not while another effect of that job is still unknown: it would die of it again at once.
    const bool anotherUnknown = std::any_of(facts.attempts.begin(), facts.attempts.end(),
        [&](const Reservation& other) { return other.id != attempt.id && other.status == ReservationStatus::Unknown; });
    if (anotherUnknown)
        return;
    plan.requeueJob = use->jobId;
    plan.seen.jobs.insert(use->jobId, use->jobVersion);
    plan.rows.append(jobMoves(use->jobId, JobState::Dead, JobState::Queued));
}

void planDiscard(Plan& plan, const CaseFacts& facts)
{
    plan.rows.append(jobMoves(facts.job->id, facts.job->state, JobState::Discarded));
    see(plan, *facts.job);
    for (const auto& attempt : facts.attempts) {
        const bool unsent = attempt.status == ReservationStatus::Opened
            || (attempt.status == ReservationStatus::InProgress && attempt.sends == 0);
        const bool wanted = std::any_of(facts.uses.begin(), facts.uses.end(), [&](const IntentUse& use) {
            return use.intent == attempt.intent() && use.jobId != facts.job->id && !isFinal(use.jobState);
        });
        if (!unsent || wanted)
            continue;
        plan.abandons.append(attempt.id);
        plan.seen.keys.insert(attempt.id, attempt.rowVersion);
        plan.rows.append({subjectOf(attempt.id), wordOf(attempt.status), wordOf(ReservationStatus::Abandoned)});
    }
}

void planEnqueue(Plan& plan, const CaseFacts& facts)
{
    plan.rows.append({QStringLiteral("job"), nothing, wordOf(JobState::Queued)});
    plan.effects.append({{}, Will::Run, {}});
    for (const auto& intent : facts.intents) {
        if (intent.id.intentKey.contains(facts.event->eventId))
            plan.notes.append({Reason::MayHaveRun,
                {{QStringLiteral("intent"), intent.id.intentKey}, {QStringLiteral("event"), facts.event->eventId}}});
    }
    addHeldNote(plan, facts, facts.event->sourceId);
}

void planHold(Plan& plan, const CaseFacts& facts)
{
    const auto free = QStringLiteral("free");
    const auto held = QStringLiteral("held");
    const bool release = plan.request.hold->release;
    plan.rows.append({targetOf(plan.request), release ? held : free, release ? free : held});
    if (!release && facts.inProgressBeyondHold > 0)
        plan.notes.append({Reason::PastCutoff, {{QStringLiteral("n"), facts.inProgressBeyondHold}}});
}

} // namespace

Plan planned(const ActionRequest& request, const CaseFacts& facts)
{
    Plan plan;
    plan.request = request;
    plan.madeAt = facts.now;
    if (!judge(request, facts).allowed())
        return plan;
    switch (request.action) {
    case Action::RequeueJob: planRequeue(plan, facts); break;
    case Action::ReleaseLease:
        plan.rows.append(jobMoves(facts.job->id, facts.job->state, JobState::RetryWait));
        see(plan, *facts.job);
        break;
    case Action::ExpireReservation: {
        const auto& attempt = *rules::attemptOf(facts, *request.key);
        plan.rows.append({subjectOf(attempt.id), wordOf(attempt.status), wordOf(ReservationStatus::Unknown)});
        plan.seen.keys.insert(attempt.id, attempt.rowVersion);
        break;
    }
    case Action::OpenAttempt: planOpenAttempt(plan, facts); break;
    case Action::RecordOutcome: planRecordOutcome(plan, facts); break;
    case Action::DiscardJob: planDiscard(plan, facts); break;
    case Action::EnqueueEvent: planEnqueue(plan, facts); break;
    case Action::Hold: planHold(plan, facts); break;
    }
    return plan;
}

} // namespace unavez::contract
