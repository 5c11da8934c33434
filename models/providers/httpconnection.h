// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/providers/http.h"

#include <functional>
#include <memory>
#include <stop_token>

namespace unavez::providers {

// Whom TLS believes: the system's authorities, or one PEM file instead of them. Verification is always on. Shared by
// many connections, from any thread.
class TlsTrust
{
public:
    explicit TlsTrust(const std::optional<QString>& authorityFile = {});
    // Absent where the authorities could be read.
    const std::optional<contract::Error>& fault() const { return m_fault; }

private:
    friend class HttpConnection;
    struct Context;
    std::shared_ptr<Context> m_context;
    std::optional<contract::Error> m_fault;
};

// One connection for one request (contract.md §10.5.1). Blocks its thread within the limits. Never connects again,
// never follows, never repeats: what fails here has failed. Of several addresses each is tried until one opens.
class HttpConnection
{
public:
    HttpConnection(const Endpoint& endpoint, const HttpLimits& limits, const TlsTrust& trust);
    ~HttpConnection();
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    // Offline, Timeout, Denied (certificate), Cancelled.
    contract::Result<> open(std::stop_token cancelled = {});

    // Writes the request once, in one buffer, and reads one answer. Invalid: the request cannot be spelled (a line
    // break in a header), nothing was written. Every other error may come after bytes have left: Offline, Timeout,
    // Cancelled, Corrupt (not HTTP, a header past its limit). `written` is called once the last byte is handed to the
    // system.
    contract::Result<HttpReply> exchange(
        const HttpRequest& request, std::stop_token cancelled = {}, const std::function<void()>& written = {});

private:
    struct Wire;
    std::unique_ptr<Wire> m_wire;
};

// Open, exchange, close: for requests without an effect.
contract::Result<HttpReply> fetched(const Endpoint& endpoint, const HttpRequest& request, const HttpLimits& limits,
    const TlsTrust& trust, std::stop_token cancelled = {});

} // namespace unavez::providers
