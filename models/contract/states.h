// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>

// The closed vocabularies of contract.md §10 and §12. Their names are the store's own words.
namespace unavez::contract {

enum class StoreMode { Live, Test, Practice };
enum class StoreState { Normal, Quarantine };
enum class JobKind { Event, Resume };
enum class JobState { Queued, Leased, RetryWait, Done, Dead, Discarded };
enum class ReservationStatus { Opened, InProgress, Unknown, Done, Failed, Abandoned };
enum class ReservationFlag { AwaitingCustomer, AwaitingProvider, AwaitingCapture };
// contract.md §1.4. "unanswered": bytes may have left and no answer came.
enum class OutcomeClass { Success, Step, DefinitiveFailure, RetryableSameKey, Unanswered, Mismatch, Unknown };
enum class EvidenceVerdict { Charged, Failed, NotCharged, DoubleCharged };
enum class EvidenceSource { Webhook, Api, Csv, Json, Person };
enum class HoldKind { Tool, Source, Sends };
enum class IncidentKind {
    Mismatch,
    Credential,
    OutcomeConflict,
    DoubleCharge,
    Reversed,
    LiveEventOnTest,
    BodyChanged,
    ClockWentBack,
    ClockSkew,
    PiiInKey,
    Restore,
    ChainBroken
};
enum class Severity { Red, Amber, Info };
// Why a delivery was not accepted (contract.md §12.1).
enum class FailureReason {
    MissingHeader,
    MalformedHeader,
    NoSupportedScheme,
    Mismatch,
    TooOld,
    TooNew,
    BodyTooLarge,
    BadToken,
    NotJson,
    NoEventId,
    TestEventOnLive,
    LiveEventOnTest,
    UnknownSource
};
enum class Action {
    RequeueJob,
    ReleaseLease,
    ExpireReservation,
    OpenAttempt,
    RecordOutcome,
    DiscardJob,
    EnqueueEvent,
    Hold
};

// wordOf gives the word the store and the wire use; fromString knows no other spelling.
QString wordOf(StoreMode);
QString wordOf(StoreState);
QString wordOf(JobKind);
QString wordOf(JobState);
QString wordOf(ReservationStatus);
QString wordOf(ReservationFlag);
QString wordOf(OutcomeClass);
QString wordOf(EvidenceVerdict);
QString wordOf(EvidenceSource);
QString wordOf(HoldKind);
QString wordOf(IncidentKind);
QString wordOf(Severity);
QString wordOf(FailureReason);
QString wordOf(Action);

template <typename E> std::optional<E> fromString(const QString& word);
template <> std::optional<StoreMode> fromString(const QString&);
template <> std::optional<StoreState> fromString(const QString&);
template <> std::optional<JobKind> fromString(const QString&);
template <> std::optional<JobState> fromString(const QString&);
template <> std::optional<ReservationStatus> fromString(const QString&);
template <> std::optional<ReservationFlag> fromString(const QString&);
template <> std::optional<OutcomeClass> fromString(const QString&);
template <> std::optional<EvidenceVerdict> fromString(const QString&);
template <> std::optional<EvidenceSource> fromString(const QString&);
template <> std::optional<HoldKind> fromString(const QString&);
template <> std::optional<IncidentKind> fromString(const QString&);
template <> std::optional<Severity> fromString(const QString&);
template <> std::optional<FailureReason> fromString(const QString&);
template <> std::optional<Action> fromString(const QString&);

// An attempt that may still take effect (contract.md §10.4).
constexpr bool isOpen(ReservationStatus s)
{
    return s == ReservationStatus::Opened || s == ReservationStatus::InProgress || s == ReservationStatus::Unknown;
}
constexpr bool isFinal(JobState s) { return s == JobState::Done || s == JobState::Discarded; }

} // namespace unavez::contract
