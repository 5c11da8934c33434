// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/time.h"

namespace unavez::tests {

// Simulated time: one true course of it, and clocks that read it wrongly. A reading takes a millisecond, so that what
// follows on something is later than it.
class SimTime
{
public:
    contract::Instant now() const { return {m_now += 1}; }
    contract::Millis running() const { return contract::Millis{m_now}; }
    void pass(contract::Millis by) { m_now += by.count(); }

private:
    mutable qint64 m_now = 1'800'000'000'000;
};

class SimClock final : public contract::HostClock
{
public:
    explicit SimClock(const SimTime& time)
        : m_time(time)
    {
    }
    contract::Instant wall() const override { return m_time.now() + m_offset; }
    contract::Millis boottime() const override { return m_time.running(); } // counts suspends, knows no steps

    contract::Millis offset() const { return m_offset; }
    // Steps together never take the clock farther off than this.
    void step(contract::Millis by, contract::Millis farthest)
    {
        m_offset = std::max(-farthest, std::min(farthest, m_offset + by));
    }
    void set(contract::Millis offset) { m_offset = offset; }

private:
    const SimTime& m_time;
    contract::Millis m_offset{0};
};

} // namespace unavez::tests
