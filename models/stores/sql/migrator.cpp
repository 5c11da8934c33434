// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/migrator.h"

#include "models/async/crashpoint.h"
#include "models/stores/sql/transaction.h"

#include <QDir>
#include <QFile>
#include <QUuid>

namespace unavez::stores {

using contract::done;
using contract::Error;
using contract::fail;
using contract::Result;
using contract::StoreMode;
using contract::wordOf;

namespace {

struct Step
{
    qint64 number = 0;
    QString file;
};

QList<Step> stepsOf(Dialect dialect)
{
    const auto folder = QStringLiteral(":/schema/")
        + (dialect == Dialect::Sqlite ? QStringLiteral("sqlite") : QStringLiteral("postgresql"));
    QList<Step> steps;
    const auto names = QDir(folder).entryList({QStringLiteral("*.sql")}, QDir::Files, QDir::Name);
    for (const auto& name : names)
        steps.append({name.section(QLatin1Char('_'), 0, 0).toLongLong(), folder + QLatin1Char('/') + name});
    return steps;
}

// Two migrators: one waits for the other and then finds nothing to do. SQLite's writer is alone by itself.
Result<> lockForMigration(SqlConnection& connection)
{
    if (connection.isSqlite())
        return done();
    const auto locked = connection.run(QStringLiteral("SELECT 1 FROM (SELECT pg_advisory_xact_lock(7165024321)) l"));
    return locked ? done() : Result<>(fail(locked.error()));
}

Result<> runStep(SqlConnection& connection, const Step& step, qint64 from, const std::optional<StoreMode>& mode)
{
    QFile file(step.file);
    if (!file.open(QIODevice::ReadOnly))
        return fail(Error::Kind::Corrupt, QStringLiteral("migration %1 is not in this program").arg(step.number));
    if (const auto ran = connection.runScript(file.readAll()); !ran)
        return ran;
    UNAVEZ_CRASH_POINT("migrate.mid_run");
    const auto version = QString::number(step.number);
    const auto noted = from == 0
        ? connection.run(
            QStringLiteral("INSERT INTO store_info(one, store_id, mode, schema_version) VALUES (%1, %2, ?, ?)")
                .arg(connection.isSqlite() ? QStringLiteral("1") : QStringLiteral("true"),
                    connection.isSqlite()
                        ? QStringLiteral("'%1'").arg(QUuid::createUuid().toString(QUuid::WithoutBraces))
                        : QStringLiteral("gen_random_uuid()")),
            {wordOf(*mode), version})
        : connection.run(QStringLiteral("UPDATE store_info SET schema_version = ?"), {version});
    return noted ? done() : Result<>(fail(noted.error()));
}

} // namespace

qint64 newestSchema(Dialect dialect) { return stepsOf(dialect).last().number; }

Result<qint64> schemaOf(SqlConnection& connection)
{
    const auto there = connection.run(connection.isSqlite()
            ? QStringLiteral("SELECT count(*) FROM sqlite_master WHERE name = 'store_info'")
            : QStringLiteral("SELECT count(*) FROM pg_class WHERE relname = 'store_info' AND relnamespace = "
                             "to_regnamespace('unavez')"));
    if (!there)
        return fail(there.error());
    if (there->first().at(0).toLongLong() == 0)
        return fail(Error::Kind::SchemaMissing, QStringLiteral("no table store_info"));
    const auto version = connection.run(QStringLiteral("SELECT schema_version FROM store_info"));
    if (!version)
        return fail(version.error());
    if (version->isEmpty())
        return fail(Error::Kind::SchemaMissing, QStringLiteral("store_info is empty"));
    return version->first().at(0).toString().toLongLong();
}

Result<> checkSchema(SqlConnection& connection)
{
    const auto found = schemaOf(connection);
    if (!found)
        return fail(found.error());
    const auto known = newestSchema(connection.dialect());
    if (*found > known)
        return fail(Error::Kind::SchemaNewer, QStringLiteral("store at %1, program knows %2").arg(*found).arg(known));
    if (*found < known)
        return fail(Error::Kind::Invalid,
            QStringLiteral("store at %1, program needs %2: migrate first").arg(*found).arg(known));
    return done();
}

Result<Migration> migrate(SqlConnection& connection, const std::optional<StoreMode>& mode)
{
    return inTransaction(connection, [&]() -> Result<Migration> {
        // One transaction for all steps: a store is at the old schema or at the new one, also after a crash.
        if (const auto locked = lockForMigration(connection); !locked)
            return fail(locked.error());
        const auto found = schemaOf(connection);
        if (!found && found.error().kind != Error::Kind::SchemaMissing)
            return fail(found.error());
        Migration migration{found ? *found : 0, found ? *found : 0};
        if (migration.from > newestSchema(connection.dialect()))
            return fail(Error::Kind::SchemaNewer, QStringLiteral("store at %1").arg(migration.from));
        if (migration.from == 0 && !mode)
            return fail(Error::Kind::Invalid, QStringLiteral("a new store needs its mode: live, test or practice"));
        if (migration.from != 0 && mode) {
            const auto stored = connection.run(QStringLiteral("SELECT mode FROM store_info"));
            if (!stored)
                return fail(stored.error());
            if (stored->first().at(0).toString() != wordOf(*mode))
                return fail(Error::Kind::Invalid,
                    QStringLiteral("this store is %1 for good").arg(stored->first().at(0).toString()));
        }
        for (const auto& step : stepsOf(connection.dialect())) {
            if (step.number <= migration.from)
                continue;
            if (const auto ran = runStep(connection, step, migration.to, mode); !ran)
                return fail(ran.error());
            migration.to = step.number;
        }
        return migration;
    });
}

} // namespace unavez::stores
