// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/effecttool.h"
#include "models/engine/gateanswer.h"
#include "models/engine/providerclock.h"

// The tool gate (contract.md §10.4, §10.5, §13.2): sole owner of reservations and of every request with an effect.
namespace unavez::engine {

struct GateSettings
{
    QString owner; // this instance
    contract::Millis lease{45000};
    contract::Seconds grace{10};
    contract::GuardPolicy policy; // hardDeclines, for can_open_new_attempt
};

// What became of one open effect of a job.
struct Settled
{
    enum class Kind {
        Closed, // done, failed or abandoned
        Unknown, // unknown, past its cutoff, or first sent in the future: only evidence helps
        Live, // in another hand until `until`
        Unanswered, // sent, no answer that closes it
        Away, // no connection: nothing left
        Mismatch, // the provider saw the key with another body
        Refused, // not sent, by `because` (held, quarantine, clock_skew, wrong_account, …)
        LeaseLost, // the job is no longer ours
    };
    Kind kind = Kind::Closed;
    std::optional<contract::Instant> until;
    std::optional<contract::Because> because;
};

// Blocking; any number of threads may call. All that must survive a crash is in the store.
class Gate
{
public:
    // The tools outlive the gate; their names differ.
    Gate(contract::ReservationStore& store, const contract::HostClock& clock, GateSettings settings,
        QList<contract::EffectTool*> tools);

    const QList<contract::EffectTool*>& tools() const { return m_tools; }
    contract::EffectTool* tool(const QString& name) const; // nullptr: none

    // One tool call (§13.2). Blocks up to the provider's total time and the backend's.
    GateAnswer call(const QString& toolName, const QJsonObject& arguments,
        const std::optional<contract::JobLease>& job = {}, std::stop_token cancelled = {});

    // Sends an open effect of a job from its stored bytes, or says why not. Errors: the store's.
    contract::Result<Settled> settle(
        const contract::Reservation& open, const contract::JobLease& job, std::stop_token cancelled = {});

    // At boot and every ten minutes (§10.5.5). wrong_account and backend-side trouble; raises `credential`.
    std::optional<contract::Because> checkAccount(contract::EffectTool& tool, const QString& account, bool fresh);

private:
    // How one drive through the steps of a held reservation ended.
    struct Drive
    {
        enum class End { Finished, Fenced, Unanswered, Retryable, Mismatch, Away, TooLate, Refused, StoreAway };
        End end = End::Unanswered;
        std::optional<contract::Because> because;
        std::optional<contract::Seconds> retryAfter;
        std::optional<contract::FinishRequest> finished;
    };
    struct Sent // one step's end; absent `drive`: go on with the next step
    {
        std::optional<Drive> drive;
    };

    GateAnswer answerExisting(const contract::IntentState& state, contract::EffectTool& tool,
        const std::optional<contract::JobLease>& job, std::stop_token cancelled);
    GateAnswer reserveAndSend(contract::EffectTool& tool, const contract::PlannedIntent& planned,
        const std::optional<contract::JobLease>& job, std::stop_token cancelled);
    GateAnswer answerDriven(const Drive& drive, const contract::Held& held);
    // Takes an opened or resumable row; `held` absent: somebody was faster (or `because` says why not).
    struct Taken
    {
        std::optional<contract::Held> held;
        std::optional<contract::Because> because;
        bool away = false; // the provider could not be asked whose credential this is
    };
    contract::Result<Taken> take(const contract::IntentState& state, RowHold hold, contract::EffectTool& tool);

    Drive drive(contract::EffectTool& tool, contract::Held& held, const std::optional<contract::JobLease>& job,
        std::stop_token cancelled);
    Sent sendStep(contract::EffectTool& tool, const contract::StoredStep& step, contract::Held& held,
        const std::optional<contract::JobLease>& job, std::stop_token cancelled);
    Sent answered(contract::EffectTool& tool, const QString& step, contract::Held& held, qint64 call,
        const contract::ProviderAnswer& answer);
    Drive finish(const contract::Held& held, const contract::Outcome& outcome, const contract::ProviderAnswer& answer);
    void compareFenced(const contract::FinishRequest& ours);
    Drive letGo(const contract::Held& held, Drive drive);

    contract::ReservationStore& m_store;
    const contract::HostClock& m_clock;
    GateSettings m_settings;
    QList<contract::EffectTool*> m_tools;
    ProviderClock m_provider;
};

} // namespace unavez::engine
