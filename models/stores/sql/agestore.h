// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/time.h"
#include "models/stores/sql/sqlconnection.h"

#include <QStringList>

namespace unavez::stores {

// A table and its time columns: every one the schema has, but the action log's, whose hash holds it.
struct StoredTimes
{
    QString table;
    QStringList columns;
};
QList<StoredTimes> storedTimes();

// Practice only (contract.md §10.7): shifts every stored time back by `by`, as if that long had passed; a negative one
// is a clock that went back. One transaction, as the store's owner, with the triggers off. Refused where the store's
// mode is not practice, Denied for anybody but the owner.
contract::Result<> ageStore(SqlConnection& connection, contract::Millis by);

} // namespace unavez::stores
