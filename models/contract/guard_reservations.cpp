// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/guardrules.h"
#include "models/contract/outcome.h"

#include <QJsonDocument>

// The tables whose target is a reservation or an intent: contract.md §11.3, 11.4, 11.5.
namespace unavez::contract::rules {

namespace {

bool isPastCutoff(const Reservation& attempt, const CaseFacts& facts) { return facts.now >= attempt.resumeUntil; }

QString errorField(const Reservation& attempt, const char* name)
{
    if (!attempt.error)
        return {};
    return QJsonDocument::fromJson(*attempt.error).object().value(QLatin1String(name)).toString();
}

// The provider's last word on an attempt: its error text, else its last answered call.
QString declineCodeOf(const Reservation& attempt, const CaseFacts& facts)
{
    auto code = errorField(attempt, "decline_code");
    for (const auto& call : facts.calls) {
        if (code.isEmpty() && call.key == attempt.id && call.declineCode)
            code = *call.declineCode;
    }
    return code;
}

QString adviceOf(const Reservation& attempt, const CaseFacts& facts)
{
    auto code = errorField(attempt, "advice_code");
    for (const auto& call : facts.calls) {
        if (code.isEmpty() && call.key == attempt.id && call.adviceCode)
            code = *call.adviceCode;
    }
    return code;
}

bool provenNotCharged(const Reservation& attempt, const CaseFacts& facts)
{
    return std::any_of(facts.reconciliations.begin(), facts.reconciliations.end(), [&](const Reconciliation& row) {
        return row.key == attempt.id && row.verdict == EvidenceVerdict::NotCharged && attempt.lastSentAt
            && row.evidenceUntil >= *attempt.lastSentAt + facts.policy.evidenceLag;
    });
}

std::optional<Because> blockedByOpenAttempt(const QList<Reservation>& attempts, const CaseFacts& facts)
{
    for (const auto& a : attempts) {
        if (a.status == ReservationStatus::Opened)
            return about(Reason::AttemptOpen, a);
        if (a.status == ReservationStatus::Unknown)
            return about(Reason::OutcomeUnknown, a);
        if (a.status == ReservationStatus::Done) {
            auto because = aboutAt(Reason::AlreadyDone, a, a.completedAt.value_or(facts.now));
            because.facts.insert(QStringLiteral("object"), a.providerObjectId.value_or(QString()));
            return because;
        }
    }
    for (const auto& a : attempts) {
        if (a.status != ReservationStatus::InProgress)
            continue;
        if (isLive(a, facts))
            return aboutAt(Reason::ReservationLive, a, *a.leaseExpiresAt);
        if (a.sends == 0 || !isPastCutoff(a, facts))
            return aboutAt(Reason::Resumable, a, a.resumeUntil);
        return aboutAt(Reason::PastCutoff, a, a.resumeUntil);
    }
    return std::nullopt;
}

std::optional<Because> blockedByBackend(const std::optional<BackendFact>& backend, const Intent& intent)
{
    const auto id = intent.id.intentKey.section(QLatin1Char(':'), 1);
    if (!backend || !backend->reachable) {
        return Because{Reason::BackendUnreachable,
            {{QStringLiteral("id"), id},
                {QStringLiteral("why"), backend ? backend->why : QStringLiteral("not_asked")}}};
    }
    if (!backend->open)
        return Because{
            Reason::NotDue, {{QStringLiteral("id"), backend->id}, {QStringLiteral("state"), backend->state}}};
    const bool otherCustomer = intent.customer && *intent.customer != backend->customer;
    if (otherCustomer || (intent.amount && *intent.amount != backend->amount)) {
        const auto spelled = [](const QString& customer, const Money& money) {
            return QStringLiteral("%1 %2 %3").arg(customer, QString::number(money.minor), money.currency);
        };
        return Because{Reason::PlanChanged,
            {{QStringLiteral("new"), spelled(backend->customer, backend->amount)},
                {QStringLiteral("old"),
                    spelled(intent.customer.value_or(QString()), intent.amount.value_or(Money{}))}}};
    }
    return std::nullopt;
}

Because mismatchOf(const QString& field, const QString& evidence, const QString& reservation)
{
    return {Reason::EvidenceMismatch,
        {{QStringLiteral("field"), field}, {QStringLiteral("a"), evidence}, {QStringLiteral("b"), reservation}}};
}

std::optional<Because> differs(
    const Evidence& evidence, const Reservation& attempt, const Intent* intent, const CaseFacts& facts)
{
    if (evidence.provider != attempt.id.provider)
        return mismatchOf(QStringLiteral("provider"), evidence.provider, attempt.id.provider);
    if (evidence.account != attempt.id.account)
        return mismatchOf(QStringLiteral("account"), evidence.account, attempt.id.account);
    if (evidence.mode != facts.store.mode)
        return mismatchOf(QStringLiteral("mode"), wordOf(evidence.mode), wordOf(facts.store.mode));
    for (const auto& object : evidence.objects) {
        if (!intent || !intent->amount)
            break;
        if (object.amount && *object.amount != *intent->amount) {
            return mismatchOf(QStringLiteral("amount"),
                QStringLiteral("%1 %2").arg(object.amount->minor).arg(object.amount->currency),
                QStringLiteral("%1 %2").arg(intent->amount->minor).arg(intent->amount->currency));
        }
    }
    return std::nullopt;
}

std::optional<Because> chargedElsewhere(const Evidence& evidence, const Reservation& attempt, const CaseFacts& facts)
{
    for (const auto& other : attemptsOf(facts, attempt.intent())) {
        if (other.id == attempt.id || !(isOpen(other.status) || other.status == ReservationStatus::Done))
            continue;
        const bool sameObject = std::any_of(evidence.objects.begin(), evidence.objects.end(),
            [&](const ProviderObject& object) { return other.providerObjectId == object.id; });
        if (other.status == ReservationStatus::Done && sameObject) {
            auto because = aboutAt(Reason::AlreadyDone, other, other.completedAt.value_or(facts.now));
            because.facts.insert(QStringLiteral("object"), *other.providerObjectId);
            return because;
        }
        auto because = about(Reason::DoubleCharge, other);
        because.facts.insert(QStringLiteral("intent"), attempt.intentKey);
        return because;
    }
    return std::nullopt;
}

bool showsSuccess(const Evidence& evidence, const QString& verb)
{
    return std::any_of(evidence.objects.begin(), evidence.objects.end(), [&](const ProviderObject& object) {
        const auto outcome = classifiedObject(object, verb);
        return outcome && outcome->outcome == OutcomeClass::Success;
    });
}

bool showsFailure(const Evidence& evidence, const QString& verb)
{
    return !evidence.objects.isEmpty()
        && std::all_of(evidence.objects.begin(), evidence.objects.end(), [&](const ProviderObject& object) {
               const auto outcome = classifiedObject(object, verb);
               return outcome && outcome->outcome == OutcomeClass::DefinitiveFailure;
           });
}

// The coverage rule of §8.3: from five minutes before the first send until the last one plus lag, read whole.
std::optional<Because> tooShort(const Evidence& evidence, const Reservation& attempt, const CaseFacts& facts)
{
    if (!attempt.firstSentAt || !attempt.lastSentAt)
        return std::nullopt;
    constexpr Seconds before{300};
    constexpr Seconds csvLag{24 * 3600};
    const auto lag = evidence.source == EvidenceSource::Csv ? csvLag : facts.policy.evidenceLag;
    const auto needed = *attempt.lastSentAt + lag;
    if (evidence.complete && evidence.from <= *attempt.firstSentAt - before && evidence.until >= needed)
        return std::nullopt;
    auto because = aboutAt(Reason::EvidenceShort, attempt, evidence.until);
    because.facts.insert(QStringLiteral("needed_time"), needed.ms);
    return because;
}

} // namespace

std::optional<IntentUse> newestUse(const CaseFacts& facts, const IntentId& intent)
{
    std::optional<IntentUse> newest;
    for (const auto& use : facts.uses) {
        if (use.intent == intent && (!newest || use.firstAt >= newest->firstAt))
            newest = use;
    }
    return newest;
}

std::optional<Because> expire(const ActionRequest& request, const CaseFacts& facts)
{
    const auto& attempt = *attemptOf(facts, *request.key);
    if (attempt.status != ReservationStatus::InProgress)
        return about(Reason::NotInProgress, attempt);
    if (isLive(attempt, facts))
        return aboutAt(Reason::ReservationLive, attempt, *attempt.leaseExpiresAt);
    if (attempt.sends == 0)
        return about(Reason::NeverSent, attempt);
    if (*attempt.firstSentAt <= facts.now && !isPastCutoff(attempt, facts))
        return aboutAt(Reason::Resumable, attempt, attempt.resumeUntil);
    return std::nullopt;
}

std::optional<Because> openAttempt(const ActionRequest& request, const CaseFacts& facts)
{
    const auto attempts = attemptsOf(facts, *request.intent);
    const auto* intent = intentOf(facts, *request.intent);
    if (attempts.isEmpty() || !intent)
        return Because{Reason::NotFound, {{QStringLiteral("target"), subjectOf(*request.intent)}}};
    if (const auto blocked = blockedByOpenAttempt(attempts, facts))
        return blocked;
    const auto& last = attempts.last();
    if (last.status == ReservationStatus::Failed && last.outcomeClass != wordOf(OutcomeClass::DefinitiveFailure)) {
        auto because = about(Reason::NotDefinitive, last);
        because.facts.insert(QStringLiteral("class"), last.outcomeClass.value_or(QString()));
        return because;
    }
    if (last.status == ReservationStatus::Abandoned && last.sends > 0 && !provenNotCharged(last, facts)) {
        auto because = aboutAt(Reason::EvidenceShort, last, *last.lastSentAt);
        because.facts.insert(QStringLiteral("needed_time"), (*last.lastSentAt + facts.policy.evidenceLag).ms);
        return because;
    }
    if (attempts.size() >= intent->maxAttempts) {
        return Because{Reason::AttemptsUsedUp,
            {{QStringLiteral("n"), qint64(attempts.size())}, {QStringLiteral("intent"), intent->id.intentKey}}};
    }
    if (auto held = stillHeld(facts, intent->tool, 0))
        return held;
    if (adviceOf(last, facts) == QLatin1String("do_not_try_again"))
        return about(Reason::AdviceDoNotRetry, last);
    if (const auto code = declineCodeOf(last, facts); facts.policy.hardDeclines.contains(code))
        return Because{Reason::DeclineHard, {{QStringLiteral("code"), code}}};
    if (last.completedAt && facts.now - *last.completedAt < facts.policy.minInterval) {
        auto because = aboutAt(Reason::TooSoon, last, *last.completedAt + facts.policy.minInterval);
        because.facts.insert(QStringLiteral("age"), qint64((facts.now - *last.completedAt).count() / 1000));
        return because;
    }
    if (const auto blocked = blockedByBackend(request.backend, *intent))
        return blocked;
    if (!intent->plan) {
        return Because{Reason::PlanGone,
            {{QStringLiteral("intent"), intent->id.intentKey},
                {QStringLiteral("time"), intent->emptiedAt.value_or(facts.now).ms}}};
    }
    const auto& limit = facts.policy.fourEyesMinor;
    if (errorField(last, "class") == QLatin1String("request"))
        return needsTwoPeople(request, facts, QStringLiteral("request_error"));
    if (limit && intent->amount && intent->amount->minor >= *limit)
        return needsTwoPeople(request, facts, QStringLiteral("amount"));
    return std::nullopt;
}

std::optional<Because> recordOutcome(const ActionRequest& request, const CaseFacts& facts)
{
    const auto& attempt = *attemptOf(facts, *request.key);
    const auto* intent = intentOf(facts, attempt.intent());
    const auto& evidence = request.evidence;
    const auto verdict = evidence ? evidence->verdict : EvidenceVerdict::Charged;
    const bool hasObject = evidence && !evidence->objects.isEmpty();

    if (attempt.status == ReservationStatus::Done && verdict != EvidenceVerdict::DoubleCharged) {
        auto because = aboutAt(Reason::AlreadyDone, attempt, attempt.completedAt.value_or(facts.now));
        because.facts.insert(QStringLiteral("object"), attempt.providerObjectId.value_or(QString()));
        return because;
    }
    if (attempt.status == ReservationStatus::Opened
        || (attempt.status == ReservationStatus::InProgress && attempt.sends == 0))
        return about(Reason::NeverSent, attempt);
    if (attempt.status == ReservationStatus::InProgress) {
        if (isLive(attempt, facts))
            return aboutAt(Reason::ReservationLive, attempt, *attempt.leaseExpiresAt);
        if (!isPastCutoff(attempt, facts) && !hasObject)
            return aboutAt(Reason::Resumable, attempt, attempt.resumeUntil);
        if (isPastCutoff(attempt, facts) && verdict == EvidenceVerdict::NotCharged)
            return about(Reason::ExpireFirst, attempt);
    }
    const bool closed = attempt.status == ReservationStatus::Failed || attempt.status == ReservationStatus::Abandoned;
    if (closed && verdict != EvidenceVerdict::Charged && verdict != EvidenceVerdict::DoubleCharged)
        return aboutAt(Reason::AlreadyClosed, attempt, attempt.completedAt.value_or(facts.now));
    if (!evidence || evidence->sha256.isEmpty() || (verdict != EvidenceVerdict::NotCharged && !hasObject))
        return about(Reason::EvidenceMissing, attempt);
    if (evidence->fromSearch)
        return about(Reason::EvidenceWeak, attempt);
    if (const auto different = differs(*evidence, attempt, intent, facts))
        return different;
    if (facts.objectUsedBy) {
        return Because{Reason::ObjectUsed,
            {{QStringLiteral("object"), hasObject ? evidence->objects.first().id : QString()},
                {QStringLiteral("key"), facts.objectUsedBy->key}}};
    }
    const auto verb = verbOf(attempt.intentKey);
    if (verdict == EvidenceVerdict::Charged) {
        if (const auto elsewhere = chargedElsewhere(*evidence, attempt, facts))
            return elsewhere;
        if (!showsSuccess(*evidence, verb))
            return mismatchOf(QStringLiteral("status"), evidence->objects.first().status, QStringLiteral("succeeded"));
    }
    if (verdict == EvidenceVerdict::Failed && !showsFailure(*evidence, verb))
        return mismatchOf(QStringLiteral("status"), evidence->objects.first().status, QStringLiteral("failed"));
    if (verdict == EvidenceVerdict::NotCharged) {
        if (showsSuccess(*evidence, verb))
            return mismatchOf(
                QStringLiteral("status"), evidence->objects.first().status, QStringLiteral("not_charged"));
        if (const auto brief = tooShort(*evidence, attempt, facts))
            return brief;
        return needsTwoPeople(request, facts, QStringLiteral("not_charged"));
    }
    if (verdict == EvidenceVerdict::Charged && evidence->source == EvidenceSource::Person)
        return needsTwoPeople(request, facts, QStringLiteral("typed_by_hand"));
    return std::nullopt;
}

} // namespace unavez::contract::rules
