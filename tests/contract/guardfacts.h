// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/guard.h"

// A case to bend: one event, its dead job, one charge intent with one attempt sent an hour ago under an expired lease.
namespace unavez::contract::testing {

constexpr Instant now{1'700'000'000'000};
inline IntentId theIntent()
{
    return {QStringLiteral("stripe"), QStringLiteral("acct_1"), QStringLiteral("charge:inv_42")};
}
inline KeyId theKey(int attempt = 1)
{
    return {QStringLiteral("stripe"), QStringLiteral("acct_1"), attemptKey(theIntent().intentKey, attempt)};
}

inline Reservation attemptWith(ReservationStatus status, int number = 1)
{
    Reservation attempt;
    attempt.id = theKey(number);
    attempt.intentKey = theIntent().intentKey;
    attempt.attempt = number;
    attempt.status = status;
    attempt.rowVersion = 3;
    if (status != ReservationStatus::Opened) {
        attempt.sends = 1;
        attempt.firstSentAt = attempt.lastSentAt = now - Seconds{3600};
        attempt.resumeUntil = *attempt.firstSentAt + Seconds{20 * 3600};
    }
    if (status == ReservationStatus::InProgress) {
        attempt.owner = QStringLiteral("gate-1");
        attempt.leaseExpiresAt = now - Seconds{3000};
    }
    if (status == ReservationStatus::Done || status == ReservationStatus::Failed
        || status == ReservationStatus::Abandoned)
        attempt.completedAt = now - Seconds{3590};
    if (status == ReservationStatus::Done)
        attempt.providerObjectId = QStringLiteral("pi_1");
    if (status == ReservationStatus::Failed)
        attempt.outcomeClass = wordOf(OutcomeClass::DefinitiveFailure);
    return attempt;
}

inline CaseFacts deadCase(ReservationStatus status = ReservationStatus::InProgress)
{
    CaseFacts facts;
    facts.now = now;
    facts.store.mode = StoreMode::Live;
    facts.store.login = QStringLiteral("ana");
    facts.store.roles = {QStringLiteral("viewer"), QStringLiteral("operator")};
    Event event;
    event.pk = 7;
    event.sourceId = 1;
    event.source = QStringLiteral("stripe:acct_1");
    event.eventId = QStringLiteral("evt_1");
    event.eventType = QStringLiteral("ticket.opened");
    event.receivedAt = now - Seconds{3700};
    event.hasJob = event.hasPayload = true;
    facts.event = event;
    Job job;
    job.id = 48211;
    job.eventPk = 7;
    job.sourceId = 1;
    job.state = JobState::Dead;
    job.deadAt = now - Seconds{3000};
    job.rowVersion = 9;
    facts.job = job;
    Intent intent;
    intent.id = theIntent();
    intent.tool = QStringLiteral("charge_customer");
    intent.amount = Money{125000, QStringLiteral("eur")};
    intent.customer = QStringLiteral("cus_9");
    intent.plan = QByteArray("{}");
    intent.lastAttempt = 1;
    intent.lastStatus = status;
    facts.intents = {intent};
    facts.uses = {{theIntent(), 48211, now - Seconds{3650}, JobState::Dead, 9}};
    facts.attempts = {attemptWith(status)};
    return facts;
}

inline ActionRequest jobRequest(Action action)
{
    ActionRequest request;
    request.action = action;
    request.job = 48211;
    return request;
}

inline ActionRequest keyRequest(Action action)
{
    ActionRequest request;
    request.action = action;
    request.key = theKey();
    return request;
}

inline BackendFact stillDue()
{
    return {true, {}, QStringLiteral("inv_42"), QStringLiteral("cus_9"), {125000, QStringLiteral("eur")}, true,
        QStringLiteral("open")};
}

inline ActionRequest attemptRequest()
{
    ActionRequest request;
    request.action = Action::OpenAttempt;
    request.intent = theIntent();
    request.backend = stillDue();
    return request;
}

inline Evidence paidEvidence(const char* status = "succeeded")
{
    Evidence evidence;
    evidence.verdict = EvidenceVerdict::Charged;
    evidence.source = EvidenceSource::Api;
    evidence.objects = {{QStringLiteral("pi_1"), QStringLiteral("payment_intent"), QLatin1String(status), true,
        Money{125000, QStringLiteral("eur")}, {}, {}, {}, {}}};
    evidence.provider = QStringLiteral("stripe");
    evidence.account = QStringLiteral("acct_1");
    evidence.mode = StoreMode::Live;
    evidence.sha256 = QByteArray(32, 'x');
    evidence.from = now - Seconds{7200};
    evidence.until = now + Seconds{3600};
    evidence.complete = true;
    return evidence;
}

inline ActionRequest recordRequest(const Evidence& evidence = paidEvidence())
{
    auto request = keyRequest(Action::RecordOutcome);
    request.evidence = evidence;
    return request;
}

} // namespace unavez::contract::testing
