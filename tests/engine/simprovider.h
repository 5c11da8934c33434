// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/outcome.h"
#include "tests/engine/simclock.h"

#include <QHash>
#include <QMap>

namespace unavez::tests {

// What goes wrong with one request.
enum class Fault {
    None,
    Decline, // 402, with the object
    BareDecline, // 402, without one
    CachedError, // 500 kept under the key, nothing done
    CachedErrorAfter, // 500 kept under the key, and the effect done all the same
    Unavailable, // 503 before anything was executed
    ResetBefore, // the connection breaks before the request is read
    ResetAfter, // … after it took effect
    Late, // no answer, and the effect half an hour later
    Pending, // answered as not decided yet, and done half an hour later
    Busy, // 429 before the key is looked at
    BadVersion, // 400 before the key is looked at (another API version)
    Unauthorized, // 401, likewise
    NoConnection,
    NoAccount, // the account look-up fails
};
constexpr int faults = int(Fault::NoAccount) + 1;
const char* wordOf(Fault fault);

struct SimRequest
{
    QString account; // the credential's
    QString sentKey;
    QString step; // create, confirm, send
    QByteArray body;
    QString intentKey; // metadata
    std::optional<QString> objectId; // of confirm
};

struct SimEffect
{
    QString account;
    QString intentKey;
    QString objectId;
    QString sentKey;
    contract::Instant at;
};

// What the provider tells by webhook.
struct SimNotice
{
    QString sentKey;
    contract::ProviderObject object;
    contract::Instant at;
};

// A payment provider with assumption A1 of contract.md §10.8: a repeated key gets the first result, and is forgotten at
// exactly 24 h. Its clock is right.
class SimProvider
{
public:
    explicit SimProvider(const SimTime& time)
        : m_time(time)
    {
    }

    void willFail(Fault fault) { m_faults.append(fault); } // the next request that can
    void forgetFaults() { m_faults.clear(); }
    bool takes(Fault fault); // it is the next one: used up

    // Absent: no answer.
    std::optional<contract::ProviderAnswer> receive(const SimRequest& request);
    void settleLate(); // whatever is due by now takes effect

    const QList<SimEffect>& effects() const { return m_effects; }
    QList<SimEffect> effectsOf(const QString& intentKey) const;
    const QList<SimNotice>& notices() const { return m_notices; }
    const QMap<QString, QList<QByteArray>>& bodies() const { return m_bodies; } // of all requests, likewise
    contract::ProviderObject object(const QString& id) const { return m_objects.value(id); }
    contract::Instant now() const { return m_time.now(); }

private:
    struct Kept
    {
        contract::Instant at;
        QByteArray body;
        contract::ProviderAnswer answer;
        std::optional<contract::Instant> runsUntil; // a late one: its key is in use until then
        SimRequest request;
    };

    contract::ProviderAnswer executed(const SimRequest& request, Fault fault);
    contract::ProviderAnswer charged(const SimRequest& request);
    contract::ProviderAnswer pending(const SimRequest& request);
    contract::ProviderAnswer declined(const SimRequest& request, bool withObject);
    contract::ProviderObject& made(const SimRequest& request);

    const SimTime& m_time;
    QList<Fault> m_faults;
    QHash<QString, Kept> m_kept; // by account and sent key
    QMap<QString, contract::Instant> m_waiting; // sent keys that were answered as pending
    QMap<QString, QList<QByteArray>> m_bodies;
    QMap<QString, contract::ProviderObject> m_objects;
    QHash<QString, QString> m_accounts; // of objects
    QList<SimEffect> m_effects;
    QList<SimNotice> m_notices;
};

} // namespace unavez::tests
