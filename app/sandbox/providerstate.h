// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/keyshelf.h"
#include "app/sandbox/ledger.h"
#include "app/sandbox/paymentbook.h"

#include <QJsonArray>
#include <QStringList>

#include <variant>

namespace unavez::sandbox {

struct ApiRequest
{
    QByteArray method; // GET, POST
    QString path; // without its query
    QByteArray query;
    QByteArray body;
    QString account; // the credential's
    std::optional<QString> key; // Idempotency-Key; nothing on a GET
};

// An answer as it leaves.
struct ServedAnswer
{
    int status = 200;
    QByteArray body;
    QString requestId;
    bool isReplayed = false;
    std::optional<QString> originalRequestId; // of a replay
    std::optional<bool> shouldRetry;
    std::optional<contract::Seconds> retryAfter;
    QString objectId;
    bool isEffect = false;
};

// A request whose execution has begun and whose key is in use.
struct Ticket
{
    ApiRequest request;
    Form form;
    QByteArray asked;
    QString requestId;
    contract::Instant begunAt;
};

// What a fault makes of one execution.
struct Twist
{
    std::optional<QString> decline; // the card is refused with this code
    std::optional<bool> cached500; // a 500 is answered and kept; true: the effect happened all the same
};

// The practice provider as a value: what it answers and remembers, without sockets, threads or files. Behaves as
// contract.md §1.3 documents Stripe. Each change also becomes a record, so that a journal can bring it back.
class ProviderState
{
public:
    // `seed` makes its ids unlike any other provider's.
    ProviderState(const QStringList& accounts, const QString& seed);

    const QStringList& accounts() const { return m_accounts; }
    // Whose credential this is; absent: nobody's.
    std::optional<QString> accountOf(const QByteArray& authorization) const;
    // The credential an account's clients use.
    static QByteArray credentialOf(const QString& account);

    // An answer at once (a read, a replay, a refusal), or a ticket to finish.
    std::variant<ServedAnswer, Ticket> begin(const ApiRequest& request, contract::Instant now);
    ServedAnswer finish(const Ticket& ticket, const Twist& twist);
    // Before the idempotency layer, as a rate limiter stands: nothing is executed, nothing kept.
    ServedAnswer refuse(int status, std::optional<bool> shouldRetry);

    bool knows(const QString& account, const QString& customer) const { return !!m_book.customer(account, customer); }
    Customer replaceCard(const QString& account, const QString& customer, const PaymentMethod& card);
    void dropKey(const QString& account, const QString& key);
    // Moves every time this provider remembers; negative is older. Its Date header stays.
    void shift(contract::Millis by);
    // Events about what requests did, oldest first; both filters may be empty.
    QList<QJsonObject> events(const QString& sentKey, const QString& type) const;
    void note(const LedgerLine& line);

    // What changed since the last call, and all there is. apply() takes either.
    QJsonObject takeChanges();
    QJsonObject snapshot(contract::Instant now) const;
    void apply(const QJsonObject& record);

private:
    ServedAnswer read(const ApiRequest& request);
    ApiAnswer execute(const Ticket& ticket, const std::optional<QString>& decline);
    ServedAnswer served(const ApiAnswer& answer, const QString& requestId) const;
    ServedAnswer refusedKey(KeyShelf::Seat seat);
    void noteEvents(const Ticket& ticket, const PaymentIntent& intent, int status);
    void noteEvent(const Ticket& ticket, const QString& type, const QJsonObject& object);
    void changed(const QString& part, const QJsonObject& value);

    QStringList m_accounts;
    IdSource m_ids;
    PaymentBook m_book;
    KeyShelf m_shelf;
    QList<QJsonObject> m_events;
    QJsonObject m_changes;
};

} // namespace unavez::sandbox
