// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqlreservationstore.h"

#include "models/contract/storedrequest.h"
#include "models/stores/sql/incidents.h"
#include "models/stores/sql/transaction.h"

// Reading, reserving and taking reservations; sending and settling stand in sqlreservationsends.cpp.
namespace unavez::stores {

using namespace contract;

namespace {

QVariantList ids(const KeyId& key) { return {key.provider, key.account, key.key}; }
QVariantList ids(const IntentId& intent) { return {intent.provider, intent.account, intent.intentKey}; }

const QString byIntent = QStringLiteral("(provider, provider_account, intent_key) = (?, ?, ?)");
const QString byKey = QStringLiteral("(provider, provider_account, key) = (?, ?, ?)");

QVariant orNull(const std::optional<QString>& text) { return text ? QVariant(*text) : QVariant(); }

} // namespace

SqlReservationStore::SqlReservationStore(SqlConnection& connection)
    : m_connection(connection)
    , m_dialect(connection.dialect())
    , m_reader(!connection.isSqlite())
{
}

Result<Instant> SqlReservationStore::now()
{
    const auto rows = m_connection.run(QStringLiteral("SELECT %1").arg(msOf(m_dialect, nowIn(m_dialect))));
    if (!rows)
        return fail(rows.error());
    return Instant{rows->first().at(0).toLongLong()};
}

Result<std::optional<Intent>> SqlReservationStore::intent(const IntentId& id)
{
    const auto rows = m_connection.run(
        QStringLiteral("SELECT %1 FROM intents i WHERE %2").arg(m_reader.intentColumns(QStringLiteral("i")), byIntent),
        ids(id));
    if (!rows)
        return fail(rows.error());
    return rows->isEmpty() ? std::nullopt : std::optional(readIntent(rows->first()));
}

Result<std::optional<IntentState>> SqlReservationStore::find(const IntentId& id)
{
    const auto found = intent(id);
    if (!found)
        return fail(found.error());
    if (!*found)
        return std::optional<IntentState>();
    const auto attempts = m_connection.run(
        QStringLiteral("SELECT %1, %2 AS at FROM idempotency_keys k WHERE %3 ORDER BY attempt DESC LIMIT 1")
            .arg(m_reader.reservationColumns(QStringLiteral("k")), msOf(m_dialect, nowIn(m_dialect)), byIntent),
        ids(id));
    if (!attempts)
        return fail(attempts.error());
    if (attempts->isEmpty()) // an intent without a reservation commits nowhere
        return std::optional<IntentState>();
    return std::optional(IntentState{**found, readReservation(attempts->first()), instantOf(attempts->first(), "at")});
}

Result<std::optional<IntentState>> SqlReservationStore::findKey(const KeyId& key)
{
    const auto rows = m_connection.run(
        QStringLiteral("SELECT %1, %2 AS at FROM idempotency_keys k WHERE %3")
            .arg(m_reader.reservationColumns(QStringLiteral("k")), msOf(m_dialect, nowIn(m_dialect)), byKey),
        ids(key));
    if (!rows)
        return fail(rows.error());
    if (rows->isEmpty())
        return std::optional<IntentState>();
    const auto reservation = readReservation(rows->first());
    const auto of = intent(reservation.intent());
    if (!of)
        return fail(of.error());
    return std::optional(IntentState{of->value_or(Intent{}), reservation, instantOf(rows->first(), "at")});
}

Result<bool> SqlReservationStore::ownsJob(const JobLease& job)
{
    // FOR SHARE makes the job's finish wait for this transaction; SQLite's writer is alone anyway.
    const auto owned
        = m_connection.run(QStringLiteral("SELECT 1 FROM jobs WHERE id = ? AND state = 'leased' AND lease_token = ?%1")
                               .arg(m_connection.isSqlite() ? QString() : QStringLiteral(" FOR SHARE")),
            {job.job, job.token});
    if (!owned)
        return fail(owned.error());
    return !owned->isEmpty();
}

Result<> SqlReservationStore::insertUse(const IntentId& intent, const JobLease& job)
{
    const auto used = m_connection.run(m_connection.isSqlite()
            ? QStringLiteral("INSERT INTO intent_uses(provider, provider_account, intent_key, job_id) SELECT ?1, ?2, "
                             "?3, ?4 WHERE NOT EXISTS "
                             "(SELECT 1 FROM intent_uses WHERE job_id = ?4 AND provider = ?1 AND provider_account = ?2 "
                             "AND intent_key = ?3)")
            : QStringLiteral("INSERT INTO intent_uses(provider, provider_account, intent_key, job_id) VALUES (?, ?, ?, "
                             "?) ON CONFLICT DO NOTHING"),
        ids(intent) << job.job);
    return used ? done() : Result<>(fail(used.error()));
}

Result<bool> SqlReservationStore::use(const IntentId& intent, const JobLease& job)
{
    return inTransaction(m_connection, [&]() -> Result<bool> {
        const auto owned = ownsJob(job);
        if (!owned || !*owned)
            return owned;
        if (const auto used = insertUse(intent, job); !used)
            return fail(used.error());
        return true;
    });
}

Result<ReserveAnswer> SqlReservationStore::reserve(const ReserveRequest& request)
{
    return inTransaction(m_connection, [&] { return reserveInside(request); });
}

Result<ReserveAnswer> SqlReservationStore::reserveInside(const ReserveRequest& request)
{
    ReserveAnswer answer;
    if (request.job) {
        const auto owned = ownsJob(*request.job);
        if (!owned)
            return fail(owned.error());
        if (!*owned) {
            answer.refused = Because{Reason::LeaseLost, {{QStringLiteral("id"), request.job->job}}};
            return answer;
        }
    }
    const auto state = m_connection.run(QStringLiteral("SELECT state, %1 AS quarantine_from FROM store_info")
                                            .arg(msOf(m_dialect, QStringLiteral("quarantine_from"))));
    if (!state)
        return fail(state.error());
    if (textOf(state->first(), "state") != wordOf(StoreState::Normal)) {
        answer.refused
            = Because{Reason::Quarantine, {{QStringLiteral("time"), numberOf(state->first(), "quarantine_from")}}};
        return answer;
    }
    const auto& id = request.intent;
    const auto planted = m_connection.run(
        QStringLiteral("INSERT INTO intents(provider, provider_account, intent_key, tool, amount_minor, currency, "
                       "customer_ref, plan, plan_sha256, "
                       "args_sha256, max_attempts) %1")
            .arg(m_connection.isSqlite()
                    ? QStringLiteral(
                        "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 WHERE NOT EXISTS (SELECT 1 FROM intents "
                        "WHERE provider = ?1 AND provider_account = ?2 AND intent_key = ?3)")
                    : QStringLiteral("VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")),
        {id.provider, id.account, id.intentKey, request.tool,
            request.amount ? QVariant(request.amount->minor) : QVariant(),
            request.amount ? QVariant(request.amount->currency) : QVariant(), orNull(request.customer),
            QString::fromUtf8(request.plan), sha256(request.plan), request.argsSha256, request.maxAttempts});
    if (!planted)
        return fail(planted.error());
    const auto planned = intent(id);
    if (!planned)
        return fail(planned.error());
    if (!*planned) // the winner of the race rolled back between our two statements: once more from the start (H23)
        return fail(Error::Kind::Conflict, QStringLiteral("intent vanished"));
    if ((*planned)->argsSha256 != request.argsSha256) {
        answer.refused = Because{Reason::PlanMismatch,
            {{QStringLiteral("intent"), id.intentKey}, {QStringLiteral("field"), QStringLiteral("arguments")}}};
        return answer;
    }
    if (request.job) {
        if (const auto used = insertUse(id, *request.job); !used)
            return fail(used.error());
    }
    const KeyId key{id.provider, id.account, attemptKey(id.intentKey, 1)};
    const auto reserved = m_connection.run(m_connection.isSqlite()
            ? QStringLiteral("INSERT INTO idempotency_keys(provider, provider_account, key, intent_key, attempt, "
                             "request, request_sha256, owner, "
                             "lease_expires_at, window_s, margin_s) SELECT ?1, ?2, ?3, ?4, 1, ?5, ?6, ?7, %1 + ?8, ?9, "
                             "?10 WHERE NOT EXISTS (SELECT 1 FROM "
                             "idempotency_keys WHERE provider = ?1 AND provider_account = ?2 AND intent_key = ?4)")
                  .arg(nowIn(m_dialect))
            : QStringLiteral("INSERT INTO idempotency_keys(provider, provider_account, key, intent_key, attempt, "
                             "request, request_sha256, owner, "
                             "lease_expires_at, window_s, margin_s) VALUES (?, ?, ?, ?, 1, ?, ?, ?, %1, ?, ?) ON "
                             "CONFLICT DO NOTHING")
                  .arg(nowPlusParameter(m_dialect)),
        {key.provider, key.account, key.key, id.intentKey, request.request, sha256(request.request), request.owner,
            qint64(request.lease.count()), qint64(request.window.count()), qint64(request.margin.count())});
    if (!reserved)
        return fail(reserved.error());
    if (reserved->affected == 1) {
        const auto ours = held(key);
        if (!ours)
            return fail(ours.error());
        answer.held = *ours;
        return answer;
    }
    const auto existing = find(id);
    if (!existing)
        return fail(existing.error());
    answer.existing = *existing;
    return answer;
}

Result<Held> SqlReservationStore::held(const KeyId& key)
{
    const auto rows = m_connection.run(
        QStringLiteral("SELECT fence, request, request_sha256, intent_key, %1 AS at FROM idempotency_keys WHERE %2")
            .arg(msOf(m_dialect, nowIn(m_dialect)), byKey),
        ids(key));
    if (!rows)
        return fail(rows.error());
    if (rows->isEmpty())
        return fail(Error::Kind::NotFound, QStringLiteral("reservation"));
    const auto& row = rows->first();
    const auto of = intent({key.provider, key.account, textOf(row, "intent_key")});
    if (!of)
        return fail(of.error());
    const auto request = row.value(QStringLiteral("request")).toByteArray();
    if (sha256(request) != row.value(QStringLiteral("request_sha256")).toByteArray())
        return fail(Error::Kind::Corrupt, QStringLiteral("stored request: another hash"));
    return Held{key, numberOf(row, "fence"), request, of->value_or(Intent{}), instantOf(row, "at")};
}

Result<std::optional<Held>> SqlReservationStore::start(
    const KeyId& key, qint64 seenVersion, const QString& owner, Millis lease, const QByteArray& request)
{
    return inTransaction(m_connection, [&]() -> Result<std::optional<Held>> {
        const auto started = m_connection.run(
            QStringLiteral("UPDATE idempotency_keys SET status = 'in_progress', fence = fence + 1, owner = ?, "
                           "lease_expires_at = %1, request = ?, "
                           "request_sha256 = ?%2%3 WHERE %4 AND status = 'opened' AND row_version = ?")
                .arg(nowPlusParameter(m_dialect), bumpVersion(m_dialect), touchStatus(m_dialect), byKey),
            QVariantList{owner, qint64(lease.count()), request, sha256(request)} + ids(key)
                + QVariantList{seenVersion});
        if (!started)
            return fail(started.error());
        if (started->affected != 1)
            return std::optional<Held>();
        const auto ours = held(key);
        return ours ? Result<std::optional<Held>>(std::optional(*ours))
                    : Result<std::optional<Held>>(fail(ours.error()));
    });
}

Result<std::optional<Held>> SqlReservationStore::resume(
    const KeyId& key, qint64 seenFence, const QString& owner, Millis lease, Seconds grace)
{
    const qint64 graceMs = Millis(grace).count();
    return inTransaction(m_connection, [&]() -> Result<std::optional<Held>> {
        const auto resumed
            = m_connection.run(QStringLiteral("UPDATE idempotency_keys SET fence = fence + 1, owner = ?, "
                                              "lease_expires_at = %1%2 WHERE %3 AND status = 'in_progress' "
                                              "AND fence = ? AND lease_expires_at < %1 AND (sends = 0 OR (%4 < "
                                              "resume_until AND first_sent_at <= %4))")
                                   .arg(nowPlusParameter(m_dialect), bumpVersion(m_dialect), byKey, nowIn(m_dialect)),
                QVariantList{owner, qint64(lease.count())} + ids(key) + QVariantList{seenFence, -graceMs});
        if (!resumed)
            return fail(resumed.error());
        if (resumed->affected != 1)
            return std::optional<Held>();
        const auto ours = held(key);
        return ours ? Result<std::optional<Held>>(std::optional(*ours))
                    : Result<std::optional<Held>>(fail(ours.error()));
    });
}

Result<QList<Reservation>> SqlReservationStore::openEffects(qint64 job)
{
    // From the job's few uses to their keys, never from all open keys to the job.
    const auto columns = m_reader.reservationColumns(QStringLiteral("k"));
    const auto rows = m_connection.run(
        QStringLiteral("SELECT %1 FROM intent_uses u JOIN idempotency_keys k ON k.provider = u.provider AND "
                       "k.provider_account = u.provider_account AND k.intent_key = u.intent_key "
                       "WHERE u.job_id = ? AND k.status IN ('opened','in_progress','unknown') "
                       "UNION SELECT %1 FROM jobs j JOIN idempotency_keys k ON k.provider = j.provider AND "
                       "k.provider_account = j.provider_account AND k.key = j.key "
                       "WHERE j.id = ? AND k.status IN ('opened','in_progress','unknown') ORDER BY 1, 2, 3")
            .arg(columns),
        {job, job});
    if (!rows)
        return fail(rows.error());
    QList<Reservation> open;
    for (const auto& row : rows->rows)
        open.append(readReservation(row));
    return open;
}

Result<> SqlReservationStore::raise(
    IncidentKind kind, const QString& subject, Severity severity, const QJsonObject& detail)
{
    return inTransaction(m_connection, [&] { return raiseIncident(m_connection, kind, subject, severity, detail); });
}

} // namespace unavez::stores
