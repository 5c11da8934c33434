// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/time.h"

#include <QByteArray>
#include <QList>
#include <QPair>
#include <QString>

#include <optional>

namespace unavez::providers {

using HeaderList = QList<QPair<QByteArray, QByteArray>>;

// Where to connect: what a URL says before its path.
struct Endpoint
{
    bool tls = false;
    QString host; // a name or a literal address, without brackets
    quint16 port = 80;
    bool operator==(const Endpoint&) const = default;
};

struct ParsedUrl
{
    Endpoint endpoint;
    QByteArray target = "/"; // path and query, percent-encoded
    bool operator==(const ParsedUrl&) const = default;
};

// http and https only. Invalid: another scheme, no host, user or password, a fragment, a control character, longer than
// 2048 bytes. The detail does not repeat the URL.
contract::Result<ParsedUrl> parsedUrl(const QString& url);
// True for 127.0.0.0/8, ::1 and localhost: where plain http does not cross a wire.
bool isLoopback(const Endpoint& endpoint);

struct HttpRequest
{
    QByteArray method; // GET, POST
    QByteArray target;
    HeaderList headers; // Host, Content-Length and Connection are the connection's own
    QByteArray body;
};

struct HttpReply
{
    int status = 0;
    HeaderList headers;
    QByteArray body;
    bool complete = true; // false: the body was cut (limit, reset, time); the status stands all the same

    // The first field of that name, in any case; empty where there is none.
    QByteArray header(const QByteArray& name) const;
};

struct HttpLimits
{
    contract::Millis connect{5000}; // resolve, connect and TLS together
    contract::Millis total{30000}; // from the first byte written to the last byte read
    qint64 header = 16 * 1024; // bytes
    qint64 body = 1024 * 1024;
};

} // namespace unavez::providers
