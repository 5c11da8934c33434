// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqljobstore.h"

#include "models/stores/sql/sqlerror.h"
#include "models/stores/sql/transaction.h"

namespace unavez::stores {

using namespace contract;

namespace {

constexpr int longestErrorText = 2000; // the column's own bound
constexpr int mostPostponements = 100; // contract.md §10.3

const QString runnable = QStringLiteral(
    "source_id = ? AND state IN ('queued','retry_wait') AND run_at <= %1 AND NOT EXISTS (SELECT 1 FROM "
    "holds WHERE released_at IS NULL AND ((kind = 'source' AND target = ?) OR kind = 'sends'))");

} // namespace

SqlJobStore::SqlJobStore(SqlConnection& connection)
    : m_connection(connection)
    , m_reader(!connection.isSqlite())
{
}

Result<ClaimedJob> SqlJobStore::claimed(qint64 id)
{
    const auto jobs = m_connection.run(
        QStringLiteral("SELECT %1, %2 AS at FROM jobs j WHERE j.id = ?")
            .arg(m_reader.jobColumns(QStringLiteral("j")), msOf(m_connection.dialect(), nowIn(m_connection.dialect()))),
        {id});
    if (!jobs)
        return fail(jobs.error());
    ClaimedJob claimed{readJob(jobs->first()), {}, instantOf(jobs->first(), "at")};
    if (!claimed.job.eventPk)
        return claimed;
    const auto events = m_connection.run(QStringLiteral("SELECT %1 FROM processed_events e WHERE e.id = ?")
                                             .arg(m_reader.eventColumns(QStringLiteral("e"))),
        {*claimed.job.eventPk});
    if (!events)
        return fail(events.error());
    claimed.event = readEvent(events->first());
    return claimed;
}

Result<std::optional<ClaimedJob>> SqlJobStore::claim(qint64 sourceId, const QString& owner, Millis lease)
{
    const auto dialect = m_connection.dialect();
    const auto where = runnable.arg(nowIn(dialect));
    const auto source = QString::number(sourceId);
    // A look without the writer's lock first: an idle worker must not stand in the edge's way.
    const auto any
        = m_connection.run(QStringLiteral("SELECT 1 FROM jobs WHERE %1 LIMIT 1").arg(where), {sourceId, source});
    if (!any)
        return fail(any.error());
    if (any->isEmpty())
        return std::optional<ClaimedJob>();
    return inTransaction(m_connection, [&]() -> Result<std::optional<ClaimedJob>> {
        const auto taken = m_connection.run(
            QStringLiteral("UPDATE jobs SET state = 'leased', lease_token = lease_token + 1, attempts = attempts + 1, "
                           "lease_owner = ?, "
                           "lease_expires_at = %1%2 WHERE id = (SELECT id FROM jobs WHERE %3 ORDER BY run_at, id LIMIT "
                           "1%4) RETURNING id")
                .arg(nowPlusParameter(dialect), bumpVersion(dialect), where, forUpdateSkipLocked(dialect)),
            {owner, qint64(lease.count()), sourceId, source});
        if (!taken)
            return fail(taken.error());
        if (taken->isEmpty())
            return std::optional<ClaimedJob>();
        const auto job = claimed(taken->first().at(0).toLongLong());
        if (!job)
            return fail(job.error());
        return std::optional(*job);
    });
}

Result<bool> SqlJobStore::renew(const JobLease& lease, Millis by)
{
    const auto dialect = m_connection.dialect();
    return inTransaction(m_connection, [&]() -> Result<bool> {
        const auto renewed
            = m_connection.run(QStringLiteral("UPDATE jobs SET lease_expires_at = %1%2 WHERE id = ? AND state = "
                                              "'leased' AND lease_token = ? AND lease_expires_at > %3")
                                   .arg(nowPlusParameter(dialect), bumpVersion(dialect), nowIn(dialect)),
                {qint64(by.count()), lease.job, lease.token});
        if (!renewed)
            return fail(renewed.error());
        return renewed->affected == 1;
    });
}

Result<std::optional<QByteArray>> SqlJobStore::payload(qint64 eventPk)
{
    const auto bodies = m_connection.run(
        QStringLiteral("SELECT body FROM event_payloads WHERE event_pk = ? AND sealed_with IS NULL"), {eventPk});
    if (!bodies)
        return fail(bodies.error());
    return bodies->isEmpty() ? std::nullopt : std::optional(bodies->first().at(0).toByteArray());
}

Result<JobFinish> SqlJobStore::finishDone(const JobLease& lease)
{
    const auto dialect = m_connection.dialect();
    const auto finished = inTransaction(m_connection, [&]() -> Result<bool> {
        const auto done = m_connection.run(
            QStringLiteral("UPDATE jobs SET state = 'done', lease_owner = NULL, lease_expires_at = NULL, finished_at = "
                           "%1, error_class = NULL, "
                           "error_text = NULL%2 WHERE id = ? AND state = 'leased' AND lease_token = ?")
                .arg(nowIn(dialect), bumpVersion(dialect)),
            {lease.job, lease.token});
        if (!done)
            return fail(done.error());
        return done->affected == 1;
    });
    if (finished)
        return *finished ? JobFinish::Done : JobFinish::LeaseLost;
    if (isOpenEffect(finished.error()))
        return JobFinish::OpenEffect;
    return fail(finished.error());
}

Result<JobFinish> SqlJobStore::finishLater(
    const JobLease& lease, Millis runIn, bool counted, const QString& errorClass, const QString& errorText)
{
    const auto dialect = m_connection.dialect();
    // After a hundred tries in a row that did not count, one does (contract.md §10.3).
    const auto gives = counted ? QStringLiteral("1=1") : QStringLiteral("postponed >= %1").arg(mostPostponements);
    const auto later = inTransaction(m_connection, [&]() -> Result<bool> {
        const auto waiting = m_connection.run(
            QStringLiteral(
                "UPDATE jobs SET state = 'retry_wait', lease_owner = NULL, lease_expires_at = NULL, run_at = %1, "
                "error_class = ?, "
                "error_text = ?, attempts = CASE WHEN %2 THEN attempts ELSE attempts - 1 END, "
                "postponed = CASE WHEN %2 THEN 0 ELSE postponed + 1 END%3 "
                "WHERE id = ? AND state = 'leased' AND lease_token = ? AND (NOT (%2) OR attempts < max_attempts)")
                .arg(nowPlusParameter(dialect), gives, bumpVersion(dialect)),
            {qint64(runIn.count()), errorClass, errorText.left(longestErrorText), lease.job, lease.token});
        if (!waiting)
            return fail(waiting.error());
        return waiting->affected == 1;
    });
    if (!later)
        return fail(later.error());
    return *later ? Result<JobFinish>(JobFinish::Later) : finishDead(lease, errorClass, errorText);
}

Result<JobFinish> SqlJobStore::finishDead(const JobLease& lease, const QString& errorClass, const QString& errorText)
{
    const auto dialect = m_connection.dialect();
    return inTransaction(m_connection, [&]() -> Result<JobFinish> {
        const auto died
            = m_connection.run(QStringLiteral("UPDATE jobs SET state = 'dead', lease_owner = NULL, lease_expires_at = "
                                              "NULL, dead_at = %1, error_class = ?, "
                                              "error_text = ?%2 WHERE id = ? AND state = 'leased' AND lease_token = ?")
                                   .arg(nowIn(dialect), bumpVersion(dialect)),
                {errorClass, errorText.left(longestErrorText), lease.job, lease.token});
        if (!died)
            return fail(died.error());
        return died->affected == 1 ? JobFinish::Dead : JobFinish::LeaseLost;
    });
}

} // namespace unavez::stores
