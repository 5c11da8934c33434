// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/httpserver.h"

#include <QJsonDocument>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace unavez::sandbox {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using contract::Error;
using contract::fail;
using contract::Result;

namespace {

QByteArray bytesOf(beast::string_view text) { return {text.data(), static_cast<qsizetype>(text.size())}; }

ServedRequest requestOf(const http::request<http::string_body>& message)
{
    ServedRequest request;
    request.method = bytesOf(message.method_string());
    const auto target = bytesOf(message.target());
    const auto mark = target.indexOf('?');
    request.path = QString::fromUtf8(QByteArray::fromPercentEncoding(mark < 0 ? target : target.left(mark)));
    request.query = mark < 0 ? QByteArray() : target.mid(mark + 1);
    for (const auto& field : message)
        request.headers.append({bytesOf(field.name_string()), bytesOf(field.value())});
    request.body = QByteArray(message.body().data(), static_cast<qsizetype>(message.body().size()));
    return request;
}

http::response<http::string_body> messageOf(const ServedReply& reply, bool keepAlive)
{
    http::response<http::string_body> message;
    message.result(static_cast<unsigned>(reply.status));
    message.set(http::field::content_type,
        beast::string_view(reply.type.constData(), static_cast<std::size_t>(reply.type.size())));
    for (const auto& [name, value] : reply.headers)
        message.set(beast::string_view(name.constData(), static_cast<std::size_t>(name.size())),
            beast::string_view(value.constData(), static_cast<std::size_t>(value.size())));
    message.body() = reply.body.toStdString();
    message.keep_alive(keepAlive);
    message.prepare_payload();
    return message;
}

std::optional<tcp::endpoint> loopbackEndpoint(const QString& address)
{
    const auto colon = address.lastIndexOf(QLatin1Char(':'));
    bool isPort = false;
    const auto port = address.mid(colon + 1).toUShort(&isPort);
    auto host = address.left(std::max<qsizetype>(colon, 0));
    if (host.startsWith(QLatin1Char('[')) && host.endsWith(QLatin1Char(']')))
        host = host.mid(1, host.size() - 2);
    error_code failed;
    const auto parsed = asio::ip::make_address(host.toStdString(), failed);
    if (failed || !isPort || !parsed.is_loopback())
        return std::nullopt;
    return tcp::endpoint(parsed, port);
}

} // namespace

std::optional<QByteArray> ServedRequest::header(const QByteArray& name) const
{
    for (const auto& [field, value] : headers) {
        if (field.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return std::nullopt;
}

ServedReply jsonReply(int status, const QJsonObject& body)
{
    ServedReply reply;
    reply.status = status;
    reply.body = QJsonDocument(body).toJson(QJsonDocument::Compact);
    return reply;
}

struct HttpServer::Body
{
    Body(Respond answers, const ServerLimits& bounds)
        : respond(std::move(answers))
        , limits(bounds)
    {
    }

    Respond respond;
    ServerLimits limits;
    asio::io_context io;
    tcp::acceptor acceptor{io};
    tcp::endpoint local;
    std::stop_source stopping;
    std::mutex mutex;
    std::condition_variable changed;
    std::set<int> sockets; // open connections, to be woken at the end
    int running = 0; // connection threads that still touch this object
    std::thread thread;

    void acceptAll();
    void serve(tcp::socket::native_handle_type handle);
    bool serveOne(beast::tcp_stream& stream, asio::io_context& own, beast::flat_buffer& buffer);
    void end();
};

void HttpServer::Body::acceptAll()
{
    while (!stopping.stop_requested()) {
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [this] { return stopping.stop_requested() || running < limits.connections; });
        }
        error_code failed;
        tcp::socket socket(io);
        acceptor.accept(socket, failed);
        if (failed || stopping.stop_requested()) {
            if (acceptor.is_open() && !stopping.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(20)); // out of descriptors: let some end
            continue;
        }
        const auto handle = socket.release();
        {
            const std::scoped_lock lock(mutex);
            sockets.insert(handle);
            ++running;
        }
        std::thread([this, handle] { serve(handle); }).detach();
    }
}

void HttpServer::Body::serve(tcp::socket::native_handle_type handle)
{
    {
        asio::io_context own; // deadlines need asynchronous calls, and each connection waits for its own
        beast::tcp_stream stream(tcp::socket(own, local.protocol(), handle));
        error_code ignored;
        stream.socket().set_option(tcp::no_delay(true), ignored);
        beast::flat_buffer buffer(static_cast<std::size_t>(limits.header + limits.body + 4096));
        while (!stopping.stop_requested() && serveOne(stream, own, buffer)) { }
        const std::scoped_lock lock(mutex);
        sockets.erase(handle); // before it is closed: its number may be given away at once
        stream.socket().close(ignored);
    }
    const std::scoped_lock lock(mutex);
    --running;
    changed.notify_all(); // under the lock: the end may take this object away right after
}

// One request and its answer; false: the connection ends.
bool HttpServer::Body::serveOne(beast::tcp_stream& stream, asio::io_context& own, beast::flat_buffer& buffer)
{
    error_code failed;
    const auto finish = [&] {
        own.restart();
        own.run();
    };
    http::request_parser<http::string_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(limits.header));
    parser.body_limit(static_cast<std::uint64_t>(limits.body));
    stream.expires_after(limits.idle);
    http::async_read(stream, buffer, parser, [&](const error_code& ended, std::size_t) { failed = ended; });
    finish();
    ServedReply reply;
    bool keepAlive = false;
    if (failed == http::error::body_limit || failed == http::error::header_limit) {
        reply = jsonReply(413, {});
    } else if (failed) {
        return false;
    } else {
        keepAlive = parser.get().keep_alive();
        reply = respond(requestOf(parser.get()), stopping.get_token());
    }
    if (reply.isReset) {
        error_code ignored;
        stream.socket().set_option(asio::socket_base::linger(true, 0), ignored);
        return false;
    }
    const auto message = messageOf(reply, keepAlive);
    stream.expires_after(limits.idle);
    http::async_write(stream, message, [&](const error_code& ended, std::size_t) { failed = ended; });
    finish();
    if (!keepAlive && !failed) {
        error_code ignored;
        stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
    }
    return keepAlive && !failed;
}

void HttpServer::Body::end()
{
    stopping.request_stop();
    ::shutdown(acceptor.native_handle(), SHUT_RDWR); // wakes the blocking accept
    {
        const std::scoped_lock lock(mutex);
        changed.notify_all();
    }
    if (thread.joinable())
        thread.join();
    std::unique_lock lock(mutex);
    for (const auto socket : sockets)
        ::shutdown(socket, SHUT_RDWR);
    changed.wait(lock, [this] { return running == 0; });
}

HttpServer::HttpServer(std::unique_ptr<Body> body)
    : m_body(std::move(body))
{
}

HttpServer::~HttpServer() { m_body->end(); }

quint16 HttpServer::port() const { return m_body->local.port(); }

QString HttpServer::url() const
{
    const auto host = QString::fromStdString(m_body->local.address().to_string());
    return QStringLiteral("http://%1:%2")
        .arg(m_body->local.address().is_v6() ? QLatin1Char('[') + host + QLatin1Char(']') : host)
        .arg(port());
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(
    const QString& address, Respond respond, const ServerLimits& limits)
{
    const auto endpoint = loopbackEndpoint(address);
    if (!endpoint)
        return fail(Error::Kind::Invalid,
            QStringLiteral("%1 is no loopback address with a port, as 127.0.0.1:0 is").arg(address));
    auto body = std::make_unique<Body>(std::move(respond), limits);
    error_code failed;
    body->acceptor.open(endpoint->protocol(), failed);
    if (!failed)
        body->acceptor.set_option(asio::socket_base::reuse_address(true), failed);
    if (!failed)
        body->acceptor.bind(*endpoint, failed);
    if (!failed)
        body->acceptor.listen(128, failed);
    if (!failed)
        body->local = body->acceptor.local_endpoint(failed);
    if (failed)
        return fail(Error::Kind::Offline,
            QStringLiteral("listen on %1: %2").arg(address, QString::fromStdString(failed.message())), failed.value());
    auto* const running = body.get();
    body->thread = std::thread([running] { running->acceptAll(); });
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(body)));
}

} // namespace unavez::sandbox
