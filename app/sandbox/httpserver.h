// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/time.h"

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QPair>
#include <QString>

#include <functional>
#include <memory>
#include <stop_token>

namespace unavez::sandbox {

struct ServedRequest
{
    QByteArray method;
    QString path; // decoded, without its query
    QByteArray query;
    QList<QPair<QByteArray, QByteArray>> headers;
    QByteArray body;

    // The first field of that name, in any case; absent where there is none.
    std::optional<QByteArray> header(const QByteArray& name) const;
};

struct ServedReply
{
    int status = 200;
    QByteArray body;
    QByteArray type = "application/json";
    QList<QPair<QByteArray, QByteArray>> headers;
    bool isReset = false; // no answer at all: the connection ends with an RST
};
ServedReply jsonReply(int status, const QJsonObject& body);

struct ServerLimits
{
    contract::Millis idle{60000}; // a connection that sends nothing for that long is dropped (contract.md §10.8 A2)
    int connections = 128; // at once; the next one waits
    qint64 header = qint64{16} * 1024; // bytes
    qint64 body = qint64{1024} * 1024;
};

// A small HTTP server for practice: a thread for each connection, loopback only. `respond` is called from many threads;
// its token is stopped when the server ends.
class HttpServer
{
public:
    using Respond = std::function<ServedReply(const ServedRequest&, std::stop_token)>;
    // `address` is 127.0.0.1:8080 or [::1]:0; port 0 is any free one. Invalid where it is not loopback, Offline where
    // the port is taken.
    static contract::Result<std::unique_ptr<HttpServer>> listen(
        const QString& address, Respond respond, const ServerLimits& limits = {});
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    quint16 port() const;
    QString url() const; // http://127.0.0.1:8080

private:
    struct Body;
    explicit HttpServer(std::unique_ptr<Body> body);
    std::unique_ptr<Body> m_body;
};

} // namespace unavez::sandbox
