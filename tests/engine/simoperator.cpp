// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/simworld.h"

#include <algorithm>

// The operator of a schedule: tries every action on everything, with evidence read off the provider's own ledger.
namespace unavez::tests {

using namespace contract;

namespace {

ActionRequest ofHold(HoldKind kind, const QString& target, bool release)
{
    ActionRequest request;
    request.action = Action::Hold;
    request.hold = HoldRequest{kind, target, release};
    return request;
}

ActionRequest ofIntent(const IntentId& intent)
{
    ActionRequest request;
    request.action = Action::OpenAttempt;
    request.intent = intent;
    BackendFact backend; // it still calls the invoice open, whatever was charged: the worst it can say
    backend.reachable = true;
    backend.id = intent.intentKey.section(QLatin1Char(':'), 1);
    backend.customer = QStringLiteral("cus_1");
    backend.amount = {1200, QStringLiteral("eur")};
    backend.open = true;
    request.backend = backend;
    return request;
}

template <typename Map> std::optional<typename Map::mapped_type> nth(const Map& map, int index)
{
    if (map.isEmpty())
        return std::nullopt;
    return *std::next(map.begin(), index % map.size());
}

} // namespace

// What a complete list of the provider shows now.
Evidence SimWorld::evidenceFor(const Reservation& row, const Intent& intent) const
{
    Evidence evidence;
    evidence.source = EvidenceSource::Api;
    evidence.provider = QStringLiteral("stripe");
    evidence.account = QStringLiteral("acct_1");
    evidence.mode = StoreMode::Practice;
    evidence.sha256 = sha256("list");
    evidence.from = row.firstSentAt.value_or(Instant{0}) - Seconds{4 * 3600};
    evidence.until = m_outside.provider.now();
    evidence.complete = true;
    const auto effects = m_outside.provider.effectsOf(intent.id.intentKey);
    if (!effects.isEmpty()) {
        evidence.verdict = EvidenceVerdict::Charged;
        evidence.objects = {m_outside.provider.object(effects.first().objectId)};
        return evidence;
    }
    evidence.verdict = EvidenceVerdict::NotCharged;
    return evidence;
}

std::optional<ActionRequest> SimWorld::onReservation(int action, int target) const
{
    const auto rows = m_store.rows();
    const auto made = nth(rows.reservations, target);
    if (!made)
        return std::nullopt;
    ActionRequest request;
    if (action == 3)
        return ofIntent(made->row.intent());
    request.key = made->row.id;
    request.action = action == 2 ? Action::ExpireReservation : Action::RecordOutcome;
    if (action == 4)
        request.evidence = evidenceFor(made->row, rows.intents.value(made->row.intent()));
    return request;
}

std::optional<ActionRequest> SimWorld::request(int action, int target) const
{
    const auto tool = QStringLiteral("charge_customer");
    switch (action % 9) {
    case 2:
    case 3:
    case 4: return onReservation(action % 9, target);
    case 6: return ofHold(HoldKind::Tool, tool, false);
    case 7: return ofHold(HoldKind::Sends, {}, false);
    case 8: return target % 2 == 0 ? ofHold(HoldKind::Tool, tool, true) : ofHold(HoldKind::Sends, {}, true);
    default: break;
    }
    const auto job = nth(m_store.rows().jobs, target);
    if (!job)
        return std::nullopt;
    ActionRequest request;
    request.job = job->id;
    request.action = action % 9 == 0 ? Action::RequeueJob : action % 9 == 1 ? Action::ReleaseLease : Action::DiscardJob;
    return request;
}

void SimWorld::act(int action, int target, const Halt& halt)
{
    if (m_isAway)
        return;
    if (const auto wanted = request(action, target))
        apply(*wanted, halt);
}

void SimWorld::apply(const ActionRequest& request, const Halt& halt)
{
    auto wanted = request;
    const bool needsTwo = (wanted.evidence && wanted.evidence->verdict == EvidenceVerdict::NotCharged)
        || wanted.action == Action::DiscardJob || wanted.action == Action::OpenAttempt;
    if (needsTwo) // somebody always agrees: people are the weakest guard there is
        wanted.proposal = m_store.approvedProposal(wanted.action, targetOf(wanted));
    const auto facts = m_store.actions().facts(wanted);
    if (!facts)
        return;
    const auto plan = planned(wanted, *facts);
    const auto before = m_store.rows();
    const auto moved = [&before](const MemoryRows& after) {
        qsizetype rows = after.reconciliations.size() - before.reconciliations.size();
        for (const auto& job : after.jobs)
            rows += !before.jobs.contains(job.id) || before.jobs.value(job.id).rowVersion != job.rowVersion ? 1 : 0;
        for (const auto& made : after.reservations) {
            const auto was = before.reservations.constFind(made.row.id);
            rows += was == before.reservations.constEnd() || was->row.rowVersion != made.row.rowVersion ? 1 : 0;
        }
        return rows + std::abs(after.holds.size() - before.holds.size());
    };
    std::optional<ActionOutcome> outcome;
    ranToItsEnd(halt, [&] {
        if (const auto applied = m_store.actions().apply(plan, QStringLiteral("simulated reason")))
            outcome = *applied;
    });
    const auto after = m_store.rows();
    const auto changed = moved(after);
    const bool applied = outcome && outcome->result == ActionResult::Applied;
    if (changed != (applied ? plan.rows.size() : 0) || (applied && outcome->rowsChanged != changed))
        m_broken = QStringLiteral("N7: %1 changed %2 rows").arg(wordOf(request.action)).arg(changed);
    if (outcome && (after.log.size() != before.log.size() + 1 || after.log.last().rowsChanged != changed))
        m_broken = QStringLiteral("N7: %1 left no audit row").arg(wordOf(request.action));
}

void SimWorld::seeTo(int target, const Halt& halt)
{
    const auto made = nth(m_store.rows().reservations, target);
    if (m_isAway || !made)
        return;
    switch (made->row.status) {
    case ReservationStatus::InProgress: apply(*onReservation(2, target), halt); break;
    case ReservationStatus::Failed:
    case ReservationStatus::Abandoned: apply(*onReservation(3, target), halt); break;
    case ReservationStatus::Unknown: apply(*onReservation(4, target), halt); break;
    case ReservationStatus::Opened:
    case ReservationStatus::Done: break;
    }
    seeToJobs();
}

void SimWorld::seeToJobs()
{
    for (const auto& job : m_store.rows().jobs) {
        ActionRequest request;
        request.job = job.id;
        request.action = job.state == JobState::Dead ? Action::RequeueJob : Action::ReleaseLease;
        if (job.state == JobState::Dead || job.state == JobState::Leased)
            apply(request, {});
    }
}

// Somebody on call who does the right thing, as the screens would tell them to.
void SimWorld::settleByTruth()
{
    for (const auto& [kind, target] :
        {std::pair{HoldKind::Tool, QStringLiteral("charge_customer")}, std::pair{HoldKind::Sends, QString()}})
        apply(ofHold(kind, target, true), {});
    const auto rows = m_store.rows();
    for (const auto& made : rows.reservations) {
        ActionRequest expire;
        expire.action = Action::ExpireReservation;
        expire.key = made.row.id;
        if (made.row.status == ReservationStatus::InProgress)
            apply(expire, {});
        ActionRequest record = expire;
        record.action = Action::RecordOutcome;
        record.evidence = evidenceFor(made.row, rows.intents.value(made.row.intent()));
        if (isOpen(made.row.status))
            apply(record, {});
    }
    seeToJobs();
}

} // namespace unavez::tests
