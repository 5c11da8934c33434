// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/storedrequest.h"
#include "models/stores/sql/actionwrites.h"
#include "models/stores/sql/casefacts.h"

#include <QJsonArray>
#include <QJsonDocument>

// People have no UPDATE on PostgreSQL: everything goes through lock_case and apply_* (contract.md §12.2).
namespace unavez::stores {

using namespace contract;

namespace {

QString jsonOf(const QJsonArray& array)
{
    return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
}

QString seenJson(const Seen& seen)
{
    QJsonObject jobs;
    for (auto it = seen.jobs.begin(); it != seen.jobs.end(); ++it)
        jobs.insert(QString::number(it.key()), it.value());
    QJsonArray keys;
    for (auto it = seen.keys.begin(); it != seen.keys.end(); ++it)
        keys.append(QJsonArray{it.key().provider, it.key().account, it.key().key, it.value()});
    return QString::fromUtf8(canonicalJson({{QStringLiteral("jobs"), jobs}, {QStringLiteral("keys"), keys}}));
}

QVariant orNull(const std::optional<qint64>& number)
{
    return number ? QVariant(*number) : QVariant(QMetaType(QMetaType::LongLong));
}

QVariant orNull(const QString& text)
{
    return text.isEmpty() ? QVariant(QMetaType(QMetaType::QString)) : QVariant(text);
}

class PostgresActionWrites final : public ActionWrites
{
public:
    explicit PostgresActionWrites(SqlConnection& connection)
        : m_connection(connection)
    {
    }

    Result<> lock(const ActionRequest& request) override
    {
        QList<qint64> jobs;
        QList<IntentId> intents;
        CaseReader reader(m_connection, {});
        if (request.job)
            jobs.append(*request.job);
        if (request.intent)
            intents.append(*request.intent);
        if (request.key) {
            const auto intent = reader.intentOf(*request.key);
            if (!intent)
                return fail(intent.error());
            if (*intent)
                intents.append(**intent);
        }
        // Every job that used an intent may be requeued with it; jobs are locked before keys.
        for (const auto& intent : intents) {
            auto uses = m_connection.run(
                QStringLiteral("SELECT job_id FROM intent_uses WHERE provider = ? AND provider_account = ? AND "
                               "intent_key = ? ORDER BY first_at DESC, job_id DESC LIMIT 1000"),
                {intent.provider, intent.account, intent.intentKey});
            if (!uses)
                return fail(uses.error());
            for (const auto& row : uses->rows)
                jobs.append(numberOf(row, "job_id"));
        }
        if (jobs.isEmpty() && intents.isEmpty())
            return done();
        QJsonArray jobIds;
        for (const auto id : jobs)
            jobIds.append(id);
        QJsonArray names;
        for (const auto& intent : intents)
            names.append(QJsonArray{intent.provider, intent.account, intent.intentKey});
        const auto locked = m_connection.run(
            QStringLiteral(
                "SELECT 1 FROM (SELECT lock_case(ARRAY(SELECT x::bigint FROM "
                "jsonb_array_elements_text(?::jsonb) x), ?::jsonb) AS locked OFFSET 0) q WHERE locked IS NOT "
                "NULL"),
            {jsonOf(jobIds), jsonOf(names)});
        return locked ? done() : fail(locked.error());
    }

    Result<Written> write(const Plan& plan, const CaseFacts& facts, const QString& reason) override
    {
        const auto& request = plan.request;
        const auto seen = seenJson(plan.seen);
        const auto text = QString::fromUtf8(planJson(plan));
        switch (request.action) {
        case Action::RequeueJob:
            return call(QStringLiteral("apply_requeue_job(?::bigint, ?::jsonb, ?, ?, ?::bigint)"),
                {*request.job, seen, reason, text, orNull(request.proposal)});
        case Action::ReleaseLease:
            return call(QStringLiteral("apply_release_lease(?::bigint, ?::bigint, ?::int, ?, ?)"),
                {*request.job, facts.job->leaseToken, qint64(facts.policy.grace.count()), reason, text});
        case Action::ExpireReservation:
            return call(QStringLiteral("apply_expire_reservation(?, ?, ?, ?::bigint, ?::int, ?, ?)"),
                {request.key->provider, request.key->account, request.key->key, plan.seen.keys.value(*request.key),
                    qint64(facts.policy.grace.count()), reason, text});
        case Action::OpenAttempt:
            return call(QStringLiteral("apply_open_attempt(?, ?, ?, ?::jsonb, ?::bigint, ?, ?, ?::bigint)"),
                {request.intent->provider, request.intent->account, request.intent->intentKey, seen,
                    plan.insertsResumeJob ? QVariant(qint64(-1)) : orNull(plan.requeueJob), reason, text,
                    orNull(request.proposal)});
        case Action::RecordOutcome: return record(plan, seen, text, reason);
        case Action::DiscardJob: {
            QJsonArray abandons;
            for (const auto& key : plan.abandons)
                abandons.append(QJsonArray{key.provider, key.account, key.key});
            return call(QStringLiteral("apply_discard_job(?::bigint, ?::jsonb, ?::jsonb, ?, ?, ?::bigint)"),
                {*request.job, seen, jsonOf(abandons), reason, text, orNull(request.proposal)});
        }
        case Action::EnqueueEvent:
            return call(QStringLiteral("apply_enqueue_event(?::bigint, ?, ?)"), {*request.event, reason, text});
        case Action::Hold:
            return call(QStringLiteral("apply_hold(?, ?, ?::boolean, ?, ?)"),
                {wordOf(request.hold->kind),
                    request.hold->target.isNull() ? QStringLiteral("")
                                                  : request.hold->target, // Qt binds a null string as NULL
                    request.hold->release, reason, text});
        }
        return fail(Error::Kind::Invalid, QStringLiteral("action"));
    }

    Result<qint64> recordRefusal(const Plan& plan, const QString& reason, Reason refused) override
    {
        auto row = m_connection.run(QStringLiteral("SELECT record_refusal(?, ?, ?, ?, ?) AS log_id"),
            {wordOf(plan.request.action), targetOf(plan.request), reason, QString::fromUtf8(planJson(plan)),
                wordOf(refused)});
        if (!row)
            return fail(row.error());
        if (row->isEmpty())
            return fail(Error::Kind::Corrupt, QStringLiteral("record_refusal"));
        return numberOf(row->first(), "log_id");
    }

private:
    Result<Written> record(const Plan& plan, const QString& seen, const QString& text, const QString& reason)
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
        return call(
            QStringLiteral("apply_record_outcome(?, ?, ?, ?::jsonb, ?, ?, ARRAY(SELECT "
                           "jsonb_array_elements_text(?::jsonb)), ?::bigint, ?, ?::bytea, %1, ?, ?, ?::bigint, ?, ?, "
                           "?::bigint)")
                .arg(RowReader(true).time()),
            {key.provider, key.account, key.key, seen, wordOf(evidence.verdict), wordOf(evidence.source),
                jsonOf(objects), amount ? QVariant(amount->minor) : orNull(std::optional<qint64>()),
                orNull(amount ? amount->currency : QString()), evidence.sha256, evidence.until.ms,
                orNull(resultOf(evidence)), orNull(errorOf(evidence)), orNull(plan.requeueJob), reason, text,
                orNull(plan.request.proposal)});
    }

    Result<Written> call(const QString& function, const QVariantList& values)
    {
        auto row = m_connection.run(QStringLiteral("SELECT * FROM ") + function, values);
        if (!row)
            return fail(row.error());
        if (row->isEmpty())
            return fail(Error::Kind::Corrupt, QStringLiteral("no answer"));
        Written written;
        written.rowsChanged = int(numberOf(row->first(), "changed"));
        written.logId = maybeNumber(row->first(), "log_id");
        // A column the function does not have reads as null.
        written.newKey = maybeText(row->first(), "new_key");
        written.resumeJob = maybeNumber(row->first(), "resume_job");
        if (!written.resumeJob)
            written.resumeJob = maybeNumber(row->first(), "job_id");
        return written;
    }

    SqlConnection& m_connection;
};

} // namespace

std::unique_ptr<ActionWrites> postgresActionWrites(SqlConnection& connection)
{
    return std::make_unique<PostgresActionWrites>(connection);
}

} // namespace unavez::stores
