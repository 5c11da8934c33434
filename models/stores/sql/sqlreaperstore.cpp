// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/async/crashpoint.h"
#include "models/stores/sql/sqlservicestore.h"
#include "models/stores/sql/transaction.h"

namespace unavez::stores {

using namespace contract;

SqlReaperStore::SqlReaperStore(SqlConnection& connection)
    : m_connection(connection)
{
}

Result<QList<KeyId>> SqlReaperStore::expireReservations(Seconds grace, int limit)
{
    const auto dialect = m_connection.dialect();
    const qint64 graceMs = Millis(grace).count();
    return inTransaction(m_connection, [&]() -> Result<QList<KeyId>> {
        const auto expired = m_connection.run(
            QStringLiteral(
                "WITH picked(p, a, k) AS MATERIALIZED (SELECT provider, provider_account, key FROM idempotency_keys "
                "WHERE status = 'in_progress' AND sends > 0 AND resume_until <= %3 AND lease_expires_at < %4 "
                "ORDER BY resume_until, provider, provider_account, key LIMIT ?%5) "
                "UPDATE idempotency_keys SET status = 'unknown', fence = fence + 1, owner = NULL, lease_expires_at = "
                "NULL%1%2 FROM picked WHERE (provider, provider_account, key) = (p, a, k) RETURNING provider, "
                "provider_account, key")
                .arg(bumpVersion(dialect), touchStatus(dialect), nowIn(dialect), nowPlusParameter(dialect),
                    forUpdateSkipLocked(dialect)),
            {-graceMs, limit});
        if (!expired)
            return fail(expired.error());
        QList<KeyId> keys;
        for (const auto& row : expired->rows)
            keys.append({row.at(0).toString(), row.at(1).toString(), row.at(2).toString()});
        UNAVEZ_CRASH_POINT("reaper.mid_run");
        return keys;
    });
}

Result<ReapedJobs> SqlReaperStore::freeJobs(Seconds grace, int limit)
{
    const auto dialect = m_connection.dialect();
    const qint64 graceMs = Millis(grace).count();
    return inTransaction(m_connection, [&]() -> Result<ReapedJobs> {
        const auto freed = m_connection.run(
            QStringLiteral(
                "WITH picked(p) AS MATERIALIZED (SELECT id FROM jobs WHERE state = 'leased' AND lease_expires_at < %3 "
                "ORDER BY lease_expires_at, id LIMIT ?%4) "
                "UPDATE jobs SET state = CASE WHEN attempts < max_attempts THEN 'retry_wait' ELSE 'dead' END, "
                "dead_at = CASE WHEN attempts < max_attempts THEN NULL ELSE %1 END, lease_token = lease_token + 1, "
                "lease_owner = NULL, lease_expires_at = NULL, run_at = %1, error_class = 'lease_over'%2 "
                "FROM picked WHERE id = p RETURNING id, state")
                .arg(nowIn(dialect), bumpVersion(dialect), nowPlusParameter(dialect), forUpdateSkipLocked(dialect)),
            {-graceMs, limit});
        if (!freed)
            return fail(freed.error());
        ReapedJobs jobs;
        for (const auto& row : freed->rows) {
            auto& list = row.at(1).toString() == wordOf(JobState::Dead) ? jobs.dead : jobs.waiting;
            list.append(row.at(0).toLongLong());
        }
        return jobs;
    });
}

} // namespace unavez::stores
