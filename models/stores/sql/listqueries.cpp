// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/listqueries.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

namespace unavez::stores {

using namespace contract;

namespace {

constexpr int mostRows = 500;
constexpr qsizetype longestCursor = 4096; // bytes; keys are at most 230

QList<SortColumn> timeAndId(const char* time)
{
    return {{QLatin1String(time), SortType::Time}, {QStringLiteral("id"), SortType::Number}};
}

QList<SortColumn> timeAndKey(const char* time, const char* key)
{
    return {{QLatin1String(time), SortType::Time}, {QStringLiteral("provider"), SortType::Text},
        {QStringLiteral("provider_account"), SortType::Text}, {QLatin1String(key), SortType::Text}};
}

// As the database spells it: only what it could have written itself is given back to it.
bool isPlausible(const QString& text, SortType type, bool postgres)
{
    static const QRegularExpression number(QStringLiteral("^-?[0-9]{1,18}$"));
    static const QRegularExpression time(QStringLiteral("^([0-9]{4}-[0-9]{2}-[0-9]{2}) ([0-9]{2}:[0-9]{2}:[0-9]{2})(\\."
                                                        "[0-9]{1,6})?[+-][0-9]{2}(:[0-5][0-9]){0,2}$"));
    if (type == SortType::Text)
        return !text.contains(QChar(0));
    if (type == SortType::Number || !postgres)
        return number.match(text).hasMatch();
    if (text == QLatin1String("infinity"))
        return true;
    const auto match = time.match(text);
    return match.hasMatch()
        && QDateTime::fromString(match.captured(1) + QLatin1Char('T') + match.captured(2), Qt::ISODate).isValid();
}

Result<QStringList> placeOf(const ListSpec& list, const Cursor& cursor, bool postgres)
{
    const auto invalid = [] { return fail(Error::Kind::Invalid, QStringLiteral("cursor of another list")); };
    if (cursor.text.size() > longestCursor)
        return invalid();
    const auto decoded = QByteArray::fromBase64Encoding(
        cursor.text, QByteArray::Base64UrlEncoding | QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded)
        return invalid();
    const auto array = QJsonDocument::fromJson(*decoded).array();
    if (array.size() != list.sort.size() + 1 || array.at(0).toString() != list.name)
        return invalid();
    QStringList place;
    for (qsizetype i = 0; i < list.sort.size(); ++i) {
        const auto value = array.at(i + 1);
        if (!value.isString() || !isPlausible(value.toString(), list.sort.at(i).type, postgres))
            return invalid();
        place.append(value.toString());
    }
    return place;
}

QString placeholder(SortType type, bool postgres)
{
    if (type == SortType::Text)
        return QStringLiteral("?");
    if (!postgres)
        return QStringLiteral("CAST(? AS INTEGER)");
    return type == SortType::Time ? QStringLiteral("?::timestamptz") : QStringLiteral("?::bigint");
}

} // namespace

const ListSpec& stuckList()
{
    static const ListSpec list{QStringLiteral("stuck"), QStringLiteral("idempotency_keys"),
        QStringLiteral("t.status IN ('opened','in_progress')"), timeAndKey("resume_until", "key"), false,
        QStringLiteral("keys_stuck"), QStringLiteral("reserved_at"), false, {}};
    return list;
}

const ListSpec& unknownList()
{
    static const ListSpec list{QStringLiteral("unknown"), QStringLiteral("idempotency_keys"),
        QStringLiteral("t.status = 'unknown'"), timeAndKey("status_at", "key"), false, QStringLiteral("keys_unknown"),
        QStringLiteral("status_at"), false, {}};
    return list;
}

const ListSpec& keysList()
{
    static const ListSpec list{QStringLiteral("keys"), QStringLiteral("idempotency_keys"), {},
        timeAndKey("reserved_at", "key"), true, QStringLiteral("keys_newest"), {}, false,
        QStringLiteral("reserved_at")};
    return list;
}

const ListSpec& failedList()
{
    static const ListSpec list{QStringLiteral("failed"), QStringLiteral("intents"),
        QStringLiteral("t.last_status IN ('failed','abandoned')"), timeAndKey("last_status_at", "intent_key"), true,
        QStringLiteral("intents_failed"), QStringLiteral("last_status_at"), false, {}};
    return list;
}

const ListSpec& deadList()
{
    static const ListSpec list{QStringLiteral("dead"), QStringLiteral("jobs"), QStringLiteral("t.state = 'dead'"),
        timeAndId("dead_at"), true, QStringLiteral("jobs_dead"), QStringLiteral("dead_at"), true,
        QStringLiteral("dead_at")};
    return list;
}

const ListSpec& leasesList()
{
    static const ListSpec list{QStringLiteral("leases"), QStringLiteral("jobs"), QStringLiteral("t.state = 'leased'"),
        timeAndId("lease_expires_at"), false, QStringLiteral("jobs_leased"), QStringLiteral("lease_expires_at"), true,
        {}};
    return list;
}

const ListSpec& lostList()
{
    static const ListSpec list{QStringLiteral("lost"), QStringLiteral("processed_events"), QStringLiteral("lost"),
        timeAndId("received_at"), false, QStringLiteral("events_lost"), QStringLiteral("received_at"), true, {}};
    return list;
}

const ListSpec& eventsList()
{
    static const ListSpec list{QStringLiteral("events"), QStringLiteral("processed_events"), {},
        timeAndId("received_at"), true, QStringLiteral("events_newest"), {}, true, QStringLiteral("received_at")};
    return list;
}

const ListSpec& signaturesList()
{
    static const ListSpec list{QStringLiteral("signatures"), QStringLiteral("signature_failures"), {},
        timeAndId("last_at"), true, QStringLiteral("failures_newest"), QStringLiteral("last_at"), true,
        QStringLiteral("last_at")};
    return list;
}

const ListSpec& logList()
{
    static const ListSpec list{QStringLiteral("log"), QStringLiteral("operator_actions"), {},
        {{QStringLiteral("id"), SortType::Number}}, true, {}, {}, false, QStringLiteral("at")};
    return list;
}

const ListSpec& incidentsList()
{
    static const ListSpec list{QStringLiteral("incidents"), QStringLiteral("incidents"), {}, timeAndId("last_at"), true,
        QStringLiteral("incidents_newest"), QStringLiteral("opened_at"), false, {}};
    return list;
}

QList<ListSpec> allLists()
{
    return {stuckList(), unknownList(), keysList(), failedList(), deadList(), leasesList(), lostList(), eventsList(),
        signaturesList(), logList(), incidentsList()};
}

QString conditionOf(const ListSpec& list, const RowReader& reader)
{
    if (list.where != QLatin1String("lost"))
        return list.where;
    return reader.isPostgres() ? QStringLiteral("NOT t.has_job AND t.received_at < unavez.now3() - interval '60 s'")
                               : QStringLiteral("t.has_job = 0 AND t.received_at < %1 - 60000").arg(reader.now());
}

Result<PageStatement> pageStatement(
    const ListSpec& list, const PageRequest& request, const QString& columns, const RowReader& reader)
{
    if (request.limit < 1 || request.limit > mostRows)
        return fail(Error::Kind::Invalid, QStringLiteral("limit"));
    const bool postgres = reader.isPostgres();
    PageStatement page;
    QStringList conditions;
    if (const auto condition = conditionOf(list, reader); !condition.isEmpty())
        conditions.append(condition);
    if (request.sourceId && list.bySource) {
        conditions.append(QStringLiteral("t.source_id = ?"));
        page.values.append(*request.sourceId);
    }
    if (request.sinceMs && !list.since.isEmpty()) {
        conditions.append(QStringLiteral("t.%1 >= %2").arg(list.since, reader.time()));
        page.values.append(*request.sinceMs);
    }
    QStringList names;
    QStringList order;
    QStringList texts;
    QStringList places;
    for (const auto& column : list.sort) {
        const auto name = QStringLiteral("t.") + column.name;
        names.append(name);
        order.append(list.newestFirst ? name + QStringLiteral(" DESC") : name);
        texts.append(QStringLiteral("CAST(%1 AS TEXT) AS c%2").arg(name).arg(texts.size()));
        places.append(placeholder(column.type, postgres));
    }
    if (request.after) {
        const auto place = placeOf(list, *request.after, postgres);
        if (!place)
            return fail(place.error());
        conditions.append(
            QStringLiteral("(%1) %2 (%3)")
                .arg(names.join(QStringLiteral(", ")), list.newestFirst ? QStringLiteral("<") : QStringLiteral(">"),
                    places.join(QStringLiteral(", "))));
        for (const auto& value : *place)
            page.values.append(value);
    }
    page.sql = QStringLiteral("SELECT %1, %2 FROM %3 t%4 ORDER BY %5 LIMIT %6")
                   .arg(columns, texts.join(QStringLiteral(", ")), list.table,
                       conditions.isEmpty() ? QString()
                                            : QStringLiteral(" WHERE ") + conditions.join(QStringLiteral(" AND ")),
                       order.join(QStringLiteral(", ")))
                   .arg(request.limit + 1);
    return page;
}

Cursor cursorAt(const ListSpec& list, const SqlRow& row)
{
    QJsonArray array{list.name};
    for (qsizetype i = 0; i < list.sort.size(); ++i)
        array.append(row.value(QStringLiteral("c%1").arg(i)).toString());
    return {QJsonDocument(array)
                .toJson(QJsonDocument::Compact)
                .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals)};
}

} // namespace unavez::stores
