// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/stage.h"

namespace unavez::sandbox {

// The stage a drill needs; absent for a name that is no drill.
std::optional<StageSettings> stageFor(const QString& drill);
// Plays what happened, on a raised stage, until the state stands that a person on call meets.
contract::Result<> played(const QString& drill, Stage& stage);

} // namespace unavez::sandbox
