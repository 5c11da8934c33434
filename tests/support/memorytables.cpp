// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/memorytables.h"

#include <algorithm>

namespace unavez::tests {

using namespace contract;

namespace {

Failure refusedBy(const char* words) { return fail(Error::Kind::Refused, QString::fromLatin1(words)); }

template <typename Rows> qint64 nextId(const Rows& rows) { return rows.isEmpty() ? 1 : rows.lastKey() + 1; }

bool isClosed(ReservationStatus status) { return !isOpen(status); }

// At most one attempt of an intent may be in one of these.
bool isOpenOrDone(ReservationStatus status) { return isOpen(status) || status == ReservationStatus::Done; }

bool isJobMove(JobState from, JobState to)
{
    switch (from) {
    case JobState::Queued:
    case JobState::RetryWait: return to == JobState::Leased;
    case JobState::Leased: return to == JobState::Done || to == JobState::RetryWait || to == JobState::Dead;
    case JobState::Dead: return to == JobState::Queued || to == JobState::Discarded;
    case JobState::Done:
    case JobState::Discarded: return false;
    }
    return false;
}

bool isShapedRight(const Job& job)
{
    const bool leased = job.state == JobState::Leased;
    return leased == job.leaseOwner.has_value() && leased == job.leaseExpiresAt.has_value()
        && (job.state == JobState::Dead) == job.deadAt.has_value() && isFinal(job.state) == job.finishedAt.has_value()
        && (job.kind == JobKind::Event) == job.eventPk.has_value()
        && (job.kind == JobKind::Resume) == job.key.has_value() && job.attempts >= 0 && job.maxAttempts > 0;
}

bool isShapedRight(const MemoryReservation& made)
{
    const auto& row = made.row;
    const bool inProgress = row.status == ReservationStatus::InProgress;
    const bool sent = row.sends > 0;
    return inProgress == row.leaseExpiresAt.has_value() && inProgress == row.owner.has_value()
        && isClosed(row.status) == row.completedAt.has_value()
        && (row.status != ReservationStatus::Done || row.providerObjectId)
        && (row.status != ReservationStatus::Failed || row.outcomeClass)
        && (row.status == ReservationStatus::Opened || row.status == ReservationStatus::Abandoned
            || !made.requestSha256.isEmpty())
        && ((!inProgress && row.status != ReservationStatus::Unknown) || !made.request.isEmpty())
        && sent == row.firstSentAt.has_value() && sent == row.lastSentAt.has_value()
        && sent != row.resumeUntil.isNever();
}

} // namespace

MemoryTables::MemoryTables(MemoryRows rows, Instant now)
    : m_rows(std::move(rows))
    , m_now(now)
{
}

Result<qint64> MemoryTables::insertEvent(Event event, const QByteArray& payload)
{
    if (!isValidEventId(event.eventId) || event.bodySha256.size() != 32)
        return refusedBy("event: id or hash");
    if (!m_rows.signingKeys.contains(event.signingKeyId) || !m_rows.sources.contains(event.sourceId))
        return refusedBy("event: no such signing key or source");
    for (const auto& other : std::as_const(m_rows.events)) {
        if (other.sourceId == event.sourceId && (other.eventId == event.eventId || other.changeId == event.changeId))
            return refusedBy("event: recorded already");
    }
    event.pk = nextId(m_rows.events);
    m_rows.events.insert(event.pk, event);
    m_rows.payloads.insert(event.pk, payload);
    return event.pk;
}

Result<> MemoryTables::updateEvent(const Event& next)
{
    const auto old = m_rows.events.value(next.pk);
    if (old.eventId != next.eventId || old.bodySha256 != next.bodySha256 || next.deliveries < old.deliveries
        || (old.hasJob && !next.hasJob))
        return refusedBy("event: immutable");
    m_rows.events.insert(next.pk, next);
    return done();
}

Result<qint64> MemoryTables::insertJob(Job job)
{
    for (const auto& other : std::as_const(m_rows.jobs)) {
        const bool sameEvent = job.eventPk && other.eventPk == job.eventPk;
        const bool sameKey = job.key && other.key == job.key && !isFinal(other.state);
        if (sameEvent || sameKey)
            return refusedBy("job: there is one already");
    }
    if (job.state != JobState::Queued || job.attempts != 0 || job.leaseToken != 0 || !isShapedRight(job))
        return refusedBy("job: must start as queued");
    job.id = nextId(m_rows.jobs);
    job.createdAt = m_now;
    m_rows.jobs.insert(job.id, job);
    if (job.eventPk)
        m_rows.events[*job.eventPk].hasJob = true;
    return job.id;
}

Result<> MemoryTables::updateJob(Job next)
{
    const auto old = m_rows.jobs.value(next.id);
    next.rowVersion = old.rowVersion + 1;
    if (next.leaseToken < old.leaseToken || next.attempts < old.attempts - 1 || next.maxAttempts < old.maxAttempts)
        return refusedBy("job: identity and counters are immutable");
    if (isFinal(old.state))
        return refusedBy("job: final");
    const bool newLease = next.state == JobState::Leased && old.state != JobState::Leased;
    const bool newOwner = next.state == JobState::Leased && next.leaseOwner != old.leaseOwner;
    if ((newLease || newOwner) && next.leaseToken <= old.leaseToken)
        return refusedBy("job: a lease or a new owner needs a new token");
    if (next.state != old.state && !isJobMove(old.state, next.state))
        return refusedBy("job: transition is not allowed");
    if (!isShapedRight(next))
        return refusedBy("job: check");
    if (next.state == JobState::Done && !openEffects(next.id).isEmpty())
        return refusedBy("job: an effect is still open");
    m_rows.jobs.insert(next.id, next);
    return done();
}

Result<> MemoryTables::insertIntent(const Intent& intent)
{
    if (m_rows.intents.contains(intent.id))
        return refusedBy("intent: there already");
    m_rows.intents.insert(intent.id, intent);
    return done();
}

Result<> MemoryTables::updateIntent(const Intent& next)
{
    const auto old = m_rows.intents.value(next.id);
    if (next.argsSha256 != old.argsSha256 || next.planSha256 != old.planSha256 || next.amount != old.amount
        || next.customer != old.customer || next.tool != old.tool || next.maxAttempts != old.maxAttempts
        || (old.providerObjectId && next.providerObjectId != old.providerObjectId))
        return refusedBy("intent: the plan is frozen");
    m_rows.intents.insert(next.id, next);
    return done();
}

void MemoryTables::insertUse(const IntentId& intent, qint64 job)
{
    for (const auto& use : std::as_const(m_rows.uses)) {
        if (use.intent == intent && use.jobId == job)
            return;
    }
    m_rows.uses.append({intent, job, m_now, {}, 0});
}

QList<Reservation> MemoryTables::attemptsOf(const IntentId& intent) const
{
    QList<Reservation> found;
    for (const auto& made : m_rows.reservations) {
        if (made.row.intent() == intent)
            found.append(made.row);
    }
    std::sort(
        found.begin(), found.end(), [](const Reservation& a, const Reservation& b) { return a.attempt < b.attempt; });
    return found;
}

QList<Reservation> MemoryTables::openEffects(qint64 job) const
{
    QList<Reservation> open;
    const auto named = m_rows.jobs.value(job).key;
    for (const auto& made : m_rows.reservations) {
        if (!isOpen(made.row.status))
            continue;
        const bool used = std::any_of(m_rows.uses.begin(), m_rows.uses.end(),
            [&](const IntentUse& use) { return use.jobId == job && use.intent == made.row.intent(); });
        if (used || named == made.row.id)
            open.append(made.row);
    }
    return open;
}

bool MemoryTables::hasVerdict(
    const Reservation& row, EvidenceVerdict verdict, const std::optional<QString>& object) const
{
    return std::any_of(m_rows.reconciliations.begin(), m_rows.reconciliations.end(), [&](const Reconciliation& r) {
        return r.key == row.id && r.verdict == verdict && (!object || r.objectIds.contains(*object));
    });
}

bool MemoryTables::isProvenNotCharged(const Reservation& row) const
{
    return std::any_of(m_rows.reconciliations.begin(), m_rows.reconciliations.end(), [&](const Reconciliation& r) {
        return r.key == row.id && r.verdict == EvidenceVerdict::NotCharged && row.lastSentAt
            && r.evidenceUntil >= *row.lastSentAt;
    });
}

bool MemoryTables::isAllowed(const Reservation& old, const Reservation& next) const
{
    using S = ReservationStatus;
    const bool sameFence = next.fence == old.fence;
    const bool isOver = old.resumeUntil <= m_now || old.firstSentAt > m_now;
    const auto charged
        = [&] { return next.providerObjectId && hasVerdict(old, EvidenceVerdict::Charged, next.providerObjectId); };
    switch (old.status) {
    case S::Opened: return (next.status == S::InProgress || next.status == S::Abandoned) && next.fence > old.fence;
    case S::InProgress:
        switch (next.status) {
        case S::Abandoned: return old.sends == 0 && next.fence > old.fence && *old.leaseExpiresAt < m_now;
        case S::Unknown: return old.sends > 0 && (sameFence || isOver);
        case S::Done: return (sameFence && old.sends > 0) || charged();
        case S::Failed: return (sameFence && old.sends > 0) || hasVerdict(old, EvidenceVerdict::Failed);
        default: return false;
        }
    case S::Unknown:
        switch (next.status) {
        case S::Done: return charged();
        case S::Failed: return hasVerdict(old, EvidenceVerdict::Failed);
        case S::Abandoned: return isProvenNotCharged(old);
        default: return false;
        }
    case S::Failed: return next.status == S::Done && charged();
    case S::Abandoned: return next.status == S::Done && old.sends > 0 && charged();
    case S::Done: return false;
    }
    return false;
}

std::optional<QString> MemoryTables::brokenUniqueness(
    const Reservation& next, std::optional<ReservationStatus> was) const
{
    for (const auto& made : m_rows.reservations) {
        const auto& other = made.row;
        if (other.id == next.id)
            continue;
        const bool entered = !was || !isOpenOrDone(*was);
        if (entered && isOpenOrDone(next.status) && other.intent() == next.intent() && isOpenOrDone(other.status))
            return QStringLiteral("one_open_or_done_attempt");
        const bool sameObject = other.id.provider == next.id.provider && other.id.account == next.id.account
            && verbOf(other.intentKey) == verbOf(next.intentKey) && other.providerObjectId == next.providerObjectId;
        if (next.status == ReservationStatus::Done && other.status == ReservationStatus::Done && sameObject)
            return QStringLiteral("one_reservation_per_object");
    }
    return std::nullopt;
}

void MemoryTables::followStatus(const Reservation& row)
{
    auto& intent = m_rows.intents[row.intent()];
    if (row.attempt < intent.lastAttempt)
        return;
    intent.lastAttempt = row.attempt;
    intent.lastStatus = row.status;
    intent.lastStatusAt = row.statusAt;
}

Result<> MemoryTables::insertReservation(const MemoryReservation& made)
{
    const auto& row = made.row;
    if (m_rows.reservations.contains(row.id))
        return refusedBy("reservation: there already");
    const bool opened = row.status == ReservationStatus::Opened;
    if ((!opened && row.status != ReservationStatus::InProgress) || row.sends != 0 || row.rowVersion != 0
        || row.fence != (opened ? 0 : 1) || opened != made.request.isEmpty() || opened != (row.attempt > 1)
        || !isShapedRight(made))
        return refusedBy("reservation: must start as in_progress with its bytes, or as opened");
    const auto earlier = attemptsOf(row.intent());
    const auto intent = m_rows.intents.constFind(row.intent());
    if (intent == m_rows.intents.constEnd() || row.attempt != earlier.size() + 1 || row.attempt > intent->maxAttempts)
        return refusedBy("reservation: attempts count up from 1 to the intent's maximum");
    if (!earlier.isEmpty()) {
        const auto& last = earlier.last();
        const bool failed
            = last.status == ReservationStatus::Failed && last.outcomeClass == wordOf(OutcomeClass::DefinitiveFailure);
        const bool abandoned
            = last.status == ReservationStatus::Abandoned && (last.sends == 0 || isProvenNotCharged(last));
        if (!failed && !abandoned)
            return refusedBy("reservation: the last attempt is not proven without effect");
    }
    if (const auto broken = brokenUniqueness(row, {}))
        return fail(Error::Kind::Refused, *broken);
    m_rows.reservations.insert(row.id, made);
    followStatus(row);
    return done();
}

Result<> MemoryTables::updateReservation(MemoryReservation next)
{
    const auto old = m_rows.reservations.value(next.row.id);
    next.row.rowVersion = old.row.rowVersion + 1;
    const auto& was = old.row;
    const auto& is = next.row;
    if (is.window != was.window || is.margin != was.margin || is.reservedAt != was.reservedAt)
        return refusedBy("reservation: identity and window are immutable");
    if (is.fence < was.fence || (is.sends != was.sends && is.sends != was.sends + 1))
        return refusedBy("reservation: counters may not go back");
    if ((was.firstSentAt && is.firstSentAt != was.firstSentAt) || (was.sends > 0 && is.resumeUntil != was.resumeUntil)
        || is.lastSentAt < was.lastSentAt)
        return refusedBy("reservation: first send and cutoff are write-once");
    if (was.sends == 0 && is.sends == 1
        && is.resumeUntil > *is.firstSentAt + std::max<Seconds>(was.window - was.margin, Seconds{0}))
        return refusedBy("reservation: cutoff beyond the window");
    const bool starts = was.status == ReservationStatus::Opened && is.status == ReservationStatus::InProgress;
    if (next.request != old.request && !starts)
        return refusedBy("reservation: the request is frozen");
    if (is.status == was.status && isClosed(was.status)
        && (is.providerObjectId != was.providerObjectId || is.outcomeClass != was.outcomeClass
            || is.completedAt != was.completedAt || is.result != was.result || is.error != was.error))
        return refusedBy("reservation: its outcome is final");
    const bool staysInProgress = is.status == was.status && was.status == ReservationStatus::InProgress;
    if (staysInProgress && is.fence == was.fence && is.owner != was.owner)
        return refusedBy("reservation: a new owner needs a new fence");
    if (staysInProgress && is.fence > was.fence && was.sends > 0
        && (was.resumeUntil <= m_now || was.firstSentAt > m_now))
        return refusedBy("reservation: past its cutoff");
    if (is.sends != was.sends && !staysInProgress)
        return refusedBy("reservation: a send mark belongs to in_progress and changes no status");
    if (is.status != was.status && !isAllowed(was, is))
        return refusedBy("reservation: transition is not allowed");
    if (!isShapedRight(next))
        return refusedBy("reservation: check");
    if (const auto broken = brokenUniqueness(is, was.status))
        return fail(Error::Kind::Refused, *broken);
    m_rows.reservations.insert(is.id, next);
    if (is.status != was.status)
        followStatus(is);
    return done();
}

Result<qint64> MemoryTables::insertCall(ProviderCall call)
{
    call.id = nextId(m_rows.calls);
    m_rows.calls.insert(call.id, call);
    return call.id;
}

Result<> MemoryTables::updateCall(const ProviderCall& next)
{
    if (m_rows.calls.value(next.id).endedAt)
        return refusedBy("provider call: completed once, else immutable");
    m_rows.calls.insert(next.id, next);
    return done();
}

Result<> MemoryTables::insertReconciliation(Reconciliation row)
{
    if (row.evidenceSha256.size() != 32 || (row.verdict != EvidenceVerdict::NotCharged && row.objectIds.isEmpty()))
        return refusedBy("reconciliation: check");
    row.id = m_rows.reconciliations.size() + 1;
    row.at = m_now;
    m_rows.reconciliations.append(row);
    return done();
}

void MemoryTables::raiseIncident(
    IncidentKind kind, const QString& subject, Severity severity, const QJsonObject& detail)
{
    for (auto& incident : m_rows.incidents) {
        if (incident.kind == kind && incident.subject == subject && !incident.closedAt) {
            ++incident.n;
            incident.lastAt = m_now;
            return;
        }
    }
    Incident incident;
    incident.id = m_rows.incidents.size() + 1;
    incident.kind = kind;
    incident.subject = subject;
    incident.severity = severity;
    incident.detail = detail;
    incident.openedAt = m_now;
    incident.lastAt = m_now;
    m_rows.incidents.append(incident);
}

} // namespace unavez::tests
