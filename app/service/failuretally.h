// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/intakestore.h"

#include <QMap>

#include <mutex>
#include <tuple>

namespace unavez::service {

// Deliveries that were not accepted, added up between two writes: a flood of bad posts costs the store one row a second
// at most. Bounded by the configured routes, for the caller's text is never a route. Any thread.
class FailureTally
{
public:
    void add(const contract::SignatureFailure& failure);
    // What was added since, and empty again.
    QList<contract::SignatureFailure> take();
    bool isEmpty() const;

private:
    using Kind = std::tuple<qint64, QString, contract::FailureReason>;
    mutable std::mutex m_mutex;
    QMap<Kind, contract::SignatureFailure> m_failures;
};

} // namespace unavez::service
