// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqlstorequeries.h"

#include "models/stores/sql/auditchain.h"
#include "models/stores/sql/casefacts.h"
#include "models/stores/sql/lookup.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace unavez::stores {

using namespace contract;

namespace {

constexpr qint64 countedExactly = 10000;
const QString t = QStringLiteral("t");
const QString sameKey
    = QStringLiteral("x.provider = t.provider AND x.provider_account = t.provider_account AND x.key = t.key");
const QString sameIntent = QStringLiteral(
    "x.provider = t.provider AND x.provider_account = t.provider_account AND x.intent_key = t.intent_key");

QList<qint64> numbersOf(const SqlRow& row, const char* column)
{
    QList<qint64> numbers;
    for (const auto& value : QJsonDocument::fromJson(textOf(row, column).toUtf8()).array())
        numbers.append(value.toInteger());
    return numbers;
}

std::optional<QString> fieldOf(const QJsonObject& object, const char* name)
{
    const auto value = object.value(QLatin1String(name));
    return value.isString() ? std::optional(value.toString()) : std::nullopt;
}

ReservationRow readReservationRow(const SqlRow& row)
{
    ReservationRow found;
    found.reservation = readReservation(row);
    found.tool = textOf(row, "tool");
    found.amount = maybeMoney(row);
    found.customer = maybeText(row, "customer_ref");
    found.lastClass = maybeWord<OutcomeClass>(row, "last_class");
    found.lastHttpStatus = maybeInt(row, "last_http_status");
    found.jobs = numbersOf(row, "jobs");
    found.evidence = int(numberOf(row, "evidence"));
    return found;
}

FailedRow readFailedRow(const SqlRow& row)
{
    FailedRow found;
    found.intent = readIntent(row);
    const auto error = QJsonDocument::fromJson(textOf(row, "error").toUtf8()).object();
    found.errorClass = fieldOf(error, "class");
    found.errorCode = fieldOf(error, "code");
    found.declineCode = fieldOf(error, "decline_code");
    found.adviceCode = fieldOf(error, "advice_code");
    found.jobs = numbersOf(row, "jobs");
    return found;
}

LeaseRow readLeaseRow(const SqlRow& row)
{
    return {readJob(row), maybeText(row, "event_id"), textOf(row, "source"), int(numberOf(row, "open_calls"))};
}

DeadRow readDeadRow(const SqlRow& row)
{
    DeadRow found;
    found.job = readJob(row);
    found.eventId = maybeText(row, "event_id");
    found.eventType = maybeText(row, "event_type");
    found.source = textOf(row, "source");
    found.hasPayload = maybeBool(row, "has_payload").value_or(false);
    return found;
}

SignatureRow readSignatureRow(const SqlRow& row)
{
    SignatureRow found;
    found.id = numberOf(row, "id");
    found.source = textOf(row, "source");
    found.route = textOf(row, "route");
    found.reason = wordIn<FailureReason>(row, "reason");
    found.minute = instantOf(row, "minute");
    found.n = int(numberOf(row, "n"));
    found.lastAt = instantOf(row, "last_at");
    found.signedAt = maybeInstant(row, "sig_at");
    found.bodyLength = maybeInt(row, "body_len");
    found.peer = maybeText(row, "peer");
    return found;
}

Source readSource(const SqlRow& row)
{
    return {numberOf(row, "id"), textOf(row, "name"), textOf(row, "provider"), textOf(row, "account")};
}

} // namespace

SqlStoreQueries::SqlStoreQueries(SqlConnection& connection, GuardPolicy policy)
    : m_connection(connection)
    , m_policy(std::move(policy))
    , m_reader(!connection.isSqlite())
{
}

Capabilities SqlStoreQueries::capabilities() const
{
    Capabilities known;
    known.needsTwoLogins = !!m_connection.isSqlite();
    return known;
}

Result<StoreInfo> SqlStoreQueries::info()
{
    auto row = m_connection.run(
        QStringLiteral("SELECT CAST(t.store_id AS TEXT) AS store_id, t.mode, t.schema_version, t.epoch, t.state, %1 AS "
                       "quarantine_from FROM store_info t")
            .arg(m_reader.ms(QStringLiteral("t.quarantine_from"))),
        {});
    if (!row)
        return fail(row.error());
    if (row->isEmpty())
        return fail(Error::Kind::SchemaMissing, QStringLiteral("store_info is empty"));
    return StoreInfo{textOf(row->first(), "store_id"), wordIn<StoreMode>(row->first(), "mode"),
        numberOf(row->first(), "schema_version"), numberOf(row->first(), "epoch"),
        wordIn<StoreState>(row->first(), "state"), maybeInstant(row->first(), "quarantine_from")};
}

Result<StoreFacts> SqlStoreQueries::facts() { return CaseReader(m_connection, m_policy).store(); }

QString SqlStoreQueries::jobsOfIntent() const
{
    const auto gathered = !m_connection.isSqlite()
        ? QStringLiteral("json_agg(x.job_id ORDER BY x.first_at, x.job_id)::text")
        : QStringLiteral("json_group_array(x.job_id)");
    // At most a hundred: a list cell is no place for more.
    return QStringLiteral("(SELECT %1 FROM (SELECT x.job_id, x.first_at FROM intent_uses x WHERE %2 ORDER BY "
                          "x.first_at LIMIT 100) x) AS jobs")
        .arg(gathered, sameIntent);
}

QString SqlStoreQueries::reservationRowColumns() const
{
    QStringList columns{m_reader.reservationColumns(t)};
    for (const auto* name : {"tool", "amount_minor", "currency", "customer_ref"})
        columns.append(
            QStringLiteral("(SELECT x.%1 FROM intents x WHERE %2) AS %1").arg(QLatin1String(name), sameIntent));
    const auto last = QStringLiteral("(SELECT x.%1 FROM provider_calls x WHERE %2 ORDER BY x.id DESC LIMIT 1) AS %3");
    columns.append(last.arg(QStringLiteral("class"), sameKey, QStringLiteral("last_class")));
    columns.append(last.arg(QStringLiteral("http_status"), sameKey, QStringLiteral("last_http_status")));
    columns.append(QStringLiteral("(SELECT count(*) FROM reconciliations x WHERE %1) AS evidence").arg(sameKey));
    columns.append(jobsOfIntent());
    return columns.join(QStringLiteral(", "));
}

QString SqlStoreQueries::failedRowColumns() const
{
    return QStringList{m_reader.intentColumns(t),
        QStringLiteral("(SELECT x.error FROM idempotency_keys x WHERE %1 AND x.attempt = t.last_attempt) AS error")
            .arg(sameIntent),
        jobsOfIntent()}
        .join(QStringLiteral(", "));
}

QString SqlStoreQueries::columnsOf(const ListSpec& list) const
{
    const auto source = QStringLiteral("(SELECT x.name FROM sources x WHERE x.id = t.source_id) AS source");
    const auto eventId
        = QStringLiteral("(SELECT x.event_id FROM processed_events x WHERE x.id = t.event_pk) AS event_id");
    if (list.table == QLatin1String("idempotency_keys"))
        return reservationRowColumns();
    if (list.table == QLatin1String("intents"))
        return failedRowColumns();
    if (list.table == QLatin1String("processed_events"))
        return m_reader.eventColumns(t);
    if (list.table == QLatin1String("incidents"))
        return m_reader.incidentColumns(t);
    if (list.table == QLatin1String("operator_actions"))
        return m_reader.logColumns(t);
    if (list.name == QLatin1String("leases")) {
        return QStringList{m_reader.jobColumns(t), source, eventId,
            QStringLiteral("(SELECT count(*) FROM provider_calls x WHERE x.job_id = t.id AND x.ended_at IS NULL) AS "
                           "open_calls")}
            .join(QStringLiteral(", "));
    }
    if (list.name == QLatin1String("dead")) {
        return QStringList{m_reader.jobColumns(t), source, eventId,
            QStringLiteral("(SELECT x.event_type FROM processed_events x WHERE x.id = t.event_pk) AS event_type"),
            QStringLiteral("EXISTS (SELECT 1 FROM event_payloads x WHERE x.event_pk = t.event_pk) AS has_payload")}
            .join(QStringLiteral(", "));
    }
    const auto peer = !m_connection.isSqlite() ? QStringLiteral("host(t.peer) AS peer") : QStringLiteral("t.peer");
    return QStringList{QStringLiteral("t.id, t.route, t.reason, t.n, t.body_len"), source, peer,
        m_reader.ms(QStringLiteral("t.minute")) + QStringLiteral(" AS minute"),
        m_reader.ms(QStringLiteral("t.last_at")) + QStringLiteral(" AS last_at"),
        m_reader.ms(QStringLiteral("t.sig_at")) + QStringLiteral(" AS sig_at")}
        .join(QStringLiteral(", "));
}

Result<PageStatement> SqlStoreQueries::statementOf(const QString& kind, const PageRequest& request) const
{
    for (const auto& list : allLists()) {
        if (list.name == kind)
            return pageStatement(list, request, columnsOf(list), m_reader);
    }
    return fail(Error::Kind::Invalid, QStringLiteral("no list ") + kind);
}

template <typename Row>
Result<Page<Row>> SqlStoreQueries::page(
    const ListSpec& list, const PageRequest& request, const QString& columns, Row (*read)(const SqlRow&))
{
    const auto statement = pageStatement(list, request, columns, m_reader);
    if (!statement)
        return fail(statement.error());
    auto query = m_connection.run(statement->sql, statement->values);
    if (!query)
        return fail(query.error());
    Page<Row> page;
    Cursor last;
    for (const auto& row : query->rows) {
        if (page.rows.size() == request.limit) {
            page.next = last;
            break;
        }
        page.rows.append(read(row));
        last = cursorAt(list, row);
    }
    return page;
}

Result<Page<ReservationRow>> SqlStoreQueries::stuck(const PageRequest& request)
{
    return page(stuckList(), request, columnsOf(stuckList()), readReservationRow);
}

Result<Page<ReservationRow>> SqlStoreQueries::unknown(const PageRequest& request)
{
    return page(unknownList(), request, columnsOf(unknownList()), readReservationRow);
}

Result<Page<ReservationRow>> SqlStoreQueries::keys(const PageRequest& request)
{
    return page(keysList(), request, columnsOf(keysList()), readReservationRow);
}

Result<Page<FailedRow>> SqlStoreQueries::failed(const PageRequest& request)
{
    return page(failedList(), request, columnsOf(failedList()), readFailedRow);
}

Result<Page<DeadRow>> SqlStoreQueries::dead(const PageRequest& request)
{
    auto found = page(deadList(), request, columnsOf(deadList()), readDeadRow);
    if (!found)
        return found;
    CaseReader reader(m_connection, m_policy);
    for (auto& row : found->rows) {
        const auto facts = reader.ofJob(row.job.id);
        if (!facts)
            return fail(facts.error());
        row.verdict = verdictOf(*facts);
        for (const auto& intent : facts->intents) {
            for (const auto& attempt : facts->attempts) {
                if (attempt.intent() == intent.id && attempt.attempt == intent.lastAttempt)
                    row.keys.append(attempt.id.key);
            }
        }
    }
    return found;
}

Result<Page<LeaseRow>> SqlStoreQueries::leases(const PageRequest& request)
{
    return page(leasesList(), request, columnsOf(leasesList()), readLeaseRow);
}

Result<Page<Event>> SqlStoreQueries::lost(const PageRequest& request)
{
    return page(lostList(), request, columnsOf(lostList()), readEvent);
}

Result<Page<Event>> SqlStoreQueries::events(const PageRequest& request)
{
    return page(eventsList(), request, columnsOf(eventsList()), readEvent);
}

Result<Page<SignatureRow>> SqlStoreQueries::signatures(const PageRequest& request)
{
    return page(signaturesList(), request, columnsOf(signaturesList()), readSignatureRow);
}

Result<Page<LogEntry>> SqlStoreQueries::log(const PageRequest& request)
{
    return page(logList(), request, columnsOf(logList()), readLogEntry);
}

Result<Page<Incident>> SqlStoreQueries::incidents(const PageRequest& request)
{
    return page(incidentsList(), request, columnsOf(incidentsList()), readIncident);
}

Result<QList<ServiceRow>> SqlStoreQueries::services()
{
    auto query = m_connection.run(
        QStringLiteral("SELECT %1 FROM services t ORDER BY t.instance LIMIT 1000").arg(m_reader.serviceColumns(t)), {});
    if (!query)
        return fail(query.error());
    QList<ServiceRow> rows;
    for (const auto& row : query->rows)
        rows.append(readService(row));
    return rows;
}

Result<QList<Source>> SqlStoreQueries::sources()
{
    auto query = m_connection.run(
        QStringLiteral("SELECT id, name, provider, account FROM sources WHERE id <> 0 ORDER BY id"), {});
    if (!query)
        return fail(query.error());
    QList<Source> rows;
    for (const auto& row : query->rows)
        rows.append(readSource(row));
    return rows;
}

Result<Problem> SqlStoreQueries::problem(const ListSpec& list, Instant now)
{
    auto condition = conditionOf(list, m_reader);
    if (list.name == QLatin1String("incidents"))
        condition = QStringLiteral("t.closed_at IS NULL");
    const auto where = condition.isEmpty() ? QString() : QStringLiteral(" WHERE ") + condition;
    auto row = m_connection.run(
        QStringLiteral("SELECT count(*) AS n, %1 AS oldest, %2 AS cutoff FROM (SELECT t.%3 AS told, t.%4 AS first FROM "
                       "%5 t%6 LIMIT %7) x")
            .arg(m_reader.ms(QStringLiteral("min(x.told)")), m_reader.ms(QStringLiteral("min(x.first)")), list.oldest,
                list.sort.first().name, list.table, where, QString::number(countedExactly + 1)),
        {});
    if (!row)
        return fail(row.error());
    if (row->isEmpty())
        return fail(Error::Kind::Corrupt, QStringLiteral("count"));
    Problem found;
    found.count = {numberOf(row->first(), "n"), numberOf(row->first(), "n") > countedExactly};
    if (const auto oldest = maybeInstant(row->first(), "oldest"))
        found.oldestSeconds = std::max<qint64>(0, (now - *oldest).count() / 1000);
    const auto cutoff = maybeInstant(row->first(), "cutoff");
    if (list.name == QLatin1String("stuck") && cutoff && !cutoff->isNever())
        found.nextCutoff = cutoff;
    if (!found.count.estimated || !!m_connection.isSqlite())
        return found;
    auto estimate = m_connection.run(
        QStringLiteral("SELECT reltuples::bigint AS n FROM pg_class WHERE oid = to_regclass('unavez.' || ?)"),
        {list.index});
    if (!estimate)
        return fail(estimate.error());
    if (!estimate->isEmpty())
        found.count.count = std::max(found.count.count, numberOf(estimate->first(), "n"));
    return found;
}

Result<StoreStatus> SqlStoreQueries::status()
{
    StoreStatus status;
    const auto known = info();
    if (!known)
        return fail(known.error());
    status.info = *known;
    const auto now = CaseReader(m_connection, m_policy).now();
    if (!now)
        return fail(now.error());
    status.readAt = *now;
    auto running = services();
    if (!running)
        return fail(running.error());
    status.services = *running;
    auto holds = m_connection.run(QStringLiteral("SELECT %1 FROM holds t WHERE t.released_at IS NULL ORDER BY t.id "
                                                 "LIMIT 1000")
                                      .arg(m_reader.holdColumns(t)),
        {});
    if (!holds)
        return fail(holds.error());
    for (const auto& row : holds->rows)
        status.holds.append(readHold(row));
    const QList<std::pair<const ListSpec*, Problem*>> wanted{{&stuckList(), &status.stuck},
        {&leasesList(), &status.leases}, {&unknownList(), &status.unknown}, {&failedList(), &status.failed},
        {&deadList(), &status.dead}, {&lostList(), &status.lost}, {&signaturesList(), &status.signatures},
        {&incidentsList(), &status.incidents}};
    for (const auto& [list, into] : wanted) {
        const auto found = problem(*list, *now);
        if (!found)
            return fail(found.error());
        *into = *found;
    }
    return status;
}

Result<QList<CaseSubject>> SqlStoreQueries::find(const QString& id) { return Lookup(m_connection).find(id); }

Result<CaseFile> SqlStoreQueries::caseOf(const CaseSubject& subject)
{
    return Lookup(m_connection).caseOf(subject, m_policy);
}

Result<std::optional<qint64>> SqlStoreQueries::verifyLog() { return brokenAuditLink(m_connection); }

} // namespace unavez::stores
