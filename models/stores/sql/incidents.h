// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/states.h"
#include "models/stores/sql/sqlconnection.h"

#include <QJsonObject>

namespace unavez::stores {

// One open incident per (kind, subject); a repeat counts up. Joins a running transaction.
contract::Result<> raiseIncident(SqlConnection& connection, contract::IncidentKind kind, const QString& subject,
    contract::Severity severity, const QJsonObject& detail);

} // namespace unavez::stores
