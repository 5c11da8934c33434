// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/stripeevent.h"

#include "models/contract/keys.h"

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

std::optional<Instant> timeIn(const QJsonValue& created)
{
    // Snapshot events count seconds, thin ones write RFC 3339.
    if (created.isString())
        return fromRfc3339(created.toString());
    const auto seconds = created.toInteger(0);
    return seconds > 0 && seconds < Instant::never().ms / 1000 ? std::optional(Instant{seconds * 1000}) : std::nullopt;
}

std::optional<Money> moneyIn(const QJsonObject& object)
{
    const auto amount = object.value(QLatin1String("amount"));
    const auto currency = object.value(QLatin1String("currency")).toString().toLower();
    if (!amount.isDouble() || currency.size() != 3)
        return std::nullopt;
    return Money{amount.toInteger(), currency};
}

// An expandable field: the id, or the object that has it.
QString idOf(const QJsonValue& value)
{
    return value.isObject() ? value.toObject().value(QLatin1String("id")).toString() : value.toString();
}

ProviderObject providerObject(const QJsonObject& object)
{
    ProviderObject read;
    read.id = object.value(QLatin1String("id")).toString();
    read.type = object.value(QLatin1String("object")).toString();
    read.status = object.value(QLatin1String("status")).toString();
    const bool isCharge = read.type == QLatin1String("charge");
    read.paid = isCharge ? object.value(QLatin1String("paid")).toBool() : read.status == QLatin1String("succeeded");
    // Our reservations hold the intent; a charge is a try of it.
    if (const auto intent = idOf(object.value(QLatin1String("payment_intent"))); isCharge && !intent.isEmpty())
        read.id = intent;
    read.amount = moneyIn(object);
    if (const auto customer = idOf(object.value(QLatin1String("customer"))); !customer.isEmpty())
        read.customer = customer;
    if (const auto key
        = object.value(QLatin1String("metadata")).toObject().value(QLatin1String("intent_key")).toString();
        !key.isEmpty())
        read.intentKey = key;
    read.createdAt = timeIn(object.value(QLatin1String("created")));
    return read;
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
    delivery.createdAt = timeIn(event.value(QLatin1String("created")));
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
    const auto at = timeIn(event.value(QLatin1String("created")));
    if (!endsSomething(type) || key.isEmpty() || object.isEmpty() || !at)
        return std::nullopt;
    CausedByUs caused;
    caused.sentKey = key;
    caused.object = providerObject(object);
    if (const auto live = event.value(QLatin1String("livemode")); live.isBool())
        caused.object.live = live.toBool();
    const auto failure = object.value(QLatin1String("last_payment_error")).toObject();
    caused.errorCode = failure.isEmpty() ? object.value(QLatin1String("failure_code")).toString()
                                         : failure.value(QLatin1String("code")).toString();
    caused.declineCode = failure.value(QLatin1String("decline_code")).toString();
    caused.at = *at;
    return caused;
}

} // namespace unavez::providers
