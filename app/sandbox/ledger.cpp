// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/ledger.h"

#include <QJsonDocument>

namespace unavez::sandbox {

using contract::done;
using contract::Error;
using contract::fail;
using contract::Result;

namespace {

constexpr qint64 mostBytes = 256LL * 1024 * 1024;

QJsonValue textOrNull(const QString& value) { return value.isEmpty() ? QJsonValue() : QJsonValue(value); }

} // namespace

QJsonObject jsonOf(const LedgerLine& line)
{
    return {{QStringLiteral("at"), contract::toRfc3339(line.at)}, {QStringLiteral("account"), textOrNull(line.account)},
        {QStringLiteral("sent_key"), textOrNull(line.sentKey)}, {QStringLiteral("method"), line.method},
        {QStringLiteral("path"), line.path},
        {QStringLiteral("body_sha256"), QString::fromLatin1(line.bodySha256.toHex())},
        {QStringLiteral("replayed"), line.replayed}, {QStringLiteral("status"), line.status},
        {QStringLiteral("object_id"), textOrNull(line.objectId)}, {QStringLiteral("effect"), line.effect}};
}

std::optional<LedgerLine> ledgerLineOf(const QJsonObject& json)
{
    const auto text = [&](const char* name) { return json.value(QLatin1String(name)).toString(); };
    const auto at = contract::fromRfc3339(text("at"));
    if (!at || !json.value(QLatin1String("effect")).isBool() || text("path").isEmpty())
        return std::nullopt;
    return LedgerLine{*at, text("account"), text("sent_key"), text("method"), text("path"),
        QByteArray::fromHex(text("body_sha256").toLatin1()), json.value(QLatin1String("replayed")).toBool(),
        json.value(QLatin1String("status")).toInt(), text("object_id"), json.value(QLatin1String("effect")).toBool()};
}

Result<QList<LedgerLine>> readLedger(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(Error::Kind::NotFound, QStringLiteral("ledger %1: %2").arg(path, file.errorString()));
    if (file.size() > mostBytes)
        return fail(Error::Kind::Full, QStringLiteral("ledger %1 is too large to judge").arg(path));
    QList<LedgerLine> lines;
    while (!file.atEnd()) {
        const auto text = file.readLine();
        if (!text.endsWith('\n'))
            break;
        const auto line = ledgerLineOf(QJsonDocument::fromJson(text).object());
        if (!line)
            return fail(Error::Kind::Corrupt, QStringLiteral("ledger %1, line %2").arg(path).arg(lines.size() + 1));
        lines.append(*line);
    }
    return lines;
}

Ledger::Ledger(const QString& path)
    : m_file(path)
{
}

Result<qint64> Ledger::open()
{
    if (!m_file.open(QIODevice::ReadWrite))
        return fail(Error::Kind::Invalid, QStringLiteral("ledger %1: %2").arg(m_file.fileName(), m_file.errorString()));
    qint64 count = 0;
    qint64 whole = 0;
    while (!m_file.atEnd()) {
        const auto line = m_file.readLine();
        if (!line.endsWith('\n'))
            break;
        ++count;
        whole = m_file.pos();
    }
    if (!m_file.resize(whole) || !m_file.seek(whole))
        return fail(Error::Kind::Invalid, QStringLiteral("ledger %1: %2").arg(m_file.fileName(), m_file.errorString()));
    return count;
}

Result<> Ledger::append(const LedgerLine& line)
{
    const auto text = QJsonDocument(jsonOf(line)).toJson(QJsonDocument::Compact) + '\n';
    if (m_file.write(text) != text.size() || !m_file.flush())
        return fail(Error::Kind::Full, QStringLiteral("ledger %1: %2").arg(m_file.fileName(), m_file.errorString()));
    return done();
}

} // namespace unavez::sandbox
