// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/states.h"
#include "models/stores/sql/sqlconnection.h"

namespace unavez::stores {

// The newest schema this program knows, YYYYMMDDhhmm.
qint64 newestSchema(Dialect dialect);
// What stands there. SchemaMissing where there is none.
contract::Result<qint64> schemaOf(SqlConnection& connection);
// Done where this program can work on it. SchemaMissing, SchemaNewer; an older one is Invalid ("migrate first").
contract::Result<> checkSchema(SqlConnection& connection);

struct Migration
{
    qint64 from = 0; // 0: there was no schema
    qint64 to = 0;
    bool operator==(const Migration&) const = default;
};

// Brings the store to the newest schema, each step in one transaction; as its owner. A new store takes `mode`, for
// good; Invalid where none is given for one, or another than the store has. Two at once: the second finds it done.
contract::Result<Migration> migrate(SqlConnection& connection, const std::optional<contract::StoreMode>& mode);

} // namespace unavez::stores
