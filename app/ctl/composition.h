// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ctl/arguments.h"
#include "app/ctl/terminal.h"

namespace unavez::ctl {

// Opens the store the arguments name and runs their verb on it.
Exit run(const Arguments& arguments, Terminal& terminal);

} // namespace unavez::ctl
