// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/time.h"

#include <QJsonObject>
#include <QString>

#include <optional>

namespace unavez::sandbox {

// What a customer pays with. One at a time: replacing it is a new card, with a new id.
struct PaymentMethod
{
    QString id;
    bool works = true;
    QString declineCode; // when it does not
    QString adviceCode; // do_not_try_again, try_again_later, … or empty
    bool operator==(const PaymentMethod&) const = default;
};

struct Customer
{
    QString account;
    QString id;
    PaymentMethod method;
    bool operator==(const Customer&) const = default;
};

// At most one successful charge per intent (contract.md §0 K10).
struct PaymentIntent
{
    QString account;
    QString id;
    qint64 amount = 0;
    QString currency;
    QString customer;
    QString status; // requires_payment_method, requires_confirmation, succeeded, canceled
    QJsonObject metadata;
    QString method; // empty after a decline
    QString latestCharge;
    QJsonObject lastError; // empty, or what the last decline said
    contract::Instant createdAt;
    bool operator==(const PaymentIntent&) const = default;
};

// As the provider's journal keeps them.
QJsonObject jsonOf(const Customer& customer);
QJsonObject jsonOf(const PaymentIntent& intent);
std::optional<Customer> customerOf(const QJsonObject& json);
std::optional<PaymentIntent> paymentIntentOf(const QJsonObject& json);

// As the API shows them.
QJsonObject apiObject(const PaymentIntent& intent);
QJsonObject apiObject(const Customer& customer);
QJsonObject apiObject(const PaymentMethod& method, const Customer& customer);
// The charge of the intent's last confirm, as events carry it.
QJsonObject apiCharge(const PaymentIntent& intent);
QJsonObject apiList(const QJsonArray& data, const QString& url, bool hasMore);

// One answer of the API, before headers.
struct ApiAnswer
{
    int status = 200;
    QJsonObject body;
    bool isExecuted = false; // execution began: this answer is kept under the idempotency key
    QString objectId;
    bool isEffect = false; // money moved in this very call
};
// Not executed, so not kept. `code` and `param` may be empty.
ApiAnswer apiError(
    int status, const QString& type, const QString& code, const QString& message, const QString& param = {});

} // namespace unavez::sandbox
