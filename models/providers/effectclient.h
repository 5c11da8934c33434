// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/effecttool.h"
#include "models/providers/httpconnection.h"

namespace unavez::providers {

// An answer as bytes, before its protocol's reader.
struct Exchanged
{
    qint64 call = 0;
    HttpReply reply; // complete
};
using EffectSent
    = std::variant<contract::NotConnected, contract::NotMarked, contract::NotWritten, contract::NoAnswer, Exchanged>;

// The one client of every request with an effect (contract.md §10.5.1): connect → mark → check → write once → read.
// One request, one connection; a redirect is an answer like any other. Any thread; blocks it.
class EffectClient
{
public:
    // `writeWithin`: how long after the mark was asked for the first byte may still leave, counted on BOOTTIME
    // (gate.lease − total − 5 s; contract.md §10.6).
    EffectClient(const HttpLimits& limits, contract::Millis writeWithin, const TlsTrust& trust,
        const contract::HostClock& clock);

    // Cancelling stops the send until its first byte; after that the answer is waited for, within limits.total, since
    // giving up would only leave an outcome unknown that is about to be known.
    EffectSent send(const Endpoint& endpoint, const HttpRequest& request, const contract::MarkFunction& mark,
        std::stop_token cancelled) const;

private:
    HttpLimits m_limits;
    contract::Millis m_writeWithin;
    TlsTrust m_trust;
    const contract::HostClock& m_clock;
};

} // namespace unavez::providers
