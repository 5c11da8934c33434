// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/time.h"

#include <QByteArray>
#include <QJsonObject>
#include <QMap>
#include <QPair>

#include <optional>
#include <set>

namespace unavez::sandbox {

// The first answer under an idempotency key, as the provider keeps it (contract.md §1.3).
struct SavedAnswer
{
    QString account;
    QString key;
    QByteArray asked; // SHA-256 of method, path and parameters
    int status = 0;
    QByteArray body;
    QString requestId;
    QString objectId;
    contract::Instant at; // when the first request began
    bool operator==(const SavedAnswer&) const = default;
};
QJsonObject jsonOf(const SavedAnswer& saved);
std::optional<SavedAnswer> savedAnswerOf(const QJsonObject& json);

// The idempotency layer: pure, keyed by account. An answer is gone at exactly 24 h (contract.md §10.8).
class KeyShelf
{
public:
    static constexpr contract::Millis kept{24LL * 60 * 60 * 1000};

    enum class Seat {
        Fresh, // nobody asked yet: the key is now in use
        Replay,
        Mismatch, // other parameters than the first request's
        InUse, // the first request still executes
    };
    struct Taken
    {
        Seat seat = Seat::Fresh;
        std::optional<SavedAnswer> saved; // Replay
    };
    Taken take(const QString& account, const QString& key, const QByteArray& asked, contract::Instant now);
    // Ends the use of a fresh key: with an answer to keep, or with nothing (execution never began).
    void keep(const SavedAnswer& saved);
    void release(const QString& account, const QString& key);
    // Before its time: what contract.md §10.8 A1 rules out.
    void drop(const QString& account, const QString& key);
    // Moves every saved time; negative is older.
    void shift(contract::Millis by);
    QList<SavedAnswer> all(contract::Instant now) const;

private:
    using Name = QPair<QString, QString>;
    QMap<Name, SavedAnswer> m_saved;
    std::set<Name> m_inUse;
};

} // namespace unavez::sandbox
