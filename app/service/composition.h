// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/service.h"

// The one place that knows which classes stand behind the ports.
namespace unavez::service {

// The parts of a configuration, or the setting that no part can be made of.
tl::expected<ServiceParts, text::SettingProblem> composed(const ReadConfig& config);

} // namespace unavez::service
