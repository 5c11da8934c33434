// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/jobstore.h"

#include <stop_token>

namespace unavez::contract {

// contract.md §13.1
struct HandlerRequest
{
    JobLease lease;
    int attempt = 1;
    Event event;
    std::optional<QByteArray> payload; // raw JSON
    Instant deadline;
};

struct HandlerAnswer
{
    enum class Kind { Done, Later, Rejected, Failed, TimedOut, Unreachable };
    Kind kind = Kind::Failed;
    int httpStatus = 0;
    std::optional<Seconds> retryAfter; // Later
};

// The agent behind a webhook.
class JobHandler
{
public:
    virtual ~JobHandler() = default;
    virtual HandlerAnswer handle(const HandlerRequest& request, std::stop_token cancelled) = 0;
};

} // namespace unavez::contract
