// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/outcome.h"

namespace unavez::contract {

// Evidence from the provider's own events (contract.md §10.4, actor E).
struct ObservedOutcome
{
    KeyId key;
    EvidenceVerdict verdict = EvidenceVerdict::Charged; // Charged or Failed
    std::optional<qint64> eventPk;
    QStringList objectIds;
    std::optional<Money> amount;
    QByteArray sha256; // 32 bytes
    Instant until;
    QString outcomeClass;
    QByteArray result;
    QByteArray error;
    // The incident where it contradicts a final outcome: outcome_conflict, or reversed for what came back later.
    IncidentKind contradiction = IncidentKind::OutcomeConflict;
};

enum class EvidenceEffect {
    Settled, // the status followed
    Recorded, // the row is kept; T will finish by itself, or it agrees already
    DoubleCharge, // another attempt of the intent is open or done with another object: incident, no status change
    Conflict, // it contradicts a final outcome: incident `contradiction`
};

// What a provider's event says of an effect of ours.
struct CausedByUs
{
    QString sentKey; // the event's request.idempotency_key
    ProviderObject object;
    QString errorCode; // last_payment_error or failure_code, empty where none
    QString declineCode;
    Instant at; // the event's created
};

// Reads a recorded event's body; one per provider, in models/providers.
class EventReader
{
public:
    virtual ~EventReader() = default;
    // Absent: not caused by a keyed request, or not readable.
    virtual std::optional<CausedByUs> read(const QString& provider, const QByteArray& payload) const = 0;
};

class EvidenceStore
{
public:
    virtual ~EvidenceStore() = default;

    // Whose send this key was; absent: not ours.
    virtual Result<std::optional<KeyId>> keyOfSentKey(
        const QString& provider, const QString& account, const QString& sentKey)
        = 0;
    // The reconciliation row always, once per event; the status only from unknown, or from in_progress with its lease
    // over. Incidents are raised in the same transaction.
    virtual Result<EvidenceEffect> record(const ObservedOutcome& observed) = 0;
};

} // namespace unavez::contract
