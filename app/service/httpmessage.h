// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/time.h"

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QString>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

// What the listener hands to a front, and what a front hands back. Plain values: only the listener knows its library.
namespace unavez::service {

struct HttpRequest
{
    QByteArray method; // as sent: "POST"
    QByteArray path; // of the target, before '?'; as sent, not decoded; begins with '/'
    QByteArray query; // after '?'
    QList<std::pair<QByteArray, QByteArray>> headers; // in their order; repeated ones stay repeated
    QByteArray body; // whole, and within the listener's bound
    QString peer; // literal address without port or scope; empty on a Unix socket
    std::chrono::steady_clock::time_point begun; // when its first byte came

    // The value of every field of that name, whatever its case; white space around a value is gone.
    QList<QByteArray> values(const QByteArray& name) const;
    contract::Millis age() const; // since `begun`
};

struct HttpResponse
{
    int status = 200;
    QByteArray body;
    QByteArray contentType = QByteArrayLiteral("application/json");
    std::optional<contract::Seconds> retryAfter; // the Retry-After header
    QList<std::pair<QByteArray, QByteArray>> headers; // further ones: Allow, WWW-Authenticate
    bool operator==(const HttpResponse&) const = default;
};

HttpResponse jsonResponse(int status, const QJsonObject& body);
// {"error":{"reason":…,"message":…}}, the one shape of every refusal (contract.md §13.2); no message where it is empty.
HttpResponse errorResponse(int status, const QString& reason, const QString& message = {});

// A request's one answer. Any thread may give it; only the first counts. Where the last copy goes without one, the
// caller is told 503: nobody waits for ever.
class Reply
{
public:
    using Send = std::function<void(HttpResponse&&)>; // called exactly once
    explicit Reply(Send send);
    void operator()(HttpResponse response) const;

private:
    struct State;
    std::shared_ptr<State> m_state;
};

using AnswerRequest = std::function<void(HttpRequest&&, const Reply&)>;

} // namespace unavez::service
