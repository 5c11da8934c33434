// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

// How the two stores spell the same thing. Times travel as integer milliseconds in both directions: QPSQL would round a
// timestamptz, and QDateTime has no infinity (contract.md §9).
namespace unavez::stores {

enum class Dialect { Sqlite, PostgreSql };

// The database's clock in its own type (contract.md §10.6).
QString nowIn(Dialect dialect);
// A time column or expression as integer milliseconds; infinity as Instant::never().
QString msOf(Dialect dialect, const QString& expression);
// One bound parameter (milliseconds) as the store's time.
QString timeParameter(Dialect dialect);
// now + one bound parameter in milliseconds; negative goes back.
QString nowPlusParameter(Dialect dialect);
// " FOR UPDATE" where the store has row locks, else nothing: SQLite's writer holds the whole file.
QString forUpdate(Dialect dialect);
QString forUpdateSkipLocked(Dialect dialect);
// SQLite writes row_version itself; PostgreSQL's trigger does. Begins with a comma.
QString bumpVersion(Dialect dialect);
// Likewise status_at on a change of a reservation's status.
QString touchStatus(Dialect dialect);

} // namespace unavez::stores
