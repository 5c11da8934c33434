// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/simfiber.h"

#include "models/async/crashpoint.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace unavez::tests {

namespace {

// A transaction is open there: whoever stops holds the store, and nobody else could go on.
bool isInTransaction(std::string_view point)
{
    constexpr std::array<std::string_view, 4> inside{
        "edge.before_commit", "reaper.mid_run", "evidence.after_row_before_status", "action.after_apply_before_commit"};
    return std::find(inside.begin(), inside.end(), point) != inside.end();
}

} // namespace

Fiber::Fiber(std::function<void()> work)
    : m_thread([this, work = std::move(work)] { body(work); })
{
}

Fiber::~Fiber()
{
    if (m_state == State::Lying) {
        m_killed = true;
        m_go.release();
    }
    m_thread.join();
}

Fiber::State Fiber::run(const Halt& halt)
{
    m_halt = halt;
    m_go.release();
    m_back.acquire();
    return m_state;
}

void Fiber::body(const std::function<void()>& work)
{
    m_go.acquire();
    if (m_killed) // before its first step
        return;
    async::setCrashObserver([this](const char* point) { passed(point); });
    try {
        work();
        m_state = State::Finished;
    } catch (const Died&) {
        m_state = State::Dead;
    }
    async::setCrashObserver(nullptr);
    m_back.release();
}

void Fiber::passed(const char* point)
{
    if (m_halt.kind == Halt::Kind::Never || --m_halt.atPoint > 0)
        return;
    m_point = point;
    if (m_halt.kind == Halt::Kind::Crash)
        throw Died{};
    if (isInTransaction(point))
        return; // at the next one then
    m_back.release();
    m_go.acquire();
    if (m_killed)
        throw Died{};
}

bool ranToItsEnd(const Halt& halt, const std::function<void()>& work)
{
    int left = halt.atPoint;
    async::setCrashObserver([&](const char*) {
        if (halt.kind == Halt::Kind::Crash && --left == 0)
            throw Died{};
    });
    bool whole = true;
    try {
        work();
    } catch (const Died&) {
        whole = false;
    }
    async::setCrashObserver(nullptr);
    return whole;
}

} // namespace unavez::tests
