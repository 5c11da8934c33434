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
    Mismatch, Credential, OutcomeConflict, DoubleCharge, Reversed, LiveEventOnTest, BodyChanged,
    ClockWentBack, ClockSkew, PiiInKey, Restore, ChainBroken
};
enum class Severity { Red, Amber, Info };
// Why a delivery was not accepted (contract.md §12.1).
enum class FailureReason {
    MissingHeader, MalformedHeader, NoSupportedScheme, Mismatch, TooOld, TooNew, BodyTooLarge, BadToken, NotJson,
    NoEventId, TestEventOnLive, LiveEventOnTest, UnknownSource
};
enum class Action {
    RequeueJob, ReleaseLease, ExpireReservation, OpenAttempt, RecordOutcome, DiscardJob, EnqueueEvent, Hold
};

// toString gives the word the store and the wire use; fromString knows no other spelling.
QString toString(StoreMode);
QString toString(StoreState);
QString toString(JobKind);
QString toString(JobState);
QString toString(ReservationStatus);
QString toString(ReservationFlag);
QString toString(OutcomeClass);
QString toString(EvidenceVerdict);
QString toString(EvidenceSource);
QString toString(HoldKind);
QString toString(IncidentKind);
QString toString(Severity);
QString toString(FailureReason);
QString toString(Action);

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
