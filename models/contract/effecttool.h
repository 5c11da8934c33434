// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/plan.h"
#include "models/contract/reservationstore.h"
#include "models/contract/storedrequest.h"

#include <functional>
#include <stop_token>
#include <variant>

// A tool with a side effect, as the gate sees it: where its plan comes from, how its request is spelled, how it is sent
// and its answer read. Adapters stand in models/providers.
namespace unavez::contract {

template <typename T> using Ruling = tl::expected<T, Because>;

// What the tool would do, from the backend and not from the model (contract.md §13.2).
struct PlannedIntent
{
    IntentId intent; // under the id the backend returned
    std::optional<Money> amount;
    std::optional<QString> customer;
    QByteArray plan; // canonical JSON
    QByteArray argsSha256; // canonical arguments, identity replaced by the backend's id
    bool due = true; // false: paid or closed; only repeats are answered
    QString state; // the backend's word for it
};

// What became of one request (contract.md §10.5.1). Exactly one of them; nothing is ever sent twice.
struct NotConnected // no mark was taken
{
    QString detail;
};
struct NotMarked // connected; the mark was refused or the store did not answer; nothing left
{
    std::optional<Because> because; // absent: store away
};
struct NotWritten // marked; too late or cancelled before the first byte
{
    qint64 call = 0;
};
struct NoAnswer // bytes may have left
{
    qint64 call = 0;
    QString detail;
};
struct Answered
{
    qint64 call = 0;
    ProviderAnswer answer;
};
using SendResult = std::variant<NotConnected, NotMarked, NotWritten, NoAnswer, Answered>;

using MarkFunction = std::function<Result<MarkAnswer>()>;

struct AccountFact
{
    QString account;
    std::optional<Instant> date; // the provider's Date, the third clock
    bool credentialOk = true; // false: 401 or 403
};

class EffectTool
{
public:
    virtual ~EffectTool() = default;

    virtual QString name() const = 0; // "charge_customer"
    virtual QString description() const = 0;
    virtual QJsonObject inputSchema() const = 0;
    virtual QString verb() const = 0; // "charge"
    virtual QString provider() const = 0;
    virtual QString account() const = 0;
    virtual Seconds window() const = 0;
    virtual Seconds margin() const = 0;
    virtual int maxAttempts() const = 0;

    // The intent the arguments spell, without asking anybody: what still replays while the backend is away.
    virtual Ruling<IntentId> spelled(const QJsonObject& arguments) const = 0; // bad_arguments
    // Asks the backend. backend_unreachable; bad_arguments for a 404 or arguments that cannot be meant.
    virtual Ruling<PlannedIntent> plan(const QJsonObject& arguments) = 0;
    // The bytes of an attempt, made once. May look up (GET) what may change between attempts, as the payment method.
    virtual Ruling<QByteArray> encode(const Intent& intent, int attempt) = 0;
    // The steps still to be sent: create only while the intent has no object id.
    virtual QStringList steps(const StoredRequest& request, const Intent& intent) const = 0;
    // Connect, mark, check, write once, read. `step` is one of steps(); {object} is replaced by objectId.
    virtual SendResult send(const StoredStep& step, const QString& sentKey, const std::optional<QString>& objectId,
        const MarkFunction& mark, std::stop_token cancelled)
        = 0;
    // GET, never more than every ten minutes unless `fresh`.
    virtual Result<AccountFact> checkedAccount(bool fresh) = 0;
};

} // namespace unavez::contract
