// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/intakestore.h"

#include <optional>

// The edge's behaviour behind its HTTP front (contract.md §10.2). Blocking, no state of its own.
namespace unavez::engine {

// What one delivery is answered. 200 only when its event stands in the store, durably.
struct IntakeAnswer
{
    int http = 503; // 200, 400 (it cannot be recorded, ever) or 503 (store trouble: send it again)
    std::optional<contract::RecordedEvent> event; // with 200
    std::optional<contract::Error> error; // otherwise; for the log
};

// A delivery that is answered without being recorded because it is of another mode than the store (contract.md H20).
struct ModeRefusal
{
    int http = 200; // 200: the retries should stop; 503: the provider should keep it until the setting is mended
    contract::FailureReason reason = contract::FailureReason::TestEventOnLive;
};
// Absent: it may be recorded. Events that do not say (`live` absent) are taken for the store's own mode.
std::optional<ModeRefusal> modeRefusal(contract::StoreMode store, std::optional<bool> live);

class Intake
{
public:
    explicit Intake(contract::IntakeStore& store);

    // One micro-batch of verified deliveries: ids checked, equal ones merged, sorted by (source, change id), recorded
    // in one transaction, bisected where the store refuses a row. Answers in the order of `deliveries`, one each.
    QList<IntakeAnswer> record(const QList<contract::Delivery>& deliveries);

private:
    contract::IntakeStore& m_store;
};

} // namespace unavez::engine
