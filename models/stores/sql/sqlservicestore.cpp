// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqlservicestore.h"

#include "models/stores/sql/incidents.h"
#include "models/stores/sql/transaction.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace unavez::stores {

using namespace contract;

namespace {

// A list of words as the store keeps it: JSON text on SQLite, text[] on PostgreSQL.
QString arrayParameter(Dialect dialect)
{
    return dialect == Dialect::Sqlite
        ? QStringLiteral("?")
        : QStringLiteral("(SELECT COALESCE(array_agg(x), '{}') FROM json_array_elements_text(?::json) x)");
}

QString jsonText(const QStringList& words)
{
    return QString::fromUtf8(QJsonDocument(QJsonArray::fromStringList(words)).toJson(QJsonDocument::Compact));
}

} // namespace

SqlServiceStore::SqlServiceStore(SqlConnection& connection)
    : m_connection(connection)
    , m_dialect(connection.dialect())
{
}

Result<StoreInfo> SqlServiceStore::info()
{
    const auto rows = m_connection.run(
        QStringLiteral("SELECT store_id, mode, schema_version, epoch, state, %1 AS quarantine_from FROM store_info")
            .arg(msOf(m_dialect, QStringLiteral("quarantine_from"))));
    if (!rows)
        return fail(rows.error());
    if (rows->isEmpty())
        return fail(Error::Kind::SchemaMissing, QStringLiteral("store_info is empty"));
    const auto& row = rows->first();
    StoreInfo info;
    info.storeId = textOf(row, "store_id");
    info.mode = wordIn<StoreMode>(row, "mode");
    info.schema = textOf(row, "schema_version").toLongLong();
    info.epoch = numberOf(row, "epoch");
    info.state = wordIn<StoreState>(row, "state");
    info.quarantineFrom = maybeInstant(row, "quarantine_from");
    return info;
}

Result<Instant> SqlServiceStore::now()
{
    const auto rows = m_connection.run(QStringLiteral("SELECT %1").arg(msOf(m_dialect, nowIn(m_dialect))));
    if (!rows)
        return fail(rows.error());
    return Instant{rows->first().at(0).toLongLong()};
}

Result<qint64> SqlServiceStore::syncSource(const Source& source)
{
    const auto there
        = m_connection.run(QStringLiteral("SELECT id, provider, account FROM sources WHERE name = ?"), {source.name});
    if (!there)
        return fail(there.error());
    if (!there->isEmpty()) {
        if (textOf(there->first(), "provider") != source.provider
            || textOf(there->first(), "account") != source.account)
            return fail(Error::Kind::Refused,
                QStringLiteral("source %1 belongs to another provider account in this store").arg(source.name));
        return numberOf(there->first(), "id");
    }
    const auto made = m_connection.run(QStringLiteral("INSERT INTO sources(id, name, provider, account) SELECT "
                                                      "COALESCE(max(id), 0) + 1, ?, ?, ? FROM sources RETURNING id"),
        {source.name, source.provider, source.account});
    if (!made)
        return fail(made.error());
    return made->first().at(0).toLongLong();
}

Result<> SqlServiceStore::syncKey(const SigningKey& key, qint64 sourceId)
{
    const auto there
        = m_connection.run(QStringLiteral("SELECT source_id, fingerprint FROM signing_keys WHERE id = ?"), {key.id});
    if (!there)
        return fail(there.error());
    if (!there->isEmpty()) {
        if (numberOf(there->first(), "source_id") != sourceId
            || textOf(there->first(), "fingerprint") != key.fingerprint)
            return fail(Error::Kind::Refused,
                QStringLiteral("signing key %1 stands for another secret: a new secret takes a new id").arg(key.id));
        return done();
    }
    const bool infinite = key.notAfter.isNever() && m_dialect == Dialect::PostgreSql;
    const auto made
        = m_connection.run(QStringLiteral("INSERT INTO signing_keys(id, source_id, route, secret_ref, fingerprint, "
                                          "not_before, not_after) VALUES (?, ?, ?, ?, ?, %1, %2)")
                               .arg(timeParameter(m_dialect),
                                   infinite ? QStringLiteral("CASE WHEN ?::bigint > 0 THEN timestamptz 'infinity' END")
                                            : timeParameter(m_dialect)),
            {key.id, sourceId, key.route, key.secretRef, key.fingerprint, key.notBefore.ms, key.notAfter.ms});
    return made ? done() : Result<>(fail(made.error()));
}

Result<QList<Source>> SqlServiceStore::syncSources(const QList<Source>& sources, const QList<SigningKey>& keys)
{
    return inTransaction(m_connection, [&]() -> Result<QList<Source>> {
        auto synced = sources;
        for (auto& source : synced) {
            const auto given = source.id;
            const auto id = syncSource(source);
            if (!id)
                return fail(id.error());
            source.id = *id;
            for (const auto& key : keys) {
                if (key.sourceId != given)
                    continue;
                if (const auto done = syncKey(key, *id); !done)
                    return fail(done.error());
            }
        }
        return synced;
    });
}

Result<> SqlServiceStore::heartbeat(const ServiceRow& row)
{
    return inTransaction(m_connection, [&]() -> Result<> {
        const auto beat = m_connection.run(
            QStringLiteral(
                "INSERT INTO services(instance, host, pid, version, roles, config_sha256, secret_fingerprints, "
                "db_skew_ms, provider_skew_ms) "
                "VALUES (?, ?, ?, ?, %1, ?, %1, ?, ?) ON CONFLICT (instance) DO UPDATE SET host = EXCLUDED.host, pid = "
                "EXCLUDED.pid, "
                "version = EXCLUDED.version, roles = EXCLUDED.roles, config_sha256 = EXCLUDED.config_sha256, "
                "secret_fingerprints = EXCLUDED.secret_fingerprints, db_skew_ms = EXCLUDED.db_skew_ms, "
                "provider_skew_ms = EXCLUDED.provider_skew_ms, "
                "started_at = CASE WHEN services.pid <> EXCLUDED.pid OR services.stopped_at IS NOT NULL THEN %2 ELSE "
                "services.started_at END, "
                "heartbeat_at = %2, stopped_at = NULL")
                .arg(arrayParameter(m_dialect), nowIn(m_dialect)),
            {row.instance, row.host, row.pid, row.version, jsonText(row.roles), row.configSha256,
                jsonText(row.secretFingerprints), row.dbSkewMs ? QVariant(*row.dbSkewMs) : QVariant(),
                row.providerSkewMs ? QVariant(*row.providerSkewMs) : QVariant()});
        return beat ? done() : Result<>(fail(beat.error()));
    });
}

Result<> SqlServiceStore::stopped(const QString& instance)
{
    return inTransaction(m_connection, [&]() -> Result<> {
        const auto gone = m_connection.run(
            QStringLiteral("UPDATE services SET stopped_at = %1 WHERE instance = ? AND stopped_at IS NULL")
                .arg(nowIn(m_dialect)),
            {instance});
        return gone ? done() : Result<>(fail(gone.error()));
    });
}

Result<QList<Hold>> SqlServiceStore::holds()
{
    const auto rows
        = m_connection.run(QStringLiteral("SELECT %1 FROM holds h WHERE h.released_at IS NULL ORDER BY h.id")
                               .arg(RowReader(!m_connection.isSqlite()).holdColumns(QStringLiteral("h"))));
    if (!rows)
        return fail(rows.error());
    QList<Hold> holds;
    for (const auto& row : rows->rows)
        holds.append(readHold(row));
    return holds;
}

Result<> SqlServiceStore::raise(IncidentKind kind, const QString& subject, Severity severity, const QJsonObject& detail)
{
    return inTransaction(m_connection, [&] { return raiseIncident(m_connection, kind, subject, severity, detail); });
}

Result<> SqlServiceStore::quarantine(Instant from)
{
    return inTransaction(m_connection, [&]() -> Result<> {
        const auto closed = m_connection.run(
            QStringLiteral("UPDATE store_info SET state = 'quarantine', quarantine_from = %1 WHERE state = 'normal'")
                .arg(timeParameter(m_dialect)),
            {from.ms});
        if (!closed)
            return fail(closed.error());
        return raiseIncident(m_connection, IncidentKind::Restore, QStringLiteral("store"), Severity::Red, {});
    });
}

Result<qint64> SqlServiceStore::lastCall()
{
    const auto rows = m_connection.run(QStringLiteral("SELECT COALESCE(max(id), 0) FROM provider_calls"));
    if (!rows)
        return fail(rows.error());
    return rows->first().at(0).toLongLong();
}

Result<> SqlServiceStore::probe()
{
    // A read-only standby and a full disk answer SELECTs happily: ask for the writer's place.
    return inTransaction(m_connection, [&]() -> Result<> {
        const auto writable = m_connection.isSqlite()
            ? m_connection.run(QStringLiteral("SELECT 1 FROM store_info"))
            : m_connection.run(QStringLiteral("SELECT 1 FROM store_info WHERE NOT pg_is_in_recovery()"));
        if (!writable)
            return fail(writable.error());
        return writable->isEmpty() ? Result<>(fail(Error::Kind::ReadOnly, QStringLiteral("in recovery"))) : done();
    });
}

} // namespace unavez::stores
