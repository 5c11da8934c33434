// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/rowjson.h"
#include "app/ctl/verbs.h"
#include "ui/text/sentences.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>

namespace unavez::ctl {

using namespace contract;

namespace {

// The request a command line means; refused with a sentence where the id names the wrong kind of thing.
using Requested = tl::expected<ActionRequest, Exit>;

Requested jobRequest(Desk& desk, Action action, const CaseFile& file)
{
    ActionRequest request;
    request.action = action;
    if (file.subject.kind == CaseSubject::Kind::Job)
        request.job = file.subject.number;
    else if (file.subject.kind == CaseSubject::Kind::Event && file.facts.job)
        request.job = file.facts.job->id;
    else if (file.jobs.size() == 1)
        request.job = file.jobs.first().id;
    if (!request.job) {
        QStringList jobs;
        for (const auto& job : file.jobs)
            jobs.append(QStringLiteral("job:%1").arg(job.id));
        return tl::unexpected(
            desk.terminal.refused(jobs.isEmpty() ? Ctl::tr("%1 has no job.").arg(file.subject.id)
                                                 : Ctl::tr("%1 has more than one job. Write one of: %2")
                                                       .arg(file.subject.id, jobs.join(QStringLiteral(", "))),
                QStringLiteral("not_found")));
    }
    return request;
}

Requested keyRequest(Desk& desk, Action action, const CaseFile& file)
{
    ActionRequest request;
    request.action = action;
    if (file.subject.kind != CaseSubject::Kind::Key) {
        QStringList keys;
        for (const auto& attempt : file.facts.attempts)
            keys.append(attempt.id.key);
        return tl::unexpected(desk.terminal.refused(keys.isEmpty()
                ? Ctl::tr("%1 is not a key.").arg(file.subject.id)
                : Ctl::tr("%1 is not a key. Its keys are: %2").arg(file.subject.id, keys.join(QStringLiteral(", "))),
            QStringLiteral("not_found")));
    }
    request.key = file.subject.key;
    return request;
}

// The backend is asked again by whoever asks for a new attempt: what was due then may be paid by now.
std::optional<BackendFact> backendFact(Desk& desk, const CaseFile& file, const IntentId& id)
{
    for (const auto& intent : file.facts.intents) {
        if (intent.id != id || !intent.plan)
            continue;
        const auto url = QJsonDocument::fromJson(*intent.plan).object().value(QLatin1String("backend")).toString();
        return desk.askBackend(url);
    }
    return std::nullopt;
}

Requested attemptRequest(Desk& desk, const CaseFile& file)
{
    ActionRequest request;
    request.action = Action::OpenAttempt;
    if (file.subject.kind == CaseSubject::Kind::Intent)
        request.intent = file.subject.intent;
    else if (file.facts.intents.size() == 1)
        request.intent = file.facts.intents.first().id;
    if (!request.intent) {
        QStringList intents;
        for (const auto& intent : file.facts.intents)
            intents.append(intent.id.intentKey);
        return tl::unexpected(
            desk.terminal.refused(intents.isEmpty() ? Ctl::tr("%1 has no intent.").arg(file.subject.id)
                                                    : Ctl::tr("%1 has more than one intent. Write one of: %2")
                                                          .arg(file.subject.id, intents.join(QStringLiteral(", "))),
                QStringLiteral("not_found")));
    }
    request.backend = backendFact(desk, file, *request.intent);
    return request;
}

Requested holdRequest(Desk& desk)
{
    const auto& words = desk.arguments.words;
    const auto kind = fromString<HoldKind>(words.first());
    const auto name = words.value(1);
    const bool all = kind == HoldKind::Sends;
    if (!kind || all != name.isEmpty()) {
        return tl::unexpected(desk.terminal.usage(
            Ctl::tr("Write it as: unavezctl hold tool NAME, unavezctl hold source NAME, or unavezctl hold sends.")));
    }
    ActionRequest request;
    request.action = Action::Hold;
    request.hold = HoldRequest{*kind, name, desk.arguments.release};
    if (*kind == HoldKind::Source) {
        const auto sources = desk.queries.sources();
        if (!sources)
            return tl::unexpected(desk.terminal.failed(sources.error()));
        const auto source = std::find_if(
            sources->begin(), sources->end(), [&name](const Source& candidate) { return candidate.name == name; });
        if (source == sources->end())
            return tl::unexpected(desk.terminal.refused(Because{Reason::NotFound, {{QStringLiteral("target"), name}}}));
        request.hold->target = QString::number(source->id);
    }
    return request;
}

Requested requestOf(Desk& desk)
{
    const auto& verb = desk.arguments.verb;
    if (verb == QLatin1String("hold"))
        return holdRequest(desk);
    const auto file = caseNamed(desk, desk.arguments.words.first());
    if (!file)
        return tl::unexpected(file.error());
    if (verb == QLatin1String("requeue"))
        return jobRequest(desk, Action::RequeueJob, *file);
    if (verb == QLatin1String("release"))
        return jobRequest(desk, Action::ReleaseLease, *file);
    if (verb == QLatin1String("expire"))
        return keyRequest(desk, Action::ExpireReservation, *file);
    return attemptRequest(desk, *file);
}

QStringList accountsOf(const CaseFacts& facts)
{
    QStringList accounts;
    for (const auto& intent : facts.intents)
        accounts.append(intent.id.provider + QLatin1Char(' ') + intent.id.account);
    accounts.removeDuplicates();
    return accounts;
}

// On a live store an action is confirmed by name, never by an environment variable (contract.md §13.3).
std::optional<Exit> unconfirmed(Desk& desk, const CaseFacts& facts)
{
    if (facts.store.mode != StoreMode::Live || desk.arguments.dryRun)
        return std::nullopt;
    if (desk.arguments.storeFromEnvironment) {
        return desk.terminal.refused(
            Ctl::tr("This store is LIVE and named only by UNAVEZ_STORE. Name it with --store."),
            QStringLiteral("wrong_mode"));
    }
    if (desk.arguments.yes)
        return std::nullopt;
    const auto accounts = accountsOf(facts);
    return desk.terminal.refused(accounts.isEmpty()
            ? Ctl::tr("This store is LIVE. Look at the plan with --dry-run, then add --yes.")
            : Ctl::tr("This store is LIVE and the account is %1. Look at the plan with --dry-run, then add --yes.")
                  .arg(accounts.join(QStringLiteral(", "))),
        QStringLiteral("wrong_mode"));
}

struct Answer
{
    Plan plan;
    ActionResult result = ActionResult::Refused;
    std::optional<Because> because;
    std::optional<qint64> logId;
    bool dryRun = false;

    bool applied() const { return result == ActionResult::Applied; }
};

QJsonObject answerJson(const Answer& answer)
{
    QJsonArray effects;
    for (const auto& effect : answer.plan.effects)
        effects.append(json(effect));
    QJsonObject row{{QStringLiteral("target"), targetOf(answer.plan.request)},
        {QStringLiteral("result"), wordOf(answer.result)},
        {QStringLiteral("reason"), answer.because ? QJsonValue(wordOf(answer.because->reason)) : QJsonValue()},
        {QStringLiteral("message"), answer.because ? QJsonValue(text::sentence(*answer.because)) : QJsonValue()},
        {QStringLiteral("effects"), effects}, {QStringLiteral("log"), json(answer.logId)}};
    if (answer.plan.newKey)
        row.insert(QStringLiteral("new_key"), *answer.plan.newKey);
    return {{QStringLiteral("action"), wordOf(answer.plan.request.action)},
        {QStringLiteral("applied"), answer.applied() && !answer.dryRun ? 1 : 0},
        {QStringLiteral("refused"), answer.applied() ? 0 : 1}, {QStringLiteral("rows"), QJsonArray{row}},
        {QStringLiteral("dry_run"), answer.dryRun}};
}

void printPlan(QTextStream& out, const Plan& plan)
{
    QList<QStringList> lines;
    for (const auto& row : plan.rows)
        lines.append({row.subject, row.before, QStringLiteral("->"), row.after});
    out << aligned(lines);
    if (plan.newKey)
        out << "  " << Ctl::tr("New attempt key: %1").arg(*plan.newKey) << '\n';
    for (const auto& effect : plan.effects)
        out << "  " << printable(text::sentence(effect)) << '\n';
    for (const auto& note : plan.notes)
        out << "  " << Ctl::tr("Note: %1").arg(printable(text::sentence(note))) << '\n';
}

Exit told(Desk& desk, const Answer& answer)
{
    const auto exit = answer.applied() ? Exit::Done : Exit::Refused;
    if (desk.terminal.wantsJson()) {
        desk.terminal.answer(answerJson(answer));
        return exit;
    }
    if (!answer.applied()) {
        if (answer.because)
            return desk.terminal.refused(*answer.because);
        return desk.terminal.refused(
            Because{Reason::Changed, {{QStringLiteral("target"), targetOf(answer.plan.request)}}});
    }
    auto& out = desk.terminal.text();
    const auto& hold = answer.plan.request.hold;
    const auto name = hold && hold->release ? Ctl::tr("Release hold") : text::actionName(answer.plan.request.action);
    const auto target = targetOf(answer.plan.request);
    out << (answer.dryRun ? Ctl::tr("%1 %2 would do this; nothing was changed:") : Ctl::tr("%1 %2: done."))
               .arg(name, printable(target))
        << '\n';
    printPlan(out, answer.plan);
    if (answer.logId)
        out << "  " << Ctl::tr("Log entry %1").arg(*answer.logId) << '\n';
    out.flush();
    return exit;
}

} // namespace

Exit runAction(Desk& desk)
{
    auto request = requestOf(desk);
    if (!request)
        return request.error();
    const auto facts = desk.actions.facts(*request);
    if (!facts)
        return desk.terminal.failed(facts.error());
    request->confirmedMode = facts->store.mode;

    Answer answer;
    answer.dryRun = desk.arguments.dryRun;
    answer.plan.request = *request;
    // A dry run asks for the offer; the reason is judged at confirm.
    const auto verdict
        = judge(*request, *facts, answer.dryRun ? std::nullopt : std::optional<QString>(desk.arguments.reason));
    if (!verdict.allowed()) {
        answer.result = verdict.refused->reason == Reason::NotFound ? ActionResult::Missing : ActionResult::Refused;
        answer.because = verdict.refused;
        return told(desk, answer);
    }
    if (const auto exit = unconfirmed(desk, *facts))
        return *exit;

    answer.plan = planned(*request, *facts);
    if (answer.dryRun) {
        answer.result = ActionResult::Applied;
        return told(desk, answer);
    }
    const auto outcome = desk.actions.apply(answer.plan, desk.arguments.reason);
    if (!outcome)
        return desk.terminal.failed(outcome.error());
    answer.result = outcome->result;
    answer.because = outcome->because;
    answer.logId = outcome->logId;
    return told(desk, answer);
}

} // namespace unavez::ctl
