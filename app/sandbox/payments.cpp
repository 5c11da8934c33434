// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/payments.h"

#include <QJsonArray>

namespace unavez::sandbox {

using contract::Instant;

namespace {

QString text(const QJsonObject& json, QLatin1String name) { return json.value(name).toString(); }

QJsonValue textOrNull(const QString& value) { return value.isEmpty() ? QJsonValue() : QJsonValue(value); }

QJsonValue objectOrNull(const QJsonObject& value) { return value.isEmpty() ? QJsonValue() : QJsonValue(value); }

bool isPaid(const PaymentIntent& intent) { return intent.status == QLatin1String("succeeded"); }

} // namespace

QJsonObject jsonOf(const Customer& customer)
{
    return {{QStringLiteral("account"), customer.account}, {QStringLiteral("id"), customer.id},
        {QStringLiteral("method"), customer.method.id}, {QStringLiteral("works"), customer.method.works},
        {QStringLiteral("decline_code"), customer.method.declineCode},
        {QStringLiteral("advice_code"), customer.method.adviceCode}};
}

QJsonObject jsonOf(const PaymentIntent& intent)
{
    return {{QStringLiteral("account"), intent.account}, {QStringLiteral("id"), intent.id},
        {QStringLiteral("amount"), intent.amount}, {QStringLiteral("currency"), intent.currency},
        {QStringLiteral("customer"), intent.customer}, {QStringLiteral("status"), intent.status},
        {QStringLiteral("metadata"), intent.metadata}, {QStringLiteral("method"), intent.method},
        {QStringLiteral("latest_charge"), intent.latestCharge}, {QStringLiteral("last_error"), intent.lastError},
        {QStringLiteral("created_ms"), intent.createdAt.ms}};
}

std::optional<Customer> customerOf(const QJsonObject& json)
{
    Customer customer{text(json, QLatin1String("account")), text(json, QLatin1String("id")),
        {text(json, QLatin1String("method")), json.value(QLatin1String("works")).toBool(),
            text(json, QLatin1String("decline_code")), text(json, QLatin1String("advice_code"))}};
    return customer.id.isEmpty() ? std::nullopt : std::optional(customer);
}

std::optional<PaymentIntent> paymentIntentOf(const QJsonObject& json)
{
    PaymentIntent intent{text(json, QLatin1String("account")), text(json, QLatin1String("id")),
        json.value(QLatin1String("amount")).toInteger(), text(json, QLatin1String("currency")),
        text(json, QLatin1String("customer")), text(json, QLatin1String("status")),
        json.value(QLatin1String("metadata")).toObject(), text(json, QLatin1String("method")),
        text(json, QLatin1String("latest_charge")), json.value(QLatin1String("last_error")).toObject(),
        Instant{json.value(QLatin1String("created_ms")).toInteger()}};
    return intent.id.isEmpty() || intent.status.isEmpty() ? std::nullopt : std::optional(intent);
}

QJsonObject apiObject(const PaymentIntent& intent)
{
    return {{QStringLiteral("id"), intent.id}, {QStringLiteral("object"), QStringLiteral("payment_intent")},
        {QStringLiteral("amount"), intent.amount},
        {QStringLiteral("amount_received"), isPaid(intent) ? intent.amount : 0},
        {QStringLiteral("created"), intent.createdAt.ms / 1000}, {QStringLiteral("currency"), intent.currency},
        {QStringLiteral("customer"), textOrNull(intent.customer)},
        {QStringLiteral("last_payment_error"), objectOrNull(intent.lastError)},
        {QStringLiteral("latest_charge"), textOrNull(intent.latestCharge)}, {QStringLiteral("livemode"), false},
        {QStringLiteral("metadata"), intent.metadata}, {QStringLiteral("payment_method"), textOrNull(intent.method)},
        {QStringLiteral("status"), intent.status}};
}

QJsonObject apiObject(const Customer& customer)
{
    return {{QStringLiteral("id"), customer.id}, {QStringLiteral("object"), QStringLiteral("customer")},
        {QStringLiteral("invoice_settings"),
            QJsonObject{{QStringLiteral("default_payment_method"), customer.method.id}}},
        {QStringLiteral("livemode"), false}};
}

QJsonObject apiObject(const PaymentMethod& method, const Customer& customer)
{
    return {{QStringLiteral("id"), method.id}, {QStringLiteral("object"), QStringLiteral("payment_method")},
        {QStringLiteral("customer"), customer.id}, {QStringLiteral("livemode"), false},
        {QStringLiteral("type"), QStringLiteral("card")}};
}

QJsonObject apiCharge(const PaymentIntent& intent)
{
    const bool paid = isPaid(intent);
    return {{QStringLiteral("id"), intent.latestCharge}, {QStringLiteral("object"), QStringLiteral("charge")},
        {QStringLiteral("amount"), intent.amount}, {QStringLiteral("created"), intent.createdAt.ms / 1000},
        {QStringLiteral("currency"), intent.currency}, {QStringLiteral("customer"), textOrNull(intent.customer)},
        {QStringLiteral("failure_code"), textOrNull(text(intent.lastError, QLatin1String("code")))},
        {QStringLiteral("livemode"), false}, {QStringLiteral("metadata"), intent.metadata},
        {QStringLiteral("paid"), paid}, {QStringLiteral("payment_intent"), intent.id},
        {QStringLiteral("status"), paid ? QStringLiteral("succeeded") : QStringLiteral("failed")}};
}

QJsonObject apiList(const QJsonArray& data, const QString& url, bool hasMore)
{
    return {{QStringLiteral("object"), QStringLiteral("list")}, {QStringLiteral("data"), data},
        {QStringLiteral("has_more"), hasMore}, {QStringLiteral("url"), url}};
}

ApiAnswer apiError(int status, const QString& type, const QString& code, const QString& message, const QString& param)
{
    QJsonObject error{{QStringLiteral("type"), type}, {QStringLiteral("message"), message}};
    if (!code.isEmpty())
        error.insert(QStringLiteral("code"), code);
    if (!param.isEmpty())
        error.insert(QStringLiteral("param"), param);
    ApiAnswer answer;
    answer.status = status;
    answer.body = QJsonObject{{QStringLiteral("error"), error}};
    return answer;
}

} // namespace unavez::sandbox
