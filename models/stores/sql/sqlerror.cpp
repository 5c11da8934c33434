// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqlerror.h"

#include <sqlite3.h>

namespace unavez::stores {

using contract::Error;

namespace {

QString firstLine(const QString& message) { return message.section(QLatin1Char('\n'), 0, 0).left(300); }

} // namespace

Error errorOfSqlState(const QString& state, const QString& message)
{
    const auto is = [&state](const char* prefix) { return state.startsWith(QLatin1String(prefix)); };
    auto kind = Error::Kind::Corrupt;
    if (state.isEmpty() || is("08") || is("57P0") || is("53300") || is("58"))
        kind = Error::Kind::Offline;
    else if (is("57014"))
        kind = Error::Kind::Timeout;
    else if (is("40001") || is("40P01") || is("55P03") || is("23505"))
        kind = Error::Kind::Conflict;
    else if (is("53100") || is("53"))
        kind = Error::Kind::Full;
    else if (is("25006"))
        kind = Error::Kind::ReadOnly;
    else if (is("42501") || is("28"))
        kind = Error::Kind::Denied;
    else if (is("3D000"))
        kind = Error::Kind::NotFound;
    else if (is("42P01") || is("3F000") || is("42883"))
        kind = Error::Kind::SchemaMissing;
    else if (is("23"))
        kind = Error::Kind::Refused;
    else if (is("22"))
        kind = Error::Kind::Invalid;
    // SQLSTATE is five of 0-9A-Z: as a number it fits where SQLite's codes stand.
    return {kind, firstLine(message), state.toInt(nullptr, 36)};
}

Error errorOfSqliteCode(int code, const QString& message)
{
    auto kind = Error::Kind::Corrupt;
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: kind = Error::Kind::Conflict; break;
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR: kind = Error::Kind::Offline; break;
    case SQLITE_READONLY: kind = Error::Kind::ReadOnly; break;
    case SQLITE_FULL: kind = Error::Kind::Full; break;
    case SQLITE_PERM:
    case SQLITE_AUTH: kind = Error::Kind::Denied; break;
    case SQLITE_INTERRUPT: kind = Error::Kind::Cancelled; break;
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH: kind = Error::Kind::Invalid; break;
    case SQLITE_CONSTRAINT: {
        const bool unique = code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY;
        kind = unique ? Error::Kind::Conflict : Error::Kind::Refused;
        break;
    }
    case SQLITE_ERROR:
        if (message.contains(QLatin1String("no such table")))
            kind = Error::Kind::SchemaMissing;
        break;
    default: break;
    }
    return {kind, firstLine(message), code};
}

Error errorOf(Dialect dialect, const QSqlError& error)
{
    // A mistake the driver itself finds (parameter count) comes without the server's words.
    if (error.nativeErrorCode().isEmpty() && error.databaseText().isEmpty())
        return {Error::Kind::Corrupt, firstLine(error.driverText()), 0};
    if (dialect == Dialect::PostgreSql)
        return errorOfSqlState(error.nativeErrorCode(), error.databaseText());
    return errorOfSqliteCode(error.nativeErrorCode().toInt(), error.databaseText());
}

bool isUniqueViolation(const Error& error)
{
    static const int sqlState = QStringLiteral("23505").toInt(nullptr, 36);
    return error.nativeCode == sqlState || error.nativeCode == SQLITE_CONSTRAINT_UNIQUE
        || error.nativeCode == SQLITE_CONSTRAINT_PRIMARYKEY;
}

bool isOpenEffect(const Error& error)
{
    return error.kind == Error::Kind::Refused && error.detail.contains(QLatin1String("still open"));
}

bool isSecondOpenAttempt(const Error& error)
{
    const bool kind = error.kind == Error::Kind::Conflict || error.kind == Error::Kind::Refused;
    return kind && error.detail.contains(QLatin1String("one_open_or_done_attempt"));
}

bool isObjectUsed(const Error& error)
{
    const bool kind = error.kind == Error::Kind::Conflict || error.kind == Error::Kind::Refused;
    return kind && error.detail.contains(QLatin1String("one_reservation_per_object"));
}

} // namespace unavez::stores
