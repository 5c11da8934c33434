// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/rowjson.h"
#include "app/ctl/verbs.h"
#include "ui/text/sentences.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>

namespace unavez::ctl {

using namespace contract;

namespace {

template <typename Row> QJsonArray jsonOf(const QList<Row>& rows)
{
    QJsonArray array;
    for (const auto& row : rows)
        array.append(json(row));
    return array;
}

QString wordOf(CaseSubject::Kind kind)
{
    switch (kind) {
    case CaseSubject::Kind::Event: return QStringLiteral("event");
    case CaseSubject::Kind::Job: return QStringLiteral("job");
    case CaseSubject::Kind::Key: return QStringLiteral("key");
    case CaseSubject::Kind::Intent: return QStringLiteral("intent");
    }
    return {};
}

QJsonArray offersJson(const CaseFacts& facts)
{
    QJsonArray offers;
    for (const auto& request : offersFor(facts)) {
        const auto verdict = judge(request, facts);
        offers.append(QJsonObject{{QStringLiteral("action"), contract::wordOf(request.action)},
            {QStringLiteral("target"), targetOf(request)}, {QStringLiteral("allowed"), verdict.allowed()},
            {QStringLiteral("reason"),
                verdict.refused ? QJsonValue(contract::wordOf(verdict.refused->reason)) : QJsonValue()},
            {QStringLiteral("message"), verdict.refused ? text::sentence(*verdict.refused) : QString()}});
    }
    return offers;
}

QJsonObject caseJson(const CaseFile& file)
{
    const auto broken = brokenLink(file.facts);
    return {
        {QStringLiteral("subject"),
            QJsonObject{{QStringLiteral("kind"), wordOf(file.subject.kind)}, {QStringLiteral("id"), file.subject.id}}},
        {QStringLiteral("event"), file.facts.event ? QJsonValue(json(*file.facts.event)) : QJsonValue()},
        {QStringLiteral("jobs"), jsonOf(file.jobs)}, {QStringLiteral("intents"), jsonOf(file.facts.intents)},
        {QStringLiteral("attempts"), jsonOf(file.facts.attempts)}, {QStringLiteral("calls"), jsonOf(file.facts.calls)},
        {QStringLiteral("reconciliations"), jsonOf(file.facts.reconciliations)},
        {QStringLiteral("actions"), jsonOf(file.actions)}, {QStringLiteral("notes"), jsonOf(file.notes)},
        {QStringLiteral("broken_link"), broken ? QJsonValue(*broken) : QJsonValue()},
        {QStringLiteral("verdict"), contract::wordOf(verdictOf(file.facts))},
        {QStringLiteral("offers"), offersJson(file.facts)}};
}

// What happened, oldest first: one line a fact, whatever table it stands in.
struct Moment
{
    Instant at;
    QString what;
};

QString callLine(const ProviderCall& call)
{
    QStringList parts{call.sentKey};
    parts.append(call.httpStatus ? QString::number(*call.httpStatus) : Ctl::tr("no answer"));
    if (call.replayed.value_or(false))
        parts.append(Ctl::tr("replayed"));
    if (call.outcome)
        parts.append(contract::wordOf(*call.outcome));
    if (call.declineCode)
        parts.append(*call.declineCode);
    if (call.objectId)
        parts.append(*call.objectId);
    return parts.join(QStringLiteral("  "));
}

void addJob(QList<Moment>& moments, const Job& job)
{
    const auto name = QStringLiteral("job:%1").arg(job.id);
    moments.append({job.createdAt, Ctl::tr("job       %1 queued").arg(name)});
    if (job.requeuedAt)
        moments.append({*job.requeuedAt, Ctl::tr("job       %1 requeued").arg(name)});
    if (job.deadAt && job.state == JobState::Dead)
        moments.append({*job.deadAt, Ctl::tr("job       %1 dead: %2").arg(name, job.errorClass.value_or(QString()))});
    if (job.finishedAt && job.state != JobState::Dead)
        moments.append({*job.finishedAt, Ctl::tr("job       %1 %2").arg(name, contract::wordOf(job.state))});
}

QList<Moment> timeLine(const CaseFile& file)
{
    QList<Moment> moments;
    for (const auto& event : file.events) {
        moments.append({event.receivedAt, Ctl::tr("event     %1 %2 received").arg(event.eventId, event.eventType)});
        if (event.deliveries > 1)
            moments.append({event.lastSeenAt, Ctl::tr("event     delivered %1 times so far").arg(event.deliveries)});
    }
    for (const auto& job : file.jobs)
        addJob(moments, job);
    for (const auto& attempt : file.facts.attempts) {
        moments.append({attempt.reservedAt, Ctl::tr("reserved  %1").arg(attempt.id.key)});
        if (attempt.completedAt) {
            moments.append({*attempt.completedAt,
                Ctl::tr("outcome   %1 %2 %3")
                    .arg(attempt.id.key, contract::wordOf(attempt.status),
                        attempt.providerObjectId.value_or(QString()))});
        }
    }
    for (const auto& call : file.facts.calls)
        moments.append({call.sentAt, Ctl::tr("sent      %1").arg(callLine(call))});
    for (const auto& evidence : file.facts.reconciliations) {
        moments.append({evidence.at,
            Ctl::tr("evidence  %1 %2 by %3").arg(evidence.key.key, contract::wordOf(evidence.verdict), evidence.by)});
    }
    for (const auto& entry : file.actions) {
        const auto end = entry.refused ? Ctl::tr("refused: %1").arg(*entry.refused) : entry.reason;
        moments.append(
            {entry.at, Ctl::tr("action    %1 by %2: %3").arg(contract::wordOf(entry.action), entry.by, end)});
    }
    for (const auto& note : file.notes)
        moments.append({note.at, Ctl::tr("note      %1: %2").arg(note.by, note.body)});
    std::stable_sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) { return a.at < b.at; });
    return moments;
}

void print(QTextStream& out, const CaseFile& file)
{
    const auto& facts = file.facts;
    out << printable(file.subject.id) << "\n" << text::sentence(verdictOf(facts)) << '\n';
    if (const auto broken = brokenLink(facts))
        out << Ctl::tr("First broken link: %1.").arg(*broken) << '\n';

    out << '\n' << Ctl::tr("What happened") << '\n';
    QList<QStringList> moments;
    for (const auto& moment : timeLine(file))
        moments.append({text::time(moment.at, text::TimeStyle::Utc), moment.what});
    out << (moments.isEmpty() ? Ctl::tr("  Nothing is stored of it.") + QLatin1Char('\n') : aligned(moments));

    if (!facts.attempts.isEmpty()) {
        out << '\n' << Ctl::tr("Attempts") << '\n';
        QList<QStringList> ladder;
        for (const auto& attempt : facts.attempts) {
            const auto intent = std::find_if(facts.intents.begin(), facts.intents.end(),
                [&](const Intent& candidate) { return candidate.id == attempt.intent(); });
            const auto amount
                = intent != facts.intents.end() && intent->amount ? text::money(*intent->amount) : QString();
            const bool open = attempt.status == ReservationStatus::InProgress && attempt.sends > 0;
            ladder.append(
                {attempt.id.key, contract::wordOf(attempt.status), amount, Ctl::tr("sends: %1").arg(attempt.sends),
                    open && !attempt.resumeUntil.isNever()
                        ? Ctl::tr("resumable until %1").arg(text::time(attempt.resumeUntil, text::TimeStyle::Utc))
                        : attempt.providerObjectId.value_or(QString())});
        }
        out << aligned(ladder);
    }

    out << '\n' << Ctl::tr("What can be done") << '\n';
    QList<QStringList> offers;
    for (const auto& request : offersFor(facts)) {
        const auto verdict = judge(request, facts);
        QStringList says;
        if (verdict.refused)
            says.append(text::sentence(*verdict.refused));
        const auto plan = verdict.allowed() ? planned(request, facts) : Plan{};
        for (const auto& effect : plan.effects)
            says.append(text::sentence(effect));
        for (const auto& note : plan.notes)
            says.append(text::sentence(note));
        offers.append({verdict.allowed() ? Ctl::tr("yes") : Ctl::tr("no"), text::actionName(request.action),
            targetOf(request), says.value(0)});
        for (qsizetype i = 1; i < says.size(); ++i)
            offers.append({QString(), QString(), QString(), says.at(i)});
    }
    out << (offers.isEmpty() ? Ctl::tr("  Nothing: no action has a target here.") + QLatin1Char('\n')
                             : aligned(offers));
    out.flush();
}

} // namespace

tl::expected<CaseFile, Exit> caseNamed(Desk& desk, const QString& id)
{
    const auto found = desk.queries.find(id);
    if (!found)
        return tl::unexpected(desk.terminal.failed(found.error()));
    if (found->isEmpty())
        return tl::unexpected(desk.terminal.refused(Because{Reason::NotFound, {{QStringLiteral("target"), id}}}));
    if (found->size() > 1) {
        QStringList candidates;
        for (const auto& subject : *found)
            candidates.append(subject.id);
        return tl::unexpected(desk.terminal.refused(
            Ctl::tr("%1 names more than one thing. Write one of: %2").arg(id, candidates.join(QStringLiteral(", "))),
            QStringLiteral("ambiguous")));
    }
    auto file = desk.queries.caseOf(found->first());
    if (!file)
        return tl::unexpected(desk.terminal.failed(file.error()));
    return *file;
}

Exit runCase(Desk& desk)
{
    const auto file = caseNamed(desk, desk.arguments.words.first());
    if (!file)
        return file.error();
    if (desk.terminal.wantsJson())
        desk.terminal.answer(caseJson(*file));
    else
        print(desk.terminal.text(), *file);
    return Exit::Done;
}

} // namespace unavez::ctl
