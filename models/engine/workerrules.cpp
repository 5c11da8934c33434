// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine/workerrules.h"

#include <algorithm>
#include <cmath>

namespace unavez::engine {

using namespace contract;

namespace {

constexpr Millis refusedWait{30000};
constexpr Seconds latest{3600};

JobDecision later(Millis runIn, bool counted, const QString& errorClass, const QString& text = {})
{
    return {JobDecision::Kind::Later, std::max(runIn, Millis{0}), counted, errorClass, text};
}

JobDecision dead(const QString& errorClass) { return {JobDecision::Kind::Dead, Millis{0}, true, errorClass, {}}; }

// Worst first.
int rankOf(Settled::Kind kind)
{
    switch (kind) {
    case Settled::Kind::LeaseLost: return 7;
    case Settled::Kind::Unknown: return 6;
    case Settled::Kind::Mismatch: return 5;
    case Settled::Kind::Unanswered: return 4;
    case Settled::Kind::Away: return 3;
    case Settled::Kind::Refused: return 2;
    case Settled::Kind::Live: return 1;
    case Settled::Kind::Closed: return 0;
    }
    return 0;
}

bool isLost(const Reservation& row, Instant now, Seconds grace)
{
    const auto hold = holdOf(row, now, grace);
    return hold == RowHold::Unknown || hold == RowHold::PastCutoff || hold == RowHold::ClockWentBack;
}

} // namespace

Millis Backoff::after(int attempt, double random) const
{
    const auto index = std::clamp<qsizetype>(attempt - 1, 0, steps.size() - 1);
    const Millis base = steps.isEmpty() ? Seconds{10} : steps[index];
    const double factor = 0.8 + 0.4 * std::clamp(random, 0.0, 1.0);
    return Millis{std::llround(static_cast<double>(base.count()) * factor)};
}

std::optional<JobDecision> afterSettling(const QList<Settled>& effects, Instant now, Millis backoff)
{
    const auto worst = std::max_element(effects.begin(), effects.end(),
        [](const Settled& a, const Settled& b) { return rankOf(a.kind) < rankOf(b.kind); });
    if (worst == effects.end())
        return std::nullopt;
    const auto why = worst->because ? contract::wordOf(worst->because->reason) : QString();
    switch (worst->kind) {
    case Settled::Kind::Closed: return std::nullopt;
    case Settled::Kind::LeaseLost: return JobDecision{JobDecision::Kind::LeaseLost, Millis{0}, true, {}, {}};
    case Settled::Kind::Unknown: return dead(QStringLiteral("unknown_outcome"));
    case Settled::Kind::Mismatch: return later(backoff, true, QStringLiteral("mismatch"));
    case Settled::Kind::Unanswered: // not before the provider said, where it said
        return later(std::max(backoff, worst->until.value_or(now) - now), true, QStringLiteral("provider_unanswered"));
    case Settled::Kind::Away: return later(backoff, true, QStringLiteral("provider_away"));
    case Settled::Kind::Refused:
        if (worst->because && worst->because->reason == Reason::Unmapped) // damaged: it must die, so that it is seen
            return later(backoff, true, QStringLiteral("open_effect"), why);
        // A hold, a quarantine, a clock: nothing was sent and no try of ours mends it, so none is used up.
        return later(refusedWait, false, QStringLiteral("open_effect"), why);
    case Settled::Kind::Live: return later(worst->until.value_or(now) - now, false, QStringLiteral("open_effect"), why);
    }
    return std::nullopt;
}

JobDecision openEffect(const QList<Reservation>& open, Instant now, Seconds grace)
{
    auto at = Instant::never();
    for (const auto& row : open) {
        if (isLost(row, now, grace))
            return dead(QStringLiteral("unknown_outcome"));
        const bool isLive = holdOf(row, now, grace) == RowHold::Live;
        at = std::min(at, isLive ? *row.leaseExpiresAt + grace : now);
    }
    return later(at.isNever() ? Millis{0} : at - now, false, QStringLiteral("open_effect"));
}

JobDecision afterHandler(
    const HandlerAnswer& answer, const QList<Reservation>& open, Instant now, Seconds grace, Millis backoff)
{
    if (std::any_of(open.begin(), open.end(), [&](const Reservation& row) { return isLost(row, now, grace); }))
        return dead(QStringLiteral("unknown_outcome"));
    const auto status = answer.httpStatus ? QStringLiteral("HTTP %1").arg(answer.httpStatus) : QString();
    switch (answer.kind) {
    case HandlerAnswer::Kind::Done:
        return open.isEmpty() ? JobDecision{JobDecision::Kind::Done, Millis{0}, true, {}, {}}
                              : openEffect(open, now, grace);
    case HandlerAnswer::Kind::Later:
        return later(std::clamp(answer.retryAfter.value_or(Seconds{60}), Seconds{1}, latest), false,
            QStringLiteral("later"), status);
    case HandlerAnswer::Kind::Rejected: {
        auto decision = dead(QStringLiteral("rejected"));
        decision.errorText = status;
        return decision;
    }
    case HandlerAnswer::Kind::Failed: break;
    case HandlerAnswer::Kind::TimedOut:
        return later(backoff, true, QStringLiteral("handler_failed"), QStringLiteral("timed out"));
    case HandlerAnswer::Kind::Unreachable:
        return later(backoff, true, QStringLiteral("handler_failed"), QStringLiteral("unreachable"));
    }
    return later(backoff, true, QStringLiteral("handler_failed"), status);
}

} // namespace unavez::engine
