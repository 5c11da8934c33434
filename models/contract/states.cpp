// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/states.h"

#include <array>
#include <utility>

namespace unavez::contract {

namespace {

template <typename E, std::size_t N> using Words = std::array<std::pair<E, const char*>, N>;

template <typename E, std::size_t N> QString wordOf(const Words<E, N>& words, E value)
{
    for (const auto& [known, word] : words) {
        if (known == value)
            return QString::fromLatin1(word);
    }
    return {};
}

template <typename E, std::size_t N> std::optional<E> valueOf(const Words<E, N>& words, const QString& word)
{
    for (const auto& [value, known] : words) {
        if (word == QLatin1String(known))
            return value;
    }
    return std::nullopt;
}

constexpr Words<StoreMode, 3> storeModeWords{{
    {StoreMode::Live, "live"},
    {StoreMode::Test, "test"},
    {StoreMode::Practice, "practice"},
}};

constexpr Words<StoreState, 2> storeStateWords{{
    {StoreState::Normal, "normal"},
    {StoreState::Quarantine, "quarantine"},
}};

constexpr Words<JobKind, 2> jobKindWords{{
    {JobKind::Event, "event"},
    {JobKind::Resume, "resume"},
}};

constexpr Words<JobState, 6> jobStateWords{{
    {JobState::Queued, "queued"},
    {JobState::Leased, "leased"},
    {JobState::RetryWait, "retry_wait"},
    {JobState::Done, "done"},
    {JobState::Dead, "dead"},
    {JobState::Discarded, "discarded"},
}};

constexpr Words<ReservationStatus, 6> reservationStatusWords{{
    {ReservationStatus::Opened, "opened"},
    {ReservationStatus::InProgress, "in_progress"},
    {ReservationStatus::Unknown, "unknown"},
    {ReservationStatus::Done, "done"},
    {ReservationStatus::Failed, "failed"},
    {ReservationStatus::Abandoned, "abandoned"},
}};

constexpr Words<ReservationFlag, 3> reservationFlagWords{{
    {ReservationFlag::AwaitingCustomer, "awaiting_customer"},
    {ReservationFlag::AwaitingProvider, "awaiting_provider"},
    {ReservationFlag::AwaitingCapture, "awaiting_capture"},
}};

constexpr Words<OutcomeClass, 7> outcomeClassWords{{
    {OutcomeClass::Success, "success"},
    {OutcomeClass::Step, "step"},
    {OutcomeClass::DefinitiveFailure, "definitive_failure"},
    {OutcomeClass::RetryableSameKey, "retryable_same_key"},
    {OutcomeClass::Unanswered, "unanswered"},
    {OutcomeClass::Mismatch, "mismatch"},
    {OutcomeClass::Unknown, "unknown"},
}};

constexpr Words<EvidenceVerdict, 4> evidenceVerdictWords{{
    {EvidenceVerdict::Charged, "charged"},
    {EvidenceVerdict::Failed, "failed"},
    {EvidenceVerdict::NotCharged, "not_charged"},
    {EvidenceVerdict::DoubleCharged, "double_charged"},
}};

constexpr Words<EvidenceSource, 5> evidenceSourceWords{{
    {EvidenceSource::Webhook, "webhook"},
    {EvidenceSource::Api, "api"},
    {EvidenceSource::Csv, "csv"},
    {EvidenceSource::Json, "json"},
    {EvidenceSource::Person, "person"},
}};

constexpr Words<HoldKind, 3> holdKindWords{{
    {HoldKind::Tool, "tool"},
    {HoldKind::Source, "source"},
    {HoldKind::Sends, "sends"},
}};

constexpr Words<IncidentKind, 12> incidentKindWords{{
    {IncidentKind::Mismatch, "mismatch"},
    {IncidentKind::Credential, "credential"},
    {IncidentKind::OutcomeConflict, "outcome_conflict"},
    {IncidentKind::DoubleCharge, "double_charge"},
    {IncidentKind::Reversed, "reversed"},
    {IncidentKind::LiveEventOnTest, "live_event_on_test"},
    {IncidentKind::BodyChanged, "body_changed"},
    {IncidentKind::ClockWentBack, "clock_went_back"},
    {IncidentKind::ClockSkew, "clock_skew"},
    {IncidentKind::PiiInKey, "pii_in_key"},
    {IncidentKind::Restore, "restore"},
    {IncidentKind::ChainBroken, "chain_broken"},
}};

constexpr Words<Severity, 3> severityWords{{
    {Severity::Red, "red"},
    {Severity::Amber, "amber"},
    {Severity::Info, "info"},
}};

constexpr Words<FailureReason, 13> failureReasonWords{{
    {FailureReason::MissingHeader, "missing_header"},
    {FailureReason::MalformedHeader, "malformed_header"},
    {FailureReason::NoSupportedScheme, "no_supported_scheme"},
    {FailureReason::Mismatch, "mismatch"},
    {FailureReason::TooOld, "too_old"},
    {FailureReason::TooNew, "too_new"},
    {FailureReason::BodyTooLarge, "body_too_large"},
    {FailureReason::BadToken, "bad_token"},
    {FailureReason::NotJson, "not_json"},
    {FailureReason::NoEventId, "no_event_id"},
    {FailureReason::TestEventOnLive, "test_event_on_live"},
    {FailureReason::LiveEventOnTest, "live_event_on_test"},
    {FailureReason::UnknownSource, "unknown_source"},
}};

constexpr Words<Action, 8> actionWords{{
    {Action::RequeueJob, "requeue_job"},
    {Action::ReleaseLease, "release_lease"},
    {Action::ExpireReservation, "expire_reservation"},
    {Action::OpenAttempt, "open_attempt"},
    {Action::RecordOutcome, "record_outcome"},
    {Action::DiscardJob, "discard_job"},
    {Action::EnqueueEvent, "enqueue_event"},
    {Action::Hold, "hold"},
}};

} // namespace

QString toString(StoreMode value) { return wordOf(storeModeWords, value); }
template <> std::optional<StoreMode> fromString(const QString& word) { return valueOf(storeModeWords, word); }

QString toString(StoreState value) { return wordOf(storeStateWords, value); }
template <> std::optional<StoreState> fromString(const QString& word) { return valueOf(storeStateWords, word); }

QString toString(JobKind value) { return wordOf(jobKindWords, value); }
template <> std::optional<JobKind> fromString(const QString& word) { return valueOf(jobKindWords, word); }

QString toString(JobState value) { return wordOf(jobStateWords, value); }
template <> std::optional<JobState> fromString(const QString& word) { return valueOf(jobStateWords, word); }

QString toString(ReservationStatus value) { return wordOf(reservationStatusWords, value); }
template <> std::optional<ReservationStatus> fromString(const QString& word) { return valueOf(reservationStatusWords, word); }

QString toString(ReservationFlag value) { return wordOf(reservationFlagWords, value); }
template <> std::optional<ReservationFlag> fromString(const QString& word) { return valueOf(reservationFlagWords, word); }

QString toString(OutcomeClass value) { return wordOf(outcomeClassWords, value); }
template <> std::optional<OutcomeClass> fromString(const QString& word) { return valueOf(outcomeClassWords, word); }

QString toString(EvidenceVerdict value) { return wordOf(evidenceVerdictWords, value); }
template <> std::optional<EvidenceVerdict> fromString(const QString& word) { return valueOf(evidenceVerdictWords, word); }

QString toString(EvidenceSource value) { return wordOf(evidenceSourceWords, value); }
template <> std::optional<EvidenceSource> fromString(const QString& word) { return valueOf(evidenceSourceWords, word); }

QString toString(HoldKind value) { return wordOf(holdKindWords, value); }
template <> std::optional<HoldKind> fromString(const QString& word) { return valueOf(holdKindWords, word); }

QString toString(IncidentKind value) { return wordOf(incidentKindWords, value); }
template <> std::optional<IncidentKind> fromString(const QString& word) { return valueOf(incidentKindWords, word); }

QString toString(Severity value) { return wordOf(severityWords, value); }
template <> std::optional<Severity> fromString(const QString& word) { return valueOf(severityWords, word); }

QString toString(FailureReason value) { return wordOf(failureReasonWords, value); }
template <> std::optional<FailureReason> fromString(const QString& word) { return valueOf(failureReasonWords, word); }

QString toString(Action value) { return wordOf(actionWords, value); }
template <> std::optional<Action> fromString(const QString& word) { return valueOf(actionWords, word); }

} // namespace unavez::contract
