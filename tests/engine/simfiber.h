// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>

namespace unavez::tests {

// What a crash throws: nothing of the code under test may catch it.
struct Died
{
};

// How far somebody gets.
struct Halt
{
    enum class Kind { Never, Crash, Pause };
    Kind kind = Kind::Never;
    int atPoint = 1; // the n-th crash point passed from here on, from 1
};

// Work that can be left lying at a crash point and taken up later, or never. It has a thread of its own, but only one
// of all fibers and their owner runs at a time, so a schedule is deterministic.
class Fiber
{
public:
    explicit Fiber(std::function<void()> work);
    ~Fiber(); // what was left lying dies where it stands
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    enum class State { Lying, Finished, Dead };
    State run(const Halt& halt); // until its end, its death or its pause
    State state() const { return m_state; }
    const std::string& point() const { return m_point; } // where it lies or died

private:
    void body(const std::function<void()>& work);
    void passed(const char* point);

    Halt m_halt;
    bool m_killed = false;
    State m_state = State::Lying;
    std::string m_point;
    std::binary_semaphore m_go{0};
    std::binary_semaphore m_back{0};
    std::thread m_thread;
};

// Runs at once, here; true: to its end. A pause has no meaning for what nobody waits on, and is none.
bool ranToItsEnd(const Halt& halt, const std::function<void()>& work);

} // namespace unavez::tests
