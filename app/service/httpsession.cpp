// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/httpsession.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <algorithm>
#include <array>

namespace unavez::service {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using contract::Millis;

namespace {

constexpr Millis lingerTime{5000}; // what a refused sender may take to notice
constexpr Millis farewellTime{500};
constexpr std::size_t readSize = 4096;

using PlainStream = StreamSocket;
using TlsStream = beast::ssl_stream<StreamSocket>;

StreamSocket& socketOf(PlainStream& stream) { return stream; }
StreamSocket& socketOf(TlsStream& stream) { return stream.next_layer(); }

auto into(error_code& failed) { return asio::redirect_error(asio::use_awaitable, failed); }

// A request at the front, and the answer on its way back.
struct Exchange
{
    explicit Exchange(const asio::any_io_executor& executor)
        : ready(executor)
    {
    }
    asio::steady_timer ready; // runs out when the front's time does; cancelled when there is something to look at
    std::optional<HttpResponse> response; // touched on the connection's strand only
};

// What a Reply holds. `io` stands first, so that it goes last: the timer lives in it.
struct WayBack
{
    std::shared_ptr<asio::io_context> io;
    std::shared_ptr<Exchange> exchange;

    void operator()(HttpResponse&& response) const
    {
        asio::post(exchange->ready.get_executor(), [waiting = exchange, given = std::move(response)]() mutable {
            waiting->response = std::move(given);
            waiting->ready.cancel();
        });
    }
};

template <typename Stream>
class Session final : public HttpSession, public std::enable_shared_from_this<Session<Stream>>
{
public:
    Session(std::shared_ptr<SessionHost> host, Stream stream, QString peer, Welcome welcome)
        : m_host(std::move(host))
        , m_stream(std::move(stream))
        , m_executor(socketOf(m_stream).get_executor())
        , m_peer(std::move(peer))
        , m_welcome(welcome)
        , m_buffer(static_cast<std::size_t>(m_host->settings.headerMax) + readSize)
        , m_deadline(m_executor)
        , m_share(m_host->budget)
    {
    }

    void drain() override
    {
        asio::post(m_executor, [self = this->shared_from_this()] {
            if (self->m_isIdle)
                self->cancelSocket();
        });
    }

    void abort() override
    {
        asio::post(m_executor, [self = this->shared_from_this()] {
            self->m_isAborted = true;
            error_code ignored;
            socketOf(self->m_stream).close(ignored);
            if (self->m_exchange)
                self->m_exchange->ready.cancel();
        });
    }

    asio::awaitable<void> run()
    {
        if (co_await handshaken()) {
            if (m_welcome == Welcome::Full) {
                refuse(503);
                co_await farewell(errorResponse(503, QStringLiteral("unavailable")), false, farewellTime);
            } else {
                for (bool isFirst = true; co_await served(isFirst);)
                    isFirst = false;
            }
        }
        m_deadline.cancel();
        error_code ignored;
        socketOf(m_stream).close(ignored);
    }

private:
    void cancelSocket()
    {
        error_code ignored;
        socketOf(m_stream).cancel(ignored);
    }

    // From now on `time` for whatever is awaited, until the next call. The deadline does not close: a late caller is
    // told so.
    void limit(Millis time)
    {
        m_isLate = false;
        const auto number = ++m_limit;
        m_deadline.expires_after(time);
        m_deadline.async_wait([self = this->shared_from_this(), number](const error_code& failed) {
            if (failed || number != self->m_limit)
                return;
            self->m_isLate = true;
            self->cancelSocket();
        });
    }
    void unlimit()
    {
        m_isLate = false;
        ++m_limit;
        m_deadline.cancel();
    }

    bool isClosing() const { return m_isAborted || m_host->isDraining.load(std::memory_order_relaxed); }

    void refuse(int status, const QByteArray& path = {})
    {
        if (m_host->refused)
            m_host->refused({status, path, m_peer});
    }

    asio::awaitable<bool> handshaken()
    {
        if constexpr (std::is_same_v<Stream, TlsStream>) {
            limit(m_welcome == Welcome::Full ? farewellTime : m_host->settings.read);
            error_code failed;
            co_await m_stream.async_handshake(asio::ssl::stream_base::server, into(failed));
            co_return !failed && !m_isAborted;
        }
        co_return true;
    }

    // One request and its answer; false: the connection ends.
    asio::awaitable<bool> served(bool isFirst)
    {
        if (m_buffer.size() == 0 && !co_await somethingCame(isFirst))
            co_return false;
        const auto begun = std::chrono::steady_clock::now();
        limit(m_host->settings.read);
        RequestParser parser;
        parser.header_limit(static_cast<std::uint32_t>(m_host->settings.headerMax));
        parser.body_limit(static_cast<std::uint64_t>(m_host->settings.bodyMax));
        parser.get().body().share = &m_share;
        error_code failed;
        co_await http::async_read_header(m_stream, m_buffer, parser, into(failed));
        const RequestHead& head = parser.get();
        std::optional<int> refusal;
        // A body past its limit is found with the whole head read, and the head's own faults come first.
        if (!failed || failed == http::error::body_limit)
            refusal = refusalOf(head);
        if (!refusal && !failed)
            refusal = expectationFault(head);
        auto request = requestOf(head);
        if (failed || refusal)
            co_return co_await refused(refusal ? refusal : statusOf(failed, false), request.path);
        if (!parser.is_done()) {
            if (head.count(http::field::expect) > 0)
                failed = co_await invited();
            if (!failed)
                co_await http::async_read(m_stream, m_buffer, parser, into(failed));
            if (failed)
                co_return co_await refused(statusOf(failed, true), request.path);
        }
        unlimit();
        const Framing framing{!parser.get().keep_alive(), head.method() == http::verb::head};
        request.body = std::move(parser.get().body().bytes);
        request.peer = m_peer;
        request.begun = begun;
        co_return co_await answered(std::move(request), framing);
    }

    asio::awaitable<bool> somethingCame(bool isFirst)
    {
        if (isClosing())
            co_return false;
        limit(isFirst ? m_host->settings.read : m_host->settings.idle);
        m_isIdle = true;
        error_code failed;
        const auto size = co_await m_stream.async_read_some(m_buffer.prepare(readSize), into(failed));
        m_isIdle = false;
        m_buffer.commit(size);
        co_return !failed;
    }

    static std::optional<int> expectationFault(const RequestHead& head)
    {
        const auto expectations = head.count(http::field::expect);
        const bool isContinue = beast::iequals(head[http::field::expect], "100-continue");
        return expectations == 0 || (expectations == 1 && isContinue) ? std::optional<int>() : 417;
    }

    asio::awaitable<error_code> invited()
    {
        static constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
        error_code failed;
        co_await asio::async_write(m_stream, asio::buffer(text), into(failed));
        co_return failed;
    }

    // Answers what could not be read, where anybody is left to be told.
    asio::awaitable<bool> refused(std::optional<int> status, const QByteArray path)
    {
        m_share.release();
        if (m_isLate)
            status = 408;
        if (!status || m_isAborted)
            co_return false;
        refuse(*status, path);
        auto response = errorResponse(*status, wordOfStatus(*status));
        if (*status == 503)
            response.retryAfter = contract::Seconds{5};
        co_await farewell(std::move(response), false, lingerTime);
        co_return false;
    }

    static QString wordOfStatus(int status)
    {
        switch (status) {
        case 408: return QStringLiteral("request_too_slow");
        case 413: return QStringLiteral("body_too_large");
        case 417: return QStringLiteral("unknown_expectation");
        case 431: return QStringLiteral("header_too_large");
        case 503: return QStringLiteral("unavailable");
        case 505: return QStringLiteral("unknown_http_version");
        default: return QStringLiteral("malformed_request");
        }
    }

    asio::awaitable<bool> answered(HttpRequest request, Framing framing)
    {
        m_exchange = std::make_shared<Exchange>(m_executor);
        const auto exchange = m_exchange;
        const auto time = m_host->settings.answer;
        if (time > Millis{0})
            exchange->ready.expires_after(time);
        else
            exchange->ready.expires_at(std::chrono::steady_clock::time_point::max());
        {
            const Reply reply(WayBack{m_host->io, exchange});
            m_host->answer(std::move(request), reply);
        }
        bool isOver = false;
        while (!exchange->response && !m_isAborted && !isOver) {
            error_code woken;
            co_await exchange->ready.async_wait(into(woken));
            isOver = !woken;
        }
        m_exchange.reset();
        m_share.release();
        if (m_isAborted)
            co_return false;
        const auto response = exchange->response ? std::move(*exchange->response) : m_host->settings.late;
        if (framing.close || isClosing()) {
            co_await farewell(response, framing.isHead, farewellTime);
            co_return false;
        }
        co_return co_await written(response, framing);
    }

    asio::awaitable<bool> written(const HttpResponse response, Framing framing)
    {
        limit(m_host->settings.read);
        const auto text = spelled(response, framing);
        error_code failed;
        co_await asio::async_write(
            m_stream, asio::buffer(text.constData(), static_cast<std::size_t>(text.size())), into(failed));
        co_return !failed && !m_isAborted;
    }

    // The last words, and a wait for the other side to have read them: closing over unread input would reset the
    // connection and take the answer with it.
    asio::awaitable<void> farewell(const HttpResponse response, bool isHead, Millis linger)
    {
        if (!co_await written(response, {true, isHead}))
            co_return;
        limit(linger);
        error_code failed;
        if constexpr (std::is_same_v<Stream, TlsStream>) {
            // Whether the other side says goodbye too does not matter: what is unread is read below.
            co_await m_stream.async_shutdown(into(failed));
        }
        socketOf(m_stream).shutdown(StreamSocket::shutdown_send, failed);
        std::array<char, readSize> unread{};
        while (!failed && !m_isAborted)
            co_await socketOf(m_stream).async_read_some(asio::buffer(unread), into(failed));
    }

    const std::shared_ptr<SessionHost> m_host;
    Stream m_stream;
    const asio::any_io_executor m_executor;
    const QString m_peer;
    const Welcome m_welcome;
    beast::flat_buffer m_buffer;
    asio::steady_timer m_deadline;
    ByteShare m_share;
    std::shared_ptr<Exchange> m_exchange;
    quint64 m_limit = 0; // number of the running deadline
    bool m_isLate = false;
    bool m_isIdle = false;
    bool m_isAborted = false;
};

template <typename Stream>
std::shared_ptr<HttpSession> started(
    std::shared_ptr<SessionHost> host, Stream stream, QString peer, Welcome welcome, std::function<void()> ended)
{
    auto executor = socketOf(stream).get_executor();
    auto session = std::make_shared<Session<Stream>>(std::move(host), std::move(stream), std::move(peer), welcome);
    // The frame holds the session; an exception (no memory) ends this connection and no other.
    asio::co_spawn(
        executor, [session] { return session->run(); },
        [session, end = std::move(ended)](const std::exception_ptr&) { end(); });
    return session;
}

} // namespace

std::shared_ptr<HttpSession> startSession(std::shared_ptr<SessionHost> host, StreamSocket socket, QString peer,
    asio::ssl::context* tls, Welcome welcome, std::function<void()> ended)
{
    if (tls)
        return started<TlsStream>(
            std::move(host), TlsStream(std::move(socket), *tls), std::move(peer), welcome, std::move(ended));
    return started<PlainStream>(std::move(host), std::move(socket), std::move(peer), welcome, std::move(ended));
}

} // namespace unavez::service
