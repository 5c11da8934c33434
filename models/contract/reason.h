// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QVariantMap>

#include <optional>

namespace unavez::contract {

// The closed list of contract.md §11.9: why something is refused, or a note on what is allowed. The sentence of each
// stands in ui/text only.
enum class Reason {
    StoreUnreachable,
    StoreReadOnly,
    SchemaNewer,
    WrongMode,
    NotPermitted,
    Unmapped,
    NotFound,
    Changed,
    ReasonTooShort,
    SecondPersonNeeded,
    SamePerson,
    ProposalExpired,
    AlreadyQueued,
    JobDone,
    JobDiscarded,
    LeaseLive,
    LeaseOver,
    NotLeased,
    CallRunning,
    TooSoon,
    PayloadGone,
    MismatchOpen,
    OutcomeUnknown,
    ReservationLive,
    ClockWentBack,
    PastCutoff,
    NeedsNewAttempt,
    HeldWaits,
    NotInProgress,
    NeverSent,
    Resumable,
    AttemptOpen,
    AlreadyDone,
    AlreadyClosed,
    NotDefinitive,
    AttemptsUsedUp,
    Held,
    AdviceDoNotRetry,
    DeclineHard,
    BackendUnreachable,
    NotDue,
    PlanChanged,
    PlanGone,
    EvidenceMissing,
    EvidenceWeak,
    EvidenceShort,
    EvidenceMismatch,
    ObjectUsed,
    DoubleCharge,
    ExpireFirst,
    NotDead,
    EffectOpen,
    HasJob,
    TooYoung,
    MayHaveRun,
    AlreadyHeld,
    NotHeld,
    // gate and engine only
    ClockSkew,
    Quarantine,
    WrongAccount,
    LeaseLost,
    PlanMismatch,
    BadArguments,
    UnknownTool,
    StoreAway
};

QString wordOf(Reason); // the code: "already_queued"
std::optional<Reason> reasonFromString(const QString& code);
QList<Reason> allReasons();

// A reason with the facts its sentence names: {"id":48211,"time":Instant…}. Values are QString, qint64, or an Instant
// as its ms under a name that ends in "time" or "until"; ages and waits are seconds under "age" and "s".
struct Because
{
    Reason reason = Reason::NotFound;
    QVariantMap facts;
    bool operator==(const Because&) const = default;
};

} // namespace unavez::contract
