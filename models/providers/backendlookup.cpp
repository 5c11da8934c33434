// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/backendlookup.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace unavez::providers {

using namespace contract;

namespace {

constexpr qsizetype longestId = 200; // bytes, so that a key made of it stays within contract.md §10.1
constexpr qint64 largestAmount = 99'999'999'999; // minor units: beyond every provider's own limit

BackendFact away(const QString& why)
{
    BackendFact fact;
    fact.why = why;
    return fact;
}

// Text a person may have typed, but nothing that could break a line, a key or a terminal.
bool isPlain(const QString& text, qsizetype longest)
{
    return !text.isEmpty() && text.toUtf8().size() <= longest
        && std::all_of(text.begin(), text.end(), [](QChar c) { return c.isPrint(); });
}

std::optional<qint64> wholeNumber(const QJsonValue& value)
{
    // 1250.5 and "1250" are no amounts of minor units.
    if (!value.isDouble() || static_cast<double>(value.toInteger(-1)) != value.toDouble())
        return std::nullopt;
    return value.toInteger();
}

} // namespace

BackendFact readBackendAnswer(int status, const QByteArray& body)
{
    BackendFact fact;
    if (status == 404) {
        fact.reachable = true;
        fact.state = QStringLiteral("not found");
        return fact;
    }
    if (status != 200)
        return away(QStringLiteral("HTTP %1").arg(status));
    const auto object = QJsonDocument::fromJson(body).object();
    const auto id = object.value(QLatin1String("id")).toString();
    const auto customer = object.value(QLatin1String("customer")).toString();
    const auto amount = wholeNumber(object.value(QLatin1String("amount_minor")));
    const auto currency = object.value(QLatin1String("currency")).toString().toLower();
    const auto open = object.value(QLatin1String("open"));
    const auto unreadable
        = [](const char* field) { return away(QStringLiteral("answer not understood: %1").arg(QLatin1String(field))); };
    if (!isPlain(id, longestId))
        return unreadable("id");
    if (!isPlain(customer, 255))
        return unreadable("customer");
    if (!amount || *amount < 1 || *amount > largestAmount)
        return unreadable("amount_minor");
    if (currency.size() != 3 || !std::all_of(currency.begin(), currency.end(), [](QChar c) {
            return c >= QLatin1Char('a') && c <= QLatin1Char('z');
        }))
        return unreadable("currency");
    if (!open.isBool())
        return unreadable("open");
    fact.reachable = true;
    fact.id = id;
    fact.customer = customer;
    fact.amount = {*amount, currency};
    fact.open = open.toBool();
    const auto state = object.value(QLatin1String("state")).toString();
    fact.state = isPlain(state, 64) ? state : fact.open ? QStringLiteral("open") : QStringLiteral("closed");
    return fact;
}

BackendFact askBackend(const QString& url, const HttpLimits& limits, const TlsTrust& trust, std::stop_token cancelled)
{
    const auto where = parsedUrl(url);
    if (!where)
        return away(QStringLiteral("no usable address"));
    const HttpRequest request{"GET", where->target, {{"Accept", "application/json"}}, {}};
    const auto reply = fetched(where->endpoint, request, limits, trust, cancelled);
    if (!reply)
        return away(wordOf(reply.error().kind));
    if (!reply->complete)
        return away(QStringLiteral("the answer was cut"));
    return readBackendAnswer(reply->status, reply->body);
}

} // namespace unavez::providers
