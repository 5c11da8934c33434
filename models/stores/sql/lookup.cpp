// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/lookup.h"

#include "models/stores/sql/casefacts.h"

#include <algorithm>

namespace unavez::stores {

using namespace contract;

namespace {

constexpr int mostCandidates = 10;
constexpr int mostAccounts = 100;
constexpr int mostActions = 200;
constexpr qsizetype longestId = 512;

bool isSame(const CaseSubject& a, const CaseSubject& b)
{
    return a.kind == b.kind && a.number == b.number && a.key == b.key && a.intent == b.intent;
}

void add(QList<CaseSubject>& found, const CaseSubject& subject)
{
    if (std::none_of(found.begin(), found.end(), [&](const CaseSubject& other) { return isSame(other, subject); }))
        found.append(subject);
}

// A key names its intent: the broader candidate of the same case says nothing new.
void dropBroader(QList<CaseSubject>& found)
{
    const auto all = found;
    found.removeIf([&all](const CaseSubject& subject) {
        if (subject.kind != CaseSubject::Kind::Intent)
            return false;
        return std::any_of(all.begin(), all.end(), [&](const CaseSubject& other) {
            return other.key
                && IntentId{other.key->provider, other.key->account, parsedKey(other.key->key).intentKey}
                == *subject.intent;
        });
    });
}

std::optional<qint64> numberAfter(const QString& id, const char* prefix)
{
    if (!id.startsWith(QLatin1String(prefix)))
        return std::nullopt;
    bool ok = false;
    const auto number = id.sliced(qstrlen(prefix)).toLongLong(&ok);
    return ok ? std::optional(number) : std::nullopt;
}

} // namespace

Lookup::Lookup(SqlConnection& connection)
    : m_connection(connection)
    , m_reader(!connection.isSqlite())
{
}

Result<> Lookup::addEvents(Subjects& found, const QString& condition, const QVariantList& values)
{
    auto query = m_connection.run(QStringLiteral("SELECT e.id, e.event_id FROM processed_events e WHERE %1 LIMIT %2")
                                      .arg(condition)
                                      .arg(mostCandidates),
        values);
    if (!query)
        return fail(query.error());
    for (const auto& row : query->rows)
        add(found, {CaseSubject::Kind::Event, textOf(row, "event_id"), numberOf(row, "id"), {}, {}});
    return done();
}

Result<> Lookup::addKeys(Subjects& found, const QString& from, const QVariantList& values)
{
    auto query = m_connection.run(
        QStringLiteral("SELECT provider, provider_account, key FROM %1 LIMIT %2").arg(from).arg(mostCandidates),
        values);
    if (!query)
        return fail(query.error());
    for (const auto& row : query->rows) {
        const KeyId key{textOf(row, "provider"), textOf(row, "provider_account"), textOf(row, "key")};
        add(found, {CaseSubject::Kind::Key, key.key, 0, key, {}});
    }
    return done();
}

Result<> Lookup::addIntents(Subjects& found, const QString& condition, const QVariantList& values)
{
    auto query = m_connection.run(
        QStringLiteral("SELECT provider, provider_account, intent_key FROM intents WHERE %1 LIMIT %2")
            .arg(condition)
            .arg(mostCandidates),
        values);
    if (!query)
        return fail(query.error());
    for (const auto& row : query->rows) {
        const IntentId intent{textOf(row, "provider"), textOf(row, "provider_account"), textOf(row, "intent_key")};
        add(found, {CaseSubject::Kind::Intent, intent.intentKey, 0, {}, intent});
    }
    return done();
}

// The accounts there are intents of, hopping along the primary key instead of reading it.
Result<QList<IntentId>> Lookup::accounts()
{
    QList<IntentId> found;
    auto query = m_connection.run(
        QStringLiteral("SELECT provider, provider_account FROM intents ORDER BY provider, provider_account LIMIT 1"),
        {});
    while (query && !query->isEmpty() && found.size() < mostAccounts) {
        const IntentId account{textOf(query->first(), "provider"), textOf(query->first(), "provider_account"), {}};
        found.append(account);
        query = m_connection.run(
            QStringLiteral("SELECT provider, provider_account FROM intents WHERE (provider, provider_account) > (?, ?) "
                           "ORDER BY provider, provider_account LIMIT 1"),
            {account.provider, account.account});
    }
    if (!query)
        return fail(query.error());
    return found;
}

Result<> Lookup::addSpelled(Subjects& found, const IntentId& account, const QString& id)
{
    // An account may be empty; Qt would bind a null string as NULL.
    const auto accountName = account.account.isNull() ? QStringLiteral("") : account.account;
    const QVariantList values{account.provider, accountName, id};
    if (const auto added = addKeys(
            found, QStringLiteral("idempotency_keys WHERE provider = ? AND provider_account = ? AND key = ?"), values);
        !added)
        return added;
    if (const auto added = addKeys(found,
            QStringLiteral("provider_calls WHERE provider = ? AND provider_account = ? AND sent_key = ?"), values);
        !added)
        return added;
    // The intent itself, and what a person writes for it: the id the verb stands before.
    for (const auto& spelled :
        {id, QStringLiteral("charge:") + encodedPart(id), QStringLiteral("refund:") + encodedPart(id),
            QStringLiteral("authorise:") + encodedPart(id), QStringLiteral("send:") + encodedPart(id)}) {
        if (const auto added
            = addIntents(found, QStringLiteral("provider = ? AND provider_account = ? AND intent_key = ?"),
                {account.provider, accountName, spelled});
            !added)
            return added;
    }
    return done();
}

Result<QList<CaseSubject>> Lookup::find(const QString& pasted)
{
    const auto id = pasted.trimmed();
    if (id.isEmpty() || id.size() > longestId || id.contains(QChar(0)) || !id.isValidUtf16())
        return fail(Error::Kind::Invalid, QStringLiteral("id"));
    CaseReader reader(m_connection, {});
    if (const auto number = numberAfter(id, "job:")) {
        const auto job = reader.job(*number);
        if (!job)
            return fail(job.error());
        return *job ? Subjects{{CaseSubject::Kind::Job, id, *number, {}, {}}} : Subjects{};
    }
    Subjects found;
    if (const auto number = numberAfter(id, "event:")) {
        if (const auto added = addEvents(found, QStringLiteral("e.id = ?"), {*number}); !added)
            return fail(added.error());
        return found;
    }
    if (id.startsWith(QLatin1String("update:"))) { // update:bot42:9 is event 9 of source telegram:bot42
        const auto parts = id.split(QLatin1Char(':'));
        if (parts.size() != 3)
            return fail(Error::Kind::Invalid, QStringLiteral("update"));
        const auto added = addEvents(found,
            QStringLiteral("e.event_id = ? AND e.source_id = (SELECT s.id FROM sources s WHERE s.provider = 'telegram' "
                           "AND s.account = ?)"),
            {parts.at(2), parts.at(1)});
        if (!added)
            return fail(added.error());
        return found;
    }
    // As audit rows spell them: key:stripe/acct_1/charge:inv_42:a1, intent:stripe/acct_1/charge:inv_42.
    const bool isKey = id.startsWith(QLatin1String("key:"));
    if ((isKey || id.startsWith(QLatin1String("intent:"))) && id.count(QLatin1Char('/')) == 2) {
        const auto parts = id.section(QLatin1Char(':'), 1).split(QLatin1Char('/'));
        if (const auto added = addSpelled(found, {parts.at(0), parts.at(1), {}}, parts.at(2)); !added)
            return fail(added.error());
        return found;
    }
    for (const auto& condition :
        {QStringLiteral("e.event_id = ?"), QStringLiteral("e.alias_event_id = ?"), QStringLiteral("e.object_id = ?")}) {
        if (const auto added = addEvents(found, condition, {id}); !added)
            return fail(added.error());
    }
    if (const auto added = addKeys(found, QStringLiteral("idempotency_keys WHERE provider_object_id = ?"), {id});
        !added)
        return fail(added.error());
    for (const auto& condition : {QStringLiteral("provider_object_id = ?"), QStringLiteral("customer_ref = ?")}) {
        if (const auto added = addIntents(found, condition, {id}); !added)
            return fail(added.error());
    }
    const auto known = accounts();
    if (!known)
        return fail(known.error());
    for (const auto& account : *known) {
        if (const auto added = addSpelled(found, account, id); !added)
            return fail(added.error());
    }
    dropBroader(found);
    return found;
}

Result<> Lookup::addJobs(CaseFile& file)
{
    QList<qint64> ids;
    for (const auto& use : file.facts.uses) {
        if (!ids.contains(use.jobId))
            ids.append(use.jobId);
    }
    if (file.facts.job && !ids.contains(file.facts.job->id))
        ids.append(file.facts.job->id);
    std::sort(ids.begin(), ids.end());
    CaseReader reader(m_connection, {});
    for (const auto id : ids) {
        const auto job = reader.job(id);
        if (!job)
            return fail(job.error());
        if (!*job)
            continue;
        file.jobs.append(**job);
        if (!(*job)->eventPk)
            continue;
        const auto event = reader.event(*(*job)->eventPk);
        if (!event)
            return fail(event.error());
        if (*event)
            file.events.append(**event);
    }
    if (file.events.isEmpty() && file.facts.event)
        file.events.append(*file.facts.event);
    return done();
}

Result<> Lookup::addHistory(CaseFile& file)
{
    QStringList subjects;
    for (const auto& job : file.jobs)
        subjects.append(subjectOfJob(job.id));
    for (const auto& event : file.events)
        subjects.append(subjectOfEvent(event.pk));
    for (const auto& attempt : file.facts.attempts)
        subjects.append(subjectOf(attempt.id));
    for (const auto& intent : file.facts.intents)
        subjects.append(subjectOf(intent.id));
    const auto t = QStringLiteral("t");
    for (const auto& subject : subjects) {
        auto actions = m_connection.run(
            QStringLiteral("SELECT %1 FROM operator_actions t WHERE t.target = ? ORDER BY t.id LIMIT %2")
                .arg(m_reader.logColumns(t))
                .arg(mostActions),
            {subject});
        if (!actions)
            return fail(actions.error());
        for (const auto& row : actions->rows)
            file.actions.append(readLogEntry(row));
        auto notes
            = m_connection.run(QStringLiteral("SELECT %1 FROM case_notes t WHERE t.subject = ? ORDER BY t.id LIMIT %2")
                                   .arg(m_reader.noteColumns(t))
                                   .arg(mostActions),
                {subject});
        if (!notes)
            return fail(notes.error());
        for (const auto& row : notes->rows)
            file.notes.append(readNote(row));
    }
    std::sort(file.actions.begin(), file.actions.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    std::sort(file.notes.begin(), file.notes.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return done();
}

Result<CaseFile> Lookup::caseOf(const CaseSubject& subject, const GuardPolicy& policy)
{
    CaseReader reader(m_connection, policy);
    ActionRequest target;
    switch (subject.kind) {
    case CaseSubject::Kind::Event: target.event = subject.number; break;
    case CaseSubject::Kind::Job: target.job = subject.number; break;
    case CaseSubject::Kind::Key: target.key = subject.key; break;
    case CaseSubject::Kind::Intent: target.intent = subject.intent; break;
    }
    auto facts = reader.of(target);
    if (!facts)
        return fail(facts.error());
    if (!facts->job && !facts->event && facts->intents.isEmpty())
        return fail(Error::Kind::NotFound, subject.id);
    CaseFile file;
    file.subject = subject;
    file.facts = *facts;
    if (const auto added = addJobs(file); !added)
        return fail(added.error());
    if (const auto added = addHistory(file); !added)
        return fail(added.error());
    return file;
}

} // namespace unavez::stores
