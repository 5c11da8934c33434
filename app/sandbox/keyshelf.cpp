// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/keyshelf.h"

namespace unavez::sandbox {

using contract::Instant;
using contract::Millis;

QJsonObject jsonOf(const SavedAnswer& saved)
{
    return {{QStringLiteral("account"), saved.account}, {QStringLiteral("key"), saved.key},
        {QStringLiteral("asked"), QString::fromLatin1(saved.asked.toHex())}, {QStringLiteral("status"), saved.status},
        {QStringLiteral("body"), QString::fromUtf8(saved.body)}, {QStringLiteral("request_id"), saved.requestId},
        {QStringLiteral("object_id"), saved.objectId}, {QStringLiteral("at_ms"), saved.at.ms}};
}

std::optional<SavedAnswer> savedAnswerOf(const QJsonObject& json)
{
    SavedAnswer saved{json.value(QLatin1String("account")).toString(), json.value(QLatin1String("key")).toString(),
        QByteArray::fromHex(json.value(QLatin1String("asked")).toString().toLatin1()),
        json.value(QLatin1String("status")).toInt(), json.value(QLatin1String("body")).toString().toUtf8(),
        json.value(QLatin1String("request_id")).toString(), json.value(QLatin1String("object_id")).toString(),
        Instant{json.value(QLatin1String("at_ms")).toInteger()}};
    if (saved.account.isEmpty() || saved.key.isEmpty() || saved.status == 0)
        return std::nullopt;
    return saved;
}

KeyShelf::Taken KeyShelf::take(const QString& account, const QString& key, const QByteArray& asked, Instant now)
{
    const Name name{account, key};
    if (m_inUse.contains(name))
        return {Seat::InUse, {}};
    if (const auto found = m_saved.constFind(name); found != m_saved.constEnd()) {
        if (now - found->at < kept)
            return found->asked == asked ? Taken{Seat::Replay, *found} : Taken{Seat::Mismatch, {}};
        m_saved.remove(name);
    }
    m_inUse.insert(name);
    return {};
}

void KeyShelf::keep(const SavedAnswer& saved)
{
    const Name name{saved.account, saved.key};
    m_inUse.erase(name);
    m_saved.insert(name, saved);
}

void KeyShelf::release(const QString& account, const QString& key) { m_inUse.erase(Name{account, key}); }

void KeyShelf::drop(const QString& account, const QString& key) { m_saved.remove(Name{account, key}); }

void KeyShelf::shift(Millis by)
{
    for (auto& saved : m_saved)
        saved.at = saved.at + by;
}

QList<SavedAnswer> KeyShelf::all(Instant now) const
{
    QList<SavedAnswer> answers;
    for (const auto& saved : m_saved) {
        if (now - saved.at < kept)
            answers.append(saved);
    }
    return answers;
}

} // namespace unavez::sandbox
