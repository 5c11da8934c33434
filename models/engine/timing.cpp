// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine/timing.h"

#include <algorithm>
#include <numeric>

namespace unavez::engine {

using namespace contract;

std::optional<Inequality> brokenTiming(const Timing& t, bool practice)
{
    const Millis zero{0};
    if (t.providerConnect <= zero || t.providerTotal <= zero || t.gateLease <= zero || t.workerLease <= zero
        || t.workerRenew <= zero || t.grace < zero || t.backoff.isEmpty()
        || *std::min_element(t.backoff.begin(), t.backoff.end()) <= Seconds{0})
        return Inequality::NotPositive;
    if (t.providerConnect >= t.providerTotal)
        return Inequality::ConnectBelowTotal;
    if (t.gateLease <= t.providerTotal + (practice ? zero : Millis{10000}))
        return Inequality::GateLeaseAboveTotal;
    if (t.workerLease <= t.gateLease)
        return Inequality::WorkerLeaseAboveGateLease;
    if (t.workerRenew > t.workerLease / 3)
        return Inequality::RenewWithinThird;
    if (t.window > Seconds{0}) {
        const Millis longest = *std::max_element(t.backoff.begin(), t.backoff.end());
        if (t.margin < longest + longest / 5 + t.providerTotal + t.grace)
            return Inequality::MarginCoversBackoff;
        if (std::accumulate(t.backoff.begin(), t.backoff.end(), Seconds{0}) > t.window - t.margin)
            return Inequality::BackoffWithinWindow;
    }
    if (t.eventDays < 30)
        return Inequality::EventsKeptThirtyDays;
    return std::nullopt;
}

QString wordOf(Inequality inequality)
{
    switch (inequality) {
    case Inequality::NotPositive: return QStringLiteral("every time limit > 0, backoff_s not empty");
    case Inequality::ConnectBelowTotal: return QStringLiteral("provider.connect_s < provider.total_s");
    case Inequality::GateLeaseAboveTotal: return QStringLiteral("gate.lease_s > provider.total_s + 10");
    case Inequality::WorkerLeaseAboveGateLease: return QStringLiteral("worker.lease_s > gate.lease_s");
    case Inequality::RenewWithinThird: return QStringLiteral("worker.renew_s <= worker.lease_s / 3");
    case Inequality::MarginCoversBackoff:
        return QStringLiteral("provider.margin_s >= longest backoff * 1.2 + provider.total_s + reaper.grace_s");
    case Inequality::BackoffWithinWindow:
        return QStringLiteral("sum of worker.backoff_s <= provider.window_s - provider.margin_s");
    case Inequality::EventsKeptThirtyDays: return QStringLiteral("retain.event_days >= 30");
    }
    return {};
}

Millis sendWithin(const Timing& timing)
{
    const Millis spare = timing.gateLease - timing.providerTotal - Millis{5000};
    return std::clamp(spare, std::min(timing.gateLease / 3, Millis{5000}), Millis{10000});
}

} // namespace unavez::engine
