// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/auditchain.h"

#include "models/contract/storedrequest.h"
#include "models/stores/sql/rowreader.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace unavez::stores {

using namespace contract;

namespace {

const QByteArray beforeTheFirst(32, '\0');
constexpr qint64 proposalLifeMs = 24 * 3600 * 1000;

QJsonValue orNull(const std::optional<QString>& text) { return text ? QJsonValue(*text) : QJsonValue(); }
QJsonValue orNull(const std::optional<qint64>& number) { return number ? QJsonValue(*number) : QJsonValue(); }

QByteArray hashOf(const QByteArray& previous, const QByteArray& canonical) { return sha256(previous + canonical); }

QJsonObject hashed(const SqlRow& row)
{
    return {{QStringLiteral("at"), toRfc3339(instantOf(row, "at"))},
        {QStringLiteral("operator"), textOf(row, "operator")},
        {QStringLiteral("executed_by"), textOf(row, "executed_by")}, {QStringLiteral("action"), textOf(row, "action")},
        {QStringLiteral("target"), textOf(row, "target")}, {QStringLiteral("reason"), textOf(row, "reason")},
        {QStringLiteral("plan"), textOf(row, "plan")}, {QStringLiteral("rows"), numberOf(row, "rows_changed")},
        {QStringLiteral("refused"), orNull(maybeText(row, "refused"))},
        {QStringLiteral("proposal"), orNull(maybeNumber(row, "proposal_id"))},
        {QStringLiteral("run"), orNull(maybeNumber(row, "bulk_run_id"))},
        {QStringLiteral("seq"), orNull(maybeNumber(row, "bulk_seq"))}};
}

Result<> useProposal(SqlConnection& connection, const AuditRow& row, qint64 now)
{
    const auto used = connection.run(
        QStringLiteral(
            "UPDATE proposals SET used_at = ? WHERE id = ? AND decision = 'approved' AND used_at IS NULL AND "
            "action = ? AND target = ? AND ? < proposed_at + ?"),
        {now, *row.proposal, row.action, row.target, now, proposalLifeMs});
    if (!used)
        return fail(used.error());
    if (used->affected != 1)
        return fail(Error::Kind::Refused, QStringLiteral("second_person_needed"));
    return done();
}

} // namespace

Result<qint64> chainAudit(SqlConnection& connection, const QString& login, const AuditRow& row)
{
    auto head
        = connection.run(QStringLiteral("SELECT last_hash, %1 AS now FROM audit_head").arg(RowReader(false).now()), {});
    if (!head)
        return fail(head.error());
    if (head->isEmpty())
        return fail(Error::Kind::Corrupt, QStringLiteral("audit_head is empty"));
    const auto previous = head->first().at(0).toByteArray();
    const Instant now = instantOf(head->first(), "now");
    if (row.proposal && row.rowsChanged > 0) {
        if (const auto used = useProposal(connection, row, now.ms); !used)
            return fail(used.error());
    }
    const QJsonObject object{{QStringLiteral("at"), toRfc3339(now)}, {QStringLiteral("operator"), login},
        {QStringLiteral("executed_by"), login}, {QStringLiteral("action"), row.action},
        {QStringLiteral("target"), row.target}, {QStringLiteral("reason"), row.reason},
        {QStringLiteral("plan"), row.plan}, {QStringLiteral("rows"), row.rowsChanged},
        {QStringLiteral("refused"), orNull(row.refused)}, {QStringLiteral("proposal"), orNull(row.proposal)},
        {QStringLiteral("run"), QJsonValue()}, {QStringLiteral("seq"), QJsonValue()}};
    const auto canonical = canonicalJson(object);
    const auto inserted = connection.run(
        QStringLiteral("INSERT INTO operator_actions(at, operator, executed_by, action, target, reason, plan, "
                       "rows_changed, refused, proposal_id, canonical, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, "
                       "?, ?, ?, ?, ?, ?)"),
        {now.ms, login, login, row.action, row.target, row.reason, row.plan, row.rowsChanged,
            row.refused ? QVariant(*row.refused) : QVariant(QMetaType(QMetaType::QString)),
            row.proposal ? QVariant(*row.proposal) : QVariant(QMetaType(QMetaType::LongLong)),
            QString::fromUtf8(canonical), previous, hashOf(previous, canonical)});
    if (!inserted)
        return fail(inserted.error());
    const auto id = connection.run(QStringLiteral("SELECT last_id FROM audit_head"));
    if (!id)
        return fail(id.error());
    return numberOf(id->first(), "last_id");
}

Result<std::optional<qint64>> brokenAuditLink(SqlConnection& connection)
{
    const RowReader reader(!connection.isSqlite());
    auto head = connection.run(QStringLiteral("SELECT last_id, last_hash FROM audit_head"), {});
    if (!head)
        return fail(head.error());
    if (head->isEmpty())
        return fail(Error::Kind::Corrupt, QStringLiteral("audit_head is empty"));
    qint64 at = numberOf(head->first(), "last_id");
    auto expected = head->first().at(1).toByteArray();
    const auto link = QStringLiteral("SELECT t.id, %1 AS at, t.operator, t.executed_by, t.action, t.target, t.reason, "
                                     "t.plan, t.rows_changed, t.refused, t.proposal_id, t.bulk_run_id, t.bulk_seq, "
                                     "t.canonical, t.prev_hash FROM operator_actions t WHERE t.hash = ?")
                          .arg(reader.ms(QStringLiteral("t.at")));
    qint64 oldest = std::numeric_limits<qint64>::max();
    while (expected != beforeTheFirst) {
        auto row = connection.run(link, {expected});
        if (!row)
            return fail(row.error());
        if (row->isEmpty()) // the row this hash belongs to is gone, or its hash was changed
            return std::optional(at);
        at = numberOf(row->first(), "id");
        const auto canonical = textOf(row->first(), "canonical").toUtf8();
        const auto previous = row->first().value(QStringLiteral("prev_hash")).toByteArray();
        if (hashOf(previous, canonical) != expected
            || QJsonDocument::fromJson(canonical).object() != hashed(row->first()))
            return std::optional(at);
        // Ids rise along the chain: a loop would otherwise never end.
        if (at >= oldest)
            return std::optional(at);
        oldest = at;
        expected = previous;
    }
    auto outside = connection.run(QStringLiteral("SELECT min(id) AS id FROM operator_actions WHERE id < ?"),
        {oldest == std::numeric_limits<qint64>::max() ? at + 1 : oldest});
    if (!outside)
        return fail(outside.error());
    if (!outside->isEmpty() && maybeNumber(outside->first(), "id"))
        return maybeNumber(outside->first(), "id");
    return std::optional<qint64>();
}

} // namespace unavez::stores
