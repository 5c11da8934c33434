// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/memoryports.h"

#include <algorithm>

// What the worker writes.
namespace unavez::tests {

using namespace contract;

namespace {

constexpr int mostPostponements = 100; // contract.md §10.3

// The job under this lease; absent: another token, or not leased.
std::optional<Job> leased(const MemoryTables& tables, const JobLease& lease)
{
    const auto job = tables.rows().jobs.constFind(lease.job);
    if (job == tables.rows().jobs.constEnd() || job->state != JobState::Leased || job->leaseToken != lease.token)
        return std::nullopt;
    return *job;
}

Job without(Job job)
{
    job.leaseOwner.reset();
    job.leaseExpiresAt.reset();
    return job;
}

Result<JobFinish> dead(MemoryTables& tables, const Job& job, const QString& errorClass, const QString& errorText)
{
    auto next = without(job);
    next.state = JobState::Dead;
    next.deadAt = tables.now();
    next.errorClass = errorClass;
    next.errorText = errorText.left(2000);
    const auto died = tables.updateJob(next);
    return died ? Result<JobFinish>(JobFinish::Dead) : Result<JobFinish>(fail(died.error()));
}

} // namespace

Result<std::optional<ClaimedJob>> MemoryJobStore::claim(qint64 sourceId, const QString& owner, Millis lease)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<std::optional<ClaimedJob>> {
        for (const auto& hold : tables.rows().holds) {
            if (hold.kind == HoldKind::Sends
                || (hold.kind == HoldKind::Source && hold.target == QString::number(sourceId)))
                return std::optional<ClaimedJob>();
        }
        std::optional<Job> oldest;
        for (const auto& job : tables.rows().jobs) {
            const bool waits = job.state == JobState::Queued || job.state == JobState::RetryWait;
            if (waits && job.sourceId == sourceId && job.runAt <= tables.now()
                && (!oldest || job.runAt < oldest->runAt))
                oldest = job;
        }
        if (!oldest)
            return std::optional<ClaimedJob>();
        oldest->state = JobState::Leased;
        oldest->leaseToken += 1;
        oldest->attempts += 1;
        oldest->leaseOwner = owner;
        oldest->leaseExpiresAt = tables.now() + lease;
        if (const auto taken = tables.updateJob(*oldest); !taken)
            return fail(taken.error());
        ClaimedJob claimed{tables.rows().jobs.value(oldest->id), {}, tables.now()};
        if (oldest->eventPk)
            claimed.event = tables.rows().events.value(*oldest->eventPk);
        return std::optional(claimed);
    });
}

Result<bool> MemoryJobStore::renew(const JobLease& lease, Millis by)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<bool> {
        auto job = leased(tables, lease);
        if (!job || *job->leaseExpiresAt <= tables.now())
            return false;
        job->leaseExpiresAt = tables.now() + by;
        const auto renewed = tables.updateJob(*job);
        return renewed ? Result<bool>(true) : Result<bool>(fail(renewed.error()));
    });
}

Result<std::optional<QByteArray>> MemoryJobStore::payload(qint64 eventPk)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<std::optional<QByteArray>> {
        const auto body = tables.rows().payloads.constFind(eventPk);
        return body == tables.rows().payloads.constEnd() ? std::nullopt : std::optional(*body);
    });
}

Result<JobFinish> MemoryJobStore::finishDone(const JobLease& lease)
{
    const auto finished = m_store.inTransaction([&](MemoryTables& tables) -> Result<JobFinish> {
        const auto job = leased(tables, lease);
        if (!job)
            return JobFinish::LeaseLost;
        auto next = without(*job);
        next.state = JobState::Done;
        next.finishedAt = tables.now();
        next.errorClass.reset();
        next.errorText.reset();
        const auto updated = tables.updateJob(next);
        return updated ? Result<JobFinish>(JobFinish::Done) : Result<JobFinish>(fail(updated.error()));
    });
    if (!finished && finished.error().detail.contains(QLatin1String("still open")))
        return JobFinish::OpenEffect;
    return finished;
}

Result<JobFinish> MemoryJobStore::finishLater(
    const JobLease& lease, Millis runIn, bool counted, const QString& errorClass, const QString& errorText)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<JobFinish> {
        const auto job = leased(tables, lease);
        if (!job)
            return JobFinish::LeaseLost;
        const bool counts = counted || job->postponed >= mostPostponements;
        if (counts && job->attempts >= job->maxAttempts)
            return dead(tables, *job, errorClass, errorText);
        auto next = without(*job);
        next.state = JobState::RetryWait;
        next.runAt = tables.now() + runIn;
        next.errorClass = errorClass;
        next.errorText = errorText.left(2000);
        next.attempts -= counts ? 0 : 1;
        next.postponed = counts ? 0 : next.postponed + 1;
        const auto updated = tables.updateJob(next);
        return updated ? Result<JobFinish>(JobFinish::Later) : Result<JobFinish>(fail(updated.error()));
    });
}

Result<JobFinish> MemoryJobStore::finishDead(const JobLease& lease, const QString& errorClass, const QString& errorText)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<JobFinish> {
        const auto job = leased(tables, lease);
        return job ? dead(tables, *job, errorClass, errorText) : Result<JobFinish>(JobFinish::LeaseLost);
    });
}

} // namespace unavez::tests
