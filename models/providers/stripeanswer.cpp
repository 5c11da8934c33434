// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/stripeanswer.h"

#include "models/providers/stripeobject.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QLocale>
#include <QTimeZone>

namespace unavez::providers {

using namespace contract;

namespace {

std::optional<bool> flagIn(const QByteArray& value)
{
    if (value == "true")
        return true;
    if (value == "false")
        return false;
    return std::nullopt;
}

std::optional<Seconds> secondsIn(const QByteArray& value)
{
    bool whole = false;
    const auto seconds = value.trimmed().toLongLong(&whole);
    return whole && seconds >= 0 && seconds <= 86400 ? std::optional(Seconds{seconds}) : std::nullopt;
}

void readHeaders(const HttpReply& reply, ProviderAnswer& answer)
{
    answer.replayed = reply.header("Idempotent-Replayed") == "true";
    answer.shouldRetry = flagIn(reply.header("Stripe-Should-Retry"));
    answer.retryAfter = secondsIn(reply.header("Retry-After"));
    answer.requestId = readToken(QString::fromLatin1(reply.header("Request-Id")));
    answer.originalRequestId = readToken(QString::fromLatin1(reply.header("Original-Request")));
    answer.date = readHttpDate(reply.header("Date"));
}

void readFailure(const QJsonObject& failure, ProviderAnswer& answer)
{
    answer.errorType = readToken(failure.value(QLatin1String("type")));
    answer.errorCode = readToken(failure.value(QLatin1String("code")));
    answer.declineCode = readToken(failure.value(QLatin1String("decline_code")));
    answer.adviceCode = readToken(failure.value(QLatin1String("advice_code")));
}

// The network's advice, where it stands on the charge alone.
void readAdvice(const QJsonObject& intent, ProviderAnswer& answer)
{
    const auto outcome
        = intent.value(QLatin1String("latest_charge")).toObject().value(QLatin1String("outcome")).toObject();
    if (!answer.adviceCode)
        answer.adviceCode = readToken(outcome.value(QLatin1String("advice_code")));
}

// Other objects succeed too (a setup_intent): that is not a payment.
bool isPayment(const ProviderObject& object)
{
    static const QStringList types{
        QStringLiteral("payment_intent"), QStringLiteral("charge"), QStringLiteral("refund")};
    return !object.id.isEmpty() && !object.status.isEmpty() && types.contains(object.type);
}

// The object an error speaks of: embedded whole, or a charge by its id alone.
std::optional<ProviderObject> embeddedIn(const QJsonObject& error)
{
    for (const auto* name : {"payment_intent", "charge", "refund"}) {
        const auto value = error.value(QLatin1String(name));
        if (value.isObject()) {
            const auto object = readStripeObject(value.toObject());
            if (isPayment(object))
                return object;
        } else if (const auto id = readObjectId(value)) {
            ProviderObject object;
            object.id = *id;
            object.type = QLatin1String(name);
            return object;
        }
    }
    return std::nullopt;
}

// What a caller may be told of a result: never a name, a card or an address.
QJsonObject allowedOf(const QJsonObject& object)
{
    QJsonObject result;
    for (const auto* name : {"id", "object", "status", "latest_charge", "currency"}) {
        if (const auto token = readToken(object.value(QLatin1String(name))))
            result.insert(QLatin1String(name), *token);
    }
    for (const auto* name : {"amount", "created"}) {
        if (const auto value = object.value(QLatin1String(name)); value.isDouble())
            result.insert(QLatin1String(name), value.toInteger());
    }
    return result;
}

} // namespace

std::optional<Instant> readHttpDate(const QByteArray& text)
{
    // Day and time apart: read as one local time, an hour that daylight saving skips here would be none.
    constexpr qsizetype day = 16; // "Sun, 06 Nov 1994"
    if (text.size() != day + 13 || !text.endsWith(" GMT"))
        return std::nullopt;
    const auto date = QLocale::c().toDate(QString::fromLatin1(text.left(day)), QStringLiteral("ddd, dd MMM yyyy"));
    const auto time = QTime::fromString(QString::fromLatin1(text.mid(day + 1, 8)), QStringLiteral("hh:mm:ss"));
    if (!date.isValid() || !time.isValid())
        return std::nullopt;
    return Instant{QDateTime(date, time, QTimeZone::utc()).toMSecsSinceEpoch()};
}

std::optional<ProviderAnswer> readStripeAnswer(const HttpReply& reply, const std::optional<QString>& about)
{
    ProviderAnswer answer;
    answer.httpStatus = reply.status;
    readHeaders(reply, answer);
    const auto body = QJsonDocument::fromJson(reply.body).object();
    if (reply.status >= 200 && reply.status < 300) {
        const auto object = readStripeObject(body);
        if (!isPayment(object) || (about && object.id != *about))
            return std::nullopt;
        answer.object = object;
        answer.result = allowedOf(body);
        // A decline may come as a success that stands in requires_payment_method.
        if (const auto failure = body.value(QLatin1String("last_payment_error")).toObject(); !failure.isEmpty())
            readFailure(failure, answer);
        readAdvice(body, answer);
        return answer;
    }
    const auto error = body.value(QLatin1String("error")).toObject();
    readFailure(error, answer);
    readAdvice(error.value(QLatin1String("payment_intent")).toObject(), answer);
    answer.object = embeddedIn(error);
    // A charge by its id alone cannot be compared; a PaymentIntent can.
    if (about && answer.object && answer.object->type == QLatin1String("payment_intent") && answer.object->id != *about)
        return std::nullopt;
    // From 501 on the status says all there is to say; below, only Stripe's own words count.
    if (!answer.errorType && reply.status >= 400 && reply.status <= 500)
        return std::nullopt;
    return answer;
}

} // namespace unavez::providers
