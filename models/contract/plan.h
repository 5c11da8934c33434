// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/outcome.h"
#include "models/contract/reason.h"
#include "models/contract/rows.h"

#include <QMap>

// What a person asks for, and what it will do (contract.md §11.10).
namespace unavez::contract {

// What the backend says of the thing now (contract.md §11.4); looked up by whoever asks, never by a store.
struct BackendFact
{
    bool reachable = false;
    QString why; // when not reachable
    QString id; // as the backend returned it
    QString customer;
    Money amount;
    bool open = false; // something is due
    QString state; // its own word, for the sentence
    bool operator==(const BackendFact&) const = default;
};

// What a provider showed, machine-read or typed (contract.md §8, §11.5).
struct Evidence
{
    EvidenceVerdict verdict = EvidenceVerdict::Charged;
    EvidenceSource source = EvidenceSource::Person;
    std::optional<qint64> eventPk;
    QList<ProviderObject> objects; // empty for not_charged
    QString provider;
    QString account;
    StoreMode mode = StoreMode::Live;
    QByteArray sha256; // 32 bytes, of the evidence as read
    Instant from; // what it covers
    Instant until;
    bool complete = false; // whole list read, has_more = false
    bool fromSearch = false;
    bool operator==(const Evidence&) const = default;
};

struct HoldRequest
{
    HoldKind kind = HoldKind::Sends;
    QString target;
    bool release = false;
    bool operator==(const HoldRequest&) const = default;
};

// One action on one target. Exactly the members its action names are set:
// requeue_job, release_lease, discard_job: job · expire_reservation, record_outcome: key (and evidence) ·
// open_attempt: intent (and backend) · enqueue_event: event · hold: hold.
struct ActionRequest
{
    Action action = Action::RequeueJob;
    std::optional<qint64> job;
    std::optional<KeyId> key;
    std::optional<IntentId> intent;
    std::optional<qint64> event;
    std::optional<HoldRequest> hold;
    std::optional<Evidence> evidence;
    std::optional<BackendFact> backend;
    std::optional<qint64> proposal;
    std::optional<StoreMode> confirmedMode;
    bool requeueAfterRecord = true; // record_outcome: also requeue its dead job
    bool operator==(const ActionRequest&) const = default;
};

// The target as audit rows name it: "job:48211", "key:stripe/acct_1/…", "intent:…", "event:17", "tool:charge_customer".
QString targetOf(const ActionRequest& request);

// What will become of each side effect when the job runs (contract.md §11.1).
enum class Will { Replay, ReplayFailure, Resume, Send, Run };
QString wordOf(Will);

struct PlannedEffect
{
    QString key; // an attempt's key; empty for Run
    Will will = Will::Run;
    std::optional<Instant> until; // Resume: the cutoff
    bool operator==(const PlannedEffect&) const = default;
};

struct RowChange
{
    QString subject;
    QString before; // states' own words; "–" where there is no row
    QString after;
    bool operator==(const RowChange&) const = default;
};

// The row versions a plan saw; it dies when one of them moves.
struct Seen
{
    QMap<qint64, qint64> jobs; // id → row_version
    QMap<KeyId, qint64> keys;
    bool operator==(const Seen&) const = default;
};

struct Plan
{
    ActionRequest request;
    QList<RowChange> rows; // exactly what will change
    QList<PlannedEffect> effects;
    QList<Because> notes;
    Seen seen;
    std::optional<QString> newKey; // open_attempt: shown before the click
    std::optional<qint64> requeueJob; // open_attempt, record_outcome: the dead job that goes back to queued
    bool insertsResumeJob = false;
    QList<KeyId> abandons; // discard_job
    Instant madeAt; // the store's clock
    bool operator==(const Plan&) const = default;
};

// The plan as the audit row keeps it: JSON of rows, effects, notes and versions. No payload, no request bytes.
QByteArray planJson(const Plan& plan);

enum class ActionResult { Applied, Refused, Changed, Missing };
QString wordOf(ActionResult);

struct ActionOutcome
{
    ActionResult result = ActionResult::Refused;
    std::optional<Because> because; // when not applied
    int rowsChanged = 0;
    std::optional<qint64> logId; // audit row; a refusal at execution has one too
    std::optional<QString> newKey;
    std::optional<qint64> resumeJob;
    bool operator==(const ActionOutcome&) const = default;
};

} // namespace unavez::contract
