// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/httplistener.h"
#include "app/service/httpwire.h"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

// One connection, for the listener's own units only.
namespace unavez::service {

using StreamSocket = boost::asio::generic::stream_protocol::socket; // TCP or Unix

// What every connection of a listener shares; outlives them.
struct SessionHost
{
    SessionHost(ListenerSettings given, AnswerRequest front, SawRefusal sawRefusal)
        : settings(std::move(given))
        , answer(std::move(front))
        , refused(std::move(sawRefusal))
        , budget(settings.memoryMax)
    {
    }

    const ListenerSettings settings;
    const AnswerRequest answer;
    const SawRefusal refused;
    ByteBudget budget;
    std::atomic<bool> isDraining{false};
    // Replies keep it: one may come when the listener is long gone.
    std::shared_ptr<boost::asio::io_context> io = std::make_shared<boost::asio::io_context>();
};

class HttpSession
{
public:
    virtual ~HttpSession() = default;
    // Both from any thread. drain: closes now where it is idle, else after the answer. abort: closes now.
    virtual void drain() = 0;
    virtual void abort() = 0;
};

enum class Welcome {
    Serve,
    Full, // 503 and closed, without reading
};

// Serves until the connection ends, then calls `ended`, in a thread of host.io. `tls`: null for plain connections. The
// socket's executor must be a strand.
std::shared_ptr<HttpSession> startSession(std::shared_ptr<SessionHost> host, StreamSocket socket, QString peer,
    boost::asio::ssl::context* tls, Welcome welcome, std::function<void()> ended);

} // namespace unavez::service
