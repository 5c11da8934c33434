// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/simschedule.h"

#include <array>
#include <ostream>

namespace unavez::tests {

using namespace contract;

namespace {

constexpr Millis second{1000};
constexpr Millis minute{60 * second};
constexpr Millis hour{60 * minute};

// What matters: below and past write time, idle time, leases with their grace, evidence lag, cutoff and window.
constexpr std::array<Millis, durations> someDurations{second, 12 * second, 40 * second, 61 * second, 75 * second,
    5 * minute, 35 * minute, 2 * hour, 19 * hour, 21 * hour, 24 * hour};
constexpr std::array<Millis, clockSteps> someSteps{
    30 * second, 90 * second, 2 * hour, -30 * second, -90 * second, -2 * hour};

const char* actionWord(int index)
{
    constexpr std::array<const char*, 9> words{"requeue_job", "release_lease", "expire_reservation", "open_attempt",
        "record_outcome", "discard_job", "hold tool", "hold sends", "release hold"};
    return words[std::size_t(index) % words.size()];
}

} // namespace

Millis durationOf(int index) { return someDurations[std::size_t(index) % someDurations.size()]; }
Millis clockStepOf(int index) { return someSteps[std::size_t(index) % someSteps.size()]; }

std::ostream& operator<<(std::ostream& out, const SimStep& step)
{
    using Kind = SimStep::Kind;
    constexpr std::array<const char*, 4> clocks{"the database", "host 0", "host 1", "database and hosts"};
    switch (step.kind) {
    case Kind::Deliver: out << "deliver evt_" << step.a % events << " x" << step.b % 3 + 1; break;
    case Kind::Notify: out << "deliver notice " << step.a; break;
    case Kind::Work:
        out << "process " << step.a % processes << " works" << (step.b % 4 == 3 ? ", carelessly" : "");
        break;
    case Kind::Chat: out << "process " << step.a % processes << " charges inv_" << step.b % invoices; break;
    case Kind::GoOn: out << "process " << step.a % processes << " goes on"; break;
    case Kind::Kill: out << "process " << step.a % processes << " is killed"; break;
    case Kind::Pass: out << durationOf(step.a).count() / 1000 << " s pass"; break;
    case Kind::StepClock:
        out << "the clock of " << clocks[std::size_t(step.a) % clocks.size()] << " steps "
            << clockStepOf(step.b).count() / 1000 << " s";
        break;
    case Kind::Break: out << "next request: " << wordOf(Fault(step.a % faults)); break;
    case Kind::Reap: out << "the reaper runs"; break;
    case Kind::Round:
        out << durationOf(step.a).count() / 1000 << " s pass, the reaper runs, process " << step.b % processes
            << " works";
        break;
    case Kind::Oncall: out << "somebody on call sees to reservation " << step.b; break;
    case Kind::Act: out << actionWord(step.a) << " on target " << step.b; break;
    case Kind::StoreAway: out << "the store goes, or comes back"; break;
    case Kind::Credential:
        out << "the credential is replaced, and process " << step.a % processes << " restarted";
        break;
    }
    const bool runs = step.kind != Kind::Kill && step.kind != Kind::Pass && step.kind != Kind::StepClock
        && step.kind != Kind::Break && step.kind != Kind::StoreAway && step.kind != Kind::Credential;
    if (runs && step.halt.kind == Halt::Kind::Crash)
        out << ", and dies at its point " << step.halt.atPoint;
    if (runs && step.halt.kind == Halt::Kind::Pause)
        out << ", and stops at its point " << step.halt.atPoint;
    return out << '\n';
}

} // namespace unavez::tests
