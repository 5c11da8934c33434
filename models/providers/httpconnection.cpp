// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/httpconnection.h"

#include "models/providers/addresses.h"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <chrono>

namespace unavez::providers {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;
using contract::Error;
using contract::fail;
using contract::Result;
using SteadyTime = std::chrono::steady_clock::time_point;

struct TlsTrust::Context
{
    ssl::context ssl{ssl::context::tls_client};
};

TlsTrust::TlsTrust(const std::optional<QString>& authorityFile)
    : m_context(std::make_shared<Context>())
{
    auto& context = m_context->ssl;
    error_code failed;
    context.set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3
            | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1,
        failed);
    context.set_verify_mode(ssl::verify_peer);
    if (authorityFile)
        context.load_verify_file(authorityFile->toStdString(), failed);
    else
        context.set_default_verify_paths(failed);
    if (failed)
        m_fault = Error{Error::Kind::Invalid, QStringLiteral("tls: the authorities cannot be read"), failed.value()};
}

namespace {

Error::Kind kindOf(const error_code& failed, bool cancelled)
{
    if (cancelled)
        return Error::Kind::Cancelled;
    if (failed == beast::error::timeout || failed == asio::error::timed_out)
        return Error::Kind::Timeout;
    return Error::Kind::Offline;
}

Error errorOf(const char* doing, const error_code& failed, bool cancelled)
{
    return {kindOf(failed, cancelled), QString::fromLatin1(doing) + QString::fromStdString(failed.message()),
        failed.value()};
}

bool isOneLine(const QByteArray& text)
{
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            return false;
    }
    return true;
}

// The whole request as it goes over the wire; empty where a line break would smuggle in a second one.
QByteArray spelled(const HttpRequest& request, const Endpoint& endpoint)
{
    const auto host = endpoint.host.toLatin1();
    const auto name = host.contains(':') ? '[' + host + ']' : host;
    QByteArray text = request.method + ' ' + request.target + " HTTP/1.1\r\nHost: " + name;
    if (endpoint.port != (endpoint.tls ? 443 : 80))
        text += ':' + QByteArray::number(endpoint.port);
    text += "\r\n";
    bool isSound = isOneLine(request.method) && isOneLine(request.target) && !request.target.contains(' ');
    for (const auto& [field, value] : request.headers) {
        isSound = isSound && !field.isEmpty() && isOneLine(field) && isOneLine(value) && !field.contains(':');
        text += field + ": " + value + "\r\n";
    }
    if (request.method != "GET")
        text += "Content-Length: " + QByteArray::number(request.body.size()) + "\r\n";
    text += "Connection: close\r\n\r\n";
    return isSound ? text + request.body : QByteArray();
}

HttpReply replyOf(const http::response<http::string_body>& message, bool complete)
{
    HttpReply reply;
    reply.status = static_cast<int>(message.result_int());
    for (const auto& field : message) {
        const auto name = field.name_string();
        const auto value = field.value();
        reply.headers.append({QByteArray(name.data(), static_cast<qsizetype>(name.size())),
            QByteArray(value.data(), static_cast<qsizetype>(value.size()))});
    }
    reply.body = QByteArray(message.body().data(), static_cast<qsizetype>(message.body().size()));
    reply.complete = complete;
    return reply;
}

} // namespace

struct HttpConnection::Wire
{
    Wire(const Endpoint& to, const HttpLimits& bounds, std::shared_ptr<TlsTrust::Context> tls)
        : endpoint(to)
        , limits(bounds)
        , trust(std::move(tls))
        , stream(io, trust->ssl)
    {
    }

    Endpoint endpoint;
    HttpLimits limits;
    std::shared_ptr<TlsTrust::Context> trust;
    asio::io_context io;
    beast::ssl_stream<beast::tcp_stream> stream; // its TLS layer stays unused on plain http
    bool isCancelled = false;

    beast::tcp_stream& tcp() { return stream.next_layer(); }

    // Runs what was started until it ends: by itself, by the stream's deadline, or by a cancel from another thread.
    void run(const std::stop_token& cancelled)
    {
        const std::stop_callback onStop(cancelled, [this] {
            asio::post(io, [this] {
                isCancelled = true;
                tcp().close();
            });
        });
        io.restart();
        io.run();
    }

    template <typename Start> error_code await(const std::stop_token& cancelled, Start start)
    {
        error_code result = asio::error::would_block;
        start([&result](const error_code& ended, auto&&...) { result = ended; });
        run(cancelled);
        return result;
    }

    Result<> connect(SteadyTime end, const std::stop_token& cancelled)
    {
        const auto left
            = [&end] { return std::chrono::duration_cast<contract::Millis>(end - std::chrono::steady_clock::now()); };
        const auto found = addressesOf(endpoint.host.toStdString(), endpoint.port, limits.connect, cancelled);
        if (!found)
            return fail(found.error());
        error_code failed = asio::error::host_unreachable;
        auto untried = static_cast<qint64>(found->size());
        for (const auto& address : *found) {
            // A silent address must not use up the others' time.
            const contract::Millis share = left() / untried--;
            tcp().expires_after(std::max(contract::Millis{1}, share));
            failed = await(cancelled, [&](auto ended) { tcp().async_connect(address, std::move(ended)); });
            if (!failed || isCancelled || left().count() <= 0)
                break;
        }
        if (failed)
            return fail(errorOf("connect: ", failed, isCancelled));
        error_code ignored;
        tcp().socket().set_option(asio::ip::tcp::no_delay(true), ignored);
        return contract::done();
    }

    Result<> handshake(SteadyTime end, const std::stop_token& cancelled)
    {
        const auto host = endpoint.host.toStdString();
        error_code literal;
        asio::ip::make_address(host, literal);
        auto name = host; // what SSL_set_tlsext_host_name does, without its C cast
        if (literal
            && SSL_ctrl(stream.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data())
                != 1)
            return fail(Error::Kind::Invalid, QStringLiteral("tls: the host cannot be named"));
        stream.set_verify_mode(ssl::verify_peer);
        stream.set_verify_callback(ssl::host_name_verification(host));
        tcp().expires_at(end);
        const auto failed
            = await(cancelled, [&](auto ended) { stream.async_handshake(ssl::stream_base::client, std::move(ended)); });
        if (!failed)
            return contract::done();
        auto error = errorOf("tls: ", failed, isCancelled);
        if (failed.category() == asio::error::get_ssl_category() && !isCancelled)
            error.kind = Error::Kind::Denied;
        return fail(error);
    }

    template <typename Stream>
    Result<HttpReply> exchange(
        Stream& over, const QByteArray& text, const std::stop_token& cancelled, const std::function<void()>& written)
    {
        tcp().expires_after(limits.total); // one deadline over writing and reading
        const auto unsent = await(cancelled, [&](auto ended) {
            asio::async_write(
                over, asio::buffer(text.constData(), static_cast<std::size_t>(text.size())), std::move(ended));
        });
        if (unsent)
            return fail(errorOf("write: ", unsent, isCancelled));
        if (written)
            written();
        beast::flat_buffer buffer(static_cast<std::size_t>(limits.header + 64 * 1024));
        constexpr int mostInterim = 4; // 100, 103
        for (int i = 0; i <= mostInterim; ++i) {
            http::response_parser<http::string_body> parser;
            parser.header_limit(static_cast<std::uint32_t>(limits.header));
            parser.body_limit(static_cast<std::uint64_t>(limits.body));
            const auto failed
                = await(cancelled, [&](auto ended) { http::async_read(over, buffer, parser, std::move(ended)); });
            const auto status = static_cast<int>(parser.get().result_int());
            const bool hasStatus = parser.is_header_done() || failed == http::error::body_limit;
            if (failed && !hasStatus) {
                auto error = errorOf("read: ", failed, isCancelled);
                if (failed.category() == make_error_code(http::error::bad_version).category()
                    && failed != http::error::end_of_stream && failed != http::error::partial_message)
                    error.kind = Error::Kind::Corrupt;
                return fail(error);
            }
            if (failed || status >= 200)
                return replyOf(parser.get(), !failed);
        }
        return fail(Error::Kind::Corrupt, QStringLiteral("read: nothing but interim answers"));
    }
};

HttpConnection::HttpConnection(const Endpoint& endpoint, const HttpLimits& limits, const TlsTrust& trust)
    : m_wire(std::make_unique<Wire>(endpoint, limits, trust.m_context))
{
}

HttpConnection::~HttpConnection() = default;

Result<> HttpConnection::open(std::stop_token cancelled)
{
    if (cancelled.stop_requested())
        return fail(Error::Kind::Cancelled);
    const auto end = std::chrono::steady_clock::now() + m_wire->limits.connect;
    if (auto connected = m_wire->connect(end, cancelled); !connected || !m_wire->endpoint.tls)
        return connected;
    return m_wire->handshake(end, cancelled);
}

Result<HttpReply> HttpConnection::exchange(
    const HttpRequest& request, std::stop_token cancelled, const std::function<void()>& written)
{
    const auto text = spelled(request, m_wire->endpoint);
    if (text.isEmpty())
        return fail(Error::Kind::Invalid, QStringLiteral("request: a control character in its head"));
    return m_wire->endpoint.tls ? m_wire->exchange(m_wire->stream, text, cancelled, written)
                                : m_wire->exchange(m_wire->tcp(), text, cancelled, written);
}

Result<HttpReply> fetched(const Endpoint& endpoint, const HttpRequest& request, const HttpLimits& limits,
    const TlsTrust& trust, std::stop_token cancelled)
{
    HttpConnection connection(endpoint, limits, trust);
    if (const auto opened = connection.open(cancelled); !opened)
        return fail(opened.error());
    return connection.exchange(request, cancelled);
}

} // namespace unavez::providers
