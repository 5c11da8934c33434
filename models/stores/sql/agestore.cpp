// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/agestore.h"

#include "models/contract/states.h"
#include "models/stores/sql/transaction.h"

namespace unavez::stores {

using contract::done;
using contract::Error;
using contract::fail;
using contract::Instant;
using contract::Millis;
using contract::Result;

namespace {

// Beyond every stored time: rows of neighbouring minutes must not meet on the way (their unique keys hold the minute).
constexpr Millis wayAround{4'000'000'000'000};

StoredTimes times(const char* table, const char* columns)
{
    return {QString::fromLatin1(table), QString::fromLatin1(columns).split(QLatin1Char(' '))};
}

bool holdsMinutes(const StoredTimes& entry) { return entry.columns.contains(QStringLiteral("minute")); }

QString shifted(Dialect dialect, const QString& column, Millis by)
{
    const auto ms = QString::number(by.count());
    if (dialect == Dialect::PostgreSql) // infinity stays by itself
        return QStringLiteral("%1 = %1 - (%2) * interval '1 millisecond'").arg(column, ms);
    return QStringLiteral("%1 = CASE WHEN %1 >= %2 THEN %1 ELSE %1 - (%3) END")
        .arg(column, QString::number(Instant::never().ms), ms);
}

Result<> shift(SqlConnection& connection, const StoredTimes& entry, Millis by)
{
    QStringList changes;
    for (const auto& column : entry.columns)
        changes.append(shifted(connection.dialect(), column, by));
    return connection.runScript(
        QStringLiteral("UPDATE %1 SET %2").arg(entry.table, changes.join(QStringLiteral(", "))).toUtf8());
}

Result<> shiftAll(SqlConnection& connection, Millis by)
{
    const auto tables = storedTimes();
    for (const auto& entry : tables) {
        auto moved = done();
        if (holdsMinutes(entry)) {
            moved = shift(connection, entry, by + wayAround);
            if (moved)
                moved = shift(connection, entry, -wayAround);
        } else {
            moved = shift(connection, entry, by);
        }
        if (!moved)
            return moved;
    }
    return done();
}

// PostgreSQL switches them off by table; SQLite's are dropped and made again, which a crash undoes.
Result<> withoutTriggers(SqlConnection& connection, Millis by)
{
    QByteArray off;
    QByteArray on;
    if (connection.isSqlite()) {
        const auto triggers = connection.run(
            QStringLiteral("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"));
        if (!triggers)
            return fail(triggers.error());
        for (const auto& row : triggers->rows) {
            off += "DROP TRIGGER " + row.at(0).toString().toUtf8() + ";\n";
            on += row.at(1).toString().toUtf8() + ";\n";
        }
    } else {
        const auto tables = storedTimes();
        for (const auto& entry : tables) {
            off += "ALTER TABLE " + entry.table.toUtf8() + " DISABLE TRIGGER USER;\n";
            on += "ALTER TABLE " + entry.table.toUtf8() + " ENABLE TRIGGER USER;\n";
        }
    }
    if (const auto switched = connection.runScript(off); !switched)
        return switched;
    if (const auto moved = shiftAll(connection, by); !moved)
        return moved;
    return connection.runScript(on);
}

} // namespace

QList<StoredTimes> storedTimes()
{
    return {times("store_info", "quarantine_from created_at"), times("sources", "created_at"),
        times("signing_keys", "not_before not_after"),
        times("processed_events", "provider_created_at received_at last_seen_at"),
        times("event_payloads", "received_at"), times("event_deliveries", "at"),
        times("signature_failures", "minute last_at sig_at"), times("minute_stats", "minute"),
        times("jobs", "run_at lease_expires_at dead_at finished_at requeued_at created_at"),
        times("dead_letters", "died_at left_at"), times("intents", "created_at last_status_at emptied_at"),
        times("intent_uses", "first_at"),
        times("idempotency_keys",
            "lease_expires_at reserved_at status_at first_sent_at last_sent_at resume_until completed_at emptied_at"),
        times("provider_calls", "sent_at ended_at"), times("reconciliations", "evidence_until at"),
        times("proposals", "proposed_at decided_at used_at"), times("bulk_runs", "started_at finished_at"),
        times("bulk_items", "at"), times("case_notes", "at"), times("holds", "placed_at released_at"),
        times("incidents", "opened_at last_at closed_at"), times("services", "started_at heartbeat_at stopped_at")};
}

Result<> ageStore(SqlConnection& connection, Millis by)
{
    return inTransaction(connection, [&]() -> Result<> {
        const auto mode = connection.run(QStringLiteral("SELECT mode FROM store_info"));
        if (!mode)
            return fail(mode.error());
        if (mode->isEmpty() || mode->first().at(0).toString() != contract::wordOf(contract::StoreMode::Practice))
            return fail(Error::Kind::Refused, QStringLiteral("only a practice store may be aged"));
        return withoutTriggers(connection, by);
    });
}

} // namespace unavez::stores
