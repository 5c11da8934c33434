// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/async/crashpoint.h"
#include "tests/support/memoryports.h"

#include <QJsonArray>

#include <algorithm>

// The send mark, what follows it, and evidence (contract.md §10.4–10.6).
namespace unavez::tests {

using namespace contract;

namespace {

constexpr Seconds mostSkew{60}; // contract.md §10.6

Because skewed(Millis difference, const char* which)
{
    return {Reason::ClockSkew,
        {{QStringLiteral("s"), qint64(std::abs(difference.count()) / 1000)},
            {QStringLiteral("which"), QLatin1String(which)}}};
}

Because ofTime(Reason reason, const Reservation& row, Instant time)
{
    return {reason, {{QStringLiteral("key"), row.id.key}, {QStringLiteral("time"), time.ms}}};
}

std::optional<Because> whyNotMarked(const MemoryTables& tables, const MarkRequest& request)
{
    const auto now = tables.now();
    const auto row = tables.rows().reservations.value(request.key).row;
    if (row.id != request.key || row.status != ReservationStatus::InProgress || row.fence != request.fence
        || *row.leaseExpiresAt <= now)
        return Because{Reason::LeaseLost, {{QStringLiteral("id"), request.key.key}}};
    if (request.job) {
        const auto job = tables.rows().jobs.value(request.job->job);
        if (job.state != JobState::Leased || job.leaseToken != request.job->token || *job.leaseExpiresAt <= now)
            return Because{Reason::LeaseLost, {{QStringLiteral("id"), request.job->job}}};
    }
    if (row.sends > 0 && *row.firstSentAt > now)
        return ofTime(Reason::ClockWentBack, row, *row.firstSentAt);
    if (row.sends > 0 && now >= row.resumeUntil)
        return ofTime(Reason::PastCutoff, row, row.resumeUntil);
    const auto difference = request.hostNow - now;
    if (difference > mostSkew || -difference > mostSkew)
        return skewed(difference, "host");
    const auto& info = tables.rows().info;
    if (info.state != StoreState::Normal)
        return Because{Reason::Quarantine, {{QStringLiteral("time"), info.quarantineFrom->ms}}};
    for (const auto& hold : tables.rows().holds) {
        if (hold.kind == HoldKind::Sends || (hold.kind == HoldKind::Tool && hold.target == request.tool))
            return Because{Reason::Held,
                {{QStringLiteral("what"), hold.target.isEmpty() ? wordOf(hold.kind) : hold.target},
                    {QStringLiteral("time"), hold.at.ms}, {QStringLiteral("login"), hold.by},
                    {QStringLiteral("reason"), hold.reason}}};
    }
    return std::nullopt;
}

bool sameObject(const Reservation& row, const ObservedOutcome& observed)
{
    return row.providerObjectId && observed.objectIds.contains(*row.providerObjectId);
}

Result<EvidenceEffect> recorded(MemoryTables& tables, const ObservedOutcome& observed)
{
    const auto made = tables.rows().reservations.constFind(observed.key);
    if (made == tables.rows().reservations.constEnd())
        return fail(Error::Kind::NotFound, QStringLiteral("reservation"));
    Reconciliation row;
    row.key = observed.key;
    row.verdict = observed.verdict;
    row.source = EvidenceSource::Webhook;
    row.eventPk = observed.eventPk;
    row.objectIds = observed.objectIds;
    row.amount = observed.amount;
    row.evidenceSha256 = observed.sha256;
    row.evidenceUntil = observed.until;
    row.by = QStringLiteral("service");
    const auto& there = tables.rows().reconciliations;
    const bool isKnown = row.eventPk && std::any_of(there.begin(), there.end(), [&](const Reconciliation& r) {
        return r.key == row.key && r.eventPk == row.eventPk && r.verdict == row.verdict;
    });
    if (!isKnown) {
        if (const auto inserted = tables.insertReconciliation(row); !inserted)
            return fail(inserted.error());
    }
    UNAVEZ_CRASH_POINT("evidence.after_row_before_status");
    auto next = tables.rows().reservations.value(observed.key);
    auto& own = next.row;
    const bool charged = observed.verdict == EvidenceVerdict::Charged;
    const auto raised = [&](IncidentKind kind, EvidenceEffect effect) -> Result<EvidenceEffect> {
        tables.raiseIncident(kind, subjectOf(observed.key), Severity::Red,
            {{QStringLiteral("objects"), QJsonArray::fromStringList(observed.objectIds)}});
        return effect;
    };
    if (charged) {
        for (const auto& other : tables.attemptsOf(own.intent())) {
            if (other.id == own.id || !(isOpen(other.status) || other.status == ReservationStatus::Done))
                continue;
            return sameObject(other, observed) ? Result<EvidenceEffect>(EvidenceEffect::Recorded)
                                               : raised(IncidentKind::DoubleCharge, EvidenceEffect::DoubleCharge);
        }
    }
    switch (own.status) {
    case ReservationStatus::Done:
        return charged && sameObject(own, observed) ? Result<EvidenceEffect>(EvidenceEffect::Recorded)
                                                    : raised(observed.contradiction, EvidenceEffect::Conflict);
    case ReservationStatus::Failed:
    case ReservationStatus::Abandoned:
        if (!charged)
            return EvidenceEffect::Recorded;
        break; // a late success
    case ReservationStatus::InProgress:
        if (*own.leaseExpiresAt > tables.now())
            return EvidenceEffect::Recorded; // its holder will finish by itself
        break;
    case ReservationStatus::Opened: return EvidenceEffect::Recorded;
    case ReservationStatus::Unknown: break;
    }
    own.status = charged ? ReservationStatus::Done : ReservationStatus::Failed;
    own.statusAt = tables.now();
    own.fence += 1;
    own.owner.reset();
    own.leaseExpiresAt.reset();
    own.flag.reset();
    own.outcomeClass = observed.outcomeClass;
    if (!observed.objectIds.isEmpty())
        own.providerObjectId = observed.objectIds.first();
    own.result = observed.result.isEmpty() ? std::nullopt : std::optional(observed.result);
    own.error = observed.error.isEmpty() ? std::nullopt : std::optional(observed.error);
    own.completedAt = tables.now();
    const auto settled = tables.updateReservation(next);
    if (!settled && settled.error().detail.contains(QLatin1String("one_reservation_per_object")))
        return raised(IncidentKind::OutcomeConflict, EvidenceEffect::Conflict);
    if (!settled)
        return fail(settled.error());
    return EvidenceEffect::Settled;
}

} // namespace

Result<MarkAnswer> MemoryReservationStore::mark(const MarkRequest& request)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<MarkAnswer> {
        const auto now = tables.now();
        MarkAnswer answer;
        if (request.providerNow) {
            const auto difference = *request.providerNow - now;
            if (difference > mostSkew || -difference > mostSkew) {
                answer.refused = skewed(difference, "provider");
                return answer;
            }
            const auto fromHost = *request.providerNow - request.hostNow;
            if (fromHost > mostSkew || -fromHost > mostSkew) {
                answer.refused = skewed(fromHost, "provider and host");
                return answer;
            }
        }
        if (auto why = whyNotMarked(tables, request)) {
            answer.refused = std::move(why);
            return answer;
        }
        auto next = tables.rows().reservations.value(request.key);
        auto& row = next.row;
        if (row.sends == 0) {
            row.firstSentAt = now;
            row.resumeUntil = std::min(now, request.hostNow) + std::max<Seconds>(row.window - row.margin, Seconds{0});
        }
        row.lastSentAt = std::max(row.lastSentAt.value_or(now), now);
        row.leaseExpiresAt = now + request.lease;
        row.sends += 1;
        if (const auto marked = tables.updateReservation(next); !marked)
            return fail(marked.error());
        ProviderCall call;
        call.key = request.key;
        call.sentKey = sentKey(request.key.key, request.step);
        call.fence = request.fence;
        if (request.job) {
            call.jobId = request.job->job;
            call.leaseToken = request.job->token;
        }
        call.sentAt = now;
        const auto id = tables.insertCall(call);
        if (!id)
            return fail(id.error());
        answer.call = *id;
        answer.sends = row.sends;
        answer.resumeUntil = row.resumeUntil;
        return answer;
    });
}

Result<> MemoryReservationStore::completeCall(const CallEnd& end)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<> {
        const auto found = tables.rows().calls.constFind(end.call);
        if (found == tables.rows().calls.constEnd() || found->endedAt)
            return done();
        auto call = *found;
        const auto& a = end.answer;
        call.endedAt = tables.now();
        call.httpStatus = a.httpStatus == 0 ? std::nullopt : std::optional(a.httpStatus);
        call.requestId = a.requestId;
        call.originalRequestId = a.originalRequestId;
        call.replayed = a.replayed;
        call.shouldRetry = a.shouldRetry;
        call.errorType = a.errorType;
        call.errorCode = a.errorCode;
        call.declineCode = a.declineCode;
        call.adviceCode = a.adviceCode;
        call.objectId = a.object ? std::optional(a.object->id) : std::nullopt;
        call.outcome = end.outcome;
        return tables.updateCall(call);
    });
}

Result<bool> MemoryReservationStore::storeObject(const IntentId& intent, const QString& objectId)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<bool> {
        auto next = tables.rows().intents.value(intent);
        if (next.id != intent)
            return false;
        if (next.providerObjectId)
            return *next.providerObjectId == objectId;
        next.providerObjectId = objectId;
        const auto stored = tables.updateIntent(next);
        return stored ? Result<bool>(true) : Result<bool>(fail(stored.error()));
    });
}

Result<bool> MemoryReservationStore::finish(const FinishRequest& request)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<bool> {
        auto next = tables.rows().reservations.value(request.key);
        auto& row = next.row;
        if (row.id != request.key || row.status != ReservationStatus::InProgress || row.fence != request.fence)
            return false;
        row.status = request.status;
        row.statusAt = tables.now();
        row.flag = request.flag;
        row.outcomeClass = wordOf(request.outcome);
        row.providerObjectId = request.objectId;
        row.result = request.result.isEmpty() ? std::nullopt : std::optional(request.result);
        row.error = request.error.isEmpty() ? std::nullopt : std::optional(request.error);
        row.owner.reset();
        row.leaseExpiresAt.reset();
        if (!isOpen(request.status))
            row.completedAt = tables.now();
        const auto finished = tables.updateReservation(next);
        return finished ? Result<bool>(true) : Result<bool>(fail(finished.error()));
    });
}

Result<> MemoryReservationStore::giveUpLease(const KeyId& key, qint64 fence, Seconds grace)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<> {
        auto next = tables.rows().reservations.value(key);
        if (next.row.id != key || next.row.fence != fence || next.row.status != ReservationStatus::InProgress)
            return done();
        next.row.leaseExpiresAt = tables.now() - grace - Millis{1};
        return tables.updateReservation(next);
    });
}

Result<bool> MemoryReservationStore::hasUnansweredSend(const KeyId& key, const QString& sent, qint64 exceptCall)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<bool> {
        const auto& calls = tables.rows().calls;
        return std::any_of(calls.begin(), calls.end(), [&](const ProviderCall& call) {
            return call.key.provider == key.provider && call.key.account == key.account && call.sentKey == sent
                && call.id != exceptCall
                && (!call.endedAt || call.outcome == OutcomeClass::Unanswered || call.outcome == OutcomeClass::Unknown);
        });
    });
}

Result<std::optional<KeyId>> MemoryEvidenceStore::keyOfSentKey(
    const QString& provider, const QString& account, const QString& sentKey)
{
    return m_store.inTransaction([&](MemoryTables& tables) -> Result<std::optional<KeyId>> {
        for (const auto& call : tables.rows().calls) {
            if (call.key.provider == provider && call.key.account == account && call.sentKey == sentKey)
                return std::optional(call.key);
        }
        return std::optional<KeyId>();
    });
}

Result<EvidenceEffect> MemoryEvidenceStore::record(const ObservedOutcome& observed)
{
    return m_store.inTransaction([&](MemoryTables& tables) { return recorded(tables, observed); });
}

} // namespace unavez::tests
