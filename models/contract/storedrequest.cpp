// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/storedrequest.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>

namespace unavez::contract {

namespace {
constexpr int formatVersion = 1;
}

QByteArray canonicalJson(const QJsonObject& object)
{
    // QJsonObject keeps its keys sorted, and compact output has no white space: equal values give equal bytes.
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QByteArray sha256(const QByteArray& bytes) { return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256); }

QByteArray encoded(const StoredRequest& request)
{
    QJsonArray steps;
    for (const auto& step : request.steps) {
        QJsonArray headers;
        for (const auto& [name, value] : step.headers)
            headers.append(QJsonArray{QString::fromLatin1(name), QString::fromLatin1(value)});
        steps.append(QJsonObject{{QStringLiteral("step"), step.step}, {QStringLiteral("method"), step.method},
            {QStringLiteral("path"), step.path}, {QStringLiteral("headers"), headers},
            {QStringLiteral("body"), QString::fromLatin1(step.body.toBase64())}});
    }
    return canonicalJson({{QStringLiteral("v"), formatVersion}, {QStringLiteral("steps"), steps}});
}

Result<StoredRequest> decodedRequest(const QByteArray& bytes)
{
    const auto document = QJsonDocument::fromJson(bytes);
    const auto root = document.object();
    if (root.value(QStringLiteral("v")).toInt() != formatVersion)
        return fail(Error::Kind::Corrupt, QStringLiteral("stored request: unknown form"));
    StoredRequest request;
    for (const auto value : root.value(QStringLiteral("steps")).toArray()) {
        const auto object = value.toObject();
        StoredStep step{object.value(QStringLiteral("step")).toString(),
            object.value(QStringLiteral("method")).toString(), object.value(QStringLiteral("path")).toString(), {}, {}};
        for (const auto header : object.value(QStringLiteral("headers")).toArray()) {
            const auto pair = header.toArray();
            step.headers.append({pair.at(0).toString().toLatin1(), pair.at(1).toString().toLatin1()});
        }
        const auto body = QByteArray::fromBase64Encoding(
            object.value(QStringLiteral("body")).toString().toLatin1(), QByteArray::AbortOnBase64DecodingErrors);
        if (step.step.isEmpty() || step.method.isEmpty() || step.path.isEmpty()
            || body.decodingStatus != QByteArray::Base64DecodingStatus::Ok)
            return fail(Error::Kind::Corrupt, QStringLiteral("stored request: a step is damaged"));
        step.body = body.decoded;
        request.steps.append(step);
    }
    if (request.steps.isEmpty())
        return fail(Error::Kind::Corrupt, QStringLiteral("stored request: no step"));
    return request;
}

} // namespace unavez::contract
