// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/outcome.h"

#include <QHash>
#include <QList>

#include <deque>
#include <mutex>

namespace unavez::tests {

// What the provider does with a request instead of carrying it out plainly.
enum class Fault {
    Decline, // 402, kept
    CachedError, // 500 before it did anything, kept
    CachedErrorAfter, // 500 after the effect, kept
    Unavailable, // 503, not kept, nothing done
    ResetBefore, // reads the request, does nothing, resets
    ResetAfter, // does it, keeps it, resets
    InUse, // 409, not kept
    TooMany, // 429 with Retry-After 40, not kept
    LockTimeout, // 400 lock_timeout, not kept
    Invalid, // 400 of validation, not kept
    Unauthorized, // 401, not kept
    OtherBody, // 400 idempotency_error
    RequiresAction, // 200, the customer has to do something
    Processing, // 200, the provider is not done
};

struct LedgerLine
{
    QString step;
    QString sentKey;
    QByteArray bytes; // as received: method, path, headers, body
    int status = 0; // 0: reset
    bool replayed = false;
    bool effect = false;
};

// A provider with PaymentIntents and refunds: keeps the first answer under a key for 24 hours (contract.md §1.3, A1),
// charges a PaymentIntent once, and writes down what it was asked. Any thread.
class ScriptedProvider
{
public:
    void next(const QString& step, Fault fault, int times = 1);
    // Absent: the connection was reset.
    std::optional<contract::ProviderAnswer> request(const QString& step, const QString& sentKey,
        const QByteArray& bytes, const std::optional<QString>& object, contract::Instant date);
    // The customer paid the PaymentIntent, or it took effect late: without any request of ours.
    void succeed(const QString& paymentIntent);
    void age(contract::Millis by);

    int effects() const;
    QList<LedgerLine> ledger() const;
    QList<LedgerLine> ledger(const QString& step) const;

    QString declineCode = QStringLiteral("insufficient_funds");
    QString adviceCode;

private:
    struct Kept
    {
        QByteArray bytes;
        contract::ProviderAnswer answer;
        contract::Millis age{0};
    };
    contract::ProviderAnswer carriedOut(const QString& step, const std::optional<QString>& object, bool& effect);
    contract::ProviderAnswer ofObject(const QString& id, const QString& type, const QString& status) const;
    contract::ProviderAnswer refused(int status, const char* type, const char* code = "") const;

    mutable std::mutex m_mutex;
    QHash<QString, std::deque<Fault>> m_faults;
    QHash<QString, Kept> m_kept;
    QHash<QString, QString> m_paymentIntents; // id → status
    QList<LedgerLine> m_ledger;
    int m_objects = 0;
    int m_effects = 0;
};

} // namespace unavez::tests
