// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/guard.h"
#include "models/stores/sql/sqlconnection.h"

#include <memory>

// What one database does for an action: compare, write, audit. It decides nothing; the guard has.
namespace unavez::stores {

struct Written
{
    int rowsChanged = 0; // 0: a row had moved; the audit row says so
    std::optional<qint64> logId;
    std::optional<QString> newKey;
    std::optional<qint64> resumeJob;
};

class ActionWrites
{
public:
    virtual ~ActionWrites() = default;

    // Locks every row the action may look at or touch, for the rest of the transaction.
    virtual contract::Result<> lock(const contract::ActionRequest& request) = 0;
    // Refused: the store's own last line; the caller rolls back.
    virtual contract::Result<Written> write(
        const contract::Plan& plan, const contract::CaseFacts& facts, const QString& reason)
        = 0;
    // The audit row of an action that changed nothing, with the reason's code.
    virtual contract::Result<qint64> recordRefusal(
        const contract::Plan& plan, const QString& reason, contract::Reason refused)
        = 0;
};

std::unique_ptr<ActionWrites> actionWritesOn(SqlConnection& connection);
std::unique_ptr<ActionWrites> sqliteActionWrites(SqlConnection& connection);
std::unique_ptr<ActionWrites> postgresActionWrites(SqlConnection& connection);

// What an outcome's result and error columns keep of evidence: ids and classes, nothing a person typed.
QString resultOf(const contract::Evidence& evidence); // null where none
QString errorOf(const contract::Evidence& evidence); // null where none

} // namespace unavez::stores
