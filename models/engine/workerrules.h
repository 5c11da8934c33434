// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/jobhandler.h"
#include "models/engine/gate.h"

// The table of contract.md §10.3 as pure functions: what happened → what becomes of the job.
namespace unavez::engine {

struct JobDecision
{
    enum class Kind { Done, Later, Dead, LeaseLost };
    Kind kind = Kind::Done;
    contract::Millis runIn{0}; // Later
    bool counted = true; // Later: uses up a try
    QString errorClass; // unknown_outcome, open_effect, provider_unanswered, provider_away, mismatch, later, …
    QString errorText; // never a payload
    bool operator==(const JobDecision&) const = default;
};

struct Backoff
{
    QList<contract::Seconds> steps{contract::Seconds{10}, contract::Seconds{30}, contract::Seconds{120},
        contract::Seconds{600}, contract::Seconds{1800}, contract::Seconds{7200}, contract::Seconds{10800}};
    // The wait after try `attempt` (from 1); random in [0, 1) gives ± 20 %.
    contract::Millis after(int attempt, double random) const;
};

// Before the handler: absent: every effect is closed, go on. The worst of all decides.
std::optional<JobDecision> afterSettling(
    const QList<Settled>& effects, contract::Instant now, contract::Millis backoff);
// After the handler: `open` are the effects of the job still open then.
JobDecision afterHandler(const contract::HandlerAnswer& answer, const QList<contract::Reservation>& open,
    contract::Instant now, contract::Seconds grace, contract::Millis backoff);
// Over an open effect: when somebody can next do something about it.
JobDecision openEffect(const QList<contract::Reservation>& open, contract::Instant now, contract::Seconds grace);

} // namespace unavez::engine
