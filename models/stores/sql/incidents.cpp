// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/incidents.h"

#include <QJsonDocument>

namespace unavez::stores {

using namespace contract;

Result<> raiseIncident(
    SqlConnection& connection, IncidentKind kind, const QString& subject, Severity severity, const QJsonObject& detail)
{
    const auto raised = connection.run(
        QStringLiteral(
            "INSERT INTO incidents(kind, subject, severity, detail) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (kind, subject) WHERE closed_at IS NULL DO UPDATE SET n = incidents.n + 1, last_at = %1")
            .arg(nowIn(connection.dialect())),
        {wordOf(kind), subject, wordOf(severity),
            QString::fromUtf8(QJsonDocument(detail).toJson(QJsonDocument::Compact))});
    return raised ? done() : Result<>(fail(raised.error()));
}

} // namespace unavez::stores
