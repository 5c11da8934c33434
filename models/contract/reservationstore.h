// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/jobstore.h"
#include "models/contract/outcome.h"
#include "models/contract/reason.h"

// What the gate writes (contract.md §10.4). Each writing call changes one reservation or the caller has lost the race.
namespace unavez::contract {

// An intent with its newest attempt, read together.
struct IntentState
{
    Intent intent;
    Reservation last;
    Instant now;
};

struct ReserveRequest
{
    IntentId intent;
    QString tool;
    std::optional<Money> amount;
    std::optional<QString> customer;
    QByteArray plan; // canonical JSON
    QByteArray argsSha256;
    int maxAttempts = 4;
    QByteArray request; // bytes of attempt 1
    Seconds window{86400};
    Seconds margin{14400};
    QString owner;
    Millis lease{45000};
    std::optional<JobLease> job;
};

// A reservation now held by us.
struct Held
{
    KeyId key;
    qint64 fence = 1;
    QByteArray request; // stored bytes
    Intent intent;
    Instant now;
};

struct ReserveAnswer
{
    std::optional<Held> held; // ours: reserved just now
    std::optional<IntentState> existing; // somebody's, or of an earlier call
    std::optional<Because> refused; // lease_lost, quarantine, plan_mismatch
};

struct MarkRequest
{
    KeyId key;
    qint64 fence = 1;
    QString step; // create, confirm, send
    QString tool; // for holds
    Millis lease{45000};
    Instant hostNow;
    std::optional<Instant> providerNow; // last Date ≤ 10 min old, carried forward by BOOTTIME
    std::optional<JobLease> job;
};

struct MarkAnswer
{
    std::optional<qint64> call; // provider_calls id: the mark is committed
    int sends = 0;
    Instant resumeUntil;
    // past_cutoff, clock_went_back, clock_skew, held, quarantine; lease_lost under "id" the job, or the key where the
    // reservation itself is in another hand
    std::optional<Because> refused;
};

struct CallEnd
{
    qint64 call = 0;
    ProviderAnswer answer; // httpStatus 0 where there was none
    OutcomeClass outcome = OutcomeClass::Unanswered;
};

struct FinishRequest
{
    KeyId key;
    qint64 fence = 1;
    ReservationStatus status = ReservationStatus::Done; // done, failed, unknown
    std::optional<ReservationFlag> flag;
    OutcomeClass outcome = OutcomeClass::Success;
    std::optional<QString> objectId; // done needs one
    QByteArray result; // JSON of allow-listed fields, empty where none
    QByteArray error; // {"class","code","decline_code","advice_code"}, empty where none
};

class ReservationStore
{
public:
    virtual ~ReservationStore() = default;

    virtual Result<Instant> now() = 0;
    virtual Result<std::optional<IntentState>> find(const IntentId& intent) = 0;
    virtual Result<std::optional<IntentState>> findKey(const KeyId& key) = 0;
    // Ties an existing intent to a job; false: the lease is lost.
    virtual Result<bool> use(const IntentId& intent, const JobLease& job) = 0;

    virtual Result<ReserveAnswer> reserve(const ReserveRequest& request) = 0;
    // opened → in_progress with its bytes; absent: somebody was faster.
    virtual Result<std::optional<Held>> start(
        const KeyId& key, qint64 seenVersion, const QString& owner, Millis lease, const QByteArray& request)
        = 0;
    // in_progress with its lease over + grace and sendable; absent: somebody was faster, or it may not be.
    virtual Result<std::optional<Held>> resume(
        const KeyId& key, qint64 seenFence, const QString& owner, Millis lease, Seconds grace)
        = 0;

    // The send mark and its provider_calls row, committed when this returns (contract.md §10.5.1).
    virtual Result<MarkAnswer> mark(const MarkRequest& request) = 0;
    virtual Result<> completeCall(const CallEnd& end) = 0; // once; a second time changes nothing
    // The PaymentIntent of the create step, write-once; false: another id stands there.
    virtual Result<bool> storeObject(const IntentId& intent, const QString& objectId) = 0;
    // False: fenced. The caller re-reads and never retries.
    virtual Result<bool> finish(const FinishRequest& request) = 0;
    // The row becomes resumable at once instead of after its lease. No error when already fenced.
    virtual Result<> giveUpLease(const KeyId& key, qint64 fence, Seconds grace) = 0;
    // Another send of this sent key without an end or of class unanswered or unknown (contract.md §1.4).
    virtual Result<bool> hasUnansweredSend(const KeyId& key, const QString& sentKey, qint64 exceptCall) = 0;

    // What a job must settle before its handler runs, and may not leave open: opened, in_progress, unknown.
    virtual Result<QList<Reservation>> openEffects(qint64 job) = 0;

    // One open incident per (kind, subject); a repeat counts up.
    virtual Result<> raise(IncidentKind kind, const QString& subject, Severity severity, const QJsonObject& detail) = 0;
};

} // namespace unavez::contract
