// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/siminvariants.h"

#include <QSet>

#include <algorithm>

namespace unavez::tests {

using namespace contract;

namespace {

bool isOpenOrDone(ReservationStatus status) { return isOpen(status) || status == ReservationStatus::Done; }

bool hasVerdict(const MemoryRows& rows, const KeyId& key, EvidenceVerdict verdict)
{
    return std::any_of(rows.reconciliations.begin(), rows.reconciliations.end(),
        [&](const Reconciliation& row) { return row.key == key && row.verdict == verdict; });
}

bool hasIncident(const MemoryRows& rows, const IntentId& intent)
{
    return std::any_of(rows.incidents.begin(), rows.incidents.end(), [&](const Incident& incident) {
        return (incident.kind == IncidentKind::DoubleCharge || incident.kind == IncidentKind::OutcomeConflict)
            && incident.subject.contains(intent.intentKey);
    });
}

QString changedWrongly(const MemoryRows& rows, const Reservation& was, const Reservation& is, Instant now)
{
    const auto name = is.id.key;
    if (is.fence < was.fence || is.sends < was.sends || is.rowVersion < was.rowVersion)
        return QStringLiteral("N5: a counter of %1 went back").arg(name);
    if (was.resumeUntil != is.resumeUntil && was.sends > 0)
        return QStringLiteral("N5: the cutoff of %1 moved").arg(name);
    if (is.status == was.status)
        return {};
    // Without a class: nobody's answer said so, the reaper or an operator did.
    if (is.status == ReservationStatus::Unknown && !is.outcomeClass && is.resumeUntil > now && *is.firstSentAt <= now)
        return QStringLiteral("%1 was given up before its cutoff").arg(name);
    if (was.status == ReservationStatus::Done)
        return QStringLiteral("N4: %1 was done and is %2").arg(name, wordOf(is.status));
    if (!isOpen(was.status)
        && (is.status != ReservationStatus::Done || !hasVerdict(rows, is.id, EvidenceVerdict::Charged)))
        return QStringLiteral("N4: %1 was %2 and is %3").arg(name, wordOf(was.status), wordOf(is.status));
    if (was.status == ReservationStatus::Unknown) {
        const auto needed = is.status == ReservationStatus::Done ? EvidenceVerdict::Charged
            : is.status == ReservationStatus::Failed             ? EvidenceVerdict::Failed
                                                                 : EvidenceVerdict::NotCharged;
        if (!hasVerdict(rows, is.id, needed))
            return QStringLiteral("N6: %1 left unknown without evidence").arg(name);
    }
    return {};
}

} // namespace

QString brokenIn(const MemoryRows& rows)
{
    QSet<QString> taken;
    for (const auto& made : rows.reservations) {
        if (!isOpenOrDone(made.row.status))
            continue;
        const auto name = subjectOf(made.row.intent());
        if (taken.contains(name))
            return QStringLiteral("N1: two open or done attempts of %1").arg(name);
        taken.insert(name);
    }
    for (const auto& event : rows.events) {
        const bool hasJob
            = std::any_of(rows.jobs.begin(), rows.jobs.end(), [&](const Job& job) { return job.eventPk == event.pk; });
        if (!hasJob || !event.hasJob)
            return QStringLiteral("N3: %1 has no job").arg(event.eventId);
    }
    return {};
}

QString brokenBetween(const MemoryRows& before, const MemoryRows& after, Instant now)
{
    for (const auto& made : before.reservations) {
        if (!after.reservations.contains(made.row.id))
            return QStringLiteral("%1 is gone").arg(made.row.id.key);
        const auto wrong = changedWrongly(after, made.row, after.reservations.value(made.row.id).row, now);
        if (!wrong.isEmpty())
            return wrong;
    }
    for (const auto& was : before.jobs) {
        const auto is = after.jobs.value(was.id);
        if (is.leaseToken < was.leaseToken || is.rowVersion < was.rowVersion)
            return QStringLiteral("N5: a counter of job %1 went back").arg(was.id);
        if (isFinal(was.state) && is.state != was.state)
            return QStringLiteral("job %1 left %2").arg(was.id).arg(wordOf(was.state));
        if (is.state != JobState::Done || was.state == JobState::Done)
            continue;
        for (const auto& use : after.uses) {
            // As it was when the job ended: later attempts of the intent are later's business.
            for (const auto& made : after.reservations) {
                const auto earlier = before.reservations.constFind(made.row.id);
                const bool openAllAlong = earlier != before.reservations.constEnd() && isOpen(earlier->row.status)
                    && isOpen(made.row.status);
                if (use.jobId == is.id && made.row.intent() == use.intent && openAllAlong)
                    return QStringLiteral("N10: job %1 is done over open %2").arg(is.id).arg(made.row.id.key);
            }
        }
    }
    return {};
}

QString brokenAtProvider(const SimProvider& provider)
{
    for (const auto& effect : provider.effects()) {
        if (provider.effectsOf(effect.intentKey).size() > 1)
            return QStringLiteral("N2: %1 took effect twice").arg(effect.intentKey);
        if (effect.account != QLatin1String("acct_1"))
            return QStringLiteral("%1 took effect in another account").arg(effect.intentKey);
    }
    for (auto it = provider.bodies().begin(); it != provider.bodies().end(); ++it) {
        const auto& bodies = it.value();
        if (std::any_of(bodies.begin(), bodies.end(), [&](const QByteArray& body) { return body != bodies.first(); }))
            return QStringLiteral("N9: %1 was sent with other bytes").arg(it.key());
    }
    return {};
}

QString unsettledIn(const MemoryRows& rows)
{
    for (const auto& made : rows.reservations) {
        const auto& row = made.row;
        if (!isOpen(row.status))
            continue;
        const bool waited = std::any_of(rows.uses.begin(), rows.uses.end(), [&](const IntentUse& use) {
            return use.intent == row.intent() && rows.jobs.value(use.jobId).state != JobState::Discarded;
        });
        if (row.status == ReservationStatus::Unknown || waited) // else: never sent, by a chat turn or a discarded job
            return QStringLiteral("%1 is %2 still").arg(row.id.key, wordOf(row.status));
    }
    return {};
}

QString brokenAtRest(const MemoryRows& rows, const SimProvider& provider)
{
    for (const auto& job : rows.jobs) {
        if (job.state == JobState::Leased)
            return QStringLiteral("N12: job %1 is leased for ever").arg(job.id);
    }
    for (const auto& intent : rows.intents) {
        const auto of = [&](const MemoryReservation& made) { return made.row.intent() == intent.id; };
        bool open = false;
        bool done = false;
        for (const auto& made : rows.reservations) {
            if (!of(made))
                continue;
            open = open || isOpen(made.row.status);
            done = done || made.row.status == ReservationStatus::Done;
            if (made.row.status != ReservationStatus::Done)
                continue;
            const auto object = provider.object(*made.row.providerObjectId);
            if (!object.paid)
                return QStringLiteral("%1 is done by %2, which the provider does not show as paid")
                    .arg(made.row.id.key, *made.row.providerObjectId);
        }
        const auto effects = provider.effectsOf(intent.id.intentKey);
        if (!effects.isEmpty() && !open && !done && !hasIncident(rows, intent.id))
            return QStringLiteral("%1 took effect, and nothing here says so").arg(intent.id.intentKey);
        if (!open)
            continue;
        // N12: somebody still has it before them.
        for (const auto& made : rows.reservations) {
            if (!of(made) || !isOpen(made.row.status))
                continue;
            const bool listed = made.row.status == ReservationStatus::Unknown
                || (made.row.leaseExpiresAt && *made.row.leaseExpiresAt < provider.now());
            const bool hasJob = std::any_of(rows.uses.begin(), rows.uses.end(), [&](const IntentUse& use) {
                return use.intent == intent.id && !isFinal(rows.jobs.value(use.jobId).state);
            });
            if (!listed && !hasJob)
                return QStringLiteral("N12: nobody sees the open %1").arg(made.row.id.key);
        }
    }
    return {};
}

} // namespace unavez::tests
