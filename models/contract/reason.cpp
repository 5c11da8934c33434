// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/reason.h"

#include <array>
#include <utility>

namespace unavez::contract {

namespace {

constexpr std::array<std::pair<Reason, const char*>, 65> codes{{
    {Reason::StoreUnreachable, "store_unreachable"},
    {Reason::StoreReadOnly, "store_read_only"},
    {Reason::SchemaNewer, "schema_newer"},
    {Reason::WrongMode, "wrong_mode"},
    {Reason::NotPermitted, "not_permitted"},
    {Reason::Unmapped, "unmapped"},
    {Reason::NotFound, "not_found"},
    {Reason::Changed, "changed"},
    {Reason::ReasonTooShort, "reason_too_short"},
    {Reason::SecondPersonNeeded, "second_person_needed"},
    {Reason::SamePerson, "same_person"},
    {Reason::ProposalExpired, "proposal_expired"},
    {Reason::AlreadyQueued, "already_queued"},
    {Reason::JobDone, "job_done"},
    {Reason::JobDiscarded, "job_discarded"},
    {Reason::LeaseLive, "lease_live"},
    {Reason::LeaseOver, "lease_over"},
    {Reason::NotLeased, "not_leased"},
    {Reason::CallRunning, "call_running"},
    {Reason::TooSoon, "too_soon"},
    {Reason::PayloadGone, "payload_gone"},
    {Reason::MismatchOpen, "mismatch_open"},
    {Reason::OutcomeUnknown, "outcome_unknown"},
    {Reason::ReservationLive, "reservation_live"},
    {Reason::ClockWentBack, "clock_went_back"},
    {Reason::PastCutoff, "past_cutoff"},
    {Reason::NeedsNewAttempt, "needs_new_attempt"},
    {Reason::HeldWaits, "held_waits"},
    {Reason::NotInProgress, "not_in_progress"},
    {Reason::NeverSent, "never_sent"},
    {Reason::Resumable, "resumable"},
    {Reason::AttemptOpen, "attempt_open"},
    {Reason::AlreadyDone, "already_done"},
    {Reason::AlreadyClosed, "already_closed"},
    {Reason::NotDefinitive, "not_definitive"},
    {Reason::AttemptsUsedUp, "attempts_used_up"},
    {Reason::Held, "held"},
    {Reason::AdviceDoNotRetry, "advice_do_not_retry"},
    {Reason::DeclineHard, "decline_hard"},
    {Reason::BackendUnreachable, "backend_unreachable"},
    {Reason::NotDue, "not_due"},
    {Reason::PlanChanged, "plan_changed"},
    {Reason::PlanGone, "plan_gone"},
    {Reason::EvidenceMissing, "evidence_missing"},
    {Reason::EvidenceWeak, "evidence_weak"},
    {Reason::EvidenceShort, "evidence_short"},
    {Reason::EvidenceMismatch, "evidence_mismatch"},
    {Reason::ObjectUsed, "object_used"},
    {Reason::DoubleCharge, "double_charge"},
    {Reason::ExpireFirst, "expire_first"},
    {Reason::NotDead, "not_dead"},
    {Reason::EffectOpen, "effect_open"},
    {Reason::HasJob, "has_job"},
    {Reason::TooYoung, "too_young"},
    {Reason::MayHaveRun, "may_have_run"},
    {Reason::AlreadyHeld, "already_held"},
    {Reason::NotHeld, "not_held"},
    {Reason::ClockSkew, "clock_skew"},
    {Reason::Quarantine, "quarantine"},
    {Reason::WrongAccount, "wrong_account"},
    {Reason::LeaseLost, "lease_lost"},
    {Reason::PlanMismatch, "plan_mismatch"},
    {Reason::BadArguments, "bad_arguments"},
    {Reason::UnknownTool, "unknown_tool"},
    {Reason::StoreAway, "store_away"},
}};

} // namespace

QString wordOf(Reason reason)
{
    for (const auto& [known, code] : codes) {
        if (known == reason)
            return QString::fromLatin1(code);
    }
    return {};
}

std::optional<Reason> reasonFromString(const QString& code)
{
    for (const auto& [reason, known] : codes) {
        if (code == QLatin1String(known))
            return reason;
    }
    return std::nullopt;
}

QList<Reason> allReasons()
{
    QList<Reason> all;
    for (const auto& [reason, code] : codes)
        all.append(reason);
    return all;
}

} // namespace unavez::contract
