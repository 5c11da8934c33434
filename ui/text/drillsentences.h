// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

// What the judge of a practice drill says, one sentence each.
namespace unavez::text {

enum class DrillFinding {
    Right,
    // wrong for good
    ChargedOften, // {n}
    ChargedPastTheGate,
    PaidWithoutCharge,
    JobDiscarded,
    SecondAttempt,
    LeaseReleased,
    // not yet
    NotPaid,
    NotPaidByNewAttempt,
    NotStored,
    JobNotDone,
};

QString sentence(DrillFinding finding, int n = 0);

} // namespace unavez::text
