// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/secretsource.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

namespace unavez::service {

namespace {

using Fault = text::SettingFault;

constexpr qsizetype longestSecret = 4096;

tl::unexpected<SecretRefusal> refused(Fault fault, const QString& why = {})
{
    return tl::unexpected(SecretRefusal{fault, why});
}

tl::expected<FoundSecret, SecretRefusal> checked(QByteArray secret, bool openToAll)
{
    if (secret.endsWith('\n'))
        secret.chop(1);
    if (secret.endsWith('\r'))
        secret.chop(1);
    if (secret.isEmpty())
        return refused(Fault::SecretEmpty);
    if (secret.size() > longestSecret)
        return refused(Fault::SecretTooLong);
    if (std::any_of(secret.begin(), secret.end(), [](char c) { return (c >= 0 && c <= ' ') || c == 0x7f; }))
        return refused(Fault::SecretWhitespace);
    return FoundSecret{secret, openToAll};
}

tl::expected<FoundSecret, SecretRefusal> fromFile(const QString& path)
{
    const QFileInfo info(path);
    // A pipe or a device would make the boot wait for whoever holds its other end.
    if (info.exists() && !info.isFile())
        return refused(Fault::SecretUnreadable, QStringLiteral("not a regular file"));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return refused(Fault::SecretUnreadable, file.errorString());
    return checked(file.read(longestSecret + 3), info.permissions().testFlag(QFileDevice::ReadOther));
}

} // namespace

bool isSecretReference(const QString& reference)
{
    static const QRegularExpression known(
        QStringLiteral("^(file:/[^\\x00-\\x1f]+|env:[A-Za-z_][A-Za-z0-9_]*|credential:[A-Za-z0-9_.-]+)$"));
    return known.match(reference).hasMatch() && !reference.endsWith(QLatin1Char('\n'))
        && reference != QLatin1String("credential:..") && reference != QLatin1String("credential:.");
}

tl::expected<FoundSecret, SecretRefusal> readSecret(const QString& reference)
{
    if (!isSecretReference(reference))
        return refused(Fault::SecretReference);
    const auto name = reference.section(QLatin1Char(':'), 1);
    if (reference.startsWith(QLatin1String("file:")))
        return fromFile(name);
    if (reference.startsWith(QLatin1String("env:"))) {
        if (!qEnvironmentVariableIsSet(name.toLatin1().constData()))
            return refused(Fault::SecretUnreadable, QStringLiteral("the variable is not set"));
        return checked(qgetenv(name.toLatin1().constData()), false);
    }
    const auto folder = qEnvironmentVariable("CREDENTIALS_DIRECTORY");
    if (folder.isEmpty())
        return refused(Fault::SecretUnreadable, QStringLiteral("CREDENTIALS_DIRECTORY is not set"));
    return fromFile(folder + QLatin1Char('/') + name);
}

QString fingerprintOf(const QByteArray& secret)
{
    return QString::fromLatin1(QCryptographicHash::hash(secret, QCryptographicHash::Sha256).toHex().left(12));
}

} // namespace unavez::service
