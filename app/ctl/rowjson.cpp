// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/rowjson.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace unavez::ctl {

using namespace contract;

QJsonValue json(Instant at) { return at.isNever() ? QJsonValue() : QJsonValue(toRfc3339(at)); }

namespace {

template <typename E> QJsonValue word(const std::optional<E>& value)
{
    return value ? QJsonValue(wordOf(*value)) : QJsonValue();
}

QJsonArray numbers(const QList<qint64>& values)
{
    QJsonArray array;
    for (const auto value : values)
        array.append(value);
    return array;
}

QJsonValue document(const std::optional<QByteArray>& bytes)
{
    if (!bytes)
        return {};
    const auto parsed = QJsonDocument::fromJson(*bytes);
    return parsed.isObject() ? QJsonValue(parsed.object()) : QJsonValue();
}

void add(QJsonObject& to, const QJsonObject& more)
{
    for (auto it = more.begin(); it != more.end(); ++it)
        to.insert(it.key(), it.value());
}

QJsonObject money(const std::optional<Money>& amount)
{
    return {{QStringLiteral("amount_minor"), amount ? QJsonValue(amount->minor) : QJsonValue()},
        {QStringLiteral("currency"), amount ? QJsonValue(amount->currency) : QJsonValue()}};
}

} // namespace

QJsonObject json(const Reservation& r)
{
    return {{QStringLiteral("provider"), r.id.provider}, {QStringLiteral("provider_account"), r.id.account},
        {QStringLiteral("key"), r.id.key}, {QStringLiteral("intent_key"), r.intentKey},
        {QStringLiteral("attempt"), r.attempt}, {QStringLiteral("status"), wordOf(r.status)},
        {QStringLiteral("flag"), word(r.flag)}, {QStringLiteral("fence"), r.fence},
        {QStringLiteral("owner"), json(r.owner)}, {QStringLiteral("lease_expires_at"), json(r.leaseExpiresAt)},
        {QStringLiteral("reserved_at"), json(r.reservedAt)}, {QStringLiteral("status_at"), json(r.statusAt)},
        {QStringLiteral("first_sent_at"), json(r.firstSentAt)}, {QStringLiteral("last_sent_at"), json(r.lastSentAt)},
        {QStringLiteral("sends"), r.sends}, {QStringLiteral("resume_until"), json(r.resumeUntil)},
        {QStringLiteral("outcome_class"), json(r.outcomeClass)},
        {QStringLiteral("provider_object_id"), json(r.providerObjectId)},
        {QStringLiteral("result"), document(r.result)}, {QStringLiteral("error"), document(r.error)},
        {QStringLiteral("completed_at"), json(r.completedAt)}, {QStringLiteral("emptied_at"), json(r.emptiedAt)},
        {QStringLiteral("row_version"), r.rowVersion}};
}

QJsonObject json(const ReservationRow& row)
{
    auto object = json(row.reservation);
    // A list stays narrow: what the provider said stands in the case.
    object.remove(QStringLiteral("result"));
    object.remove(QStringLiteral("error"));
    add(object, money(row.amount));
    add(object,
        {{QStringLiteral("tool"), row.tool}, {QStringLiteral("customer_ref"), json(row.customer)},
            {QStringLiteral("last_class"), word(row.lastClass)},
            {QStringLiteral("last_http_status"), json(row.lastHttpStatus)}, {QStringLiteral("jobs"), numbers(row.jobs)},
            {QStringLiteral("evidence"), row.evidence}});
    return object;
}

QJsonObject json(const Intent& i)
{
    QJsonObject object{{QStringLiteral("provider"), i.id.provider}, {QStringLiteral("provider_account"), i.id.account},
        {QStringLiteral("intent_key"), i.id.intentKey}, {QStringLiteral("tool"), i.tool},
        {QStringLiteral("customer_ref"), json(i.customer)},
        {QStringLiteral("provider_object_id"), json(i.providerObjectId)},
        {QStringLiteral("last_attempt"), i.lastAttempt}, {QStringLiteral("max_attempts"), i.maxAttempts},
        {QStringLiteral("last_status"), word(i.lastStatus)}, {QStringLiteral("last_status_at"), json(i.lastStatusAt)},
        {QStringLiteral("created_at"), json(i.createdAt)}, {QStringLiteral("emptied_at"), json(i.emptiedAt)}};
    add(object, money(i.amount));
    return object;
}

QJsonObject json(const FailedRow& row)
{
    auto object = json(row.intent);
    add(object,
        {{QStringLiteral("error_class"), json(row.errorClass)}, {QStringLiteral("error_code"), json(row.errorCode)},
            {QStringLiteral("decline_code"), json(row.declineCode)},
            {QStringLiteral("advice_code"), json(row.adviceCode)}, {QStringLiteral("jobs"), numbers(row.jobs)}});
    return object;
}

QJsonObject json(const Job& j)
{
    return {{QStringLiteral("job"), j.id}, {QStringLiteral("kind"), wordOf(j.kind)},
        {QStringLiteral("state"), wordOf(j.state)}, {QStringLiteral("attempts"), j.attempts},
        {QStringLiteral("max_attempts"), j.maxAttempts}, {QStringLiteral("run_at"), json(j.runAt)},
        {QStringLiteral("lease_token"), j.leaseToken}, {QStringLiteral("lease_owner"), json(j.leaseOwner)},
        {QStringLiteral("lease_expires_at"), json(j.leaseExpiresAt)},
        {QStringLiteral("error_class"), json(j.errorClass)}, {QStringLiteral("error_text"), json(j.errorText)},
        {QStringLiteral("dead_at"), json(j.deadAt)}, {QStringLiteral("finished_at"), json(j.finishedAt)},
        {QStringLiteral("requeued_at"), json(j.requeuedAt)}, {QStringLiteral("created_at"), json(j.createdAt)},
        {QStringLiteral("key"), j.key ? QJsonValue(j.key->key) : QJsonValue()},
        {QStringLiteral("row_version"), j.rowVersion}};
}

QJsonObject json(const DeadRow& row)
{
    return {{QStringLiteral("job"), row.job.id}, {QStringLiteral("kind"), wordOf(row.job.kind)},
        {QStringLiteral("event_id"), json(row.eventId)}, {QStringLiteral("event_type"), json(row.eventType)},
        {QStringLiteral("source"), row.source}, {QStringLiteral("attempts"), row.job.attempts},
        {QStringLiteral("error_class"), json(row.job.errorClass)},
        {QStringLiteral("error_text"), json(row.job.errorText)}, {QStringLiteral("dead_at"), json(row.job.deadAt)},
        {QStringLiteral("has_payload"), row.hasPayload}, {QStringLiteral("verdict"), wordOf(row.verdict)},
        {QStringLiteral("keys"), QJsonArray::fromStringList(row.keys)},
        {QStringLiteral("row_version"), row.job.rowVersion}};
}

QJsonObject json(const LeaseRow& row)
{
    return {{QStringLiteral("job"), row.job.id}, {QStringLiteral("event_id"), json(row.eventId)},
        {QStringLiteral("source"), row.source}, {QStringLiteral("owner"), json(row.job.leaseOwner)},
        {QStringLiteral("lease_token"), row.job.leaseToken},
        {QStringLiteral("lease_expires_at"), json(row.job.leaseExpiresAt)},
        {QStringLiteral("attempts"), row.job.attempts}, {QStringLiteral("open_calls"), row.openCalls}};
}

QJsonObject json(const Event& e)
{
    return {{QStringLiteral("event_id"), e.eventId}, {QStringLiteral("alias_event_id"), json(e.aliasEventId)},
        {QStringLiteral("event_type"), e.eventType}, {QStringLiteral("object_id"), json(e.objectId)},
        {QStringLiteral("source"), e.source}, {QStringLiteral("received_at"), json(e.receivedAt)},
        {QStringLiteral("last_seen_at"), json(e.lastSeenAt)}, {QStringLiteral("deliveries"), e.deliveries},
        {QStringLiteral("has_job"), e.hasJob}, {QStringLiteral("has_payload"), e.hasPayload}};
}

QJsonObject json(const SignatureRow& row)
{
    return {{QStringLiteral("source"), row.source}, {QStringLiteral("route"), row.route},
        {QStringLiteral("reason"), wordOf(row.reason)}, {QStringLiteral("minute"), json(row.minute)},
        {QStringLiteral("n"), row.n}, {QStringLiteral("last_at"), json(row.lastAt)},
        {QStringLiteral("sig_at"), json(row.signedAt)}, {QStringLiteral("body_len"), json(row.bodyLength)},
        {QStringLiteral("peer"), json(row.peer)}};
}

QJsonObject json(const LogEntry& e)
{
    return {{QStringLiteral("id"), e.id}, {QStringLiteral("at"), json(e.at)}, {QStringLiteral("operator"), e.by},
        {QStringLiteral("executed_by"), e.executedBy}, {QStringLiteral("action"), wordOf(e.action)},
        {QStringLiteral("target"), e.target}, {QStringLiteral("reason"), e.reason},
        {QStringLiteral("rows_changed"), e.rowsChanged}, {QStringLiteral("refused"), json(e.refused)},
        {QStringLiteral("proposal_id"), json(e.proposalId)}, {QStringLiteral("bulk_run_id"), json(e.bulkRunId)}};
}

QJsonObject json(const Incident& i)
{
    return {{QStringLiteral("id"), i.id}, {QStringLiteral("kind"), wordOf(i.kind)},
        {QStringLiteral("subject"), i.subject}, {QStringLiteral("severity"), wordOf(i.severity)},
        {QStringLiteral("opened_at"), json(i.openedAt)}, {QStringLiteral("last_at"), json(i.lastAt)},
        {QStringLiteral("n"), i.n}, {QStringLiteral("closed_at"), json(i.closedAt)},
        {QStringLiteral("closed_by"), json(i.closedBy)}};
}

QJsonObject json(const ServiceRow& s)
{
    return {{QStringLiteral("instance"), s.instance}, {QStringLiteral("host"), s.host},
        {QStringLiteral("version"), s.version}, {QStringLiteral("roles"), QJsonArray::fromStringList(s.roles)},
        {QStringLiteral("started_at"), json(s.startedAt)}, {QStringLiteral("heartbeat_at"), json(s.heartbeatAt)},
        {QStringLiteral("db_skew_ms"), json(s.dbSkewMs)}, {QStringLiteral("provider_skew_ms"), json(s.providerSkewMs)},
        {QStringLiteral("secret_fingerprints"), QJsonArray::fromStringList(s.secretFingerprints)}};
}

QJsonObject json(const Hold& h)
{
    return {{QStringLiteral("kind"), wordOf(h.kind)}, {QStringLiteral("target"), h.target},
        {QStringLiteral("by"), h.by}, {QStringLiteral("at"), json(h.at)}, {QStringLiteral("reason"), h.reason}};
}

QJsonObject json(const ProviderCall& c)
{
    return {{QStringLiteral("id"), c.id}, {QStringLiteral("key"), c.key.key}, {QStringLiteral("sent_key"), c.sentKey},
        {QStringLiteral("fence"), c.fence}, {QStringLiteral("job_id"), json(c.jobId)},
        {QStringLiteral("lease_token"), json(c.leaseToken)}, {QStringLiteral("sent_at"), json(c.sentAt)},
        {QStringLiteral("ended_at"), json(c.endedAt)}, {QStringLiteral("http_status"), json(c.httpStatus)},
        {QStringLiteral("request_id"), json(c.requestId)}, {QStringLiteral("replayed"), json(c.replayed)},
        {QStringLiteral("error_type"), json(c.errorType)}, {QStringLiteral("error_code"), json(c.errorCode)},
        {QStringLiteral("decline_code"), json(c.declineCode)}, {QStringLiteral("advice_code"), json(c.adviceCode)},
        {QStringLiteral("object_id"), json(c.objectId)}, {QStringLiteral("class"), word(c.outcome)}};
}

QJsonObject json(const Reconciliation& r)
{
    QJsonObject object{{QStringLiteral("id"), r.id}, {QStringLiteral("key"), r.key.key},
        {QStringLiteral("verdict"), wordOf(r.verdict)}, {QStringLiteral("source"), wordOf(r.source)},
        {QStringLiteral("object_ids"), QJsonArray::fromStringList(r.objectIds)},
        {QStringLiteral("evidence_until"), json(r.evidenceUntil)}, {QStringLiteral("by_login"), r.by},
        {QStringLiteral("at"), json(r.at)}};
    add(object, money(r.amount));
    return object;
}

QJsonObject json(const CaseNote& n)
{
    return {{QStringLiteral("id"), n.id}, {QStringLiteral("kind"), n.kind}, {QStringLiteral("by_login"), n.by},
        {QStringLiteral("at"), json(n.at)}, {QStringLiteral("body"), n.body}};
}

QJsonObject json(const Problem& p)
{
    return {{QStringLiteral("count"), p.count.count}, {QStringLiteral("estimated"), p.count.estimated},
        {QStringLiteral("oldest_s"), json(p.oldestSeconds)}, {QStringLiteral("next_cutoff_at"), json(p.nextCutoff)}};
}

QJsonObject json(const PlannedEffect& e)
{
    return {{QStringLiteral("key"), e.key}, {QStringLiteral("will"), wordOf(e.will)},
        {QStringLiteral("until"), json(e.until)}};
}

} // namespace unavez::ctl
