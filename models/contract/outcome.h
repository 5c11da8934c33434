// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/rows.h"

#include <QJsonObject>

// The one table of contract.md §1.4, for HTTP answers and for evidence alike.
namespace unavez::contract {

// A provider's object in the words of its protocol.
struct ProviderObject
{
    QString id; // pi_…, ch_…, re_…
    QString type; // payment_intent, charge, refund
    QString status; // succeeded, requires_payment_method, …
    bool paid = false; // charge: paid; payment_intent: succeeded
    std::optional<Money> amount;
    std::optional<QString> customer;
    std::optional<QString> intentKey; // metadata[intent_key]
    std::optional<bool> live;
    std::optional<Instant> createdAt;
    bool operator==(const ProviderObject&) const = default;
};

// What a provider answered, normalised; a protocol's reader (models/providers) makes it from bytes.
struct ProviderAnswer
{
    int httpStatus = 0;
    bool replayed = false; // Idempotent-Replayed: true
    std::optional<bool> shouldRetry; // Stripe-Should-Retry
    std::optional<Seconds> retryAfter;
    std::optional<QString> requestId;
    std::optional<QString> originalRequestId;
    std::optional<QString> errorType;
    std::optional<QString> errorCode;
    std::optional<QString> declineCode;
    std::optional<QString> adviceCode;
    std::optional<ProviderObject> object; // the body, or the object embedded in an error
    std::optional<Instant> date; // the Date header: the third clock
    QJsonObject result; // allow-listed fields a caller may be told
    bool operator==(const ProviderAnswer&) const = default;
};

struct OutcomeContext
{
    QString verb; // charge, refund, authorise, …
    QString step; // create, confirm, send
    bool earlierSendUnanswered = false; // of the same sent key, §1.4 first paragraph
};

struct Outcome
{
    OutcomeClass outcome = OutcomeClass::Unknown;
    std::optional<ReservationStatus> becomes; // absent: stays in_progress
    std::optional<ReservationFlag> flag;
    std::optional<IncidentKind> incident;
    std::optional<QString> objectId; // the object that closes it
    bool operator==(const Outcome&) const = default;
};

Outcome classified(const ProviderAnswer& answer, const OutcomeContext& context);
// Reset, abort or time-out after bytes were written.
Outcome unansweredOutcome();
// An object seen as evidence (webhook, look-up): absent where it proves nothing yet.
std::optional<Outcome> classifiedObject(const ProviderObject& object, const QString& verb);

} // namespace unavez::contract
