// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"

#include <QString>

namespace unavez::stores {

// Where a store is: sqlite:///path/store.db, postgresql://user@host:port/database, or
// postgresql:///database?host=/socket/folder&port=5433&user=ana.
struct StoreUrl
{
    enum class Kind { Sqlite, PostgreSql };

    Kind kind = Kind::Sqlite;
    QString path; // SQLite
    QString host; // PostgreSQL; a folder means a Unix socket
    int port = 5432;
    QString database;
    QString user;
    QString password; // out of the URL: works, and draws a warning (PGPASSFILE is better)

    // For people and logs: without the password.
    QString display() const;
    bool operator==(const StoreUrl&) const = default;
};

// Invalid, with the reason in detail.
contract::Result<StoreUrl> parsedStoreUrl(const QString& text);

} // namespace unavez::stores
