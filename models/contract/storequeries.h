// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/guard.h"
#include "models/contract/page.h"

// The operator's reads: the lists of contract.md §14 with the columns of schema/statements.md, look-ups, one case.
namespace unavez::contract {

// stuck, unknown, keys
struct ReservationRow
{
    Reservation reservation;
    QString tool;
    std::optional<Money> amount;
    std::optional<QString> customer;
    std::optional<OutcomeClass> lastClass; // of its last provider call
    std::optional<int> lastHttpStatus;
    QList<qint64> jobs;
    int evidence = 0; // reconciliation rows
};

struct FailedRow
{
    Intent intent;
    std::optional<QString> errorClass;
    std::optional<QString> errorCode;
    std::optional<QString> declineCode;
    std::optional<QString> adviceCode;
    QList<qint64> jobs;
};

struct DeadRow
{
    Job job;
    std::optional<QString> eventId;
    std::optional<QString> eventType;
    QString source;
    bool hasPayload = false;
    CaseVerdict verdict = CaseVerdict::SafeToRequeue;
    QStringList keys; // of its intents' last attempts
};

struct LeaseRow
{
    Job job;
    std::optional<QString> eventId;
    QString source;
    int openCalls = 0; // provider calls without an end
};

struct SignatureRow
{
    qint64 id = 0;
    QString source;
    QString route;
    FailureReason reason = FailureReason::Mismatch;
    Instant minute;
    int n = 1;
    Instant lastAt;
    std::optional<Instant> signedAt;
    std::optional<int> bodyLength;
    std::optional<QString> peer;
};

struct Problem
{
    RowCount count;
    std::optional<qint64> oldestSeconds;
    std::optional<Instant> nextCutoff; // stuck only
};

// contract.md §13.3 `status`
struct StoreStatus
{
    StoreInfo info;
    Instant readAt;
    QList<ServiceRow> services;
    QList<Hold> holds;
    Problem stuck, leases, unknown, failed, dead, lost, signatures, incidents;
};

struct CaseSubject
{
    enum class Kind { Event, Job, Key, Intent };
    Kind kind = Kind::Event;
    QString id; // as a person would write it: evt_…, job:48211, a key, an intent
    qint64 number = 0; // Event: pk, Job: id
    std::optional<KeyId> key;
    std::optional<IntentId> intent;
};

struct CaseFile
{
    CaseSubject subject;
    CaseFacts facts;
    QList<Event> events;
    QList<Job> jobs; // every job that used the case's intents, oldest first
    QList<LogEntry> actions;
    QList<CaseNote> notes;
};

// What this store can show and do. Other people's tables answer with less (design.md §2).
struct Capabilities
{
    bool showsReservations = true;
    bool showsDeadLetters = true;
    bool showsLostEvents = true;
    bool showsSignatures = true;
    bool showsLog = true;
    bool leaseKnown = true;
    bool fenced = true;
    bool canAct = true; // any guarded action at all
    bool needsTwoLogins = false; // SQLite: four-eyes actions need a second OS user
};

class StoreQueries
{
public:
    virtual ~StoreQueries() = default;

    virtual Capabilities capabilities() const = 0;
    virtual Result<StoreInfo> info() = 0;
    virtual Result<StoreFacts> facts() = 0;
    virtual Result<StoreStatus> status() = 0;

    // Invalid for a cursor this list did not make.
    virtual Result<Page<ReservationRow>> stuck(const PageRequest&) = 0;
    virtual Result<Page<ReservationRow>> unknown(const PageRequest&) = 0;
    virtual Result<Page<ReservationRow>> keys(const PageRequest&) = 0;
    virtual Result<Page<FailedRow>> failed(const PageRequest&) = 0;
    virtual Result<Page<DeadRow>> dead(const PageRequest&) = 0;
    virtual Result<Page<LeaseRow>> leases(const PageRequest&) = 0;
    virtual Result<Page<Event>> lost(const PageRequest&) = 0;
    virtual Result<Page<Event>> events(const PageRequest&) = 0;
    virtual Result<Page<SignatureRow>> signatures(const PageRequest&) = 0;
    virtual Result<Page<LogEntry>> log(const PageRequest&) = 0;
    virtual Result<Page<Incident>> incidents(const PageRequest&) = 0;
    virtual Result<QList<ServiceRow>> services() = 0;
    virtual Result<QList<Source>> sources() = 0;

    // Anything a person may paste: evt_…, a key, an intent, a provider object, job:48211, update:bot42:9.
    // Empty: not in this store. More than one: ambiguous, the caller shows the candidates.
    virtual Result<QList<CaseSubject>> find(const QString& id) = 0;
    virtual Result<CaseFile> caseOf(const CaseSubject& subject) = 0; // NotFound

    // Follows prev_hash from the head. Absent: the chain holds; else the id it breaks at.
    virtual Result<std::optional<qint64>> verifyLog() = 0;
};

} // namespace unavez::contract
