// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace unavez::test {

// One accepted connection, as raw as a test needs it.
class Peer
{
public:
    Peer(int socket, std::function<void(const QByteArray&)> seen)
        : m_socket(socket)
        , m_seen(std::move(seen))
    {
    }
    // Head and, by its Content-Length, body. What came so far when the other side closes.
    QByteArray readRequest();
    // False once the other side is gone.
    bool send(const QByteArray& bytes);
    // Closes with an RST instead of a FIN.
    void reset();
    // Blocks until the other side closes or two seconds are over.
    void waitForClose();

private:
    friend class WireServer;
    int m_socket;
    std::function<void(const QByteArray&)> m_seen;
};

// A loopback server that does to each connection what its script says, one after another.
class WireServer
{
public:
    using Script = std::function<void(Peer&)>;
    explicit WireServer(Script script);
    ~WireServer();

    quint16 port() const { return m_port; }
    int connections() const { return m_connections; }
    // What the scripts' readRequest() read, where it was at least one byte.
    QList<QByteArray> requests() const;

private:
    void serve();
    Script m_script;
    quint16 m_port = 0; // before the listener, which fills it in
    int m_listener = -1;
    std::atomic<int> m_connections = 0;
    std::atomic<bool> m_stop = false;
    mutable std::mutex m_mutex;
    QList<QByteArray> m_requests;
    std::thread m_thread;
};

// Reads the request, then sends `answer` and closes.
WireServer::Script answering(const QByteArray& answer);
// An HTTP answer with its Content-Length.
QByteArray httpAnswer(int status, const QByteArray& body, const QByteArray& headers = {});

// A listener nobody accepts from, its queue full: connecting there hangs.
class DeafListener
{
public:
    DeafListener();
    ~DeafListener();
    quint16 port() const { return m_port; }

private:
    quint16 m_port = 0; // before the listener, which fills it in
    int m_listener = -1;
    QList<int> m_fillers;
};

// A port that was free a moment ago.
quint16 closedPort();

} // namespace unavez::test
