// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/guard.h"

namespace unavez::contract {

// The operator's writes. One action, one transaction: lock and read the rows, ask the guard the screen asked, compare
// with the plan, write, and chain the audit row (contract.md §11.10).
class ActionStore
{
public:
    virtual ~ActionStore() = default;

    virtual void setPolicy(const GuardPolicy& policy) = 0;

    // The facts for an offer or a plan, read without locks. A target that is not there leaves its rows empty: the guard
    // answers not_found.
    virtual Result<CaseFacts> facts(const ActionRequest& request) = 0;

    // Refusals are values, not errors: an Error means nothing is known to have changed and nothing was audited.
    // A guard's refusal at execution, and a plan that died, leave an audit row with 0 rows changed.
    virtual Result<ActionOutcome> apply(const Plan& plan, const QString& reason) = 0;
};

} // namespace unavez::contract
