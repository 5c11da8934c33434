// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/composition.h"

#include "models/stores/sql/agestore.h"
#include "models/stores/sql/migrator.h"
#include "models/stores/sql/sqlstorequeries.h"

namespace unavez::sandbox {

using contract::done;
using contract::fail;
using contract::Result;
using stores::SqlConnection;

namespace {

class SqlStoreReader final : public StoreReader
{
public:
    explicit SqlStoreReader(std::unique_ptr<SqlConnection> connection)
        : m_connection(std::move(connection))
        , m_queries(*m_connection)
    {
    }
    contract::StoreQueries& queries() override { return m_queries; }

private:
    std::unique_ptr<SqlConnection> m_connection;
    stores::SqlStoreQueries m_queries;
};

Result<std::unique_ptr<SqlConnection>> opened(const QString& url, SqlConnection::Access access, bool create)
{
    const auto parsed = stores::parsedStoreUrl(url);
    if (!parsed)
        return fail(parsed.error());
    return SqlConnection::open(*parsed, access, create);
}

Result<> preparePractice(const QString& url)
{
    auto connection = opened(url, SqlConnection::Access::ReadWrite, true);
    if (!connection)
        return fail(connection.error());
    const auto migrated = stores::migrate(**connection, contract::StoreMode::Practice);
    return migrated ? done() : Result<>(fail(migrated.error()));
}

Result<> age(const QString& url, contract::Millis by)
{
    auto connection = opened(url, SqlConnection::Access::ReadWrite, false);
    if (!connection)
        return fail(connection.error());
    if (auto known = stores::checkSchema(**connection); !known)
        return known;
    return stores::ageStore(**connection, by);
}

Result<std::unique_ptr<StoreReader>> read(const QString& url)
{
    auto connection = opened(url, SqlConnection::Access::ReadOnly, false);
    if (!connection)
        return fail(connection.error());
    if (auto known = stores::checkSchema(**connection); !known)
        return fail(known.error());
    return std::unique_ptr<StoreReader>(std::make_unique<SqlStoreReader>(std::move(*connection)));
}

} // namespace

StoreAccess sqlStoreAccess() { return {preparePractice, age, read}; }

} // namespace unavez::sandbox
