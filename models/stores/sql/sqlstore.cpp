// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqlstore.h"

#include "models/stores/sql/migrator.h"

namespace unavez::stores {

using contract::fail;
using contract::Result;

SqlStore::SqlStore(std::unique_ptr<SqlConnection> connection)
    : m_connection(std::move(connection))
    , m_intake(*m_connection)
    , m_jobs(*m_connection)
    , m_reservations(*m_connection)
    , m_evidence(*m_connection)
    , m_reaper(*m_connection)
    , m_service(*m_connection)
{
}

Result<std::unique_ptr<SqlStore>> SqlStore::open(const StoreUrl& url)
{
    auto connection = SqlConnection::open(url);
    if (!connection)
        return fail(connection.error());
    if (const auto known = checkSchema(**connection); !known)
        return fail(known.error());
    return std::make_unique<SqlStore>(std::move(*connection));
}

} // namespace unavez::stores
