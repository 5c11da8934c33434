// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include <chrono>
#include <optional>
#include <utility>

namespace unavez::tests {

struct WireReply
{
    int status = 0; // 0: the connection ended without one
    QList<std::pair<QByteArray, QByteArray>> headers;
    QByteArray body;

    QByteArray value(const QByteArray& name) const; // of the first such field
};

// A client as raw as hostile requests need it: what is sent is what stands in the test. Blocking, with a limit.
class WireClient
{
public:
    using Limit = std::chrono::milliseconds;
    explicit WireClient(quint16 port, Limit limit = Limit{10000});
    explicit WireClient(const QString& unixPath, Limit limit = Limit{10000});
    ~WireClient();
    WireClient(const WireClient&) = delete;
    WireClient& operator=(const WireClient&) = delete;

    bool isConnected() const { return m_socket >= 0; }
    // False once the other side is gone.
    bool send(const QByteArray& bytes);
    void endSending(); // FIN, while answers may still come
    // The next answer, interim ones included.
    WireReply read();
    WireReply ask(const QByteArray& bytes);
    // True where the other side closes within the limit; what it still says is dropped.
    bool closes();

private:
    bool fill();
    int m_socket = -1;
    QByteArray m_unread;
};

// A whole request with its Content-Length.
QByteArray post(const QByteArray& path, const QByteArray& body, const QByteArray& moreHeaders = {});

} // namespace unavez::tests
