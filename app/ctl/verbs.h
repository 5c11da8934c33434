// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ctl/arguments.h"
#include "app/ctl/terminal.h"
#include "models/contract/actionstore.h"
#include "models/contract/storequeries.h"

#include <functional>

// One function per verb of contract.md §13.3, over the ports: no store and no provider is named here.
namespace unavez::ctl {

struct Desk
{
    const Arguments& arguments;
    Terminal& terminal;
    contract::StoreQueries& queries;
    contract::ActionStore& actions;
    QString store; // for people: without a password
    // Asks the backend a plan names whether it is still due (contract.md §11.4).
    std::function<contract::BackendFact(const QString& url)> askBackend;
};

Exit runStatus(Desk& desk);
Exit runList(Desk& desk);
Exit runCase(Desk& desk);
Exit runAction(Desk& desk); // requeue, release, expire, attempt, hold
Exit runLog(Desk& desk);

// The one case an id names; refused with the candidates where it names several, and where it names none.
tl::expected<contract::CaseFile, Exit> caseNamed(Desk& desk, const QString& id);

} // namespace unavez::ctl
