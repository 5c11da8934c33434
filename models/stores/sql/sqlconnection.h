// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/stores/sql/dialect.h"
#include "models/stores/sql/storeurl.h"

#include <QHash>
#include <QList>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QVariant>

#include <memory>

namespace unavez::stores {

using ColumnNames = std::shared_ptr<const QHash<QString, int>>;

// One row of an answer, by column name or position.
class SqlRow
{
public:
    SqlRow(ColumnNames names, QVariantList values)
        : m_names(std::move(names))
        , m_values(std::move(values))
    {
    }

    QVariant at(int column) const { return m_values.at(column); }
    // An invalid variant for a column that was not selected: reads as null.
    QVariant value(const QString& name) const { return m_values.value(m_names->value(name, -1)); }

private:
    ColumnNames m_names;
    QVariantList m_values;
};

// What a statement gave back, read whole: pages are at most a few hundred rows, and a value outlives its connection.
struct SqlRows
{
    QList<SqlRow> rows;
    int affected = 0;

    bool isEmpty() const { return rows.isEmpty(); }
    const SqlRow& first() const { return rows.first(); }
};

// One connection, opened, used and closed in one thread (QSqlDatabase's own rule). Reconnects by itself after a
// failure, but never inside a transaction.
class SqlConnection
{
public:
    enum class Access { ReadWrite, ReadOnly };

    // Offline, Denied, NotFound (a SQLite file that is not there, unless `create`).
    static contract::Result<std::unique_ptr<SqlConnection>> open(
        const StoreUrl& url, Access access = Access::ReadWrite, bool create = false);
    ~SqlConnection();
    SqlConnection(const SqlConnection&) = delete;
    SqlConnection& operator=(const SqlConnection&) = delete;

    Dialect dialect() const { return m_dialect; }
    bool isSqlite() const { return m_dialect == Dialect::Sqlite; }
    const StoreUrl& url() const { return m_url; }
    bool inTransaction() const { return m_inTransaction; }
    // Whose file or server this is, for what must be one per store in a process.
    QString place() const;

    // Parameters by position (?) or by number (?1), never both in one text. Statements are prepared once per connection
    // and text.
    contract::Result<SqlRows> run(const QString& text, const QVariantList& given = {});
    // Several statements through the client library: stops at the first that fails.
    contract::Result<> runScript(const QByteArray& script);

    contract::Result<> begin();
    contract::Result<> commit();
    void rollback();

private:
    SqlConnection(const StoreUrl& url, Access access);
    contract::Result<> connect(bool create);
    contract::Result<> prepareSession();
    contract::Result<> ensureOpen();
    void close();

    StoreUrl m_url;
    Access m_access;
    Dialect m_dialect;
    QString m_name; // unique, or two stores would share Qt's registry entry
    QSqlDatabase m_database;
    QHash<QString, std::shared_ptr<QSqlQuery>> m_prepared;
    bool m_inTransaction = false;
    bool m_broken = false;
    bool m_writerTurn = false;
};

} // namespace unavez::stores
