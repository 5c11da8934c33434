// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/actionwrites.h"

#include "models/contract/storedrequest.h"

#include <QJsonArray>
#include <QJsonObject>

namespace unavez::stores {

using namespace contract;

std::unique_ptr<ActionWrites> actionWritesOn(SqlConnection& connection)
{
    return !connection.isSqlite() ? postgresActionWrites(connection) : sqliteActionWrites(connection);
}

QString resultOf(const Evidence& evidence)
{
    if (evidence.verdict != EvidenceVerdict::Charged || evidence.objects.isEmpty())
        return {};
    const auto& object = evidence.objects.first();
    QJsonObject result{{QStringLiteral("id"), object.id}, {QStringLiteral("status"), object.status}};
    if (object.amount) {
        result.insert(QStringLiteral("amount"), object.amount->minor);
        result.insert(QStringLiteral("currency"), object.amount->currency);
    }
    return QString::fromUtf8(canonicalJson(result));
}

QString errorOf(const Evidence& evidence)
{
    if (evidence.verdict != EvidenceVerdict::Failed)
        return {};
    return QString::fromUtf8(
        canonicalJson({{QStringLiteral("class"), QStringLiteral("evidence")}, {QStringLiteral("code"), QJsonValue()},
            {QStringLiteral("decline_code"), QJsonValue()}, {QStringLiteral("advice_code"), QJsonValue()}}));
}

} // namespace unavez::stores
