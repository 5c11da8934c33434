// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/casefacts.h"

#include <algorithm>

namespace unavez::stores {

using namespace contract;

namespace {

const QString ofIntentKey = QStringLiteral(" WHERE %1.provider = ? AND %1.provider_account = ? AND %1.intent_key = ?");
const QString ofKey = QStringLiteral(" WHERE %1.provider = ? AND %1.provider_account = ? AND %1.key = ?");
// What one case may hold before it is cut: attempts are few, sends and uses are bounded so that a page stays a page.
constexpr int mostRows = 1000;
constexpr int mostNamed = 20;

// An account may be empty; Qt would bind a null string as NULL.
QString notNull(const QString& text) { return text.isNull() ? QStringLiteral("") : text; }
QVariantList valuesOf(const IntentId& id) { return {notNull(id.provider), notNull(id.account), notNull(id.intentKey)}; }
QVariantList valuesOf(const KeyId& id) { return {notNull(id.provider), notNull(id.account), notNull(id.key)}; }

} // namespace

CaseReader::CaseReader(SqlConnection& connection, const GuardPolicy& policy)
    : m_connection(connection)
    , m_policy(policy)
    , m_reader(!connection.isSqlite())
{
}

template <typename Row>
Result<QList<Row>> CaseReader::list(const QString& sql, const QVariantList& values, Row (*read)(const SqlRow&))
{
    auto query = m_connection.run(sql, values);
    if (!query)
        return fail(query.error());
    QList<Row> rows;
    for (const auto& row : query->rows)
        rows.append(read(row));
    return rows;
}

Result<Instant> CaseReader::now()
{
    auto query = m_connection.run(QStringLiteral("SELECT %1 AS now").arg(m_reader.ms(m_reader.now())), {});
    if (!query)
        return fail(query.error());
    if (query->isEmpty())
        return fail(Error::Kind::Corrupt, QStringLiteral("no clock"));
    return instantOf(query->first(), "now");
}

Result<std::optional<Job>> CaseReader::job(qint64 id)
{
    const auto found = list<Job>(
        QStringLiteral("SELECT %1 FROM jobs t WHERE t.id = ?").arg(m_reader.jobColumns(QStringLiteral("t"))), {id},
        readJob);
    if (!found)
        return fail(found.error());
    return found->isEmpty() ? std::nullopt : std::optional(found->first());
}

Result<std::optional<Event>> CaseReader::event(qint64 pk)
{
    const auto found = list<Event>(QStringLiteral("SELECT %1 FROM processed_events t WHERE t.id = ?")
                                       .arg(m_reader.eventColumns(QStringLiteral("t"))),
        {pk}, readEvent);
    if (!found)
        return fail(found.error());
    return found->isEmpty() ? std::nullopt : std::optional(found->first());
}

Result<std::optional<IntentId>> CaseReader::intentOf(const KeyId& key)
{
    auto query = m_connection.run(
        QStringLiteral("SELECT k.intent_key FROM idempotency_keys k") + ofKey.arg(QStringLiteral("k")), valuesOf(key));
    if (!query)
        return fail(query.error());
    if (query->isEmpty())
        return std::optional<IntentId>();
    return std::optional(IntentId{key.provider, key.account, textOf(query->first(), "intent_key")});
}

Result<QList<IntentId>> CaseReader::intentsOfJob(qint64 id)
{
    auto query = m_connection.run(
        QStringLiteral("SELECT provider, provider_account, intent_key FROM intent_uses WHERE job_id = ? ORDER BY "
                       "provider, provider_account, intent_key LIMIT %1")
            .arg(mostRows),
        {id});
    if (!query)
        return fail(query.error());
    QList<IntentId> intents;
    for (const auto& row : query->rows) {
        intents.append({textOf(row, "provider"), textOf(row, "provider_account"), textOf(row, "intent_key")});
    }
    return intents;
}

Result<CaseFacts> CaseReader::begun()
{
    CaseFacts facts;
    const auto clock = now();
    if (!clock)
        return fail(clock.error());
    facts.now = *clock;
    facts.policy = m_policy;
    auto known = store();
    if (!known)
        return fail(known.error());
    facts.store = *known;
    auto holds = list<Hold>(QStringLiteral("SELECT %1 FROM holds t WHERE t.released_at IS NULL ORDER BY t.id LIMIT %2")
                                .arg(m_reader.holdColumns(QStringLiteral("t")))
                                .arg(mostRows),
        {}, readHold);
    if (!holds)
        return fail(holds.error());
    facts.holds = *holds;
    return facts;
}

Result<> CaseReader::addIntent(CaseFacts& facts, const IntentId& id)
{
    const auto t = QStringLiteral("t");
    const auto values = valuesOf(id);
    const auto intents
        = list<Intent>(QStringLiteral("SELECT %1 FROM intents t").arg(m_reader.intentColumns(t)) + ofIntentKey.arg(t),
            values, readIntent);
    if (!intents)
        return fail(intents.error());
    facts.intents += *intents;
    const auto uses = list<IntentUse>(
        QStringLiteral("SELECT %1 FROM intent_uses t JOIN jobs j ON j.id = t.job_id").arg(m_reader.useColumns(t))
            + ofIntentKey.arg(t) + QStringLiteral(" ORDER BY t.first_at, t.job_id LIMIT %1").arg(mostRows),
        values, readUse);
    if (!uses)
        return fail(uses.error());
    facts.uses += *uses;
    const auto attempts
        = list<Reservation>(QStringLiteral("SELECT %1 FROM idempotency_keys t").arg(m_reader.reservationColumns(t))
                + ofIntentKey.arg(t) + QStringLiteral(" ORDER BY t.attempt LIMIT %1").arg(mostRows),
            values, readReservation);
    if (!attempts)
        return fail(attempts.error());
    for (const auto& attempt : *attempts) {
        facts.attempts.append(attempt);
        const auto calls
            = list<ProviderCall>(QStringLiteral("SELECT %1 FROM provider_calls t").arg(m_reader.callColumns(t))
                    + ofKey.arg(t) + QStringLiteral(" ORDER BY t.id LIMIT %1").arg(mostRows),
                valuesOf(attempt.id), readCall);
        if (!calls)
            return fail(calls.error());
        facts.calls += *calls;
        const auto verdicts = list<Reconciliation>(
            QStringLiteral("SELECT %1 FROM reconciliations t").arg(m_reader.reconciliationColumns(t)) + ofKey.arg(t)
                + QStringLiteral(" ORDER BY t.id LIMIT %1").arg(mostRows),
            valuesOf(attempt.id), readReconciliation);
        if (!verdicts)
            return fail(verdicts.error());
        facts.reconciliations += *verdicts;
    }
    return done();
}

Result<> CaseReader::addIntents(CaseFacts& facts, const QList<IntentId>& intents)
{
    for (const auto& id : intents) {
        if (const auto added = addIntent(facts, id); !added)
            return added;
    }
    std::sort(facts.uses.begin(), facts.uses.end(), [](const IntentUse& a, const IntentUse& b) {
        return a.firstAt == b.firstAt ? a.jobId < b.jobId : a.firstAt < b.firstAt;
    });
    std::sort(facts.calls.begin(), facts.calls.end(),
        [](const ProviderCall& a, const ProviderCall& b) { return a.id < b.id; });
    return addIncidents(facts);
}

Result<> CaseReader::addIncidents(CaseFacts& facts)
{
    QStringList subjects;
    for (const auto& attempt : facts.attempts)
        subjects.append(subjectOf(attempt.id));
    for (const auto& intent : facts.intents)
        subjects.append(subjectOf(intent.id));
    for (const auto& subject : subjects) {
        const auto found
            = list<Incident>(QStringLiteral("SELECT %1 FROM incidents t WHERE t.closed_at IS NULL AND t.kind IN "
                                            "('mismatch','double_charge') AND t.subject = ?")
                                 .arg(m_reader.incidentColumns(QStringLiteral("t"))),
                {subject}, readIncident);
        if (!found)
            return fail(found.error());
        facts.incidents += *found;
    }
    return done();
}

Result<> CaseReader::addJob(CaseFacts& facts, qint64 id)
{
    auto found = job(id);
    if (!found)
        return fail(found.error());
    facts.job = *found;
    if (facts.job && facts.job->eventPk) {
        auto of = event(*facts.job->eventPk);
        if (!of)
            return fail(of.error());
        facts.event = *of;
    }
    return done();
}

Result<CaseFacts> CaseReader::ofJob(qint64 id)
{
    auto facts = begun();
    if (!facts)
        return facts;
    if (const auto added = addJob(*facts, id); !added)
        return fail(added.error());
    if (!facts->job)
        return facts;
    const auto intents = intentsOfJob(id);
    if (!intents)
        return fail(intents.error());
    if (const auto added = addIntents(*facts, *intents); !added)
        return fail(added.error());
    return facts;
}

Result<CaseFacts> CaseReader::ofEvent(qint64 pk)
{
    auto query = m_connection.run(QStringLiteral("SELECT id FROM jobs WHERE event_pk = ? AND kind = 'event'"), {pk});
    if (!query)
        return fail(query.error());
    if (!query->isEmpty())
        return ofJob(numberOf(query->first(), "id"));
    auto facts = begun();
    if (!facts)
        return facts;
    auto found = event(pk);
    if (!found)
        return fail(found.error());
    facts->event = *found;
    return facts;
}

Result<CaseFacts> CaseReader::ofIntent(const IntentId& intent)
{
    auto facts = begun();
    if (!facts)
        return facts;
    if (const auto added = addIntents(*facts, {intent}); !added)
        return fail(added.error());
    if (facts->uses.isEmpty())
        return facts;
    if (const auto added = addJob(*facts, facts->uses.last().jobId); !added)
        return fail(added.error());
    return facts;
}

Result<CaseFacts> CaseReader::of(const ActionRequest& request)
{
    Result<CaseFacts> facts = fail(Error::Kind::Invalid, QStringLiteral("no target"));
    if (request.job) {
        facts = ofJob(*request.job);
    } else if (request.event) {
        facts = ofEvent(*request.event);
    } else if (request.intent) {
        facts = ofIntent(*request.intent);
    } else if (request.key) {
        const auto intent = intentOf(*request.key);
        if (!intent)
            return fail(intent.error());
        facts = *intent ? ofIntent(**intent) : begun();
    } else if (request.hold) {
        facts = begun();
    }
    if (!facts)
        return facts;
    if (const auto added = addRequested(*facts, request); !added)
        return fail(added.error());
    return facts;
}

Result<> CaseReader::addRequested(CaseFacts& facts, const ActionRequest& request)
{
    if (request.proposal) {
        const auto found = list<Proposal>(QStringLiteral("SELECT %1 FROM proposals t WHERE t.id = ?")
                                              .arg(m_reader.proposalColumns(QStringLiteral("t"))),
            {*request.proposal}, readProposal);
        if (!found)
            return fail(found.error());
        if (!found->isEmpty())
            facts.proposal = found->first();
    }
    if (request.hold)
        return addHeldBack(facts, *request.hold);
    if (request.action == Action::EnqueueEvent)
        return addNaming(facts);
    if (request.evidence && request.key)
        return addObjectUse(facts, request);
    return done();
}

// Another intent's reservation, of the same verb, that one of the shown objects closes already.
Result<> CaseReader::addObjectUse(CaseFacts& facts, const ActionRequest& request)
{
    const auto intent = parsedKey(request.key->key).intentKey;
    for (const auto& object : request.evidence->objects) {
        auto query = m_connection.run(
            QStringLiteral("SELECT provider, provider_account, key, intent_key FROM idempotency_keys WHERE "
                           "provider_object_id = ? AND status = 'done' AND provider = ? AND provider_account = ? "
                           "LIMIT %1")
                .arg(mostRows),
            {object.id, request.key->provider, request.key->account});
        if (!query)
            return fail(query.error());
        for (const auto& row : query->rows) {
            const auto other = textOf(row, "intent_key");
            if (other == intent || verbOf(other) != verbOf(intent))
                continue;
            facts.objectUsedBy = KeyId{textOf(row, "provider"), textOf(row, "provider_account"), textOf(row, "key")};
            return done();
        }
    }
    return done();
}

// Sent reservations that pass their cutoff where the hold stays: counted up to 10 001.
Result<> CaseReader::addHeldBack(CaseFacts& facts, const HoldRequest& hold)
{
    QString from = QStringLiteral("idempotency_keys k");
    QString more;
    QVariantList values;
    if (hold.kind == HoldKind::Tool) {
        from += QStringLiteral(" JOIN intents i ON i.provider = k.provider AND i.provider_account = k.provider_account "
                               "AND i.intent_key = k.intent_key");
        more = QStringLiteral(" AND i.tool = ?");
        values = {hold.target};
    } else if (hold.kind == HoldKind::Source) {
        more = QStringLiteral(
            " AND EXISTS (SELECT 1 FROM intent_uses u JOIN jobs j ON j.id = u.job_id WHERE u.provider = k.provider AND "
            "u.provider_account = k.provider_account AND u.intent_key = k.intent_key AND j.source_id = ?)");
        values = {hold.target.toLongLong()};
    }
    auto query = m_connection.run(
        QStringLiteral("SELECT count(*) AS n FROM (SELECT 1 FROM %1 WHERE k.status = 'in_progress' AND k.sends > 0%2 "
                       "LIMIT 10001) x")
            .arg(from, more),
        values);
    if (!query)
        return fail(query.error());
    if (!query->isEmpty())
        facts.inProgressBeyondHold = numberOf(query->first(), "n");
    return done();
}

// Intents of the event's account whose key names it: its effect may have run before the event was lost.
Result<> CaseReader::addNaming(CaseFacts& facts)
{
    if (!facts.event || facts.event->hasJob)
        return done();
    const auto encoded = encodedPart(facts.event->eventId);
    const auto contains = !m_connection.isSqlite() ? QStringLiteral("strpos(t.intent_key, ?) > 0")
                                                   : QStringLiteral("instr(t.intent_key, ?) > 0");
    const auto found = list<Intent>(
        QStringLiteral("SELECT %1 FROM intents t WHERE t.provider = ? AND t.provider_account = ? AND %2 LIMIT %3")
            .arg(m_reader.intentColumns(QStringLiteral("t")), contains)
            .arg(mostNamed),
        {facts.event->source.section(QLatin1Char(':'), 0, 0), facts.event->source.section(QLatin1Char(':'), 1),
            encoded},
        readIntent);
    if (!found)
        return fail(found.error());
    facts.intents += *found;
    return done();
}

} // namespace unavez::stores
