// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/evidencestore.h"
#include "models/contract/intakestore.h"
#include "models/contract/jobstore.h"
#include "models/contract/reservationstore.h"
#include "models/contract/servicestore.h"

#include <functional>
#include <memory>

namespace unavez::service {

// The store as one thread of the service uses it: opened, used and destroyed in that thread. Only the composition knows
// what stands behind it.
class StoreSession
{
public:
    virtual ~StoreSession() = default;
    virtual contract::IntakeStore& intake() = 0;
    virtual contract::JobStore& jobs() = 0;
    virtual contract::ReservationStore& reservations() = 0;
    virtual contract::EvidenceStore& evidence() = 0;
    virtual contract::ReaperStore& reaper() = 0;
    virtual contract::ServiceStore& service() = 0;
};

// Offline, Denied, NotFound, SchemaMissing, SchemaNewer, Invalid (migrate first). Called from any thread.
using OpenStore = std::function<contract::Result<std::unique_ptr<StoreSession>>()>;

} // namespace unavez::service
