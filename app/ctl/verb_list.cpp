// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/rowjson.h"
#include "app/ctl/verbs.h"
#include "ui/text/sentences.h"

#include <QCoreApplication>
#include <QJsonArray>

namespace unavez::ctl {

using namespace contract;

namespace {

// The columns of a list that a terminal has room for; --json has them all.
QStringList columnsOf(const QString& kind)
{
    static const QHash<QString, QString> columns{
        {QStringLiteral("stuck"),
            QStringLiteral("status key amount owner lease_expires_at sends last_class resume_until")},
        {QStringLiteral("unknown"), QStringLiteral("key amount flag first_sent_at last_class evidence")},
        {QStringLiteral("keys"), QStringLiteral("reserved_at key status amount provider_object_id")},
        {QStringLiteral("failed"),
            QStringLiteral("intent_key last_status last_attempt amount decline_code error_code last_status_at")},
        {QStringLiteral("dead"), QStringLiteral("job event_id event_type attempts error_class verdict dead_at")},
        {QStringLiteral("leases"), QStringLiteral("job event_id owner lease_token lease_expires_at open_calls")},
        {QStringLiteral("lost"), QStringLiteral("event_id event_type object_id source received_at deliveries")},
        {QStringLiteral("events"),
            QStringLiteral("received_at event_id event_type object_id source deliveries has_job")},
        {QStringLiteral("signatures"), QStringLiteral("last_at source route reason n peer")},
        {QStringLiteral("log"), QStringLiteral("id at operator action target rows_changed refused reason")},
        {QStringLiteral("incidents"), QStringLiteral("id severity kind subject n last_at closed_at")},
        {QStringLiteral("services"), QStringLiteral("instance roles version heartbeat_at db_skew_ms")},
    };
    return columns.value(kind).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

// Times to the second, money with its digits: what --json has whole.
QString cell(const QString& column, const QJsonObject& row)
{
    if (column == QLatin1String("amount")) {
        if (row.value(QLatin1String("amount_minor")).isNull())
            return QStringLiteral("-");
        return text::money(
            {row.value(QLatin1String("amount_minor")).toInteger(), row.value(QLatin1String("currency")).toString()});
    }
    const auto value = row.value(column);
    if (const auto at = value.isString() ? fromRfc3339(value.toString()) : std::nullopt)
        return text::time(*at, text::TimeStyle::Utc);
    if (value.isArray()) {
        QStringList parts;
        for (const auto part : value.toArray())
            parts.append(part.toVariant().toString());
        return parts.join(QLatin1Char(' '));
    }
    if (value.isBool())
        return value.toBool() ? QStringLiteral("yes") : QStringLiteral("no");
    return value.isNull() ? QStringLiteral("-") : value.toVariant().toString();
}

struct Listed
{
    QJsonArray rows;
    std::optional<Cursor> next;
};

template <typename Row> Result<Listed> listed(const Result<Page<Row>>& page)
{
    if (!page)
        return fail(page.error());
    Listed answer{{}, page->next};
    for (const auto& row : page->rows)
        answer.rows.append(json(row));
    return answer;
}

Result<Listed> listedServices(const Result<QList<ServiceRow>>& services)
{
    if (!services)
        return fail(services.error());
    Listed answer;
    for (const auto& service : *services)
        answer.rows.append(json(service));
    return answer;
}

Result<Listed> read(StoreQueries& queries, const QString& kind, const PageRequest& request)
{
    if (kind == QLatin1String("stuck"))
        return listed(queries.stuck(request));
    if (kind == QLatin1String("unknown"))
        return listed(queries.unknown(request));
    if (kind == QLatin1String("keys"))
        return listed(queries.keys(request));
    if (kind == QLatin1String("failed"))
        return listed(queries.failed(request));
    if (kind == QLatin1String("dead"))
        return listed(queries.dead(request));
    if (kind == QLatin1String("leases"))
        return listed(queries.leases(request));
    if (kind == QLatin1String("lost"))
        return listed(queries.lost(request));
    if (kind == QLatin1String("events"))
        return listed(queries.events(request));
    if (kind == QLatin1String("signatures"))
        return listed(queries.signatures(request));
    if (kind == QLatin1String("log"))
        return listed(queries.log(request));
    if (kind == QLatin1String("incidents"))
        return listed(queries.incidents(request));
    return listedServices(queries.services());
}

Exit show(Desk& desk, const QString& kind)
{
    PageRequest request;
    request.limit = desk.arguments.limit;
    request.sinceMs = desk.arguments.sinceMs;
    if (!desk.arguments.cursor.isEmpty())
        request.after = Cursor{desk.arguments.cursor.toLatin1()};
    if (!desk.arguments.source.isEmpty()) {
        const auto sources = desk.queries.sources();
        if (!sources)
            return desk.terminal.failed(sources.error());
        QStringList names;
        for (const auto& source : *sources) {
            names.append(source.name);
            if (source.name == desk.arguments.source)
                request.sourceId = source.id;
        }
        if (!request.sourceId) {
            return desk.terminal.usage(Ctl::tr("There is no source %1. This store has: %2.")
                                           .arg(desk.arguments.source, names.join(QStringLiteral(", "))));
        }
    }
    const auto page = read(desk.queries, kind, request);
    if (!page)
        return desk.terminal.failed(page.error());
    if (desk.terminal.wantsJson()) {
        desk.terminal.answer({{QStringLiteral("rows"), page->rows},
            {QStringLiteral("next"), page->next ? QJsonValue(QString::fromLatin1(page->next->text)) : QJsonValue()}});
        return Exit::Done;
    }
    auto& out = desk.terminal.text();
    if (page->rows.isEmpty()) {
        out << Ctl::tr("Nothing in %1.").arg(kind) << '\n';
    } else {
        const auto columns = columnsOf(kind);
        QList<QStringList> table{columns};
        for (const auto row : page->rows) {
            QStringList cells;
            for (const auto& column : columns)
                cells.append(cell(column, row.toObject()));
            table.append(cells);
        }
        out << aligned(table, 0);
        if (page->next)
            out << Ctl::tr("More: add --cursor %1").arg(QString::fromLatin1(page->next->text)) << '\n';
    }
    out.flush();
    return Exit::Done;
}

} // namespace

Exit runList(Desk& desk)
{
    const auto& kind = desk.arguments.words.first();
    if (columnsOf(kind).isEmpty()) {
        return desk.terminal.usage(Ctl::tr(
            "There is no list %1. The lists are: stuck unknown failed dead lost leases signatures events keys log "
            "incidents services.")
                                       .arg(kind));
    }
    return show(desk, kind);
}

Exit runLog(Desk& desk)
{
    if (desk.arguments.words.isEmpty())
        return show(desk, QStringLiteral("log"));
    if (desk.arguments.words.first() != QLatin1String("verify"))
        return desk.terminal.usage(Ctl::tr("Write it as: unavezctl log, or unavezctl log verify."));
    const auto broken = desk.queries.verifyLog();
    if (!broken)
        return desk.terminal.failed(broken.error());
    if (desk.terminal.wantsJson()) {
        desk.terminal.answer({{QStringLiteral("ok"), !broken->has_value()},
            {QStringLiteral("broken_at"), broken->has_value() ? QJsonValue(**broken) : QJsonValue()}});
    } else if (broken->has_value()) {
        desk.terminal.text() << Ctl::tr(
            "The log is broken at entry %1: it, or what came before it, was changed after it was written.")
                                    .arg(**broken)
                             << '\n';
    } else {
        desk.terminal.text() << Ctl::tr("The log is whole: every entry follows from the one before it.") << '\n';
    }
    return broken->has_value() ? Exit::Problems : Exit::Done;
}

} // namespace unavez::ctl
