// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/time.h"

#include <QHash>
#include <QString>

#include <mutex>
#include <optional>

namespace unavez::engine {

// The third clock (contract.md §10.6): each provider's last Date, carried forward by BOOTTIME, and when its account was
// last checked. Only a memory of what was seen: lost in a crash, it is asked for again. Any thread.
class ProviderClock
{
public:
    static constexpr contract::Millis validFor{600000};

    explicit ProviderClock(const contract::HostClock& clock);

    void saw(const QString& provider, const std::optional<contract::Instant>& date);
    // Absent: never seen, or longer ago than ten minutes.
    std::optional<contract::Instant> now(const QString& provider) const;

    void checked(const QString& provider, const QString& account);
    // The account was found right within the last ten minutes.
    bool isChecked(const QString& provider, const QString& account) const;
    void forget(const QString& provider, const QString& account);

private:
    struct Seen
    {
        contract::Instant date;
        contract::Millis at{0};
    };
    const contract::HostClock& m_clock;
    mutable std::mutex m_mutex;
    QHash<QString, Seen> m_dates;
    QHash<QString, contract::Millis> m_checks;
};

} // namespace unavez::engine
