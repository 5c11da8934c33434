// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/stores/sql/sqlactionstore.h"
#include "models/stores/sql/sqlstorequeries.h"
#include "tests/stores/portsbench.h"

namespace unavez::tests {

// A bench on a store that speaks SQL, with the operator's reads.
struct OperatorBench : PortsBench
{
    explicit OperatorBench(stores::StoreUrl::Kind kind)
        : PortsBench(std::make_unique<SqlStoreBench>(kind))
        , sql(static_cast<SqlStoreBench&>(*backend))
        , store(sql.store)
        , connection(sql.connection.get())
        , queries(*connection)
    {
    }

    SqlStoreBench& sql;
    TestStore& store;
    stores::SqlConnection* connection;
    stores::SqlStoreQueries queries;
};

inline void bothStores()
{
    QTest::addColumn<stores::StoreUrl::Kind>("kind");
    QTest::newRow("sqlite") << stores::StoreUrl::Kind::Sqlite;
    QTest::newRow("postgresql") << stores::StoreUrl::Kind::PostgreSql;
}

} // namespace unavez::tests
