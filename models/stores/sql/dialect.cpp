// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/dialect.h"

namespace unavez::stores {

namespace {
// 3.40 has no unixepoch('subsec'): julianday keeps the milliseconds.
const QString sqliteNow = QStringLiteral("(CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER))");
}

QString nowIn(Dialect dialect) { return dialect == Dialect::Sqlite ? sqliteNow : QStringLiteral("now3()"); }

QString msOf(Dialect dialect, const QString& expression)
{
    if (dialect == Dialect::Sqlite)
        return expression;
    return QStringLiteral(
        "(CASE WHEN isfinite(%1) THEN round(extract(epoch FROM %1)*1000)::bigint WHEN %1 IS NULL THEN NULL "
        "ELSE 253402300799999 END)")
        .arg(expression);
}

QString timeParameter(Dialect dialect)
{
    return dialect == Dialect::Sqlite ? QStringLiteral("?")
                                      : QStringLiteral("to_timestamp(?::bigint/1000.0)::timestamptz(3)");
}

QString nowPlusParameter(Dialect dialect)
{
    return dialect == Dialect::Sqlite ? QStringLiteral("(%1+?)").arg(sqliteNow)
                                      : QStringLiteral("(now3()+?::bigint*interval '1 millisecond')");
}

QString forUpdate(Dialect dialect) { return dialect == Dialect::Sqlite ? QString() : QStringLiteral(" FOR UPDATE"); }

QString forUpdateSkipLocked(Dialect dialect)
{
    return dialect == Dialect::Sqlite ? QString() : QStringLiteral(" FOR UPDATE SKIP LOCKED");
}

QString bumpVersion(Dialect dialect)
{
    return dialect == Dialect::Sqlite ? QStringLiteral(", row_version=row_version+1") : QString();
}

QString touchStatus(Dialect dialect)
{
    return dialect == Dialect::Sqlite ? QStringLiteral(", status_at=%1").arg(sqliteNow) : QString();
}

} // namespace unavez::stores
