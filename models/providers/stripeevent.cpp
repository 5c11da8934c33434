// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/stripeevent.h"

#include "models/contract/keys.h"
#include "models/providers/stripeobject.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>

namespace unavez::providers {

using namespace contract;

namespace {

// Types whose object says how a request of ours ended. Not `.created` of an intent, `requires_action`, `processing`:
// those are on their way.
bool endsSomething(const QString& type)
{
    static const QSet<QString> types{QStringLiteral("payment_intent.succeeded"),
        QStringLiteral("payment_intent.payment_failed"), QStringLiteral("payment_intent.canceled"),
        QStringLiteral("charge.succeeded"), QStringLiteral("charge.failed"), QStringLiteral("charge.updated"),
        QStringLiteral("refund.created"), QStringLiteral("refund.updated"), QStringLiteral("refund.failed"),
        QStringLiteral("charge.refund.updated")};
    return types.contains(type);
}

QJsonObject objectOf(const QByteArray& bytes) { return QJsonDocument::fromJson(bytes).object(); }

std::optional<QString> idIn(const QJsonValue& value)
{
    const auto text = value.toString();
    return isValidEventId(text) ? std::optional(text) : std::nullopt;
}

} // namespace

tl::expected<StripeDelivery, UnreadDelivery> readStripeDelivery(const QByteArray& body)
{
    const auto document = QJsonDocument::fromJson(body);
    if (!document.isObject())
        return tl::unexpected(UnreadDelivery{true});
    const auto event = document.object();
    const auto id = idIn(event.value(QLatin1String("id")));
    if (!id)
        return tl::unexpected(UnreadDelivery{false});
    StripeDelivery delivery;
    delivery.eventId = *id;
    delivery.type = event.value(QLatin1String("type")).toString().left(255);
    delivery.createdAt = readStripeTime(event.value(QLatin1String("created")));
    if (const auto live = event.value(QLatin1String("livemode")); live.isBool())
        delivery.live = live.toBool();
    delivery.account = idIn(event.value(QLatin1String("account")));
    const bool thin = event.value(QLatin1String("object")).toString() == QLatin1String("v2.core.event");
    if (thin) {
        delivery.snapshotId = idIn(event.value(QLatin1String("snapshot_event")));
        delivery.objectId = idIn(event.value(QLatin1String("related_object")).toObject().value(QLatin1String("id")));
    } else {
        const auto object = event.value(QLatin1String("data")).toObject().value(QLatin1String("object")).toObject();
        delivery.objectId = idIn(object.value(QLatin1String("id")));
    }
    return delivery;
}

std::optional<CausedByUs> StripeEventReader::read(const QString& provider, const QByteArray& payload) const
{
    if (provider != QLatin1String("stripe"))
        return std::nullopt;
    const auto event = objectOf(payload);
    const auto type = event.value(QLatin1String("type")).toString();
    const auto key
        = event.value(QLatin1String("request")).toObject().value(QLatin1String("idempotency_key")).toString();
    const auto object = event.value(QLatin1String("data")).toObject().value(QLatin1String("object")).toObject();
    const auto at = readStripeTime(event.value(QLatin1String("created")));
    if (!endsSomething(type) || key.isEmpty() || object.isEmpty() || !at)
        return std::nullopt;
    CausedByUs caused;
    caused.sentKey = key;
    caused.object = readStripeObject(object);
    if (const auto live = event.value(QLatin1String("livemode")); live.isBool())
        caused.object.live = live.toBool();
    const auto failure = object.value(QLatin1String("last_payment_error")).toObject();
    const auto code
        = failure.isEmpty() ? object.value(QLatin1String("failure_code")) : failure.value(QLatin1String("code"));
    caused.errorCode = readToken(code).value_or(QString());
    caused.declineCode = readToken(failure.value(QLatin1String("decline_code"))).value_or(QString());
    caused.at = *at;
    return caused;
}

} // namespace unavez::providers
