// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/drills.h"

namespace unavez::sandbox {

using contract::done;
using contract::Error;
using contract::fail;
using contract::JobState;
using contract::Millis;
using contract::ReservationStatus;
using contract::Result;
using contract::Seconds;

namespace {

constexpr Millis patience{60000};
constexpr Millis minute{60000};

Result<> untilCharged(Stage& stage)
{
    return stage.until(QStringLiteral("the charge"), patience, [&]() -> Result<bool> {
        const auto lines = stage.ledger();
        if (!lines)
            return fail(lines.error());
        const auto job = stage.job();
        if (job && job->state == JobState::Dead)
            return fail(Error::Kind::Corrupt, QStringLiteral("the job died before anything was charged"));
        return std::any_of(lines->begin(), lines->end(), [](const LedgerLine& line) { return line.effect; });
    });
}

// Nobody should practise on another state than the drill's: a job may have died of something else.
Result<> expectAttempt(Stage& stage, ReservationStatus status, bool isSent)
{
    const auto attempts = stage.attempts();
    if (!attempts)
        return fail(attempts.error());
    if (attempts->size() != 1 || attempts->first().status != status || (attempts->first().sends > 0) != isSent)
        return fail(Error::Kind::Corrupt,
            QStringLiteral("the charge is not %1: something else went wrong").arg(contract::wordOf(status)));
    return done();
}

// The card is declined and the job dies of it; minutes later the customer has a new card.
Result<> declined(Stage& stage)
{
    auto step = stage.placeCard(false, QStringLiteral("insufficient_funds"));
    if (step)
        step = stage.deliver();
    if (step)
        step = stage.untilJob(JobState::Dead, patience);
    if (step)
        step = expectAttempt(stage, ReservationStatus::Failed, true);
    if (step)
        step = stage.age(10 * minute); // past the least interval between two attempts
    if (step)
        step = stage.placeCard(true);
    return step;
}

// The service is killed while the provider's answer is on its way; started again, its reaper finds the job.
Result<> diedMidCharge(Stage& stage)
{
    auto step = stage.placeCard(true);
    if (step)
        step = stage.placeFault(
            {{QStringLiteral("on"), QJsonObject{{QStringLiteral("sent_key"), stage.key(1, QStringLiteral("confirm"))}}},
                {QStringLiteral("do"), QStringLiteral("delay")}, {QStringLiteral("value"), 60000}});
    if (step)
        step = stage.deliver();
    if (step)
        step = untilCharged(stage);
    if (!step)
        return step;
    stage.killService();
    step = stage.age(minute); // its leases are over
    if (step)
        step = stage.startService();
    if (step)
        step = stage.untilJob(JobState::Dead, patience);
    if (step)
        step = expectAttempt(stage, ReservationStatus::InProgress, true);
    if (step)
        step = stage.age(19 * minute);
    return step;
}

// The agent takes its time, and the worker renews its lease all the while.
Result<> liveLease(Stage& stage)
{
    auto step = stage.placeCard(true);
    if (step)
        step = stage.deliver();
    if (step)
        step = stage.untilJob(JobState::Leased, patience);
    return step;
}

} // namespace

std::optional<StageSettings> stageFor(const QString& drill)
{
    StageSettings settings;
    settings.drill = drill;
    if (drill == QLatin1String("declined")) {
        settings.invoice = 1;
    } else if (drill == QLatin1String("died-mid-charge")) {
        settings.invoice = 42;
    } else if (drill == QLatin1String("live-lease")) {
        settings.invoice = 7;
        settings.agentThinks = Seconds{60};
        settings.jobLeaseSeconds = 30;
    } else {
        return std::nullopt;
    }
    return settings;
}

Result<> played(const QString& drill, Stage& stage)
{
    if (drill == QLatin1String("declined"))
        return declined(stage);
    if (drill == QLatin1String("died-mid-charge"))
        return diedMidCharge(stage);
    if (drill == QLatin1String("live-lease"))
        return liveLease(stage);
    return fail(Error::Kind::NotFound, drill);
}

} // namespace unavez::sandbox
