// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine/providerclock.h"

namespace unavez::engine {

using namespace contract;

namespace {
QString nameOf(const QString& provider, const QString& account) { return provider + QLatin1Char('\n') + account; }
}

ProviderClock::ProviderClock(const HostClock& clock)
    : m_clock(clock)
{
}

void ProviderClock::saw(const QString& provider, const std::optional<Instant>& date)
{
    if (!date)
        return;
    const auto at = m_clock.boottime();
    const std::scoped_lock lock(m_mutex);
    m_dates.insert(provider, {*date, at});
}

std::optional<Instant> ProviderClock::now(const QString& provider) const
{
    const auto at = m_clock.boottime();
    const std::scoped_lock lock(m_mutex);
    const auto seen = m_dates.constFind(provider);
    if (seen == m_dates.constEnd() || at - seen->at > validFor)
        return std::nullopt;
    return seen->date + (at - seen->at);
}

void ProviderClock::checked(const QString& provider, const QString& account)
{
    const auto at = m_clock.boottime();
    const std::scoped_lock lock(m_mutex);
    m_checks.insert(nameOf(provider, account), at);
}

bool ProviderClock::isChecked(const QString& provider, const QString& account) const
{
    const auto at = m_clock.boottime();
    const std::scoped_lock lock(m_mutex);
    const auto check = m_checks.constFind(nameOf(provider, account));
    return check != m_checks.constEnd() && at - *check <= validFor;
}

void ProviderClock::forget(const QString& provider, const QString& account)
{
    const std::scoped_lock lock(m_mutex);
    m_checks.remove(nameOf(provider, account));
}

} // namespace unavez::engine
