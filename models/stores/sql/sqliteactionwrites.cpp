// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/storedrequest.h"
#include "models/stores/sql/actionwrites.h"
#include "models/stores/sql/auditchain.h"
#include "models/stores/sql/casefacts.h"

#include <QJsonArray>
#include <QJsonDocument>

// What apply_* does on PostgreSQL, as statements inside BEGIN IMMEDIATE: nobody else writes meanwhile, so that reading
// is locking.
namespace unavez::stores {

using namespace contract;

namespace {

QVariant orNull(const QString& text)
{
    return text.isEmpty() ? QVariant(QMetaType(QMetaType::QString)) : QVariant(text);
}

QVariant orNull(const std::optional<qint64>& number)
{
    return number ? QVariant(*number) : QVariant(QMetaType(QMetaType::LongLong));
}

class SqliteActionWrites final : public ActionWrites
{
public:
    explicit SqliteActionWrites(SqlConnection& connection)
        : m_connection(connection)
        , m_now(RowReader(false).now())
    {
    }

    Result<> lock(const ActionRequest&) override { return done(); }

    Result<Written> write(const Plan& plan, const CaseFacts& facts, const QString& reason) override
    {
        Written written;
        const auto changed = changedBy(plan, facts, reason, written);
        if (!changed)
            return fail(changed.error());
        written.rowsChanged = *changed;
        if (*changed == 0)
            return written; // the caller refuses: fewer rows than planned
        const auto log = chainAudit(m_connection, systemLogin(),
            {wordOf(plan.request.action), targetOf(plan.request), reason, QString::fromUtf8(planJson(plan)), *changed,
                std::nullopt, plan.request.proposal});
        if (!log)
            return fail(log.error());
        written.logId = *log;
        return written;
    }

    Result<qint64> recordRefusal(const Plan& plan, const QString& reason, Reason refused) override
    {
        return chainAudit(m_connection, systemLogin(),
            {wordOf(plan.request.action), targetOf(plan.request), reason, QString::fromUtf8(planJson(plan)), 0,
                wordOf(refused), std::nullopt});
    }

private:
    Result<int> changedBy(const Plan& plan, const CaseFacts& facts, const QString& reason, Written& written)
    {
        const auto& request = plan.request;
        switch (request.action) {
        case Action::RequeueJob: return requeue(*request.job);
        case Action::ReleaseLease:
            return changed(QStringLiteral("UPDATE jobs SET state = 'retry_wait', lease_token = lease_token + 1, "
                                          "lease_owner = NULL, lease_expires_at = NULL, run_at = %1, error_class = "
                                          "'lease_released', row_version = row_version + 1 WHERE id = ? AND state = "
                                          "'leased' AND lease_token = ? AND lease_expires_at < %1 - ?"),
                {*request.job, facts.job->leaseToken, graceMs(facts)});
        case Action::ExpireReservation:
            return changed(
                QStringLiteral("UPDATE idempotency_keys SET status = 'unknown', status_at = %1, fence = fence + 1, "
                               "owner = NULL, lease_expires_at = NULL, row_version = row_version + 1 WHERE provider = "
                               "? AND provider_account = ? AND key = ? AND row_version = ? AND status = 'in_progress' "
                               "AND sends > 0 AND lease_expires_at < %1 - ? AND (resume_until <= %1 OR first_sent_at > "
                               "%1)"),
                {request.key->provider, request.key->account, request.key->key, plan.seen.keys.value(*request.key),
                    graceMs(facts)});
        case Action::OpenAttempt: return openAttempt(plan, facts, written);
        case Action::RecordOutcome: return record(plan);
        case Action::DiscardJob: return discard(plan);
        case Action::EnqueueEvent: {
            const auto n
                = changed(QStringLiteral("INSERT INTO jobs(kind, event_pk, source_id) SELECT 'event', e.id, "
                                         "e.source_id FROM processed_events e WHERE e.id = ? AND NOT EXISTS "
                                         "(SELECT 1 FROM jobs j WHERE j.event_pk = e.id AND j.kind = 'event')"),
                    {*request.event});
            if (!n || *n != 1)
                return n;
            const auto id = insertedId();
            if (!id)
                return fail(id.error());
            written.resumeJob = *id;
            return n;
        }
        case Action::Hold: return hold(*request.hold, reason);
        }
        return fail(Error::Kind::Invalid, QStringLiteral("action"));
    }

    static qint64 graceMs(const CaseFacts& facts) { return qint64(facts.policy.grace.count()) * 1000; }

    // `sql` may hold %1 for the store's clock.
    Result<int> changed(const QString& sql, const QVariantList& values)
    {
        auto query = m_connection.run(sql.contains(QLatin1String("%1")) ? sql.arg(m_now) : sql, values);
        if (!query)
            return fail(query.error());
        return query->affected;
    }

    // A trigger's own inserts do not count: SQLite restores the number when the trigger ends.
    Result<qint64> insertedId()
    {
        const auto row = m_connection.run(QStringLiteral("SELECT last_insert_rowid() AS id"));
        if (!row)
            return fail(row.error());
        return numberOf(row->first(), "id");
    }

    Result<int> requeue(qint64 job)
    {
        return changed(QStringLiteral("UPDATE jobs SET state = 'queued', run_at = %1, dead_at = NULL, requeued_at = "
                                      "%1, postponed = 0, max_attempts = max(max_attempts, attempts + 1), row_version "
                                      "= row_version + 1 WHERE id = ? AND state = 'dead'"),
            {job});
    }

    Result<int> requeueToo(int already, const std::optional<qint64>& job)
    {
        if (already == 0 || !job)
            return already;
        const auto n = requeue(*job);
        return n ? Result<int>(already + *n) : n;
    }

    Result<int> openAttempt(const Plan& plan, const CaseFacts& facts, Written& written)
    {
        const auto& last = facts.attempts.last();
        const auto& intent = *plan.request.intent;
        const auto n = changed(
            QStringLiteral("INSERT INTO idempotency_keys(provider, provider_account, key, intent_key, attempt, status, "
                           "fence, window_s, margin_s) VALUES (?, ?, ?, ?, ?, 'opened', 0, ?, ?)"),
            {intent.provider, intent.account, *plan.newKey, intent.intentKey, last.attempt + 1,
                qint64(last.window.count()), qint64(last.margin.count())});
        if (!n)
            return n;
        written.newKey = plan.newKey;
        if (!plan.insertsResumeJob)
            return requeueToo(*n, plan.requeueJob);
        const auto job = changed(
            QStringLiteral("INSERT INTO jobs(kind, provider, provider_account, key) VALUES ('resume', ?, ?, ?)"),
            {intent.provider, intent.account, *plan.newKey});
        if (!job)
            return job;
        const auto id = insertedId();
        if (!id)
            return fail(id.error());
        written.resumeJob = *id;
        const auto use = changed(
            QStringLiteral(
                "INSERT INTO intent_uses(provider, provider_account, intent_key, job_id) VALUES (?, ?, ?, ?)"),
            {intent.provider, intent.account, intent.intentKey, *written.resumeJob});
        return use ? Result<int>(*n + *job) : use;
    }

    Result<int> record(const Plan& plan)
    {
        const auto& key = *plan.request.key;
        const auto& evidence = *plan.request.evidence;
        QJsonArray objects;
        std::optional<Money> amount;
        for (const auto& object : evidence.objects) {
            objects.append(object.id);
            if (!amount)
                amount = object.amount;
        }
        const auto objectIds = QString::fromUtf8(QJsonDocument(objects).toJson(QJsonDocument::Compact));
        const auto row = changed(
            QStringLiteral("INSERT INTO reconciliations(provider, provider_account, key, verdict, source, object_ids, "
                           "amount_minor, currency, evidence_sha256, evidence_until, by_login, proposal_id) VALUES (?, "
                           "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
            {key.provider, key.account, key.key, wordOf(evidence.verdict), wordOf(evidence.source), objectIds,
                amount ? QVariant(amount->minor) : orNull(std::optional<qint64>()),
                orNull(amount ? amount->currency : QString()), evidence.sha256, evidence.until.ms, systemLogin(),
                orNull(plan.request.proposal)});
        if (!row)
            return row;
        const auto settled
            = evidence.verdict == EvidenceVerdict::DoubleCharged ? raiseDouble(key, objects) : settle(key, evidence);
        if (!settled)
            return settled;
        return requeueToo(*row + *settled, plan.requeueJob);
    }

    Result<int> settle(const KeyId& key, const Evidence& evidence)
    {
        const bool charged = evidence.verdict == EvidenceVerdict::Charged;
        const bool failed = evidence.verdict == EvidenceVerdict::Failed;
        const auto status = charged ? ReservationStatus::Done
            : failed                ? ReservationStatus::Failed
                                    : ReservationStatus::Abandoned;
        const auto outcome = charged ? wordOf(OutcomeClass::Success)
            : failed                 ? wordOf(OutcomeClass::DefinitiveFailure)
                                     : QStringLiteral("not_charged");
        return changed(
            QStringLiteral("UPDATE idempotency_keys SET status = ?, status_at = %1, fence = fence + 1, owner = NULL, "
                           "lease_expires_at = NULL, flag = NULL, completed_at = %1, outcome_class = ?, "
                           "provider_object_id = COALESCE(?, provider_object_id), result = ?, error = ?, row_version = "
                           "row_version + 1 WHERE provider = ? AND provider_account = ? AND key = ? AND (status IN "
                           "('unknown','failed','abandoned') OR (status = 'in_progress' AND lease_expires_at < %1))"),
            {wordOf(status), outcome, charged ? QVariant(evidence.objects.first().id) : orNull(QString()),
                orNull(resultOf(evidence)), orNull(errorOf(evidence)), key.provider, key.account, key.key});
    }

    // One open incident per subject; it is no row of the plan, so it counts none.
    Result<int> raiseDouble(const KeyId& key, const QJsonArray& objects)
    {
        const auto again = changed(QStringLiteral("UPDATE incidents SET n = n + 1, last_at = %1 WHERE kind = "
                                                  "'double_charge' AND subject = ? AND closed_at IS NULL"),
            {subjectOf(key)});
        if (!again || *again == 1)
            return again ? Result<int>(0) : again;
        const auto raised = changed(
            QStringLiteral(
                "INSERT INTO incidents(kind, subject, severity, detail) VALUES ('double_charge', ?, 'red', ?)"),
            {subjectOf(key), QString::fromUtf8(canonicalJson({{QStringLiteral("objects"), objects}}))});
        return raised ? Result<int>(0) : raised;
    }

    Result<int> discard(const Plan& plan)
    {
        const auto job
            = changed(QStringLiteral("UPDATE jobs SET state = 'discarded', dead_at = NULL, finished_at = %1, "
                                     "row_version = row_version + 1 WHERE id = ? AND state = 'dead'"),
                {*plan.request.job});
        if (!job || *job == 0)
            return job;
        int total = *job;
        for (const auto& key : plan.abandons) {
            const auto n = changed(
                QStringLiteral("UPDATE idempotency_keys SET status = 'abandoned', status_at = %1, fence = fence + 1, "
                               "owner = NULL, lease_expires_at = NULL, completed_at = %1, outcome_class = 'discarded', "
                               "row_version = row_version + 1 WHERE provider = ? AND provider_account = ? AND key = ? "
                               "AND sends = 0 AND status IN ('opened','in_progress')"),
                {key.provider, key.account, key.key});
            if (!n)
                return n;
            total += *n;
        }
        return total;
    }

    Result<int> hold(const HoldRequest& hold, const QString& reason)
    {
        // An empty string, not a null: sends have no target.
        const auto target = hold.target.isNull() ? QStringLiteral("") : hold.target;
        if (hold.release) {
            return changed(
                QStringLiteral("UPDATE holds SET released_by = ?, released_at = %1 WHERE kind = ? AND target "
                               "= ? AND released_at IS NULL"),
                {systemLogin(), wordOf(hold.kind), target});
        }
        return changed(QStringLiteral("INSERT INTO holds(kind, target, reason, placed_by) SELECT ?, ?, ?, ? WHERE NOT "
                                      "EXISTS (SELECT 1 FROM holds WHERE kind = ? AND target = ? AND released_at IS "
                                      "NULL)"),
            {wordOf(hold.kind), target, reason, systemLogin(), wordOf(hold.kind), target});
    }

    SqlConnection& m_connection;
    QString m_now;
};

} // namespace

std::unique_ptr<ActionWrites> sqliteActionWrites(SqlConnection& connection)
{
    return std::make_unique<SqliteActionWrites>(connection);
}

} // namespace unavez::stores
