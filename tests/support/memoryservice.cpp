// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/async/crashpoint.h"
#include "tests/support/memoryports.h"

#include <algorithm>

// What edge, reaper and the service itself write.
namespace unavez::tests {

using namespace contract;

namespace {

constexpr qsizetype mostFailureRows = 10'000; // contract.md §10.2

Result<RecordedEvent> recordOne(MemoryTables& tables, const MergedDelivery& merged)
{
    const auto& d = merged.delivery;
    for (const auto& event : tables.rows().events) {
        if (event.sourceId != d.sourceId || (event.eventId != d.eventId && event.changeId != d.changeId()))
            continue;
        auto next = event;
        next.deliveries += merged.count;
        next.lastSeenAt = tables.now();
        if (event.eventId != d.eventId && !event.aliasEventId)
            next.aliasEventId = d.eventId;
        const bool bodyChanged = event.eventId == d.eventId && event.bodySha256 != d.bodySha256;
        if (const auto counted = tables.updateEvent(next); !counted)
            return fail(counted.error());
        if (bodyChanged)
            tables.raiseIncident(IncidentKind::BodyChanged, subjectOfEvent(next.pk), Severity::Amber,
                {{QStringLiteral("event_id"), d.eventId}});
        return RecordedEvent{next.pk, false, next.deliveries, next.hasJob, bodyChanged};
    }
    Event event;
    event.sourceId = d.sourceId;
    event.source = tables.rows().sources.value(d.sourceId).name;
    event.eventId = d.eventId;
    event.eventType = d.eventType;
    event.objectId = d.objectId;
    event.changeId = d.changeId();
    event.aliasEventId = d.snapshotId;
    event.providerCreatedAt = d.providerCreatedAt;
    event.receivedAt = tables.now();
    event.lastSeenAt = tables.now();
    event.deliveries = merged.count;
    event.bodySha256 = d.bodySha256;
    event.signingKeyId = d.signingKeyId;
    event.hasPayload = true;
    const auto pk = tables.insertEvent(event, d.body);
    if (!pk)
        return fail(pk.error());
    Job job;
    job.eventPk = *pk;
    job.sourceId = d.sourceId;
    job.maxAttempts = d.maxAttempts;
    job.runAt = tables.now();
    if (const auto made = tables.insertJob(job); !made)
        return fail(made.error());
    return RecordedEvent{*pk, true, merged.count, true, false};
}

} // namespace

Result<QList<RecordedEvent>> MemoryIntakeStore::record(const QList<MergedDelivery>& batch)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<QList<RecordedEvent>> {
        QList<RecordedEvent> recorded;
        for (const auto& merged : batch) {
            const auto one = recordOne(tables, merged);
            if (!one)
                return fail(one.error());
            recorded.append(*one);
        }
        UNAVEZ_CRASH_POINT("edge.before_commit");
        return recorded;
    });
}

Result<> MemoryIntakeStore::recordFailures(const QList<SignatureFailure>& failures)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<> {
        auto& rows = tables.anyRows().failures;
        const Instant minute{tables.now().ms / 60'000 * 60'000};
        for (const auto& failure : failures) {
            const auto same = std::find_if(rows.begin(), rows.end(), [&](const MemoryFailure& row) {
                return row.failure.sourceId == failure.sourceId && row.failure.route == failure.route
                    && row.failure.reason == failure.reason && row.minute == minute;
            });
            if (same != rows.end())
                same->failure.count += failure.count;
            else if (rows.size() < mostFailureRows)
                rows.append({failure, minute});
            else
                rows.first() = {failure, minute};
            if (failure.reason == FailureReason::LiveEventOnTest)
                tables.raiseIncident(IncidentKind::LiveEventOnTest, QStringLiteral("source:%1").arg(failure.sourceId),
                    Severity::Red, {{QStringLiteral("route"), failure.route}});
        }
        return done();
    });
}

Result<QList<KeyId>> MemoryReaperStore::expireReservations(Seconds grace, int limit)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<QList<KeyId>> {
        QList<KeyId> keys;
        const auto all = tables.rows().reservations;
        for (const auto& made : all) {
            const auto& row = made.row;
            if (keys.size() >= limit || row.status != ReservationStatus::InProgress || row.sends == 0
                || row.resumeUntil > tables.now() || *row.leaseExpiresAt >= tables.now() - grace)
                continue;
            auto next = made;
            next.row.status = ReservationStatus::Unknown;
            next.row.statusAt = tables.now();
            next.row.fence += 1;
            next.row.owner.reset();
            next.row.leaseExpiresAt.reset();
            if (const auto expired = tables.updateReservation(next); !expired)
                return fail(expired.error());
            keys.append(row.id);
        }
        UNAVEZ_CRASH_POINT("reaper.mid_run");
        return keys;
    });
}

Result<ReapedJobs> MemoryReaperStore::freeJobs(Seconds grace, int limit)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<ReapedJobs> {
        ReapedJobs freed;
        const auto all = tables.rows().jobs;
        for (auto job : all) {
            if (freed.waiting.size() + freed.dead.size() >= limit || job.state != JobState::Leased
                || *job.leaseExpiresAt >= tables.now() - grace)
                continue;
            const bool again = job.attempts < job.maxAttempts;
            job.state = again ? JobState::RetryWait : JobState::Dead;
            if (!again)
                job.deadAt = tables.now();
            job.leaseToken += 1;
            job.leaseOwner.reset();
            job.leaseExpiresAt.reset();
            job.runAt = tables.now();
            job.errorClass = QStringLiteral("lease_over");
            if (const auto updated = tables.updateJob(job); !updated)
                return fail(updated.error());
            (again ? freed.waiting : freed.dead).append(job.id);
        }
        return freed;
    });
}

Result<StoreInfo> MemoryServiceStore::info()
{
    return m_store.inTransaction([](MemoryTables& tables) -> Result<StoreInfo> { return tables.rows().info; });
}

Result<Instant> MemoryServiceStore::now()
{
    return m_store.inTransaction([](MemoryTables& tables) -> Result<Instant> { return tables.now(); });
}

Result<QList<Source>> MemoryServiceStore::syncSources(const QList<Source>& sources, const QList<SigningKey>& keys)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<QList<Source>> {
        auto& rows = tables.anyRows();
        auto synced = sources;
        for (auto& source : synced) {
            const auto given = source.id;
            const auto there = std::find_if(rows.sources.begin(), rows.sources.end(),
                [&](const Source& known) { return known.name == source.name; });
            if (there != rows.sources.end() && (there->provider != source.provider || there->account != source.account))
                return fail(Error::Kind::Refused, QStringLiteral("source of another account"));
            source.id = there != rows.sources.end() ? there->id : rows.sources.lastKey() + 1;
            rows.sources.insert(source.id, source);
            for (auto key : keys) {
                if (key.sourceId != given)
                    continue;
                key.sourceId = source.id;
                const auto known = rows.signingKeys.constFind(key.id);
                if (known != rows.signingKeys.constEnd()
                    && (known->sourceId != key.sourceId || known->fingerprint != key.fingerprint))
                    return fail(Error::Kind::Refused, QStringLiteral("signing key of another secret"));
                if (known == rows.signingKeys.constEnd())
                    rows.signingKeys.insert(key.id, key);
            }
        }
        return synced;
    });
}

Result<> MemoryServiceStore::heartbeat(const ServiceRow& row)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<> {
        auto beat = row;
        const auto known = tables.rows().services.value(row.instance);
        const bool goesOn = known.instance == row.instance && known.pid == row.pid && !known.stoppedAt;
        beat.startedAt = goesOn ? known.startedAt : tables.now();
        beat.heartbeatAt = tables.now();
        beat.stoppedAt.reset();
        tables.anyRows().services.insert(row.instance, beat);
        return done();
    });
}

Result<> MemoryServiceStore::stopped(const QString& instance)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<> {
        auto& services = tables.anyRows().services;
        if (services.contains(instance) && !services[instance].stoppedAt)
            services[instance].stoppedAt = tables.now();
        return done();
    });
}

Result<QList<Hold>> MemoryServiceStore::holds()
{
    return m_store.inTransaction([](MemoryTables& tables) -> Result<QList<Hold>> { return tables.rows().holds; });
}

Result<> MemoryServiceStore::raise(
    IncidentKind kind, const QString& subject, Severity severity, const QJsonObject& detail)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<> {
        tables.raiseIncident(kind, subject, severity, detail);
        return done();
    });
}

Result<> MemoryServiceStore::quarantine(Instant from)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<> {
        auto& info = tables.anyRows().info;
        if (info.state == StoreState::Normal) {
            info.state = StoreState::Quarantine;
            info.quarantineFrom = from;
        }
        tables.raiseIncident(IncidentKind::Restore, QStringLiteral("store"), Severity::Red, {});
        return done();
    });
}

Result<qint64> MemoryServiceStore::lastCall()
{
    return m_store.inTransaction([](MemoryTables& tables) -> Result<qint64> {
        return tables.rows().calls.isEmpty() ? 0 : tables.rows().calls.lastKey();
    });
}

Result<> MemoryServiceStore::probe()
{
    return m_store.inTransaction([](MemoryTables&) -> Result<> { return done(); });
}

} // namespace unavez::tests
