// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqlintakestore.h"

#include "models/async/crashpoint.h"
#include "models/stores/sql/incidents.h"
#include "models/stores/sql/transaction.h"

namespace unavez::stores {

using namespace contract;

namespace {

constexpr int keptDeliveries = 20; // rows of event_deliveries per event, contract.md §10.2
constexpr qint64 mostFailureRows = 10'000; // contract.md §10.2

QVariant orNull(const std::optional<QString>& text) { return text ? QVariant(*text) : QVariant(); }

QString minuteNow(Dialect dialect)
{
    return dialect == Dialect::Sqlite ? QStringLiteral("(%1/60000*60000)").arg(nowIn(dialect))
                                      : QStringLiteral("date_trunc('minute', now3())");
}

} // namespace

SqlIntakeStore::SqlIntakeStore(SqlConnection& connection)
    : m_connection(connection)
{
}

Result<QList<RecordedEvent>> SqlIntakeStore::record(const QList<MergedDelivery>& batch)
{
    return inTransaction(m_connection, [&]() -> Result<QList<RecordedEvent>> {
        QList<RecordedEvent> recorded;
        for (const auto& merged : batch) {
            const auto one = recordOne(merged);
            if (!one)
                return fail(one.error());
            recorded.append(*one);
        }
        UNAVEZ_CRASH_POINT("edge.before_commit");
        return recorded;
    });
}

Result<RecordedEvent> SqlIntakeStore::recordOne(const MergedDelivery& merged)
{
    // Insert, else count: in a loop, for the winner of a race may roll back, and its loser then finds neither (H23).
    for (int round = 0; round < 3; ++round) {
        auto event = insertNew(merged);
        if (event && !*event)
            event = countRepeat(merged);
        if (!event)
            return fail(event.error());
        if (!*event)
            continue;
        if (const auto noted = noteDelivery(merged, **event); !noted)
            return fail(noted.error());
        if (const auto counted = countKey(merged); !counted)
            return fail(counted.error());
        return **event;
    }
    return fail(Error::Kind::Conflict, QStringLiteral("event neither inserted nor found"));
}

Result<std::optional<RecordedEvent>> SqlIntakeStore::insertNew(const MergedDelivery& merged)
{
    const auto dialect = m_connection.dialect();
    const auto& d = merged.delivery;
    const QVariantList values{d.sourceId, d.eventId, d.changeId(), d.eventType, orNull(d.objectId),
        orNull(d.snapshotId), d.providerCreatedAt ? QVariant(d.providerCreatedAt->ms) : QVariant(), d.bodySha256,
        d.signingKeyId, merged.count};
    // SQLite's triggers answer a duplicate with an error, so it is looked for; PostgreSQL's event must come with its
    // job.
    const auto sql = m_connection.isSqlite()
        ? QStringLiteral("INSERT INTO processed_events(source_id, event_id, change_id, event_type, object_id, "
                         "alias_event_id, provider_created_at, "
                         "body_sha256, signing_key_id, deliveries) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 "
                         "WHERE NOT EXISTS (SELECT 1 FROM "
                         "processed_events WHERE source_id = ?1 AND (event_id = ?2 OR change_id = ?3)) RETURNING id")
        : QStringLiteral("INSERT INTO processed_events(source_id, event_id, change_id, event_type, object_id, "
                         "alias_event_id, provider_created_at, "
                         "body_sha256, signing_key_id, deliveries, has_job) VALUES (?, ?, ?, ?, ?, ?, %1, ?, ?, ?, "
                         "true) ON CONFLICT DO NOTHING RETURNING id")
              .arg(timeParameter(dialect));
    const auto inserted = m_connection.run(sql, values);
    if (!inserted)
        return fail(inserted.error());
    if (inserted->isEmpty())
        return std::optional<RecordedEvent>();
    const auto pk = inserted->first().at(0).toLongLong();
    const auto job = m_connection.run(
        QStringLiteral("INSERT INTO jobs(kind, event_pk, source_id, max_attempts) VALUES ('event', ?, ?, ?)"),
        {pk, d.sourceId, d.maxAttempts});
    if (!job)
        return fail(job.error());
    const auto payload
        = m_connection.run(QStringLiteral("INSERT INTO event_payloads(event_pk, content_type, body) VALUES (?, ?, ?)"),
            {pk, d.contentType, d.body});
    if (!payload)
        return fail(payload.error());
    return std::optional(RecordedEvent{pk, true, merged.count, true, false});
}

Result<std::optional<RecordedEvent>> SqlIntakeStore::countRepeat(const MergedDelivery& merged)
{
    const auto dialect = m_connection.dialect();
    const auto& d = merged.delivery;
    const auto counted = m_connection.run(
        QStringLiteral("UPDATE processed_events SET deliveries = deliveries + ?, last_seen_at = %1, "
                       "alias_event_id = COALESCE(alias_event_id, CASE WHEN event_id <> ? THEN ? END) "
                       "WHERE source_id = ? AND (event_id = ? OR change_id = ?) RETURNING id, deliveries, has_job, "
                       "body_sha256, event_id")
            .arg(nowIn(dialect)),
        {merged.count, d.eventId, d.eventId, d.sourceId, d.eventId, d.changeId()});
    if (!counted)
        return fail(counted.error());
    if (counted->isEmpty())
        return std::optional<RecordedEvent>();
    const auto& row = counted->first();
    RecordedEvent event{row.at(0).toLongLong(), false, row.at(1).toInt(), row.at(2).toBool(), false};
    // Only the same id makes it the same body: a thin event and its snapshot differ by nature.
    event.bodyChanged = row.at(4).toString() == d.eventId && row.at(3).toByteArray() != d.bodySha256;
    if (event.bodyChanged) {
        const auto raised = raiseIncident(m_connection, IncidentKind::BodyChanged,
            QStringLiteral("event:%1").arg(event.eventPk), Severity::Amber, {{QStringLiteral("event_id"), d.eventId}});
        if (!raised)
            return fail(raised.error());
    }
    return std::optional(event);
}

Result<> SqlIntakeStore::noteDelivery(const MergedDelivery& merged, const RecordedEvent& event)
{
    const auto& d = merged.delivery;
    if (event.deliveries > keptDeliveries)
        return done();
    const auto noted
        = m_connection.run(QStringLiteral("INSERT INTO event_deliveries(event_pk, n, signing_key_id, peer, "
                                          "answered_ms) VALUES (?, ?, ?, %1, ?) ON CONFLICT DO NOTHING")
                               .arg(m_connection.isSqlite() ? QStringLiteral("?") : QStringLiteral("?::inet")),
            {event.eventPk, event.deliveries, d.signingKeyId, d.peer.isEmpty() ? QVariant() : QVariant(d.peer),
                d.answeredMs});
    return noted ? done() : Result<>(fail(noted.error()));
}

Result<> SqlIntakeStore::countKey(const MergedDelivery& merged)
{
    const auto counted = m_connection.run(
        QStringLiteral("INSERT INTO minute_stats(source_id, minute, name, n) VALUES (?, %1, ?, ?) "
                       "ON CONFLICT (source_id, minute, name) DO UPDATE SET n = minute_stats.n + EXCLUDED.n")
            .arg(minuteNow(m_connection.dialect())),
        {merged.delivery.sourceId, QStringLiteral("key:") + merged.delivery.signingKeyId, merged.count});
    return counted ? done() : Result<>(fail(counted.error()));
}

Result<> SqlIntakeStore::recordFailures(const QList<SignatureFailure>& failures)
{
    return inTransaction(m_connection, [&]() -> Result<> {
        for (const auto& failure : failures) {
            if (const auto recorded = recordFailure(failure); !recorded)
                return recorded;
        }
        return done();
    });
}

Result<> SqlIntakeStore::recordFailure(const SignatureFailure& failure)
{
    if (const auto written = writeFailure(failure); !written)
        return written;
    if (failure.reason != FailureReason::LiveEventOnTest)
        return done();
    return raiseIncident(m_connection, IncidentKind::LiveEventOnTest, QStringLiteral("source:%1").arg(failure.sourceId),
        Severity::Red, {{QStringLiteral("route"), failure.route}});
}

Result<> SqlIntakeStore::writeFailure(const SignatureFailure& failure)
{
    const auto dialect = m_connection.dialect();
    const auto minute = minuteNow(dialect);
    const auto counted = m_connection.run(QStringLiteral("UPDATE signature_failures SET n = n + ?, last_at = %1 WHERE "
                                                         "source_id = ? AND route = ? AND reason = ? AND minute = %2")
                                              .arg(nowIn(dialect), minute),
        {failure.count, failure.sourceId, failure.route, wordOf(failure.reason)});
    if (!counted)
        return fail(counted.error());
    if (counted->affected > 0)
        return done();
    const auto rows = m_connection.run(
        QStringLiteral("SELECT count(*) FROM (SELECT 1 FROM signature_failures LIMIT %1) s").arg(mostFailureRows));
    if (!rows)
        return fail(rows.error());
    // Hostile posts must not fill the disk: beyond the bound the oldest row is written over.
    const auto columns
        = QStringLiteral("source_id, route, reason, minute, n, last_at, sig_at, body_len, body_sha256, peer");
    const auto values = QStringLiteral("?, ?, ?, %1, ?, %2, %3, ?, ?, %4")
                            .arg(minute, nowIn(dialect), timeParameter(dialect),
                                m_connection.isSqlite() ? QStringLiteral("?") : QStringLiteral("?::inet"));
    const auto sql = rows->first().at(0).toLongLong() < mostFailureRows
        ? QStringLiteral(
            "INSERT INTO signature_failures(%1) VALUES (%2) ON CONFLICT (source_id, route, reason, minute) "
            "DO UPDATE SET n = signature_failures.n + EXCLUDED.n, last_at = EXCLUDED.last_at")
              .arg(columns, values)
        : QStringLiteral("UPDATE signature_failures SET (%1) = (%2) WHERE id = (SELECT id FROM signature_failures "
                         "ORDER BY last_at, id LIMIT 1)")
              .arg(columns, values);
    const auto written = m_connection.run(sql,
        {failure.sourceId, failure.route, wordOf(failure.reason), failure.count,
            failure.signedAt ? QVariant(failure.signedAt->ms) : QVariant(),
            failure.bodyLength ? QVariant(*failure.bodyLength) : QVariant(),
            failure.bodySha256.isEmpty() ? QVariant() : QVariant(failure.bodySha256),
            failure.peer.isEmpty() ? QVariant() : QVariant(failure.peer)});
    return written ? done() : Result<>(fail(written.error()));
}

} // namespace unavez::stores
