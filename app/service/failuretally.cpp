// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/failuretally.h"

namespace unavez::service {

using contract::SignatureFailure;

void FailureTally::add(const SignatureFailure& failure)
{
    const std::lock_guard lock(m_mutex);
    auto& sum = m_failures[Kind{failure.sourceId, failure.route, failure.reason}];
    const int before = sum.route.isEmpty() ? 0 : sum.count;
    sum = failure; // the newest one is the sample that is shown
    sum.count = before + failure.count;
}

QList<SignatureFailure> FailureTally::take()
{
    const std::lock_guard lock(m_mutex);
    const auto failures = m_failures.values();
    m_failures.clear();
    return failures;
}

bool FailureTally::isEmpty() const
{
    const std::lock_guard lock(m_mutex);
    return m_failures.isEmpty();
}

} // namespace unavez::service
