// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/rows.h"
#include "models/stores/sql/sqlconnection.h"

// The action log's hash chain (contract.md §11.10): hash = SHA-256(previous hash, canonical text).
namespace unavez::stores {

struct AuditRow
{
    QString action;
    QString target;
    QString reason;
    QString plan; // JSON
    int rowsChanged = 0;
    std::optional<QString> refused; // set exactly where nothing changed
    std::optional<qint64> proposal;
};

// SQLite only: PostgreSQL chains in write_audit. Call it last in a transaction that began with BEGIN IMMEDIATE.
// Refused where the proposal does not cover the action.
contract::Result<qint64> chainAudit(SqlConnection& connection, const QString& login, const AuditRow& row);

// Follows prev_hash from the head, and compares every row with what was hashed. Absent: it holds; else the id it
// breaks at.
contract::Result<std::optional<qint64>> brokenAuditLink(SqlConnection& connection);

} // namespace unavez::stores
