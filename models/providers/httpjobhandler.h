// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/jobhandler.h"
#include "models/providers/httpconnection.h"

namespace unavez::providers {

// The agent behind a webhook, over HTTP (contract.md §13.1). One POST, never repeated here: a repeat is a new try of
// the job. Any thread; blocks it up to the request's deadline. Cancelling ends the wait.
class HttpJobHandler final : public contract::JobHandler
{
public:
    HttpJobHandler(ParsedUrl url, contract::Millis connect, const TlsTrust& trust, const contract::HostClock& clock);

    contract::HandlerAnswer handle(const contract::HandlerRequest& request, std::stop_token cancelled) override;

    // The body of the request, for its golden test.
    static QByteArray body(const contract::HandlerRequest& request);

private:
    ParsedUrl m_url;
    contract::Millis m_connect;
    TlsTrust m_trust;
    const contract::HostClock& m_clock;
};

// What a status means for the job (contract.md §10.3).
contract::HandlerAnswer readHandlerAnswer(int status, const QByteArray& retryAfter);

} // namespace unavez::providers
