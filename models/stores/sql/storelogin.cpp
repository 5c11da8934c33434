// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/casefacts.h"
#include "models/stores/sql/migrator.h"

#include <QFileInfo>

#include <pwd.h>
#include <unistd.h>

// Who is asking, and what the store lets them do: rights are the database's, never typed (contract.md §11.10, §12.2).
namespace unavez::stores {

using namespace contract;

namespace {

const QStringList allRoles{
    QStringLiteral("viewer"), QStringLiteral("finance"), QStringLiteral("operator"), QStringLiteral("admin")};

} // namespace

QString systemLogin()
{
    const auto* entry = getpwuid(geteuid());
    return entry ? QString::fromLocal8Bit(entry->pw_name) : QString::number(geteuid());
}

Result<StoreFacts> CaseReader::store()
{
    auto query = m_connection.run(
        QStringLiteral("SELECT mode, schema_version, %1 AS now FROM store_info").arg(m_reader.ms(m_reader.now())), {});
    if (!query)
        return fail(query.error());
    if (query->isEmpty())
        return fail(Error::Kind::SchemaMissing, QStringLiteral("store_info is empty"));
    StoreFacts facts;
    facts.lastAnswer = instantOf(query->first(), "now");
    facts.mode = wordIn<StoreMode>(query->first(), "mode");
    facts.schema = numberOf(query->first(), "schema_version");
    facts.knownSchema = newestSchema(m_connection.dialect());
    return !m_connection.isSqlite() ? postgresLogin(facts) : fileLogin(facts);
}

Result<StoreFacts> CaseReader::postgresLogin(StoreFacts facts)
{
    auto query = m_connection.run(QStringLiteral("SELECT session_user::text AS login, pg_is_in_recovery() AS standby, "
                                                 "current_setting('transaction_read_only') = 'on' AS read_only"),
        {});
    if (!query)
        return fail(query.error());
    if (query->isEmpty())
        return fail(Error::Kind::Corrupt, QStringLiteral("no session"));
    facts.login = textOf(query->first(), "login");
    const bool standby = maybeBool(query->first(), "standby").value_or(false);
    facts.readOnly = standby || maybeBool(query->first(), "read_only").value_or(false);
    if (facts.readOnly)
        facts.readOnlyWhy = standby ? QStringLiteral("standby") : QStringLiteral("read_only");
    auto roles = m_connection.run(
        QStringLiteral("SELECT substr(rolname::text, 8) AS role FROM pg_roles WHERE rolname IN ('unavez_viewer', "
                       "'unavez_finance', 'unavez_operator', 'unavez_admin') AND pg_has_role(session_user, oid, "
                       "'MEMBER')"),
        {});
    if (!roles)
        return fail(roles.error());
    QStringList held;
    for (const auto& row : roles->rows)
        held.append(textOf(row, "role"));
    for (const auto& role : allRoles) {
        if (held.contains(role))
            facts.roles.append(role);
    }
    return facts;
}

// The file's rights are the roles: who may write the file may do everything, who may only read it is a viewer.
Result<StoreFacts> CaseReader::fileLogin(StoreFacts facts)
{
    facts.login = systemLogin();
    auto query = m_connection.run(QStringLiteral("PRAGMA query_only"), {});
    if (!query)
        return fail(query.error());
    const bool queryOnly = !query->isEmpty() && query->first().at(0).toInt() != 0;
    auto files = m_connection.run(QStringLiteral("PRAGMA database_list"), {});
    if (!files)
        return fail(files.error());
    QString path;
    for (const auto& row : files->rows) {
        if (textOf(row, "name") == QLatin1String("main"))
            path = textOf(row, "file");
    }
    const QFileInfo file(path);
    // SQLite writes its journal beside the file, so the folder counts too.
    const bool writable = path.isEmpty() || (file.isWritable() && QFileInfo(file.path()).isWritable());
    facts.readOnly = queryOnly || !writable;
    if (facts.readOnly)
        facts.readOnlyWhy = queryOnly ? QStringLiteral("read_only") : QStringLiteral("file_not_writable");
    facts.roles = facts.readOnly ? QStringList{allRoles.first()} : allRoles;
    return facts;
}

} // namespace unavez::stores
