// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/teststores.h"

#include "models/stores/sql/migrator.h"
#include "tests/support/privatepostgres.h"

#include <QUuid>

namespace unavez::tests {

using namespace stores;

namespace {

std::unique_ptr<SqlConnection> opened(const StoreUrl& url, bool create = false)
{
    auto connection = SqlConnection::open(url, SqlConnection::Access::ReadWrite, create);
    if (!connection)
        qFatal("cannot open %s: %s", qPrintable(url.display()), qPrintable(connection.error().detail));
    return std::move(*connection);
}

template <typename T> void must(const contract::Result<T>& result)
{
    if (!result)
        qFatal("%s", qPrintable(result.error().detail));
}

} // namespace

TestStore::TestStore(StoreUrl::Kind kind, contract::StoreMode mode)
{
    if (kind == StoreUrl::Kind::Sqlite) {
        m_url.path = m_folder.filePath(QStringLiteral("store.db"));
    } else {
        auto& server = PrivatePostgres::instance();
        const auto name = QStringLiteral("t_") + QUuid::createUuid().toString(QUuid::Id128);
        must(opened(server.superuser())->runScript(QStringLiteral("CREATE DATABASE %1").arg(name).toUtf8()));
        m_url = server.superuser(name);
    }
    const auto connection = opened(m_url, true);
    if (const auto migrated = migrate(*connection, mode); !migrated)
        qFatal("cannot migrate: %s", qPrintable(migrated.error().detail));
}

TestStore::~TestStore()
{
    if (m_url.kind == StoreUrl::Kind::PostgreSql)
        must(opened(PrivatePostgres::instance().superuser())
                 ->runScript(QStringLiteral("DROP DATABASE %1 WITH (FORCE)").arg(m_url.database).toUtf8()));
}

std::unique_ptr<SqlConnection> TestStore::connect() const { return opened(m_url); }

std::unique_ptr<SqlConnection> TestStore::connectAs(const QString& role) const
{
    auto url = m_url;
    url.user = QStringLiteral("login_%1_%2").arg(role, m_url.database.right(8));
    const auto owner = connect();
    const auto there = owner->run(QStringLiteral("SELECT 1 FROM pg_roles WHERE rolname = ?"), {url.user});
    must(there);
    if (there->isEmpty())
        must(owner->runScript(QStringLiteral("CREATE ROLE %1 LOGIN IN ROLE unavez_%2").arg(url.user, role).toUtf8()));
    return opened(url);
}

} // namespace unavez::tests
