// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/rows.h"

namespace unavez::contract {

QString subjectOfJob(qint64 id) { return QStringLiteral("job:%1").arg(id); }
QString subjectOfEvent(qint64 pk) { return QStringLiteral("event:%1").arg(pk); }

// As the store's apply_* functions spell it: an empty account still keeps its place between the slashes.
QString subjectOf(const KeyId& key)
{
    return QStringLiteral("key:") + key.provider + QLatin1Char('/') + key.account + QLatin1Char('/') + key.key;
}

QString subjectOf(const IntentId& intent)
{
    return QStringLiteral("intent:") + intent.provider + QLatin1Char('/') + intent.account + QLatin1Char('/')
        + intent.intentKey;
}

} // namespace unavez::contract
