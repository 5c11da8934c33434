// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/providers/wireserver.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace unavez::test {

namespace {

int boundSocket(quint16& port, int backlog)
{
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (listener < 0 || ::bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0
        || ::listen(listener, backlog) != 0
        || ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
        std::perror("test server");
        std::abort();
    }
    port = ntohs(address.sin_port);
    return listener;
}

bool isReadable(int socket, int ms)
{
    pollfd waiting{socket, POLLIN, 0};
    return ::poll(&waiting, 1, ms) > 0;
}

qsizetype lengthOf(const QByteArray& head)
{
    const auto lower = head.toLower();
    const auto at = lower.indexOf("content-length:");
    return at < 0 ? 0 : lower.mid(at + 15, lower.indexOf('\r', at) - at - 15).trimmed().toLongLong();
}

} // namespace

QByteArray Peer::readRequest()
{
    QByteArray bytes;
    while (isReadable(m_socket, 5000)) {
        char chunk[4096];
        const auto count = ::recv(m_socket, chunk, sizeof chunk, 0);
        if (count <= 0)
            break;
        bytes.append(chunk, count);
        const auto head = bytes.indexOf("\r\n\r\n");
        if (head >= 0 && bytes.size() >= head + 4 + lengthOf(bytes.left(head + 2)))
            break;
    }
    if (!bytes.isEmpty())
        m_seen(bytes);
    return bytes;
}

bool Peer::send(const QByteArray& bytes)
{
    qsizetype sent = 0;
    while (sent < bytes.size()) {
        const auto count
            = ::send(m_socket, bytes.constData() + sent, static_cast<size_t>(bytes.size() - sent), MSG_NOSIGNAL);
        if (count <= 0)
            return false;
        sent += count;
    }
    return true;
}

void Peer::reset()
{
    const linger hard{1, 0};
    ::setsockopt(m_socket, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    ::close(m_socket);
    m_socket = -1;
}

void Peer::waitForClose()
{
    char rest[256];
    for (int i = 0; i < 40; ++i) {
        if (isReadable(m_socket, 50) && ::recv(m_socket, rest, sizeof rest, 0) <= 0)
            return;
    }
}

WireServer::WireServer(Script script)
    : m_script(std::move(script))
    , m_listener(boundSocket(m_port, 16))
    , m_thread([this] { serve(); })
{
}

WireServer::~WireServer()
{
    m_stop = true;
    m_thread.join();
    ::close(m_listener);
}

void WireServer::serve()
{
    while (!m_stop) {
        if (!isReadable(m_listener, 10))
            continue;
        Peer peer(::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC), [this](const QByteArray& request) {
            const std::scoped_lock lock(m_mutex);
            m_requests.append(request);
        });
        if (peer.m_socket < 0)
            continue;
        ++m_connections;
        m_script(peer);
        if (peer.m_socket >= 0)
            ::close(peer.m_socket);
    }
}

QList<QByteArray> WireServer::requests() const
{
    const std::scoped_lock lock(m_mutex);
    return m_requests;
}

WireServer::Script answering(const QByteArray& answer)
{
    return [answer](Peer& peer) {
        peer.readRequest();
        peer.send(answer);
    };
}

QByteArray httpAnswer(int status, const QByteArray& body, const QByteArray& headers)
{
    return "HTTP/1.1 " + QByteArray::number(status) + " Said\r\n" + headers
        + "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

DeafListener::DeafListener()
    : m_listener(boundSocket(m_port, 0))
{
    for (int i = 0; i < 4; ++i) {
        const int filler = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(m_port);
        static_cast<void>(::connect(filler, reinterpret_cast<sockaddr*>(&address), sizeof address));
        m_fillers.append(filler);
    }
}

DeafListener::~DeafListener()
{
    for (const int filler : m_fillers)
        ::close(filler);
    ::close(m_listener);
}

quint16 closedPort()
{
    quint16 port = 0;
    ::close(boundSocket(port, 1));
    return port;
}

} // namespace unavez::test
