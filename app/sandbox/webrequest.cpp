// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/webrequest.h"

#include "models/providers/httpconnection.h"

#include <QJsonDocument>

namespace unavez::sandbox {

using contract::Error;
using contract::fail;
using contract::Result;

Result<providers::HttpReply> requested(const QByteArray& method, const QString& url,
    const providers::HeaderList& headers, const QByteArray& body, contract::Millis total, std::stop_token cancelled)
{
    const auto parsed = providers::parsedUrl(url);
    if (!parsed)
        return fail(parsed.error());
    providers::HttpLimits limits;
    limits.total = total;
    static const providers::TlsTrust trust;
    return providers::fetched(
        parsed->endpoint, {method, parsed->target, headers, body}, limits, trust, std::move(cancelled));
}

Result<QJsonObject> posted(const QString& url, const QJsonObject& body)
{
    const auto reply = requested(
        "POST", url, {{"Content-Type", "application/json"}}, QJsonDocument(body).toJson(QJsonDocument::Compact));
    if (!reply)
        return fail(reply.error());
    const auto answer = QJsonDocument::fromJson(reply->body).object();
    if (reply->status < 200 || reply->status > 299)
        return fail(Error::Kind::Refused, answer.value(QLatin1String("error")).toString(), reply->status);
    return answer;
}

} // namespace unavez::sandbox
