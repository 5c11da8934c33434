// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/outcome.h"

#include <QStringList>

namespace unavez::contract {

namespace {

Outcome done(const std::optional<QString>& objectId)
{
    return {OutcomeClass::Success, ReservationStatus::Done, {}, {}, objectId};
}

Outcome waitingFor(ReservationFlag flag, const std::optional<QString>& objectId)
{
    return {OutcomeClass::Unknown, ReservationStatus::Unknown, flag, {}, objectId};
}

Outcome definitive(const std::optional<QString>& objectId = {})
{
    return {OutcomeClass::DefinitiveFailure, ReservationStatus::Failed, {}, {}, objectId};
}

Outcome sameKey(std::optional<IncidentKind> incident = {})
{
    return {OutcomeClass::RetryableSameKey, {}, {}, incident, {}};
}

Outcome unknown() { return {OutcomeClass::Unknown, ReservationStatus::Unknown, {}, {}, {}}; }

bool isDoneAlready(const ProviderAnswer& answer)
{
    static const QStringList codes{QStringLiteral("payment_intent_unexpected_state"),
        QStringLiteral("charge_already_captured"), QStringLiteral("charge_already_refunded")};
    return answer.errorCode && codes.contains(*answer.errorCode);
}

std::optional<Outcome> ofPaymentIntent(const ProviderObject& object, const QString& verb)
{
    const auto& status = object.status;
    if (status == QLatin1String("succeeded"))
        return done(object.id);
    if (status == QLatin1String("requires_capture"))
        return verb == QLatin1String("authorise") ? done(object.id)
                                                  : waitingFor(ReservationFlag::AwaitingCapture, object.id);
    if (status == QLatin1String("requires_action"))
        return waitingFor(ReservationFlag::AwaitingCustomer, object.id);
    if (status == QLatin1String("processing"))
        return waitingFor(ReservationFlag::AwaitingProvider, object.id);
    if (status == QLatin1String("requires_payment_method") || status == QLatin1String("canceled"))
        return definitive(object.id);
    return std::nullopt;
}

std::optional<Outcome> ofChargeOrRefund(const ProviderObject& object)
{
    if (object.status == QLatin1String("succeeded") && (object.type != QLatin1String("charge") || object.paid))
        return done(object.id);
    if (object.status == QLatin1String("pending"))
        return waitingFor(ReservationFlag::AwaitingProvider, object.id);
    if (object.status == QLatin1String("failed") || object.status == QLatin1String("canceled"))
        return definitive(object.id);
    return std::nullopt;
}

std::optional<Outcome> ofObject(const ProviderObject& object, const QString& verb)
{
    return object.type == QLatin1String("payment_intent") ? ofPaymentIntent(object, verb) : ofChargeOrRefund(object);
}

Outcome ofSuccess(const ProviderAnswer& answer, const OutcomeContext& context)
{
    if (!answer.object)
        return unknown(); // 2xx without an object we can read proves nothing
    const auto& object = *answer.object;
    // A fresh intent stands in requires_payment_method or requires_confirmation by design: its create step is a step.
    if (context.step == QLatin1String("create") && object.type == QLatin1String("payment_intent")
        && (object.status == QLatin1String("requires_confirmation")
            || object.status == QLatin1String("requires_payment_method")))
        return {OutcomeClass::Step, {}, {}, {}, object.id};
    return ofObject(object, context.verb).value_or(unknown());
}

} // namespace

Outcome unansweredOutcome() { return {OutcomeClass::Unanswered, {}, {}, {}, {}}; }

Outcome classified(const ProviderAnswer& answer, const OutcomeContext& context)
{
    const int status = answer.httpStatus;
    if (status >= 200 && status < 300) {
        const auto outcome = ofSuccess(answer, context);
        // An object that says "failed" carries its id, so it may close over an unanswered send (§1.4 b).
        return outcome;
    }
    if (status == 402) {
        if (context.earlierSendUnanswered && !answer.replayed && !answer.object)
            return unansweredOutcome();
        return definitive(answer.object ? std::optional(answer.object->id) : std::nullopt);
    }
    if (status == 409 || status == 429 || answer.errorCode == QLatin1String("lock_timeout")
        || answer.errorCode == QLatin1String("idempotency_key_in_use"))
        return sameKey();
    if (status == 401 || status == 403) {
        auto outcome = sameKey(IncidentKind::Credential);
        if (context.earlierSendUnanswered)
            outcome.outcome = OutcomeClass::Unanswered;
        return outcome;
    }
    if (status >= 400 && status < 500) {
        if (answer.errorType == QLatin1String("idempotency_error"))
            return {OutcomeClass::Mismatch, {}, {}, IncidentKind::Mismatch, {}};
        // T3: an earlier call took effect. Its own words are an error; its object says paid.
        if (isDoneAlready(answer) && answer.object) {
            if (const auto embedded = ofObject(*answer.object, context.verb);
                embedded && embedded->outcome == OutcomeClass::Success)
                return *embedded;
        }
        if (context.earlierSendUnanswered && !answer.replayed)
            return unansweredOutcome();
        return definitive();
    }
    if (status == 500 && answer.shouldRetry != true)
        return unknown(); // cached by the provider: repeating it replays it
    if (status >= 500)
        return unansweredOutcome();
    return unknown(); // 1xx and 3xx are no answer to an effect, and are never followed
}

std::optional<Outcome> classifiedObject(const ProviderObject& object, const QString& verb)
{
    auto outcome = ofObject(object, verb);
    // Only what is terminal is evidence: an intent that still waits may yet go either way.
    if (outcome && outcome->outcome == OutcomeClass::Unknown)
        return std::nullopt;
    return outcome;
}

} // namespace unavez::contract
