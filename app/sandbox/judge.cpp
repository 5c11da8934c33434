// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/judge.h"

#include "ui/text/drillsentences.h"

#include <QJsonArray>

#include <algorithm>

namespace unavez::sandbox {

using contract::Error;
using contract::fail;
using contract::JobState;
using contract::Reservation;
using contract::ReservationStatus;
using contract::Result;
using text::DrillFinding;

namespace {

// Money moved for this intent: under one of its keys, or on the object one of its attempts names.
int effectsOf(const JudgedFacts& facts)
{
    QStringList objects;
    for (const auto& attempt : facts.attempts) {
        if (attempt.providerObjectId)
            objects.append(*attempt.providerObjectId);
    }
    const auto keys = facts.intent.intentKey + QLatin1Char(':');
    return static_cast<int>(std::count_if(facts.ledger.begin(), facts.ledger.end(), [&](const LedgerLine& line) {
        return line.effect && line.account == facts.intent.account
            && (line.sentKey.startsWith(keys) || objects.contains(line.objectId));
    }));
}

bool wasReleased(const JudgedFacts& facts)
{
    return std::any_of(facts.actions.begin(), facts.actions.end(), [](const contract::LogEntry& entry) {
        return entry.action == contract::Action::ReleaseLease && entry.rowsChanged > 0;
    });
}

bool hasKeylessEffect(const JudgedFacts& facts)
{
    return std::any_of(facts.ledger.begin(), facts.ledger.end(),
        [](const LedgerLine& line) { return line.effect && line.sentKey.isEmpty(); });
}

const Reservation* paidAttempt(const JudgedFacts& facts)
{
    const auto found = std::find_if(facts.attempts.begin(), facts.attempts.end(),
        [](const Reservation& attempt) { return attempt.status == ReservationStatus::Done; });
    return found == facts.attempts.end() ? nullptr : &*found;
}

struct Bench
{
    Judgement judgement;
    std::optional<DrillFinding> wrong; // the first check that can never come right
    std::optional<DrillFinding> missing; // the first that is not right yet

    void never(const char* name, bool ok, DrillFinding otherwise)
    {
        judgement.checks.append({QLatin1String(name), ok});
        if (!ok && !wrong)
            wrong = otherwise;
    }
    void yet(const char* name, bool ok, DrillFinding otherwise)
    {
        judgement.checks.append({QLatin1String(name), ok});
        if (!ok && !missing)
            missing = otherwise;
    }
};

} // namespace

int Judgement::exitCode() const
{
    switch (end) {
    case DrillEnd::Right: return 0;
    case DrillEnd::NotYet: return 1;
    case DrillEnd::Wrong: return 4;
    }
    return 4;
}

QJsonObject jsonOf(const Judgement& judgement, const QString& drill)
{
    QJsonArray checks;
    for (const auto& check : judgement.checks)
        checks.append(QJsonObject{{QStringLiteral("name"), check.name}, {QStringLiteral("ok"), check.ok}});
    const auto verdict = judgement.end == DrillEnd::Right ? QStringLiteral("right")
        : judgement.end == DrillEnd::NotYet               ? QStringLiteral("not_yet")
                                                          : QStringLiteral("wrong");
    return {{QStringLiteral("drill"), drill}, {QStringLiteral("verdict"), verdict},
        {QStringLiteral("why"), judgement.why}, {QStringLiteral("provider_effects"), judgement.providerEffects},
        {QStringLiteral("checks"), checks}};
}

QStringList drillNames()
{
    return {QStringLiteral("declined"), QStringLiteral("died-mid-charge"), QStringLiteral("live-lease")};
}

Judgement judged(const JudgedFacts& facts)
{
    Bench bench;
    const auto effects = effectsOf(facts);
    bench.judgement.providerEffects = effects;
    const auto* const paid = paidAttempt(facts);
    const auto isJob = [&](JobState state) { return facts.job && facts.job->state == state; };

    bench.never("charged_at_most_once", effects <= 1, DrillFinding::ChargedOften);
    bench.never("no_charge_past_the_gate", !hasKeylessEffect(facts), DrillFinding::ChargedPastTheGate);
    bench.never("paid_in_the_store_only_if_charged", !paid || effects >= 1, DrillFinding::PaidWithoutCharge);
    bench.never("job_not_discarded", !isJob(JobState::Discarded), DrillFinding::JobDiscarded);
    if (facts.drill == QLatin1String("died-mid-charge"))
        bench.never("no_second_attempt", facts.attempts.size() <= 1, DrillFinding::SecondAttempt);
    if (facts.drill == QLatin1String("live-lease"))
        bench.never("lease_not_released", !wasReleased(facts), DrillFinding::LeaseReleased);

    bench.yet("charged_once", effects == 1, DrillFinding::NotPaid);
    if (facts.drill == QLatin1String("declined"))
        bench.yet("paid_by_a_new_attempt", paid && paid->attempt >= 2, DrillFinding::NotPaidByNewAttempt);
    else
        bench.yet("stored_as_done", paid, DrillFinding::NotStored);
    bench.yet("job_done", isJob(JobState::Done), DrillFinding::JobNotDone);

    auto judgement = bench.judgement;
    judgement.end = bench.wrong ? DrillEnd::Wrong : bench.missing ? DrillEnd::NotYet : DrillEnd::Right;
    judgement.why = text::sentence(bench.wrong.value_or(bench.missing.value_or(DrillFinding::Right)), effects);
    return judgement;
}

Result<JudgedFacts> judgedFacts(const ReadyFile& ready, contract::StoreQueries& queries)
{
    if (!ready.job || !ready.invoice)
        return fail(Error::Kind::Corrupt, QStringLiteral("the ready file names no job or invoice"));
    JudgedFacts facts;
    facts.drill = ready.drill;
    const auto intent = contract::intentKey(QStringLiteral("charge"), {*ready.invoice});
    if (!intent)
        return fail(intent.error());
    const auto file
        = queries.caseOf({contract::CaseSubject::Kind::Job, contract::subjectOfJob(*ready.job), *ready.job, {}, {}});
    if (!file)
        return fail(file.error());
    // After the store: a charge reaches the ledger first, so this order never shows "paid" without it.
    const auto lines = readLedger(ready.providerLedger);
    if (!lines)
        return fail(lines.error());
    facts.ledger = *lines;
    const auto source = file->facts.event ? file->facts.event->source : QString();
    facts.intent = {source.section(QLatin1Char(':'), 0, 0), source.section(QLatin1Char(':'), 1), *intent};
    facts.actions = file->actions;
    facts.job = file->facts.job;
    for (const auto& attempt : file->facts.attempts) {
        if (attempt.intent() == facts.intent)
            facts.attempts.append(attempt);
    }
    return facts;
}

} // namespace unavez::sandbox
