// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/jsonfile.h"

#include <QFile>
#include <QJsonDocument>
#include <QSaveFile>

namespace unavez::sandbox {

using contract::done;
using contract::Error;
using contract::fail;
using contract::Result;

namespace {

constexpr qint64 mostBytes = qint64{1024} * 1024;
constexpr qint64 longestSecret = 4096;
constexpr auto ownerOnly = QFileDevice::ReadOwner | QFileDevice::WriteOwner;

Error fault(const QFileDevice& file)
{
    return {Error::Kind::Invalid, QStringLiteral("%1: %2").arg(file.fileName(), file.errorString()), 0};
}

} // namespace

Result<> writePrivateFile(const QString& path, const QByteArray& bytes)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || !file.setPermissions(ownerOnly) || file.write(bytes) != bytes.size()
        || !file.commit())
        return fail(fault(file));
    return done();
}

Result<> writeJsonFile(const QString& path, const QJsonObject& object)
{
    return writePrivateFile(path, QJsonDocument(object).toJson());
}

Result<QJsonObject> readJsonFile(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(Error::Kind::NotFound, QStringLiteral("%1: %2").arg(path, file.errorString()));
    const auto document = QJsonDocument::fromJson(file.read(mostBytes + 1));
    if (!document.isObject())
        return fail(Error::Kind::Corrupt, QStringLiteral("%1 holds no JSON object").arg(path));
    return document.object();
}

Result<QByteArray> readSecretFile(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(Error::Kind::NotFound, QStringLiteral("%1: %2").arg(path, file.errorString()));
    auto secret = file.read(longestSecret + 1);
    while (secret.endsWith('\n') || secret.endsWith('\r'))
        secret.chop(1);
    if (secret.isEmpty() || secret.size() > longestSecret)
        return fail(Error::Kind::Invalid, QStringLiteral("%1 holds no secret of 1 to 4096 bytes").arg(path));
    return secret;
}

} // namespace unavez::sandbox
