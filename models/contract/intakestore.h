// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/rows.h"

// What the edge writes (contract.md §10.2).
namespace unavez::contract {

// One verified delivery, ready to be recorded.
struct Delivery
{
    qint64 sourceId = 0;
    QString eventId; // 1–255 bytes, UTF-8, no NUL: validated before
    QString eventType;
    std::optional<QString> objectId;
    std::optional<QString> snapshotId; // thin events: the snapshot event of the same change
    std::optional<Instant> providerCreatedAt;
    QString signingKeyId;
    QByteArray body; // raw, as signed
    QByteArray bodySha256; // 32 bytes
    QString contentType = QStringLiteral("application/json");
    QString peer; // address without port
    int answeredMs = 0; // from first byte to now
    int maxAttempts = 8; // tries of the job it brings, ≥ 1

    QString changeId() const { return snapshotId.value_or(eventId); }
};

// A delivery after merging: `count` equal ones of one micro-batch.
struct MergedDelivery
{
    Delivery delivery;
    int count = 1;
};

struct RecordedEvent
{
    qint64 eventPk = 0;
    bool inserted = false; // with its job; false: counted as a repeat
    int deliveries = 1; // after this one
    bool hasJob = true;
    bool bodyChanged = false; // same id, other body: an incident was raised, nothing re-run
};

struct SignatureFailure
{
    qint64 sourceId = 0;
    QString route; // configured path or "(unknown)", never the caller's text
    FailureReason reason = FailureReason::Mismatch;
    int count = 1;
    std::optional<Instant> signedAt;
    std::optional<int> bodyLength;
    QByteArray bodySha256; // empty: not hashed
    QString peer;
};

class IntakeStore
{
public:
    virtual ~IntakeStore() = default;

    // All or nothing, in one transaction that is durable when this returns: events, their jobs, payloads, delivery
    // rows. The batch is merged and sorted by (source, change id); answers come in its order. Repeats only count up. A
    // repeat with another body raises incident body_changed in the same transaction.
    virtual Result<QList<RecordedEvent>> record(const QList<MergedDelivery>& batch) = 0;

    // Aggregated per (source, route, reason, minute); at most 10 000 rows, then the oldest minute is overwritten.
    // live_event_on_test also raises its incident.
    virtual Result<> recordFailures(const QList<SignatureFailure>& failures) = 0;
};

} // namespace unavez::contract
