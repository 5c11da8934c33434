// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/keys.h"
#include "models/contract/states.h"
#include "models/contract/time.h"

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

// The store's rows as plain values (contract.md §12.1). No request bytes and no payloads: those travel only where they
// are sent.
namespace unavez::contract {

struct Money
{
    qint64 minor = 0; // the currency's smallest unit
    QString currency; // ISO 4217, lower case
    bool operator==(const Money&) const = default;
};

struct StoreInfo
{
    QString storeId;
    StoreMode mode = StoreMode::Practice;
    qint64 schema = 0; // number of the newest migration, YYYYMMDDhhmm
    qint64 epoch = 1;
    StoreState state = StoreState::Normal;
    std::optional<Instant> quarantineFrom;
    bool operator==(const StoreInfo&) const = default;
};

struct Source
{
    qint64 id = 0; // 0 = none: resume jobs, failures on no configured route
    QString name; // "stripe:acct_1"
    QString provider;
    QString account;
    bool operator==(const Source&) const = default;
};

struct SigningKey
{
    QString id;
    qint64 sourceId = 0;
    QString route;
    QString secretRef; // where the secret is kept, never the secret
    QString fingerprint; // 12 hex of SHA-256(secret)
    Instant notBefore;
    Instant notAfter = Instant::never();
    bool operator==(const SigningKey&) const = default;
};

struct Event
{
    qint64 pk = 0;
    qint64 sourceId = 0;
    QString source; // its name
    QString eventId;
    QString eventType;
    std::optional<QString> objectId;
    QString changeId;
    std::optional<QString> aliasEventId;
    std::optional<Instant> providerCreatedAt;
    Instant receivedAt;
    Instant lastSeenAt;
    int deliveries = 1;
    QByteArray bodySha256;
    QString signingKeyId;
    bool hasJob = false;
    bool hasPayload = false;
    bool operator==(const Event&) const = default;
};

struct Job
{
    qint64 id = 0;
    JobKind kind = JobKind::Event;
    std::optional<qint64> eventPk;
    qint64 sourceId = 0;
    std::optional<KeyId> key; // kind resume: the key to settle
    JobState state = JobState::Queued;
    int attempts = 0;
    int maxAttempts = 8;
    int postponed = 0; // tries in a row that did not count
    Instant runAt;
    qint64 leaseToken = 0; // the fencing token
    std::optional<QString> leaseOwner;
    std::optional<Instant> leaseExpiresAt;
    std::optional<QString> errorClass;
    std::optional<QString> errorText;
    std::optional<Instant> deadAt;
    std::optional<Instant> finishedAt;
    std::optional<Instant> requeuedAt;
    Instant createdAt;
    qint64 rowVersion = 0;
    bool operator==(const Job&) const = default;
};

struct Intent
{
    IntentId id;
    QString tool;
    std::optional<Money> amount;
    std::optional<QString> customer;
    std::optional<QByteArray> plan; // canonical JSON; absent once emptied
    QByteArray planSha256;
    QByteArray argsSha256;
    std::optional<QString> providerObjectId; // write-once: the PaymentIntent
    int maxAttempts = 4;
    Instant createdAt;
    int lastAttempt = 0;
    std::optional<ReservationStatus> lastStatus;
    std::optional<Instant> lastStatusAt;
    std::optional<Instant> emptiedAt;
    bool operator==(const Intent&) const = default;
};

struct IntentUse
{
    IntentId intent;
    qint64 jobId = 0;
    Instant firstAt;
    JobState jobState = JobState::Queued;
    qint64 jobVersion = 0;
    bool operator==(const IntentUse&) const = default;
};

struct Reservation
{
    KeyId id;
    QString intentKey;
    int attempt = 1;
    ReservationStatus status = ReservationStatus::InProgress;
    std::optional<ReservationFlag> flag;
    qint64 fence = 1;
    std::optional<QString> owner;
    std::optional<Instant> leaseExpiresAt;
    Instant reservedAt;
    Instant statusAt;
    std::optional<Instant> firstSentAt;
    std::optional<Instant> lastSentAt;
    int sends = 0;
    Seconds window{86400}; // 0: the provider keeps no keys
    Seconds margin{14400};
    Instant resumeUntil = Instant::never(); // the cutoff; never() until the first mark
    std::optional<QString> outcomeClass; // OutcomeClass' words, and 'not_charged', 'discarded'
    std::optional<QString> providerObjectId;
    std::optional<QByteArray> result; // allow-listed fields as JSON; absent once emptied
    std::optional<QByteArray> error; // {"class","code","decline_code","advice_code"} as JSON
    std::optional<Instant> completedAt;
    std::optional<Instant> emptiedAt;
    qint64 rowVersion = 0;

    IntentId intent() const { return {id.provider, id.account, intentKey}; }
    bool operator==(const Reservation&) const = default;
};

struct ProviderCall
{
    qint64 id = 0;
    KeyId key;
    QString sentKey;
    qint64 fence = 0;
    std::optional<qint64> jobId;
    std::optional<qint64> leaseToken;
    Instant sentAt;
    std::optional<Instant> endedAt;
    std::optional<int> httpStatus;
    std::optional<QString> requestId;
    std::optional<QString> originalRequestId;
    std::optional<bool> replayed;
    std::optional<bool> shouldRetry;
    std::optional<QString> errorType;
    std::optional<QString> errorCode;
    std::optional<QString> declineCode;
    std::optional<QString> adviceCode;
    std::optional<QString> objectId;
    std::optional<OutcomeClass> outcome; // absent while unanswered
    bool operator==(const ProviderCall&) const = default;
};

struct Reconciliation
{
    qint64 id = 0;
    KeyId key;
    EvidenceVerdict verdict = EvidenceVerdict::Charged;
    EvidenceSource source = EvidenceSource::Person;
    std::optional<qint64> eventPk;
    QStringList objectIds;
    std::optional<Money> amount;
    QByteArray evidenceSha256; // 32 bytes
    Instant evidenceUntil;
    QString by; // the login
    std::optional<qint64> proposalId;
    Instant at;
    bool operator==(const Reconciliation&) const = default;
};

struct Hold
{
    HoldKind kind = HoldKind::Sends;
    QString target; // tool name, source id as text, "" for sends
    QString reason;
    QString by;
    Instant at;
    bool operator==(const Hold&) const = default;
};

struct Incident
{
    qint64 id = 0;
    IncidentKind kind = IncidentKind::Mismatch;
    QString subject;
    Severity severity = Severity::Red;
    QJsonObject detail;
    Instant openedAt;
    Instant lastAt;
    int n = 1;
    std::optional<Instant> closedAt;
    std::optional<QString> closedBy;
    bool operator==(const Incident&) const = default;
};

struct Proposal
{
    qint64 id = 0;
    Action action = Action::OpenAttempt;
    QString target;
    QString proposedBy;
    Instant proposedAt;
    std::optional<bool> approved; // absent: undecided
    std::optional<QString> decidedBy;
    std::optional<Instant> usedAt;
    bool operator==(const Proposal&) const = default;
};

struct ServiceRow
{
    QString instance;
    QString host;
    qint64 pid = 0;
    QString version;
    QStringList roles;
    QByteArray configSha256;
    QStringList secretFingerprints;
    std::optional<int> dbSkewMs;
    std::optional<int> providerSkewMs;
    Instant startedAt;
    Instant heartbeatAt;
    std::optional<Instant> stoppedAt;
    bool operator==(const ServiceRow&) const = default;
};

struct LogEntry
{
    qint64 id = 0;
    Instant at;
    QString by; // the operator, a database login
    QString executedBy;
    Action action = Action::RequeueJob;
    QString target;
    QString reason;
    int rowsChanged = 0;
    std::optional<QString> refused; // reason code when rowsChanged is 0
    std::optional<qint64> proposalId;
    std::optional<qint64> bulkRunId;
    bool operator==(const LogEntry&) const = default;
};

struct CaseNote
{
    qint64 id = 0;
    QString subject;
    QString kind; // claim, release, note
    QString by;
    Instant at;
    QString body;
    bool operator==(const CaseNote&) const = default;
};

// How audit rows, notes and incidents name what they are about.
QString subjectOfJob(qint64 id); // "job:48211"
QString subjectOfEvent(qint64 pk); // "event:17"
QString subjectOf(const KeyId& key); // "key:stripe/acct_1/charge:inv_42:a1"
QString subjectOf(const IntentId& intent); // "intent:stripe/acct_1/charge:inv_42"

} // namespace unavez::contract
