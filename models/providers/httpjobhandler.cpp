// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/httpjobhandler.h"

#include "models/contract/storedrequest.h"

#include <QJsonDocument>

#include <algorithm>

namespace unavez::providers {

using namespace contract;

namespace {

constexpr qint64 readBytes = 4096; // only the status is kept

QJsonValue payloadOf(const std::optional<QByteArray>& payload)
{
    // A body that is no object was verified all the same; the handler gets null and may ask the provider.
    const auto object = payload ? QJsonDocument::fromJson(*payload).object() : QJsonObject();
    return object.isEmpty() ? QJsonValue() : QJsonValue(object);
}

} // namespace

HandlerAnswer readHandlerAnswer(int status, const QByteArray& retryAfter)
{
    HandlerAnswer answer;
    answer.httpStatus = status;
    if (status >= 200 && status < 300) {
        answer.kind = HandlerAnswer::Kind::Done;
        return answer;
    }
    if (status == 422) {
        answer.kind = HandlerAnswer::Kind::Rejected;
        return answer;
    }
    bool whole = false;
    const auto wait = retryAfter.trimmed().toLongLong(&whole);
    // A 409 that does not say when is a failure like any other: it would come back at once, for ever.
    if (status == 409 && whole && wait >= 0) {
        answer.kind = HandlerAnswer::Kind::Later;
        answer.retryAfter = Seconds{std::min<qint64>(wait, 3600)};
    }
    return answer;
}

HttpJobHandler::HttpJobHandler(ParsedUrl url, Millis connect, const TlsTrust& trust, const HostClock& clock)
    : m_url(std::move(url))
    , m_connect(connect)
    , m_trust(trust)
    , m_clock(clock)
{
}

QByteArray HttpJobHandler::body(const HandlerRequest& request)
{
    const auto& event = request.event;
    return canonicalJson({{QStringLiteral("job"), request.lease.job}, {QStringLiteral("attempt"), request.attempt},
        {QStringLiteral("event_id"), event.eventId}, {QStringLiteral("type"), event.eventType},
        {QStringLiteral("source"), event.source},
        {QStringLiteral("object_id"), event.objectId ? QJsonValue(*event.objectId) : QJsonValue()},
        {QStringLiteral("received_at"), toRfc3339(event.receivedAt)}, {QStringLiteral("deliveries"), event.deliveries},
        {QStringLiteral("payload"), payloadOf(request.payload)}});
}

HandlerAnswer HttpJobHandler::handle(const HandlerRequest& request, std::stop_token cancelled)
{
    HttpLimits limits;
    limits.connect = m_connect;
    limits.total = std::max(Millis{1}, request.deadline - m_clock.wall());
    limits.body = readBytes;

    HandlerAnswer answer;
    HttpConnection connection(m_url.endpoint, limits, m_trust);
    if (!connection.open(cancelled)) {
        answer.kind = HandlerAnswer::Kind::Unreachable;
        return answer;
    }
    const HttpRequest post{"POST", m_url.target,
        {{"Content-Type", "application/json"}, {"Unavez-Job", QByteArray::number(request.lease.job)},
            {"Unavez-Lease", QByteArray::number(request.lease.token)},
            {"Unavez-Deadline", toRfc3339(request.deadline).toLatin1()}},
        body(request)};
    const auto reply = connection.exchange(post, cancelled);
    if (!reply) {
        answer.kind
            = reply.error().kind == Error::Kind::Timeout ? HandlerAnswer::Kind::TimedOut : HandlerAnswer::Kind::Failed;
        return answer;
    }
    // The status stands even where its body was longer than anybody reads.
    return readHandlerAnswer(reply->status, reply->header("Retry-After"));
}

} // namespace unavez::providers
