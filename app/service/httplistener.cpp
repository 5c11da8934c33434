// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/httplistener.h"

#include "app/service/httpsession.h"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <QFile>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <unordered_map>

#include <sys/stat.h>

namespace unavez::service {

namespace asio = boost::asio;
using boost::system::error_code;
using contract::done;
using contract::Error;
using contract::fail;
using contract::Millis;
using contract::Result;
using GenericAcceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;
using GenericEndpoint = asio::generic::stream_protocol::endpoint;

namespace {

// Beyond the cap this many more are told so; past them a connection is closed without a word.
constexpr int mostRefusals = 64;
constexpr Millis acceptPause{100}; // where the process has no descriptor left

Error errorOf(const char* doing, const error_code& failed)
{
    auto kind = Error::Kind::Offline;
    if (failed == asio::error::address_in_use)
        kind = Error::Kind::Conflict;
    else if (failed == asio::error::access_denied)
        kind = Error::Kind::Denied;
    return {kind, QString::fromLatin1(doing) + QString::fromStdString(failed.message()), failed.value()};
}

std::optional<asio::ip::tcp::endpoint> tcpOf(const GenericEndpoint& endpoint)
{
    const auto family = endpoint.protocol().family();
    if (family != AF_INET && family != AF_INET6)
        return std::nullopt;
    asio::ip::tcp::endpoint tcp(family == AF_INET ? asio::ip::tcp::v4() : asio::ip::tcp::v6(), 0);
    if (endpoint.size() > tcp.capacity())
        return std::nullopt;
    std::memcpy(tcp.data(), endpoint.data(), endpoint.size());
    return tcp;
}

QString peerOf(const StreamSocket& socket)
{
    error_code failed;
    const auto endpoint = socket.remote_endpoint(failed);
    const auto tcp = failed ? std::nullopt : tcpOf(endpoint);
    if (!tcp)
        return {};
    auto address = tcp->address();
    if (address.is_v6()) {
        auto v6 = address.to_v6();
        v6.scope_id(0); // the store's address type knows none
        if (v6.is_v4_mapped())
            address = asio::ip::make_address_v4(asio::ip::v4_mapped, v6);
        else
            address = v6;
    }
    return QString::fromStdString(address.to_string());
}

Result<GenericEndpoint> endpointOf(const ListenAddress& listen)
{
    if (!listen.path.isEmpty()) {
        const auto path = QFile::encodeName(listen.path).toStdString();
        constexpr std::size_t mostPath = sizeof(sockaddr_un::sun_path) - 1;
        if (path.size() > mostPath)
            return fail(Error::Kind::Invalid, QStringLiteral("listen: the socket's path is too long"));
        return GenericEndpoint(asio::local::stream_protocol::endpoint(path));
    }
    error_code failed;
    const auto address = asio::ip::make_address(listen.host.toStdString(), failed);
    if (failed)
        return fail(Error::Kind::Invalid, QStringLiteral("listen: %1 is no literal address").arg(listen.host));
    return GenericEndpoint(asio::ip::tcp::endpoint(address, listen.port));
}

// A socket file that nobody answers on is what a killed process left.
void removeStaleSocket(const QString& path)
{
    const auto name = QFile::encodeName(path);
    struct stat found = {};
    if (::lstat(name.constData(), &found) != 0 || !S_ISSOCK(found.st_mode))
        return;
    asio::io_context io;
    asio::local::stream_protocol::socket probe(io);
    error_code failed;
    probe.connect(asio::local::stream_protocol::endpoint(name.toStdString()), failed);
    if (failed == asio::error::connection_refused)
        QFile::remove(path);
}

Result<> readCertificate(asio::ssl::context& tls, const ListenerSettings& settings)
{
    error_code failed;
    tls.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2
            | asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1,
        failed);
    tls.use_certificate_chain_file(QFile::encodeName(settings.tlsCertificate).toStdString(), failed);
    if (failed)
        return fail(Error::Kind::Invalid,
            QStringLiteral("tls: the certificate %1 cannot be read").arg(settings.tlsCertificate), failed.value());
    tls.use_private_key_file(QFile::encodeName(settings.tlsKey).toStdString(), asio::ssl::context::pem, failed);
    if (failed)
        return fail(Error::Kind::Invalid,
            QStringLiteral("tls: the key %1 cannot be read or is not the certificate's").arg(settings.tlsKey),
            failed.value());
    return done();
}

} // namespace

struct HttpListener::Core : std::enable_shared_from_this<HttpListener::Core>
{
    Core(ListenerSettings given, AnswerRequest front, SawRefusal refused)
        : host(std::make_shared<SessionHost>(std::move(given), std::move(front), std::move(refused)))
        , strand(asio::make_strand(*host->io))
        , acceptor(strand)
        , pause(strand)
    {
    }

    std::shared_ptr<SessionHost> host;
    asio::any_io_executor strand; // of accepting
    GenericAcceptor acceptor;
    asio::steady_timer pause;
    std::optional<asio::ssl::context> tls;
    quint16 boundPort = 0;
    std::vector<std::thread> threads;
    // Keeps the threads at work while nothing is connected.
    std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
    std::mutex mutex;
    std::condition_variable changed;
    std::unordered_map<quint64, std::weak_ptr<HttpSession>> sessions; // every one that has not ended
    quint64 lastSession = 0;

    Result<> bind();
    void listen();
    asio::awaitable<void> accepted();
    void serve(StreamSocket socket);
    void forEach(const std::function<void(HttpSession&)>& visit);
};

Result<> HttpListener::Core::bind()
{
    const auto& settings = host->settings;
    if (settings.tlsCertificate.isEmpty() != settings.tlsKey.isEmpty())
        return fail(Error::Kind::Invalid, QStringLiteral("tls: certificate and key come together"));
    const bool isTls = !settings.tlsCertificate.isEmpty();
    const auto endpoint = endpointOf(settings.listen);
    if (!endpoint)
        return fail(endpoint.error());
    if (!isTls && !settings.behindProxy && !settings.listen.isLoopback())
        return fail(Error::Kind::Refused,
            QStringLiteral("listen: %1 is not loopback; give tls_certificate and tls_key, or set behind_proxy")
                .arg(settings.listen.host));
    if (isTls) {
        tls.emplace(asio::ssl::context::tls_server);
        if (const auto read = readCertificate(*tls, settings); !read)
            return read;
    }
    if (!settings.listen.path.isEmpty())
        removeStaleSocket(settings.listen.path);
    error_code failed;
    acceptor.open(endpoint->protocol(), failed);
    if (!failed && settings.listen.path.isEmpty())
        acceptor.set_option(asio::socket_base::reuse_address(true), failed);
    if (!failed && !settings.listen.path.isEmpty())
        ::fchmod(acceptor.native_handle(), S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP); // before it has a name
    if (!failed)
        acceptor.bind(*endpoint, failed);
    if (!failed)
        acceptor.listen(asio::socket_base::max_listen_connections, failed);
    if (failed)
        return fail(errorOf("listen: ", failed));
    if (const auto tcp = tcpOf(acceptor.local_endpoint(failed)))
        boundPort = tcp->port();
    return done();
}

void HttpListener::Core::listen()
{
    work.emplace(asio::make_work_guard(*host->io));
    asio::co_spawn(
        strand, [self = shared_from_this()] { return self->accepted(); }, asio::detached);
    for (int i = 0; i < std::max(1, host->settings.threads); ++i)
        threads.emplace_back([io = host->io] { io->run(); });
}

asio::awaitable<void> HttpListener::Core::accepted()
{
    while (!host->isDraining) {
        error_code failed;
        StreamSocket socket = co_await acceptor.async_accept(
            asio::any_io_executor(asio::make_strand(*host->io)), asio::redirect_error(asio::use_awaitable, failed));
        if (failed == asio::error::operation_aborted || failed == asio::error::bad_descriptor)
            co_return;
        if (failed) {
            pause.expires_after(acceptPause);
            co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, failed));
            continue;
        }
        serve(std::move(socket));
    }
}

void HttpListener::Core::serve(StreamSocket socket)
{
    const std::lock_guard lock(mutex);
    const auto open = static_cast<int>(sessions.size());
    if (host->isDraining || open >= host->settings.maxConnections + mostRefusals)
        return; // the socket closes
    error_code ignored;
    if (host->settings.listen.path.isEmpty())
        socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    const auto welcome = open < host->settings.maxConnections ? Welcome::Serve : Welcome::Full;
    auto peer = peerOf(socket);
    const auto number = ++lastSession;
    // Its end is noted on our strand, so never before the line that notes its beginning.
    auto ended = [self = shared_from_this(), number] {
        asio::post(self->strand, [self, number] {
            const std::lock_guard ending(self->mutex);
            self->sessions.erase(number);
            self->changed.notify_all();
        });
    };
    sessions[number]
        = startSession(host, std::move(socket), std::move(peer), tls ? &*tls : nullptr, welcome, std::move(ended));
}

void HttpListener::Core::forEach(const std::function<void(HttpSession&)>& visit)
{
    std::vector<std::shared_ptr<HttpSession>> open;
    {
        const std::lock_guard lock(mutex);
        for (const auto& [number, session] : sessions) {
            if (auto there = session.lock())
                open.push_back(std::move(there));
        }
    }
    for (const auto& session : open)
        visit(*session);
}

HttpListener::HttpListener(ListenerSettings settings, AnswerRequest answer, SawRefusal refused)
    : m_core(std::make_shared<Core>(std::move(settings), std::move(answer), std::move(refused)))
{
}

HttpListener::~HttpListener() { drain(Millis{0}); }

Result<> HttpListener::start()
{
    if (const auto bound = m_core->bind(); !bound)
        return bound;
    m_core->listen();
    return done();
}

quint16 HttpListener::port() const { return m_core->boundPort; }

int HttpListener::connections() const
{
    const std::lock_guard lock(m_core->mutex);
    return static_cast<int>(m_core->sessions.size());
}

void HttpListener::drain(Millis within)
{
    auto& core = *m_core;
    if (core.threads.empty())
        return;
    core.host->isDraining = true;
    asio::post(core.strand, [self = m_core] {
        error_code ignored;
        self->acceptor.close(ignored);
        self->pause.cancel();
    });
    core.forEach([](HttpSession& session) { session.drain(); });
    {
        std::unique_lock lock(core.mutex);
        core.changed.wait_for(lock, within, [&] { return core.sessions.empty(); });
    }
    core.forEach([](HttpSession& session) { session.abort(); });
    core.work.reset();
    for (auto& thread : core.threads)
        thread.join();
    core.threads.clear();
    if (!core.host->settings.listen.path.isEmpty())
        QFile::remove(core.host->settings.listen.path);
}

} // namespace unavez::service
