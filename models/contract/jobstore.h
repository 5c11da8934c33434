// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/rows.h"

// What the worker writes (contract.md §10.3). Every write carries the token; a stale worker changes nothing.
namespace unavez::contract {

struct JobLease
{
    qint64 job = 0;
    qint64 token = 0;
    bool operator==(const JobLease&) const = default;
};

struct ClaimedJob
{
    Job job; // as leased: state, token, attempts are the new ones
    std::optional<Event> event;
    Instant now;
    JobLease lease() const { return {job.id, job.leaseToken}; }
};

enum class JobFinish {
    Done,
    Dead,
    Later,
    LeaseLost, // 0 rows: the token is old or the lease was taken
    OpenEffect, // refused: an effect of this job is not settled
};

class JobStore
{
public:
    virtual ~JobStore() = default;

    // The oldest runnable job of one source; absent where there is none, the source is held, or all sends are held.
    virtual Result<std::optional<ClaimedJob>> claim(qint64 sourceId, const QString& owner, Millis lease) = 0;
    // False: no longer ours.
    virtual Result<bool> renew(const JobLease& lease, Millis by) = 0;
    // The raw body of the job's event; absent once emptied.
    virtual Result<std::optional<QByteArray>> payload(qint64 eventPk) = 0;

    virtual Result<JobFinish> finishDone(const JobLease& lease) = 0; // Done, LeaseLost, OpenEffect
    // `runIn` from the store's now. Not counted: gives the try back, 100 times in a row at most. Answers Dead where the
    // budget is used up: the job is dead then, in the same call.
    virtual Result<JobFinish> finishLater(
        const JobLease& lease, Millis runIn, bool counted, const QString& errorClass, const QString& errorText)
        = 0;
    virtual Result<JobFinish> finishDead(const JobLease& lease, const QString& errorClass, const QString& errorText)
        = 0;
};

} // namespace unavez::contract
