// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/stripeobject.h"

#include <algorithm>

namespace unavez::providers {

using namespace contract;

namespace {

bool isTokenCharacter(QChar c)
{
    const auto u = c.unicode();
    return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || (u >= '0' && u <= '9') || u == '_' || u == '.'
        || u == ':' || u == '-';
}

std::optional<Money> moneyIn(const QJsonObject& object)
{
    const auto amount = object.value(QLatin1String("amount"));
    const auto currency = object.value(QLatin1String("currency")).toString().toLower();
    const bool whole = amount.isDouble() && static_cast<double>(amount.toInteger()) == amount.toDouble();
    if (!whole || amount.toInteger() < 0 || currency.size() != 3 || !readToken(currency))
        return std::nullopt;
    return Money{amount.toInteger(), currency};
}

// An expandable field: the id, or the object that has it.
std::optional<QString> idIn(const QJsonValue& value)
{
    return readObjectId(value.isObject() ? value.toObject().value(QLatin1String("id")) : value);
}

} // namespace

std::optional<QString> readToken(const QString& text)
{
    if (text.isEmpty() || text.size() > 255 || !std::all_of(text.begin(), text.end(), isTokenCharacter))
        return std::nullopt;
    return text;
}

std::optional<QString> readToken(const QJsonValue& value)
{
    return value.isString() ? readToken(value.toString()) : std::nullopt;
}

std::optional<QString> readObjectId(const QJsonValue& value)
{
    const auto token = readToken(value);
    return token && !token->contains(QLatin1Char('.')) && !token->contains(QLatin1Char(':')) ? token : std::nullopt;
}

std::optional<Instant> readStripeTime(const QJsonValue& created)
{
    if (created.isString())
        return fromRfc3339(created.toString());
    const auto seconds = created.toInteger(0);
    return seconds > 0 && seconds < Instant::never().ms / 1000 ? std::optional(Instant{seconds * 1000}) : std::nullopt;
}

ProviderObject readStripeObject(const QJsonObject& object)
{
    ProviderObject read;
    read.id = readObjectId(object.value(QLatin1String("id"))).value_or(QString());
    read.type = readToken(object.value(QLatin1String("object"))).value_or(QString());
    read.status = readToken(object.value(QLatin1String("status"))).value_or(QString());
    const bool isCharge = read.type == QLatin1String("charge");
    read.paid = isCharge ? object.value(QLatin1String("paid")).toBool() : read.status == QLatin1String("succeeded");
    if (const auto intent = idIn(object.value(QLatin1String("payment_intent"))); isCharge && intent)
        read.id = *intent;
    read.amount = moneyIn(object);
    read.customer = idIn(object.value(QLatin1String("customer")));
    // Ours, so it may hold the percent signs of contract.md §10.1.
    const auto metadata = object.value(QLatin1String("metadata")).toObject();
    if (const auto key = metadata.value(QLatin1String("intent_key")).toString(); !key.isEmpty() && key.size() <= 200)
        read.intentKey = key;
    if (const auto live = object.value(QLatin1String("livemode")); live.isBool())
        read.live = live.toBool();
    read.createdAt = readStripeTime(object.value(QLatin1String("created")));
    return read;
}

} // namespace unavez::providers
