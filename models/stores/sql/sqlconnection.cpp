// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqlconnection.h"

#include "models/stores/sql/sqlerror.h"
#include "models/stores/sql/writerqueue.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QSqlDriver>
#include <QSqlError>
#include <QSqlRecord>

#include <atomic>

#include <libpq-fe.h>
#include <sqlite3.h>

namespace unavez::stores {

using contract::done;
using contract::Error;
using contract::fail;
using contract::Result;

namespace {

// The rows, the rights or the clock said no; the statement itself stands.
bool isRefusal(Error::Kind kind)
{
    return kind == Error::Kind::Conflict || kind == Error::Kind::Refused || kind == Error::Kind::Timeout
        || kind == Error::Kind::Cancelled || kind == Error::Kind::Full || kind == Error::Kind::ReadOnly;
}

QString uniqueName()
{
    static std::atomic<quint64> counter{0};
    return QStringLiteral("unavez-%1").arg(++counter);
}

template <typename Handle> Handle handleOf(const QSqlDatabase& database)
{
    const auto variant = database.driver()->handle();
    return variant.isValid() ? *static_cast<const Handle*>(variant.constData()) : Handle{};
}

// Qt binds by position only: ?2 becomes ? with the second value in its place, each time it is named.
std::pair<QString, QVariantList> expanded(const QString& sql, const QVariantList& parameters)
{
    static const QRegularExpression numbered(QStringLiteral("\\?(\\d+)"));
    QVariantList values;
    auto found = numbered.globalMatch(sql);
    if (!found.hasNext())
        return {sql, parameters};
    while (found.hasNext())
        values.append(parameters.value(found.next().captured(1).toInt() - 1));
    return {QString(sql).replace(numbered, QStringLiteral("?")), values};
}

} // namespace

SqlConnection::SqlConnection(const StoreUrl& url, Access access)
    : m_url(url)
    , m_access(access)
    , m_dialect(url.kind == StoreUrl::Kind::Sqlite ? Dialect::Sqlite : Dialect::PostgreSql)
    , m_name(uniqueName())
{
}

SqlConnection::~SqlConnection()
{
    if (m_inTransaction)
        rollback();
    close();
}

Result<std::unique_ptr<SqlConnection>> SqlConnection::open(const StoreUrl& url, Access access, bool create)
{
    std::unique_ptr<SqlConnection> connection(new SqlConnection(url, access));
    if (const auto connected = connection->connect(create); !connected)
        return fail(connected.error());
    return connection;
}

QString SqlConnection::place() const { return isSqlite() ? QFileInfo(m_url.path).absoluteFilePath() : m_url.display(); }

Result<> SqlConnection::connect(bool create)
{
    if (isSqlite() && !create && !QFileInfo::exists(m_url.path))
        return fail(Error::Kind::NotFound, QStringLiteral("no file at %1").arg(m_url.path));
    m_database = QSqlDatabase::addDatabase(isSqlite() ? QStringLiteral("QSQLITE") : QStringLiteral("QPSQL"), m_name);
    if (!m_database.isValid())
        return fail(Error::Kind::Corrupt, QStringLiteral("the Qt SQL driver is not installed"));
    if (isSqlite()) {
        m_database.setDatabaseName(m_url.path);
        const bool readOnly
            = m_access == Access::ReadOnly || (QFileInfo::exists(m_url.path) && !QFileInfo(m_url.path).isWritable());
        m_database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000%1")
                                         .arg(readOnly ? QStringLiteral(";QSQLITE_OPEN_READONLY") : QString()));
    } else {
        m_database.setHostName(m_url.host);
        m_database.setPort(m_url.port);
        m_database.setDatabaseName(m_url.database);
        m_database.setUserName(m_url.user);
        m_database.setPassword(m_url.password);
        m_database.setConnectOptions(
            QStringLiteral("connect_timeout=5;keepalives=1;keepalives_idle=10;keepalives_interval=5;keepalives_count=3;"
                           "application_name=unavez;client_encoding=UTF8"));
    }
    if (!m_database.open()) {
        auto error = errorOf(m_dialect, m_database.lastError());
        // libpq gives no SQLSTATE for a failed start: its words are all there is.
        const auto words = m_database.lastError().databaseText();
        if (words.contains(QLatin1String("authentication failed"))
            || words.contains(QLatin1String("no pg_hba.conf entry"))
            || words.contains(QLatin1String("no password supplied")))
            error.kind = Error::Kind::Denied;
        else if (!isSqlite() && words.contains(QLatin1String("does not exist")))
            error.kind = Error::Kind::NotFound;
        close();
        return fail(error);
    }
    if (const auto ready = prepareSession(); !ready) {
        close();
        return ready;
    }
    m_broken = false;
    return done();
}

Result<> SqlConnection::prepareSession()
{
    const auto settings = isSqlite()
        ? QByteArray(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON;")
        : QByteArray("SET client_min_messages = warning; SET search_path = unavez, pg_catalog; SET TimeZone = 'UTC'; "
                     "SET synchronous_commit = on; SET statement_timeout = '15s'; SET lock_timeout = '5s'; "
                     "SET idle_in_transaction_session_timeout = '60s';");
    const auto set = runScript(settings);
    // A file that may only be read keeps the journal it has.
    if (!set && isSqlite() && set.error().kind == Error::Kind::ReadOnly)
        return done();
    return set;
}

void SqlConnection::close()
{
    m_prepared.clear();
    if (m_database.isValid()) {
        m_database.close();
        m_database = QSqlDatabase();
    }
    if (QSqlDatabase::contains(m_name))
        QSqlDatabase::removeDatabase(m_name);
}

Result<> SqlConnection::ensureOpen()
{
    if (!m_broken && m_database.isValid())
        return done();
    if (m_inTransaction)
        return fail(Error::Kind::Offline, QStringLiteral("the connection was lost inside a transaction"));
    close();
    return connect(false);
}

Result<SqlRows> SqlConnection::run(const QString& text, const QVariantList& given)
{
    const auto [sql, parameters] = expanded(text, given);
    if (const auto open = ensureOpen(); !open)
        return fail(open.error());
    auto& query = m_prepared[sql];
    const auto failed = [this, key = sql](const QSqlError& error) {
        auto ours = errorOf(m_dialect, error);
        if (ours.kind == Error::Kind::Offline)
            m_broken = true;
        // What the rows refused does not spoil the statement; to drop it inside an aborted transaction would leave it
        // on the server for good.
        if (isRefusal(ours.kind))
            m_prepared.value(key)->finish();
        else
            m_prepared.remove(key);
        return fail(ours);
    };
    if (!query) {
        query = std::make_shared<QSqlQuery>(m_database);
        query->setForwardOnly(true);
        if (!query->prepare(sql)) {
            const auto error = query->lastError();
            m_prepared.remove(sql);
            return failed(error);
        }
    }
    for (qsizetype i = 0; i < parameters.size(); ++i)
        query->bindValue(static_cast<int>(i), parameters.at(i));
    if (!query->exec())
        return failed(query->lastError());
    SqlRows result;
    if (query->isSelect()) {
        const auto record = query->record();
        const auto columns = record.count();
        QHash<QString, int> byName;
        for (int i = 0; i < columns; ++i)
            byName.insert(record.fieldName(i), i);
        const auto names = std::make_shared<const QHash<QString, int>>(std::move(byName));
        while (query->next()) {
            QVariantList row;
            row.reserve(columns);
            for (int i = 0; i < columns; ++i)
                row.append(query->isNull(i) ? QVariant() : query->value(i));
            result.rows.append(SqlRow(names, std::move(row)));
        }
        // Reading may fail after the first row: a trigger, a lost server, a full disk under RETURNING.
        if (query->lastError().isValid() && query->lastError().type() != QSqlError::NoError)
            return failed(query->lastError());
        result.affected = static_cast<int>(result.rows.size());
    } else {
        result.affected = query->numRowsAffected();
    }
    query->finish();
    return result;
}

Result<> SqlConnection::runScript(const QByteArray& script)
{
    if (isSqlite()) {
        auto* handle = handleOf<sqlite3*>(m_database);
        if (!handle)
            return fail(Error::Kind::Offline);
        const int code = sqlite3_exec(handle, script.constData(), nullptr, nullptr, nullptr);
        if (code != SQLITE_OK)
            return fail(errorOfSqliteCode(sqlite3_extended_errcode(handle), QString::fromUtf8(sqlite3_errmsg(handle))));
        return done();
    }
    auto* handle = handleOf<PGconn*>(m_database);
    if (!handle)
        return fail(Error::Kind::Offline);
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(handle, script.constData()), PQclear);
    const auto status = PQresultStatus(result.get());
    // A COMMIT of a failed transaction is answered OK with the tag ROLLBACK: nothing was committed.
    const bool rolledBack = script == "COMMIT" && qstrcmp(PQcmdStatus(result.get()), "ROLLBACK") == 0;
    if (rolledBack)
        return fail(Error::Kind::Corrupt, QStringLiteral("the server rolled the transaction back"));
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        return done();
    const auto* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    auto error = errorOfSqlState(QString::fromLatin1(state ? state : ""), QString::fromUtf8(PQerrorMessage(handle)));
    if (error.kind == Error::Kind::Offline)
        m_broken = true;
    return fail(error);
}

Result<> SqlConnection::begin()
{
    if (const auto open = ensureOpen(); !open)
        return open;
    if (isSqlite()) {
        takeWriterTurn(place());
        m_writerTurn = true;
    }
    // Qt's transaction() is a plain BEGIN, which on SQLite fails at the first write whatever the busy timeout.
    const auto begun = runScript(isSqlite() ? "BEGIN IMMEDIATE" : "BEGIN");
    m_inTransaction = begun.has_value();
    if (!begun && m_writerTurn) {
        endWriterTurn(place());
        m_writerTurn = false;
    }
    return begun;
}

Result<> SqlConnection::commit()
{
    const auto committed = runScript("COMMIT");
    if (!committed) {
        rollback();
        return committed;
    }
    m_inTransaction = false;
    if (m_writerTurn) {
        endWriterTurn(place());
        m_writerTurn = false;
    }
    return done();
}

void SqlConnection::rollback()
{
    if (m_inTransaction && !m_broken) {
        if (const auto undone = runScript("ROLLBACK"); !undone && undone.error().kind == Error::Kind::Offline)
            m_broken = true;
    }
    m_inTransaction = false;
    if (m_writerTurn) {
        endWriterTurn(place());
        m_writerTurn = false;
    }
}

} // namespace unavez::stores
