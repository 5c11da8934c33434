// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/time.h"

#include <QString>

// What the gate says to the model that called a tool (contract.md §13.2): one sentence that also says what to do next,
// for a model left alone with an unclear answer calls again in other words.
namespace unavez::text {

enum class ToolOutcome {
    Done, // by this call
    DoneBefore, // replayed
    DoneAndEmptied, // replayed, its details no longer kept
    InProgress,
    UnknownOutcome,
    Failed,
    FailedMayOpen, // a person may open a new attempt
    Abandoned,
};

struct ToolAnswer
{
    ToolOutcome outcome = ToolOutcome::Done;
    contract::Seconds retryAfter{1}; // InProgress
    QString why; // Failed, FailedMayOpen: the provider's words, "card, insufficient_funds"
};
QString sentence(const ToolAnswer& answer);

// Why a call was not understood; the {why} of bad_arguments.
enum class CallFault {
    NotAnObject, // the body
    HeaderAlone, // Unavez-Job without Unavez-Lease, or the other way round
    HeaderNoNumber, // not one whole positive number
};
QString sentence(CallFault fault);
QString tokenRefused();

} // namespace unavez::text
