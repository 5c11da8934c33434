// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/memorycase.h"

#include <algorithm>

namespace unavez::tests {

using namespace contract;

namespace {

QList<IntentUse> usesOf(const MemoryRows& rows, const IntentId& intent)
{
    QList<IntentUse> uses;
    for (auto use : rows.uses) {
        if (use.intent != intent)
            continue;
        const auto job = rows.jobs.value(use.jobId);
        use.jobState = job.state;
        use.jobVersion = job.rowVersion;
        uses.append(use);
    }
    return uses;
}

void addIntents(CaseFacts& facts, const MemoryTables& tables, const QList<IntentId>& intents)
{
    const auto& rows = tables.rows();
    for (const auto& id : intents) {
        if (!rows.intents.contains(id))
            continue;
        facts.intents.append(rows.intents.value(id));
        facts.uses += usesOf(rows, id);
        facts.attempts += tables.attemptsOf(id);
    }
    std::stable_sort(facts.uses.begin(), facts.uses.end(), [](const IntentUse& a, const IntentUse& b) {
        return a.firstAt == b.firstAt ? a.jobId < b.jobId : a.firstAt < b.firstAt;
    });
    QStringList subjects;
    for (const auto& attempt : std::as_const(facts.attempts)) {
        subjects.append(subjectOf(attempt.id));
        for (const auto& row : rows.reconciliations) {
            if (row.key == attempt.id)
                facts.reconciliations.append(row);
        }
    }
    for (const auto& intent : std::as_const(facts.intents))
        subjects.append(subjectOf(intent.id));
    for (const auto& call : rows.calls) {
        if (std::any_of(facts.attempts.begin(), facts.attempts.end(),
                [&](const Reservation& attempt) { return attempt.id == call.key; }))
            facts.calls.append(call);
    }
    for (const auto& incident : rows.incidents) {
        const bool binds = incident.kind == IncidentKind::Mismatch || incident.kind == IncidentKind::DoubleCharge;
        if (binds && !incident.closedAt && subjects.contains(incident.subject))
            facts.incidents.append(incident);
    }
}

void addJob(CaseFacts& facts, const MemoryRows& rows, qint64 id)
{
    if (!rows.jobs.contains(id))
        return;
    facts.job = rows.jobs.value(id);
    if (facts.job->eventPk)
        facts.event = rows.events.value(*facts.job->eventPk);
}

void addCaseOfJob(CaseFacts& facts, const MemoryTables& tables, qint64 id)
{
    addJob(facts, tables.rows(), id);
    QList<IntentId> intents;
    for (const auto& use : tables.rows().uses) {
        if (use.jobId == id)
            intents.append(use.intent);
    }
    std::sort(intents.begin(), intents.end());
    addIntents(facts, tables, intents);
}

void addCaseOfIntent(CaseFacts& facts, const MemoryTables& tables, const IntentId& intent)
{
    addIntents(facts, tables, {intent});
    if (!facts.uses.isEmpty())
        addJob(facts, tables.rows(), facts.uses.last().jobId);
}

void addCaseOfEvent(CaseFacts& facts, const MemoryTables& tables, qint64 pk)
{
    for (const auto& job : tables.rows().jobs) {
        if (job.eventPk == pk)
            return addCaseOfJob(facts, tables, job.id);
    }
    if (tables.rows().events.contains(pk))
        facts.event = tables.rows().events.value(pk);
}

qint64 heldBack(const MemoryRows& rows, const HoldRequest& hold)
{
    return std::count_if(rows.reservations.begin(), rows.reservations.end(), [&](const MemoryReservation& made) {
        if (made.row.status != ReservationStatus::InProgress || made.row.sends == 0)
            return false;
        if (hold.kind == HoldKind::Tool)
            return rows.intents.value(made.row.intent()).tool == hold.target;
        if (hold.kind == HoldKind::Sends)
            return true;
        return std::any_of(rows.uses.begin(), rows.uses.end(), [&](const IntentUse& use) {
            return use.intent == made.row.intent()
                && QString::number(rows.jobs.value(use.jobId).sourceId) == hold.target;
        });
    });
}

std::optional<KeyId> objectUse(const MemoryRows& rows, const ActionRequest& request)
{
    const auto intent = parsedKey(request.key->key).intentKey;
    for (const auto& object : request.evidence->objects) {
        for (const auto& made : rows.reservations) {
            const auto& row = made.row;
            if (row.status == ReservationStatus::Done && row.providerObjectId == object.id
                && row.id.provider == request.key->provider && row.id.account == request.key->account
                && row.intentKey != intent && verbOf(row.intentKey) == verbOf(intent))
                return row.id;
        }
    }
    return std::nullopt;
}

} // namespace

CaseFacts memoryCase(const MemoryTables& tables, const ActionRequest& request, const GuardPolicy& policy)
{
    const auto& rows = tables.rows();
    CaseFacts facts;
    facts.now = tables.now();
    facts.policy = policy;
    facts.store.lastAnswer = tables.now();
    facts.store.mode = rows.info.mode;
    facts.store.login = QStringLiteral("ana");
    facts.store.roles = {QStringLiteral("operator"), QStringLiteral("admin")};
    facts.holds = rows.holds;
    if (request.job)
        addCaseOfJob(facts, tables, *request.job);
    else if (request.event)
        addCaseOfEvent(facts, tables, *request.event);
    else if (request.intent)
        addCaseOfIntent(facts, tables, *request.intent);
    else if (request.key && rows.reservations.contains(*request.key))
        addCaseOfIntent(facts, tables, rows.reservations.value(*request.key).row.intent());
    if (request.proposal && rows.proposals.contains(*request.proposal))
        facts.proposal = rows.proposals.value(*request.proposal);
    if (request.hold)
        facts.inProgressBeyondHold = heldBack(rows, *request.hold);
    else if (request.evidence && request.key)
        facts.objectUsedBy = objectUse(rows, request);
    return facts;
}

} // namespace unavez::tests
