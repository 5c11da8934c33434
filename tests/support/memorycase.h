// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/guard.h"
#include "tests/support/memorytables.h"

namespace unavez::tests {

// Every row an action may look at or touch; a target that is not there leaves its rows empty.
contract::CaseFacts memoryCase(
    const MemoryTables& tables, const contract::ActionRequest& request, const contract::GuardPolicy& policy);

} // namespace unavez::tests
