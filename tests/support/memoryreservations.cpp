// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/storedrequest.h"
#include "tests/support/memoryports.h"

#include <algorithm>

// What the gate writes before it sends; sending stands in memorysends.cpp.
namespace unavez::tests {

using namespace contract;

namespace {

bool ownsJob(const MemoryTables& tables, const JobLease& lease)
{
    const auto job = tables.rows().jobs.constFind(lease.job);
    return job != tables.rows().jobs.constEnd() && job->state == JobState::Leased && job->leaseToken == lease.token;
}

std::optional<IntentState> stateOf(const MemoryTables& tables, const IntentId& id)
{
    const auto attempts = tables.attemptsOf(id);
    if (attempts.isEmpty())
        return std::nullopt;
    return IntentState{tables.rows().intents.value(id), attempts.last(), tables.now()};
}

Result<std::optional<Held>> held(MemoryTables& tables, const MemoryReservation& next)
{
    if (const auto updated = tables.updateReservation(next); !updated)
        return fail(updated.error());
    return std::optional(
        Held{next.row.id, next.row.fence, next.request, tables.rows().intents.value(next.row.intent()), tables.now()});
}

Result<ReserveAnswer> reserved(MemoryTables& tables, const ReserveRequest& request)
{
    ReserveAnswer answer;
    if (request.job && !ownsJob(tables, *request.job)) {
        answer.refused = Because{Reason::LeaseLost, {{QStringLiteral("id"), request.job->job}}};
        return answer;
    }
    const auto& info = tables.rows().info;
    if (info.state != StoreState::Normal) {
        answer.refused = Because{Reason::Quarantine, {{QStringLiteral("time"), info.quarantineFrom->ms}}};
        return answer;
    }
    if (!tables.rows().intents.contains(request.intent)) {
        Intent intent;
        intent.id = request.intent;
        intent.tool = request.tool;
        intent.amount = request.amount;
        intent.customer = request.customer;
        intent.plan = request.plan;
        intent.planSha256 = sha256(request.plan);
        intent.argsSha256 = request.argsSha256;
        intent.maxAttempts = request.maxAttempts;
        intent.createdAt = tables.now();
        if (const auto planted = tables.insertIntent(intent); !planted)
            return fail(planted.error());
    }
    const auto intent = tables.rows().intents.value(request.intent);
    if (intent.argsSha256 != request.argsSha256) {
        answer.refused = Because{Reason::PlanMismatch, {{QStringLiteral("intent"), intent.id.intentKey}}};
        return answer;
    }
    if (request.job)
        tables.insertUse(request.intent, request.job->job);
    if (const auto existing = stateOf(tables, request.intent)) {
        answer.existing = existing;
        return answer;
    }
    MemoryReservation made;
    made.row.id = {request.intent.provider, request.intent.account, attemptKey(request.intent.intentKey, 1)};
    made.row.intentKey = request.intent.intentKey;
    made.row.owner = request.owner;
    made.row.leaseExpiresAt = tables.now() + request.lease;
    made.row.reservedAt = tables.now();
    made.row.statusAt = tables.now();
    made.row.window = request.window;
    made.row.margin = request.margin;
    made.request = request.request;
    made.requestSha256 = sha256(request.request);
    if (const auto inserted = tables.insertReservation(made); !inserted)
        return fail(inserted.error());
    answer.held
        = Held{made.row.id, made.row.fence, made.request, tables.rows().intents.value(request.intent), tables.now()};
    return answer;
}

} // namespace

Result<Instant> MemoryReservationStore::now()
{
    return m_store.inTransaction([](MemoryTables& tables) -> Result<Instant> { return tables.now(); });
}

Result<std::optional<IntentState>> MemoryReservationStore::find(const IntentId& intent)
{
    return m_store.inTransaction(
        [&](MemoryTables& tables) -> Result<std::optional<IntentState>> { return stateOf(tables, intent); });
}

Result<std::optional<IntentState>> MemoryReservationStore::findKey(const KeyId& key)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<std::optional<IntentState>> {
        const auto made = tables.rows().reservations.constFind(key);
        if (made == tables.rows().reservations.constEnd())
            return std::optional<IntentState>();
        return std::optional(IntentState{tables.rows().intents.value(made->row.intent()), made->row, tables.now()});
    });
}

Result<bool> MemoryReservationStore::use(const IntentId& intent, const JobLease& job)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<bool> {
        if (!ownsJob(tables, job))
            return false;
        if (!tables.rows().intents.contains(intent))
            return fail(Error::Kind::Refused, QStringLiteral("intent_uses: no such intent"));
        tables.insertUse(intent, job.job);
        return true;
    });
}

Result<ReserveAnswer> MemoryReservationStore::reserve(const ReserveRequest& request)
{
    return m_store.inTransaction([&](MemoryTables& tables) { return reserved(tables, request); });
}

Result<std::optional<Held>> MemoryReservationStore::start(
    const KeyId& key, qint64 seenVersion, const QString& owner, Millis lease, const QByteArray& request)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<std::optional<Held>> {
        auto next = tables.rows().reservations.value(key);
        if (next.row.id != key || next.row.status != ReservationStatus::Opened || next.row.rowVersion != seenVersion)
            return std::optional<Held>();
        next.row.status = ReservationStatus::InProgress;
        next.row.statusAt = tables.now();
        next.row.fence += 1;
        next.row.owner = owner;
        next.row.leaseExpiresAt = tables.now() + lease;
        next.request = request;
        next.requestSha256 = sha256(request);
        return held(tables, next);
    });
}

Result<std::optional<Held>> MemoryReservationStore::resume(
    const KeyId& key, qint64 seenFence, const QString& owner, Millis lease, Seconds grace)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<std::optional<Held>> {
        auto next = tables.rows().reservations.value(key);
        auto& row = next.row;
        const auto now = tables.now();
        if (row.id != key || row.status != ReservationStatus::InProgress || row.fence != seenFence
            || *row.leaseExpiresAt >= now - grace
            || (row.sends > 0 && (now >= row.resumeUntil || *row.firstSentAt > now)))
            return std::optional<Held>();
        row.fence += 1;
        row.owner = owner;
        row.leaseExpiresAt = now + lease;
        return held(tables, next);
    });
}

Result<QList<Reservation>> MemoryReservationStore::openEffects(qint64 job)
{
    return m_store.inTransaction(
        [&](MemoryTables& tables) -> Result<QList<Reservation>> { return tables.openEffects(job); });
}

Result<> MemoryReservationStore::raise(
    IncidentKind kind, const QString& subject, Severity severity, const QJsonObject& detail)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<> {
        tables.raiseIncident(kind, subject, severity, detail);
        return done();
    });
}

} // namespace unavez::tests
