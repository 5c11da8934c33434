// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/httpmessage.h"
#include "app/service/settings.h"
#include "models/contract/error.h"

namespace unavez::service {

struct ListenerSettings
{
    ListenAddress listen;
    bool behindProxy = false; // something in front speaks TLS
    QString tlsCertificate; // PEM files, the chain and its key; both or none
    QString tlsKey;
    qint64 bodyMax = 1024 * 1024; // bytes of one body
    qint64 headerMax = 16 * 1024; // bytes of request line and headers
    qint64 memoryMax = 256 * 1024 * 1024; // bytes of all bodies being read or answered
    contract::Millis read{
        10000}; // for one whole request, from its first byte; also for the first byte of a connection, and a handshake
    contract::Millis idle{60000}; // between two requests of a connection
    contract::Millis answer{0}; // the front's time; 0: as long as it takes
    HttpResponse late = errorResponse(503, QStringLiteral("unavailable")); // said when that is over
    int maxConnections = 4096;
    int threads = 1; // ≥ 1
};

// A request that never reached the front.
struct RefusedRequest
{
    int status = 400; // 400, 408, 413, 417, 431, 503, 505
    QByteArray path; // empty where it was not read
    QString peer;
};
using SawRefusal = std::function<void(const RefusedRequest&)>;

// An HTTP/1.1 server that may face the internet (contract.md §9, §15 scenario 10): header, body, time, connections and
// memory are bounded, and what two readers could understand in two ways is refused and its connection closed. One
// request of a connection at a time; pipelined ones wait in the socket.
class HttpListener
{
public:
    // `answer` runs in a listener's thread and must not block; its reply may come later, from anywhere. `refused` too
    // runs there.
    HttpListener(ListenerSettings settings, AnswerRequest answer, SawRefusal refused = {});
    // Drops what still runs; drain() first.
    ~HttpListener();
    HttpListener(const HttpListener&) = delete;
    HttpListener& operator=(const HttpListener&) = delete;

    // Binds and serves. Refused: a bind beyond loopback without TLS or a proxy, for then bodies and tokens travel in
    // the open. Invalid: no literal address, unreadable PEM. Conflict: the address is taken. Denied. Offline: not here.
    contract::Result<> start();
    // Of TCP, once started; 0 on a Unix socket.
    quint16 port() const;
    int connections() const;

    // Accepts nothing more, closes idle connections, lets running requests end for at most `within`, then closes all.
    // Blocks. Replies that come later go nowhere.
    void drain(contract::Millis within);

private:
    struct Core;
    std::shared_ptr<Core> m_core;
};

} // namespace unavez::service
