// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/rowjson.h"
#include "app/ctl/verbs.h"
#include "ui/text/sentences.h"

#include <QCoreApplication>
#include <QJsonArray>

namespace unavez::ctl {

using namespace contract;

namespace {

// A service not heard of for this long is taken for silent (contract.md §10.6).
constexpr Seconds silentAfter{30};

bool isAlive(const ServiceRow& service, Instant now)
{
    return !service.stoppedAt && now - service.heartbeatAt <= silentAfter;
}

struct NamedProblem
{
    const char* name;
    const Problem* problem;
    bool needsSomebody; // leases are normal work
};

QList<NamedProblem> problemsOf(const StoreStatus& s)
{
    return {{"stuck", &s.stuck, true}, {"leases", &s.leases, false}, {"unknown", &s.unknown, true},
        {"failed", &s.failed, true}, {"dead", &s.dead, true}, {"lost", &s.lost, true},
        {"signatures", &s.signatures, true}, {"incidents", &s.incidents, true}};
}

QJsonObject json(const StoreStatus& status, const QString& store)
{
    QJsonArray services;
    for (const auto& service : status.services) {
        services.append(QJsonObject{{QStringLiteral("id"), service.instance},
            {QStringLiteral("roles"), QJsonArray::fromStringList(service.roles)},
            {QStringLiteral("version"), service.version},
            {QStringLiteral("heartbeat_at"), ctl::json(service.heartbeatAt)},
            {QStringLiteral("alive"), isAlive(service, status.readAt)}});
    }
    QJsonArray holds;
    for (const auto& hold : status.holds)
        holds.append(ctl::json(hold));
    QJsonObject problems;
    for (const auto& [name, problem, needsSomebody] : problemsOf(status))
        problems.insert(QLatin1String(name), ctl::json(*problem));
    return {{QStringLiteral("store"), store}, {QStringLiteral("mode"), wordOf(status.info.mode)},
        {QStringLiteral("schema"), status.info.schema}, {QStringLiteral("read_at"), ctl::json(status.readAt)},
        {QStringLiteral("state"), wordOf(status.info.state)}, {QStringLiteral("services"), services},
        {QStringLiteral("holds"), holds}, {QStringLiteral("problems"), problems}};
}

QString counted(const RowCount& count)
{
    return count.estimated ? QStringLiteral("~%1").arg(count.count) : QString::number(count.count);
}

void print(QTextStream& out, const StoreStatus& status)
{
    out << Ctl::tr("%1 store, schema %2, %3. Read at %4.")
               .arg(wordOf(status.info.mode).toUpper(), QString::number(status.info.schema), wordOf(status.info.state),
                   text::time(status.readAt, text::TimeStyle::Utc))
        << "\n\n";
    QList<QStringList> rows;
    for (const auto& [name, problem, needsSomebody] : problemsOf(status)) {
        if (problem->count.count == 0)
            continue;
        QString detail;
        if (problem->oldestSeconds)
            detail = Ctl::tr("oldest %1").arg(text::duration(Seconds{*problem->oldestSeconds}));
        if (problem->nextCutoff && !problem->nextCutoff->isNever()) {
            const auto left = std::chrono::duration_cast<Seconds>(*problem->nextCutoff - status.readAt);
            detail += left.count() > 0 ? Ctl::tr(", first cutoff in %1").arg(text::duration(left))
                                       : Ctl::tr(", a cutoff has passed");
        }
        rows.append({counted(problem->count), QLatin1String(name), detail});
    }
    if (rows.isEmpty())
        out << Ctl::tr("Nothing needs anybody.") << '\n';
    else
        out << aligned(rows);
    for (const auto& hold : status.holds) {
        const auto what
            = hold.target.isEmpty() ? wordOf(hold.kind) : wordOf(hold.kind) + QLatin1Char(' ') + hold.target;
        out << Ctl::tr("Held: %1 since %2 by %3: %4")
                   .arg(printable(what), text::time(hold.at, text::TimeStyle::Utc), printable(hold.by),
                       printable(hold.reason))
            << '\n';
    }
    out << '\n';
    QList<QStringList> services;
    for (const auto& service : status.services) {
        const auto age = text::duration(std::chrono::duration_cast<Seconds>(status.readAt - service.heartbeatAt));
        services.append({service.instance, service.roles.join(QLatin1Char(' ')), service.version,
            service.stoppedAt                     ? Ctl::tr("stopped")
                : isAlive(service, status.readAt) ? Ctl::tr("heard of %1 ago").arg(age)
                                                  : Ctl::tr("NOT heard of for %1").arg(age)});
    }
    out << (services.isEmpty() ? Ctl::tr("No service has ever been seen on this store.") + QLatin1Char('\n')
                               : aligned(services));
    out.flush();
}

} // namespace

Exit runStatus(Desk& desk)
{
    const auto status = desk.queries.status();
    if (!status)
        return desk.terminal.failed(status.error());
    if (desk.terminal.wantsJson())
        desk.terminal.answer(json(*status, desk.store));
    else
        print(desk.terminal.text(), *status);
    if (!desk.arguments.check)
        return Exit::Done;
    for (const auto& [name, problem, needsSomebody] : problemsOf(*status)) {
        if (needsSomebody && problem->count.count > 0)
            return Exit::Problems;
    }
    return Exit::Done;
}

} // namespace unavez::ctl
