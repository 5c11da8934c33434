// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/states.h"
#include "tests/engine/simfiber.h"
#include "tests/engine/simprovider.h"

#include <iosfwd>
#include <vector>

namespace unavez::tests {

// One thing that happens in a schedule. What `a` and `b` choose is said by each kind; they count modulo what there is,
// so that every schedule means something and shrinks freely.
struct SimStep
{
    enum class Kind {
        Deliver, // event a, b + 1 times
        Notify, // the provider's a-th notice
        Work, // process a takes a job; b: the agent's manners
        Chat, // process a, invoice b, outside a job
        GoOn, // process a, left lying
        Kill, // process a
        Pass, // time: a-th of the durations
        StepClock, // a: database, host 0, host 1 or all three; b-th of the steps
        Break, // the a-th fault, at the next request
        Reap,
        Round, // the a-th duration passes, the reaper runs, process b takes a job
        Act, // the a-th action on the b-th target
        Oncall, // what the screen offers on the b-th reservation, dead jobs requeued, leases released
        StoreAway, // and back
        Credential, // replaced by another account's, or back, and process a restarted with it
    };
    Kind kind = Kind::Pass;
    int a = 0;
    int b = 0;
    Halt halt;
};

using SimSchedule = std::vector<SimStep>;

contract::Millis durationOf(int index);
contract::Millis clockStepOf(int index);
inline constexpr int durations = 11;
inline constexpr int clockSteps = 6;
inline constexpr int processes = 2;
inline constexpr int invoices = 2;
inline constexpr int events = 3; // two of them name one invoice

std::ostream& operator<<(std::ostream& out, const SimStep& step); // as a person reads a schedule

} // namespace unavez::tests
