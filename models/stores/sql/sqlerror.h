// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/stores/sql/dialect.h"

#include <QSqlError>

namespace unavez::stores {

// The one place where drivers' errors become ours. The detail is the first line of the server's message: further lines
// may quote whole rows, and with them request bytes.
contract::Error errorOf(Dialect dialect, const QSqlError& error);
contract::Error errorOfSqlState(const QString& state, const QString& message);
contract::Error errorOfSqliteCode(int code, const QString& message);

// A unique index answered: no lost race for locks, repeating the transaction would meet the same row again.
bool isUniqueViolation(const contract::Error& error);
// Which of the schema's own refusals it was (contract.md §12.3).
bool isOpenEffect(const contract::Error& error);
bool isSecondOpenAttempt(const contract::Error& error);
bool isObjectUsed(const contract::Error& error);

} // namespace unavez::stores
