// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/rowreader.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QVariant>

namespace unavez::stores {

using namespace contract;

namespace {

QStringList words(const char* text) { return QString::fromLatin1(text).split(QLatin1Char(' ')); }

QVariant valueOf(const SqlRow& row, const char* column) { return row.value(QLatin1String(column)); }

std::optional<QByteArray> maybeBytes(const SqlRow& row, const char* column)
{
    const auto value = valueOf(row, column);
    return value.isNull() ? std::nullopt : std::optional(value.toByteArray());
}

std::optional<QByteArray> maybeJson(const SqlRow& row, const char* column)
{
    const auto text = maybeText(row, column);
    return text ? std::optional(text->toUtf8()) : std::nullopt;
}

QStringList stringsOf(const SqlRow& row, const char* column)
{
    QStringList strings;
    for (const auto& value : QJsonDocument::fromJson(textOf(row, column).toUtf8()).array())
        strings.append(value.toString());
    return strings;
}

int intOf(const SqlRow& row, const char* column) { return valueOf(row, column).toInt(); }

KeyId keyIn(const SqlRow& row)
{
    return {textOf(row, "provider"), textOf(row, "provider_account"), textOf(row, "key")};
}

IntentId intentIn(const SqlRow& row)
{
    return {textOf(row, "provider"), textOf(row, "provider_account"), textOf(row, "intent_key")};
}

} // namespace

QString textOf(const SqlRow& row, const char* column) { return valueOf(row, column).toString(); }

qint64 numberOf(const SqlRow& row, const char* column) { return valueOf(row, column).toLongLong(); }

Instant instantOf(const SqlRow& row, const char* column) { return {numberOf(row, column)}; }

std::optional<QString> maybeText(const SqlRow& row, const char* column)
{
    const auto value = valueOf(row, column);
    return value.isNull() ? std::nullopt : std::optional(value.toString());
}

std::optional<qint64> maybeNumber(const SqlRow& row, const char* column)
{
    const auto value = valueOf(row, column);
    return value.isNull() ? std::nullopt : std::optional(value.toLongLong());
}

std::optional<int> maybeInt(const SqlRow& row, const char* column)
{
    const auto value = valueOf(row, column);
    return value.isNull() ? std::nullopt : std::optional(value.toInt());
}

std::optional<bool> maybeBool(const SqlRow& row, const char* column)
{
    const auto value = valueOf(row, column);
    return value.isNull() ? std::nullopt : std::optional(value.toBool());
}

std::optional<Instant> maybeInstant(const SqlRow& row, const char* column)
{
    const auto value = maybeNumber(row, column);
    return value ? std::optional(Instant{*value}) : std::nullopt;
}

std::optional<Money> maybeMoney(const SqlRow& row)
{
    const auto minor = maybeNumber(row, "amount_minor");
    return minor ? std::optional(Money{*minor, textOf(row, "currency")}) : std::nullopt;
}

QString RowReader::ms(const QString& column) const
{
    if (!m_postgres)
        return column;
    return QStringLiteral("CASE WHEN %1 = 'infinity' THEN 253402300799999 ELSE (extract(epoch FROM %1) * 1000)::bigint "
                          "END")
        .arg(column);
}

QString RowReader::time() const
{
    // Whole milliseconds fit a double exactly; timestamptz(3) rounds the division's last bits away.
    return m_postgres ? QStringLiteral("to_timestamp(?::bigint / 1000.0)::timestamptz(3)") : QStringLiteral("?");
}

QString RowReader::now() const
{
    return m_postgres ? QStringLiteral("unavez.now3()")
                      : QStringLiteral("(CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER))");
}

QString RowReader::array(const QString& column) const
{
    return m_postgres ? QStringLiteral("to_json(%1)::text").arg(column) : column;
}

QString RowReader::selected(
    const QString& alias, const QStringList& plain, const QStringList& times, const QStringList& arrays) const
{
    QStringList columns;
    const auto of = [&alias](const QString& name) { return alias + QLatin1Char('.') + name; };
    for (const auto& name : plain)
        columns.append(of(name) + QStringLiteral(" AS ") + name);
    for (const auto& name : times)
        columns.append(ms(of(name)) + QStringLiteral(" AS ") + name);
    for (const auto& name : arrays)
        columns.append(array(of(name)) + QStringLiteral(" AS ") + name);
    return columns.join(QStringLiteral(", "));
}

QString RowReader::eventColumns(const QString& alias) const
{
    return selected(alias,
               words("id source_id event_id event_type object_id change_id alias_event_id deliveries body_sha256 "
                     "signing_key_id has_job"),
               words("provider_created_at received_at last_seen_at"))
        + QStringLiteral(
            ", (SELECT name FROM sources WHERE sources.id = %1.source_id) AS source, EXISTS (SELECT 1 FROM "
            "event_payloads p WHERE p.event_pk = %1.id) AS has_payload")
              .arg(alias);
}

Event readEvent(const SqlRow& row)
{
    Event event;
    event.pk = numberOf(row, "id");
    event.sourceId = numberOf(row, "source_id");
    event.source = textOf(row, "source");
    event.eventId = textOf(row, "event_id");
    event.eventType = textOf(row, "event_type");
    event.objectId = maybeText(row, "object_id");
    event.changeId = textOf(row, "change_id");
    event.aliasEventId = maybeText(row, "alias_event_id");
    event.providerCreatedAt = maybeInstant(row, "provider_created_at");
    event.receivedAt = instantOf(row, "received_at");
    event.lastSeenAt = instantOf(row, "last_seen_at");
    event.deliveries = intOf(row, "deliveries");
    event.bodySha256 = maybeBytes(row, "body_sha256").value_or(QByteArray());
    event.signingKeyId = textOf(row, "signing_key_id");
    event.hasJob = valueOf(row, "has_job").toBool();
    event.hasPayload = valueOf(row, "has_payload").toBool();
    return event;
}

QString RowReader::jobColumns(const QString& alias) const
{
    return selected(alias,
        words("id kind event_pk source_id provider provider_account key state attempts max_attempts postponed "
              "lease_token lease_owner error_class error_text row_version"),
        words("run_at lease_expires_at dead_at finished_at requeued_at created_at"));
}

Job readJob(const SqlRow& row)
{
    Job job;
    job.id = numberOf(row, "id");
    job.kind = wordIn<JobKind>(row, "kind");
    job.eventPk = maybeNumber(row, "event_pk");
    job.sourceId = numberOf(row, "source_id");
    if (maybeText(row, "key"))
        job.key = keyIn(row);
    job.state = wordIn<JobState>(row, "state");
    job.attempts = intOf(row, "attempts");
    job.maxAttempts = intOf(row, "max_attempts");
    job.postponed = intOf(row, "postponed");
    job.runAt = instantOf(row, "run_at");
    job.leaseToken = numberOf(row, "lease_token");
    job.leaseOwner = maybeText(row, "lease_owner");
    job.leaseExpiresAt = maybeInstant(row, "lease_expires_at");
    job.errorClass = maybeText(row, "error_class");
    job.errorText = maybeText(row, "error_text");
    job.deadAt = maybeInstant(row, "dead_at");
    job.finishedAt = maybeInstant(row, "finished_at");
    job.requeuedAt = maybeInstant(row, "requeued_at");
    job.createdAt = instantOf(row, "created_at");
    job.rowVersion = numberOf(row, "row_version");
    return job;
}

QString RowReader::intentColumns(const QString& alias) const
{
    return selected(alias,
        words("provider provider_account intent_key tool amount_minor currency customer_ref plan plan_sha256 "
              "args_sha256 provider_object_id max_attempts last_attempt last_status"),
        words("created_at last_status_at emptied_at"));
}

Intent readIntent(const SqlRow& row)
{
    Intent intent;
    intent.id = intentIn(row);
    intent.tool = textOf(row, "tool");
    intent.amount = maybeMoney(row);
    intent.customer = maybeText(row, "customer_ref");
    intent.plan = maybeJson(row, "plan");
    intent.planSha256 = maybeBytes(row, "plan_sha256").value_or(QByteArray());
    intent.argsSha256 = maybeBytes(row, "args_sha256").value_or(QByteArray());
    intent.providerObjectId = maybeText(row, "provider_object_id");
    intent.maxAttempts = intOf(row, "max_attempts");
    intent.createdAt = instantOf(row, "created_at");
    intent.lastAttempt = intOf(row, "last_attempt");
    intent.lastStatus = maybeWord<ReservationStatus>(row, "last_status");
    intent.lastStatusAt = maybeInstant(row, "last_status_at");
    intent.emptiedAt = maybeInstant(row, "emptied_at");
    return intent;
}

QString RowReader::useColumns(const QString& alias) const
{
    return selected(alias, words("provider provider_account intent_key job_id"), words("first_at"))
        + QStringLiteral(", j.state AS job_state, j.row_version AS job_version");
}

IntentUse readUse(const SqlRow& row)
{
    return {intentIn(row), numberOf(row, "job_id"), instantOf(row, "first_at"), wordIn<JobState>(row, "job_state"),
        numberOf(row, "job_version")};
}

QString RowReader::reservationColumns(const QString& alias) const
{
    return selected(alias,
        words("provider provider_account key intent_key attempt status flag fence owner sends window_s margin_s "
              "outcome_class provider_object_id result error row_version"),
        words("lease_expires_at reserved_at status_at first_sent_at last_sent_at resume_until completed_at "
              "emptied_at"));
}

Reservation readReservation(const SqlRow& row)
{
    Reservation reservation;
    reservation.id = keyIn(row);
    reservation.intentKey = textOf(row, "intent_key");
    reservation.attempt = intOf(row, "attempt");
    reservation.status = wordIn<ReservationStatus>(row, "status");
    reservation.flag = maybeWord<ReservationFlag>(row, "flag");
    reservation.fence = numberOf(row, "fence");
    reservation.owner = maybeText(row, "owner");
    reservation.leaseExpiresAt = maybeInstant(row, "lease_expires_at");
    reservation.reservedAt = instantOf(row, "reserved_at");
    reservation.statusAt = instantOf(row, "status_at");
    reservation.firstSentAt = maybeInstant(row, "first_sent_at");
    reservation.lastSentAt = maybeInstant(row, "last_sent_at");
    reservation.sends = intOf(row, "sends");
    reservation.window = Seconds{numberOf(row, "window_s")};
    reservation.margin = Seconds{numberOf(row, "margin_s")};
    reservation.resumeUntil = instantOf(row, "resume_until");
    reservation.outcomeClass = maybeText(row, "outcome_class");
    reservation.providerObjectId = maybeText(row, "provider_object_id");
    reservation.result = maybeJson(row, "result");
    reservation.error = maybeJson(row, "error");
    reservation.completedAt = maybeInstant(row, "completed_at");
    reservation.emptiedAt = maybeInstant(row, "emptied_at");
    reservation.rowVersion = numberOf(row, "row_version");
    return reservation;
}

QString RowReader::callColumns(const QString& alias) const
{
    return selected(alias,
        words("id provider provider_account key sent_key fence job_id lease_token http_status request_id "
              "original_request_id replayed should_retry error_type error_code decline_code advice_code object_id "
              "class"),
        words("sent_at ended_at"));
}

ProviderCall readCall(const SqlRow& row)
{
    ProviderCall call;
    call.id = numberOf(row, "id");
    call.key = keyIn(row);
    call.sentKey = textOf(row, "sent_key");
    call.fence = numberOf(row, "fence");
    call.jobId = maybeNumber(row, "job_id");
    call.leaseToken = maybeNumber(row, "lease_token");
    call.sentAt = instantOf(row, "sent_at");
    call.endedAt = maybeInstant(row, "ended_at");
    call.httpStatus = maybeInt(row, "http_status");
    call.requestId = maybeText(row, "request_id");
    call.originalRequestId = maybeText(row, "original_request_id");
    call.replayed = maybeBool(row, "replayed");
    call.shouldRetry = maybeBool(row, "should_retry");
    call.errorType = maybeText(row, "error_type");
    call.errorCode = maybeText(row, "error_code");
    call.declineCode = maybeText(row, "decline_code");
    call.adviceCode = maybeText(row, "advice_code");
    call.objectId = maybeText(row, "object_id");
    call.outcome = maybeWord<OutcomeClass>(row, "class");
    return call;
}

QString RowReader::reconciliationColumns(const QString& alias) const
{
    return selected(alias,
        words("id provider provider_account key verdict source event_pk amount_minor currency evidence_sha256 "
              "by_login proposal_id"),
        words("evidence_until at"), words("object_ids"));
}

Reconciliation readReconciliation(const SqlRow& row)
{
    Reconciliation found;
    found.id = numberOf(row, "id");
    found.key = keyIn(row);
    found.verdict = wordIn<EvidenceVerdict>(row, "verdict");
    found.source = wordIn<EvidenceSource>(row, "source");
    found.eventPk = maybeNumber(row, "event_pk");
    found.objectIds = stringsOf(row, "object_ids");
    found.amount = maybeMoney(row);
    found.evidenceSha256 = maybeBytes(row, "evidence_sha256").value_or(QByteArray());
    found.evidenceUntil = instantOf(row, "evidence_until");
    found.by = textOf(row, "by_login");
    found.proposalId = maybeNumber(row, "proposal_id");
    found.at = instantOf(row, "at");
    return found;
}

QString RowReader::holdColumns(const QString& alias) const
{
    return selected(alias, words("kind target reason placed_by"), words("placed_at"));
}

Hold readHold(const SqlRow& row)
{
    return {wordIn<HoldKind>(row, "kind"), textOf(row, "target"), textOf(row, "reason"), textOf(row, "placed_by"),
        instantOf(row, "placed_at")};
}

QString RowReader::incidentColumns(const QString& alias) const
{
    return selected(alias, words("id kind subject severity detail n closed_by"), words("opened_at last_at closed_at"));
}

Incident readIncident(const SqlRow& row)
{
    Incident incident;
    incident.id = numberOf(row, "id");
    incident.kind = wordIn<IncidentKind>(row, "kind");
    incident.subject = textOf(row, "subject");
    incident.severity = wordIn<Severity>(row, "severity");
    incident.detail = QJsonDocument::fromJson(textOf(row, "detail").toUtf8()).object();
    incident.openedAt = instantOf(row, "opened_at");
    incident.lastAt = instantOf(row, "last_at");
    incident.n = intOf(row, "n");
    incident.closedAt = maybeInstant(row, "closed_at");
    incident.closedBy = maybeText(row, "closed_by");
    return incident;
}

QString RowReader::proposalColumns(const QString& alias) const
{
    return selected(alias, words("id action target proposed_by decision decided_by"), words("proposed_at used_at"));
}

Proposal readProposal(const SqlRow& row)
{
    Proposal proposal;
    proposal.id = numberOf(row, "id");
    proposal.action = wordIn<Action>(row, "action");
    proposal.target = textOf(row, "target");
    proposal.proposedBy = textOf(row, "proposed_by");
    proposal.proposedAt = instantOf(row, "proposed_at");
    if (const auto decision = maybeText(row, "decision"))
        proposal.approved = *decision == QLatin1String("approved");
    proposal.decidedBy = maybeText(row, "decided_by");
    proposal.usedAt = maybeInstant(row, "used_at");
    return proposal;
}

QString RowReader::serviceColumns(const QString& alias) const
{
    return selected(alias, words("instance host pid version config_sha256 db_skew_ms provider_skew_ms"),
        words("started_at heartbeat_at stopped_at"), words("roles secret_fingerprints"));
}

ServiceRow readService(const SqlRow& row)
{
    ServiceRow service;
    service.instance = textOf(row, "instance");
    service.host = textOf(row, "host");
    service.pid = numberOf(row, "pid");
    service.version = textOf(row, "version");
    service.roles = stringsOf(row, "roles");
    service.configSha256 = maybeBytes(row, "config_sha256").value_or(QByteArray());
    service.secretFingerprints = stringsOf(row, "secret_fingerprints");
    service.dbSkewMs = maybeInt(row, "db_skew_ms");
    service.providerSkewMs = maybeInt(row, "provider_skew_ms");
    service.startedAt = instantOf(row, "started_at");
    service.heartbeatAt = instantOf(row, "heartbeat_at");
    service.stoppedAt = maybeInstant(row, "stopped_at");
    return service;
}

QString RowReader::logColumns(const QString& alias) const
{
    return selected(alias,
        words("id operator executed_by action target reason rows_changed refused proposal_id bulk_run_id"),
        words("at"));
}

LogEntry readLogEntry(const SqlRow& row)
{
    LogEntry entry;
    entry.id = numberOf(row, "id");
    entry.at = instantOf(row, "at");
    entry.by = textOf(row, "operator");
    entry.executedBy = textOf(row, "executed_by");
    entry.action = wordIn<Action>(row, "action");
    entry.target = textOf(row, "target");
    entry.reason = textOf(row, "reason");
    entry.rowsChanged = intOf(row, "rows_changed");
    entry.refused = maybeText(row, "refused");
    entry.proposalId = maybeNumber(row, "proposal_id");
    entry.bulkRunId = maybeNumber(row, "bulk_run_id");
    return entry;
}

QString RowReader::noteColumns(const QString& alias) const
{
    return selected(alias, words("id subject kind by_login body"), words("at"));
}

CaseNote readNote(const SqlRow& row)
{
    return {numberOf(row, "id"), textOf(row, "subject"), textOf(row, "kind"), textOf(row, "by_login"),
        instantOf(row, "at"), textOf(row, "body")};
}

} // namespace unavez::stores
