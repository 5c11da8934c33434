// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/plan.h"
#include "models/providers/httpconnection.h"

namespace unavez::providers {

// What a backend shows of one thing that may be charged (contract.md §13.2): {"id","customer","amount_minor",
// "currency","open"} and, for people, "state". One GET, nothing followed, nothing repeated; blocks within the limits.
// Not reachable, with `why`: no connection, no answer in time, another status than 200 and 404, or an answer that is
// not that object. A 404 is an answer: reachable, nothing open, an empty id.
contract::BackendFact askBackend(
    const QString& url, const HttpLimits& limits, const TlsTrust& trust, std::stop_token cancelled = {});

// The part that reads, for bytes from anywhere.
contract::BackendFact readBackendAnswer(int status, const QByteArray& body);

} // namespace unavez::providers
