// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <chrono>
#include <compare>
#include <optional>

namespace unavez::contract {

using Millis = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

// A point in time of the store's clock, whole milliseconds UTC (contract.md §10.6). never() stands for "infinity".
struct Instant
{
    qint64 ms = 0; // since 1970-01-01T00:00:00Z

    static constexpr Instant never() { return {253402300799999}; }
    constexpr bool isNever() const { return ms >= never().ms; }
    auto operator<=>(const Instant&) const = default;

    // never() stays never().
    constexpr Instant operator+(Millis d) const { return isNever() ? never() : Instant{ms + d.count()}; }
    constexpr Instant operator-(Millis d) const { return isNever() ? never() : Instant{ms - d.count()}; }
    constexpr Millis operator-(Instant other) const { return Millis{ms - other.ms}; }
};

// RFC 3339 in UTC with three digits of a second (contract.md §13); "never" for never().
QString toRfc3339(Instant at);
// Accepts what toRfc3339 writes, and any RFC 3339 offset; nothing else.
std::optional<Instant> fromRfc3339(const QString& text);

// The host's clocks. Waiting before a send is measured on BOOTTIME, which counts suspends (contract.md §10.5.1).
class HostClock
{
public:
    virtual ~HostClock() = default;
    virtual Instant wall() const = 0;
    virtual Millis boottime() const = 0;
};

class SystemHostClock final : public HostClock
{
public:
    Instant wall() const override;
    Millis boottime() const override;
};

} // namespace unavez::contract
