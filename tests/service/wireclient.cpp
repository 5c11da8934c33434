// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/service/wireclient.h"

#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace unavez::tests {

namespace {

void bound(int socket, WireClient::Limit limit)
{
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
    const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(limit - seconds);
    const timeval time{seconds.count(), rest.count()};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

template <typename Address> int connected(int family, const Address& address, WireClient::Limit limit)
{
    const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bound(socket, limit);
    sockaddr_storage any{};
    std::memcpy(&any, &address, sizeof address);
    // NOLINTNEXTLINE: the sockets interface is written this way
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&any), sizeof address) == 0)
        return socket;
    ::close(socket);
    return -1;
}

} // namespace

QByteArray WireReply::value(const QByteArray& name) const
{
    for (const auto& [field, value] : headers) {
        if (field.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

WireClient::WireClient(quint16 port, Limit limit)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    m_socket = connected(AF_INET, address, limit);
}

WireClient::WireClient(const QString& unixPath, Limit limit)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = unixPath.toLocal8Bit();
    std::memcpy(address.sun_path, path.constData(), static_cast<std::size_t>(path.size()));
    m_socket = connected(AF_UNIX, address, limit);
}

WireClient::~WireClient()
{
    if (m_socket >= 0)
        ::close(m_socket);
}

bool WireClient::send(const QByteArray& bytes)
{
    for (qsizetype sent = 0; sent < bytes.size();) {
        const auto n
            = ::send(m_socket, bytes.constData() + sent, static_cast<std::size_t>(bytes.size() - sent), MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        sent += n;
    }
    return true;
}

void WireClient::endSending() { ::shutdown(m_socket, SHUT_WR); }

bool WireClient::fill()
{
    QByteArray piece(65536, Qt::Uninitialized);
    const auto n = ::recv(m_socket, piece.data(), static_cast<std::size_t>(piece.size()), 0);
    if (n <= 0)
        return false;
    m_unread += piece.first(n);
    return true;
}

WireReply WireClient::read()
{
    qsizetype end = -1;
    while ((end = m_unread.indexOf("\r\n\r\n")) < 0) {
        if (!fill())
            return {};
    }
    WireReply reply;
    auto lines = m_unread.first(end).split('\n');
    m_unread.remove(0, end + 4);
    reply.status = lines.takeFirst().mid(9, 3).toInt();
    for (const auto& line : lines) {
        const auto colon = line.indexOf(':');
        reply.headers.append({line.first(colon), line.sliced(colon + 1).trimmed()});
    }
    const auto size = reply.value("Content-Length").toLongLong();
    while (m_unread.size() < size) {
        if (!fill())
            return {};
    }
    reply.body = m_unread.first(size);
    m_unread.remove(0, size);
    return reply;
}

WireReply WireClient::ask(const QByteArray& bytes)
{
    send(bytes);
    return read();
}

bool WireClient::closes()
{
    char byte = 0;
    for (;;) {
        const auto n = ::recv(m_socket, &byte, 1, 0);
        if (n == 0 || (n < 0 && errno == ECONNRESET))
            return true;
        if (n < 0)
            return false;
    }
}

QByteArray post(const QByteArray& path, const QByteArray& body, const QByteArray& moreHeaders)
{
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + moreHeaders
        + "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

} // namespace unavez::tests
