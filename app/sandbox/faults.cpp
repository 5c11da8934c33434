// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/faults.h"

#include <QHash>

namespace unavez::sandbox {

using contract::done;
using contract::Error;
using contract::fail;
using contract::Millis;
using contract::Result;

namespace {

constexpr qsizetype mostFaults = 1000;

std::optional<Fault::Kind> kindOf(const QString& word)
{
    static const QHash<QString, Fault::Kind> kinds{{QStringLiteral("delay"), Fault::Kind::Delay},
        {QStringLiteral("reset_before"), Fault::Kind::ResetBefore},
        {QStringLiteral("reset_after"), Fault::Kind::ResetAfter}, {QStringLiteral("status"), Fault::Kind::Status},
        {QStringLiteral("cache_500"), Fault::Kind::Cache500}, {QStringLiteral("decline"), Fault::Kind::Decline},
        {QStringLiteral("prune"), Fault::Kind::Prune}};
    const auto found = kinds.constFind(word);
    return found == kinds.constEnd() ? std::nullopt : std::optional(*found);
}

Result<> readValue(Fault& fault, const QJsonValue& value)
{
    const auto object = value.toObject();
    const auto number = [&](const char* name) {
        return (value.isObject() ? object.value(QLatin1String(name)) : value).toInteger(-1);
    };
    if (fault.kind == Fault::Kind::Delay) {
        fault.delay = Millis{number("ms")};
        fault.isBefore = object.value(QLatin1String("when")).toString() == QLatin1String("before");
        if (fault.delay < Millis{0} || fault.delay > Millis{24LL * 60 * 60 * 1000})
            return fail(Error::Kind::Invalid, QStringLiteral("delay: value must be milliseconds, at most a day"));
    } else if (fault.kind == Fault::Kind::Status) {
        fault.status = static_cast<int>(number("status"));
        if (fault.status < 300 || fault.status > 599)
            return fail(Error::Kind::Invalid, QStringLiteral("status: value must be from 300 to 599"));
        if (const auto retry = object.value(QLatin1String("should_retry")); retry.isBool())
            fault.shouldRetry = retry.toBool();
    } else if (fault.kind == Fault::Kind::Cache500) {
        if (!value.isBool() && !value.isUndefined() && !value.isNull())
            return fail(Error::Kind::Invalid, QStringLiteral("cache_500: value must be true or false"));
        fault.isEffect = value.toBool(true);
    } else if (fault.kind == Fault::Kind::Decline) {
        fault.declineCode = value.toString(QStringLiteral("generic_decline"));
    }
    return done();
}

bool isPathLike(const QString& pattern, const QString& path)
{
    if (pattern.isEmpty() || pattern == path)
        return true;
    const auto wanted = pattern.split(QLatin1Char('/'));
    const auto given = path.split(QLatin1Char('/'));
    if (wanted.size() != given.size())
        return false;
    for (qsizetype i = 0; i < wanted.size(); ++i) {
        const bool isAny = wanted.at(i) == QLatin1String("*") || wanted.at(i).startsWith(QLatin1Char(':'));
        if (!isAny && wanted.at(i) != given.at(i))
            return false;
    }
    return true;
}

} // namespace

Result<Fault> faultOf(const QJsonObject& json)
{
    Fault fault;
    const auto kind = kindOf(json.value(QLatin1String("do")).toString());
    if (!kind)
        return fail(Error::Kind::Invalid,
            QStringLiteral("do must be delay, reset_before, reset_after, status, cache_500, decline or prune"));
    fault.kind = *kind;
    const auto on = json.value(QLatin1String("on")).toObject();
    fault.path = on.value(QLatin1String("path")).toString();
    fault.sentKey = on.value(QLatin1String("sent_key")).toString();
    fault.nth = on.value(QLatin1String("nth")).toInt(1);
    if (fault.nth < 0)
        return fail(Error::Kind::Invalid, QStringLiteral("on.nth must be 0 (every one) or a count"));
    if (const auto read = readValue(fault, json.value(QLatin1String("value"))); !read)
        return fail(read.error());
    return fault;
}

void Faults::add(const Fault& fault)
{
    if (m_waiting.size() >= mostFaults)
        m_waiting.removeFirst();
    m_waiting.append(fault);
}

QList<Fault> Faults::strike(const QString& path, const QString& sentKey)
{
    QList<Fault> striking;
    for (auto fault = m_waiting.begin(); fault != m_waiting.end();) {
        const bool matches = isPathLike(fault->path, path) && (fault->sentKey.isEmpty() || fault->sentKey == sentKey);
        if (!matches) {
            ++fault;
            continue;
        }
        ++fault->seen;
        if (fault->nth != 0 && fault->seen < fault->nth) {
            ++fault;
            continue;
        }
        striking.append(*fault);
        if (fault->nth == 0)
            ++fault;
        else
            fault = m_waiting.erase(fault);
    }
    return striking;
}

} // namespace unavez::sandbox
