// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/effectclient.h"

#include "models/async/crashpoint.h"

namespace unavez::providers {

using namespace contract;

EffectClient::EffectClient(const HttpLimits& limits, Millis writeWithin, const TlsTrust& trust, const HostClock& clock)
    : m_limits(limits)
    , m_writeWithin(writeWithin)
    , m_trust(trust)
    , m_clock(clock)
{
}

EffectSent EffectClient::send(
    const Endpoint& endpoint, const HttpRequest& request, const MarkFunction& mark, std::stop_token cancelled) const
{
    HttpConnection connection(endpoint, m_limits, m_trust);
    if (const auto opened = connection.open(cancelled); !opened)
        return NotConnected{wordOf(opened.error().kind) + QLatin1String(": ") + opened.error().detail};

    // Before the mark is asked for, so that the time its commit takes counts too.
    const auto asked = m_clock.boottime();
    const auto marked = mark();
    if (!marked)
        return NotMarked{};
    if (!marked->call)
        return NotMarked{marked->refused};
    const auto call = *marked->call;

    if (cancelled.stop_requested() || m_clock.boottime() - asked >= m_writeWithin)
        return NotWritten{call};
    const auto answered
        = connection.exchange(request, {}, [] { UNAVEZ_CRASH_POINT("gate.after_write_before_answer"); });
    if (!answered) {
        if (answered.error().kind == Error::Kind::Invalid)
            return NotWritten{call};
        return NoAnswer{call, wordOf(answered.error().kind) + QLatin1String(": ") + answered.error().detail};
    }
    // A status whose body was lost on the way cannot be told from a damaged answer; the same key brings it again.
    if (!answered->complete)
        return NoAnswer{call, QStringLiteral("read: the body was cut")};
    return Exchanged{call, *answered};
}

} // namespace unavez::providers
