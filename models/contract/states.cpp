// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/states.h"

#include <array>
#include <utility>

namespace unavez::contract {

namespace {

template <typename E, std::size_t N> using Words = std::array<std::pair<E, const char*>, N>;

template <typename E, std::size_t N> QString lookUp(const Words<E, N>& words, E value)
{
    for (const auto& [known, word] : words) {
        if (known == value)
            return QString::fromLatin1(word);
    }
    return {};
}

template <typename E, std::size_t N> std::optional<E> lookUpWord(const Words<E, N>& words, const QString& word)
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

QString wordOf(StoreMode value) { return lookUp(storeModeWords, value); }
template <> std::optional<StoreMode> fromString(const QString& word) { return lookUpWord(storeModeWords, word); }

QString wordOf(StoreState value) { return lookUp(storeStateWords, value); }
template <> std::optional<StoreState> fromString(const QString& word) { return lookUpWord(storeStateWords, word); }

QString wordOf(JobKind value) { return lookUp(jobKindWords, value); }
template <> std::optional<JobKind> fromString(const QString& word) { return lookUpWord(jobKindWords, word); }

QString wordOf(JobState value) { return lookUp(jobStateWords, value); }
template <> std::optional<JobState> fromString(const QString& word) { return lookUpWord(jobStateWords, word); }

QString wordOf(ReservationStatus value) { return lookUp(reservationStatusWords, value); }
template <> std::optional<ReservationStatus> fromString(const QString& word)
{
    return lookUpWord(reservationStatusWords, word);
}

QString wordOf(ReservationFlag value) { return lookUp(reservationFlagWords, value); }
template <> std::optional<ReservationFlag> fromString(const QString& word)
{
    return lookUpWord(reservationFlagWords, word);
}

QString wordOf(OutcomeClass value) { return lookUp(outcomeClassWords, value); }
template <> std::optional<OutcomeClass> fromString(const QString& word) { return lookUpWord(outcomeClassWords, word); }

QString wordOf(EvidenceVerdict value) { return lookUp(evidenceVerdictWords, value); }
template <> std::optional<EvidenceVerdict> fromString(const QString& word)
{
    return lookUpWord(evidenceVerdictWords, word);
}

QString wordOf(EvidenceSource value) { return lookUp(evidenceSourceWords, value); }
template <> std::optional<EvidenceSource> fromString(const QString& word)
{
    return lookUpWord(evidenceSourceWords, word);
}

QString wordOf(HoldKind value) { return lookUp(holdKindWords, value); }
template <> std::optional<HoldKind> fromString(const QString& word) { return lookUpWord(holdKindWords, word); }

QString wordOf(IncidentKind value) { return lookUp(incidentKindWords, value); }
template <> std::optional<IncidentKind> fromString(const QString& word) { return lookUpWord(incidentKindWords, word); }

QString wordOf(Severity value) { return lookUp(severityWords, value); }
template <> std::optional<Severity> fromString(const QString& word) { return lookUpWord(severityWords, word); }

QString wordOf(FailureReason value) { return lookUp(failureReasonWords, value); }
template <> std::optional<FailureReason> fromString(const QString& word)
{
    return lookUpWord(failureReasonWords, word);
}

QString wordOf(Action value) { return lookUp(actionWords, value); }
template <> std::optional<Action> fromString(const QString& word) { return lookUpWord(actionWords, word); }

} // namespace unavez::contract
