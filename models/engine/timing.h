// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/time.h"

#include <QList>

#include <optional>

// The inequalities between time limits that the promise rests on (contract.md §10.6); asked once, at boot.
namespace unavez::engine {

struct Timing
{
    contract::Millis providerConnect{5000};
    contract::Millis providerTotal{30000};
    contract::Millis gateLease{45000};
    contract::Millis workerLease{60000};
    contract::Millis workerRenew{20000};
    contract::Millis grace{10000};
    contract::Seconds window{86400}; // 0: the provider keeps no keys
    contract::Seconds margin{14400};
    QList<contract::Seconds> backoff{contract::Seconds{10}, contract::Seconds{30}, contract::Seconds{120},
        contract::Seconds{600}, contract::Seconds{1800}, contract::Seconds{7200}, contract::Seconds{10800}};
    int eventDays = 45;
};

enum class Inequality {
    NotPositive, // a limit that must be above zero is not
    ConnectBelowTotal,
    GateLeaseAboveTotal, // + 5 s safety + 5 s; a practice store only needs more than the total
    WorkerLeaseAboveGateLease,
    RenewWithinThird,
    MarginCoversBackoff, // longest backoff + 20 % + total + grace ≤ margin
    BackoffWithinWindow, // Σ backoff ≤ window − margin
    EventsKeptThirtyDays,
};

// The first one that fails; absent: the service may boot.
std::optional<Inequality> brokenTiming(const Timing& timing, bool practice);
// The configuration keys it speaks of, for the boot message: "gate.lease_s > provider.total_s + 10".
QString wordOf(Inequality inequality);

// How long after its mark a request may still be written (contract.md §10.5.1): lease − total − 5 s, at most 10 s. A
// live store's inequalities leave more than 5 s; with the short leases of practice it is at least a third of the lease.
contract::Millis sendWithin(const Timing& timing);

} // namespace unavez::engine
