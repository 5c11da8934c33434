// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/plan.h"

// The guards of contract.md §11, written once. Pure functions of facts: the same one is asked for the offer and again
// inside the transaction, on the locked rows. Each table's first matching line wins; what falls through is allowed.
namespace unavez::contract {

struct GuardPolicy
{
    Seconds grace{10};
    Seconds providerTotal{30};
    Seconds minInterval{60}; // tools.*.min_interval_s
    Seconds evidenceLag{3600}; // API list; 24 h for CSV is added by the guard
    Seconds tooSoon{60};
    Seconds youngEvent{60};
    Seconds refetchable{30 * 86400}; // how long a provider serves its events; 0: it has no look-up
    QStringList hardDeclines{QStringLiteral("lost_card"), QStringLiteral("stolen_card"), QStringLiteral("pickup_card"),
        QStringLiteral("fraudulent")};
    std::optional<qint64> fourEyesMinor; // amounts from here need two people
    bool operator==(const GuardPolicy&) const = default;
};

// G0: what is known of the store and of the person before any row is looked at.
struct StoreFacts
{
    bool reachable = true;
    Instant lastAnswer;
    bool readOnly = false;
    QString readOnlyWhy;
    qint64 schema = 0;
    qint64 knownSchema = 0; // the newest this program knows
    StoreMode mode = StoreMode::Practice;
    QString login;
    QStringList roles; // viewer, finance, operator, admin; SQLite: what the file's rights amount to
    bool operator==(const StoreFacts&) const = default;
};

// Every row an action may look at or touch: the named job or intent, all attempts of its intents, and what binds them.
struct CaseFacts
{
    Instant now; // the store's clock, read with the rows
    StoreFacts store;
    GuardPolicy policy;
    std::optional<Job> job; // the target, or the newest job of the target intent
    std::optional<Event> event;
    QList<Intent> intents;
    QList<IntentUse> uses; // of those intents, oldest first
    QList<Reservation> attempts; // of those intents, by intent and attempt
    QList<ProviderCall> calls; // of those attempts, oldest first
    QList<Reconciliation> reconciliations;
    QList<Hold> holds; // in force
    QList<Incident> incidents; // open: mismatch and double_charge
    std::optional<Proposal> proposal;
    std::optional<KeyId> objectUsedBy; // record_outcome: another intent's reservation this object closes already
    qint64 inProgressBeyondHold = 0; // hold: reservations in_progress that a hold would keep from resuming
    bool operator==(const CaseFacts&) const = default;
};

struct Verdict
{
    std::optional<Because> refused; // absent: allowed
    bool allowed() const { return !refused; }
    bool operator==(const Verdict&) const = default;
};

// G0, then the action's own table. `reason` is judged only at confirm (nullopt: an offer).
Verdict judge(const ActionRequest& request, const CaseFacts& facts, const std::optional<QString>& reason = {});

// What an allowed request will do, from the same facts. For a refused one, rows and effects are empty.
Plan planned(const ActionRequest& request, const CaseFacts& facts);

// `changed` when a version in the plan differs from the facts' (contract.md G0).
Verdict stillAsSeen(const Plan& plan, const CaseFacts& facts);

// The case in one word and one link, for `case` and the time line (contract.md §13.3, §14).
enum class CaseVerdict {
    NotSeen,
    Lost,
    Waiting,
    Running,
    SafeToRequeue,
    RecordFirst,
    NewAttempt,
    Settled,
    Unsettled,
    Discarded,
    PayloadGone
};
QString wordOf(CaseVerdict);
CaseVerdict verdictOf(const CaseFacts& facts);
// The first broken link: event, job, lease, reservation, provider_call, outcome; absent where the chain holds.
std::optional<QString> brokenLink(const CaseFacts& facts);
// Every action that has a target here, in the order a person would want them.
QList<ActionRequest> offersFor(const CaseFacts& facts);

} // namespace unavez::contract
