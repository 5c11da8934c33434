// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/metrics.h"
#include "app/service/storesession.h"

namespace unavez::service {

// The same store, with every request that had an effect counted by how its answer was understood: the mark of its end
// passes through here whoever sent it, gate or worker. `metrics` outlives the sessions.
OpenStore metered(OpenStore open, Metrics& metrics);

} // namespace unavez::service
