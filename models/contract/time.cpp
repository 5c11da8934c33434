// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/time.h"

#include <QDateTime>
#include <QTimeZone>

#include <ctime>

namespace unavez::contract {

QString toRfc3339(Instant at)
{
    if (at.isNever())
        return QStringLiteral("never");
    return QDateTime::fromMSecsSinceEpoch(at.ms, Qt::UTC).toString(Qt::ISODateWithMs);
}

std::optional<Instant> fromRfc3339(const QString& text)
{
    if (text == QLatin1String("never"))
        return Instant::never();
    const auto parsed = QDateTime::fromString(text, Qt::ISODateWithMs);
    // A time without an offset would be read in the host's zone, and mean something else on another host.
    if (!parsed.isValid() || parsed.timeSpec() == Qt::LocalTime)
        return std::nullopt;
    return Instant{parsed.toMSecsSinceEpoch()};
}

Instant SystemHostClock::wall() const
{
    return {std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch()).count()};
}

Millis SystemHostClock::boottime() const
{
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return Seconds{now.tv_sec} + Millis{now.tv_nsec / 1'000'000};
}

} // namespace unavez::contract
