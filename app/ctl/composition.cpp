// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/composition.h"

#include "app/ctl/verbs.h"
#include "models/providers/backendlookup.h"
#include "models/stores/sql/migrator.h"
#include "models/stores/sql/sqlactionstore.h"
#include "models/stores/sql/sqlstorequeries.h"

#include <QCoreApplication>

namespace unavez::ctl {

using namespace contract;

namespace {

Exit runMigrate(const Arguments& arguments, Terminal& terminal, const stores::StoreUrl& url)
{
    // Only a migration that can end makes a file: a forgotten mode leaves nothing behind.
    const auto connection
        = stores::SqlConnection::open(url, stores::SqlConnection::Access::ReadWrite, arguments.mode.has_value());
    const auto needsMode = [&terminal] {
        return terminal.usage(
            Ctl::tr("A new store needs its mode, for good: add --mode live, --mode test or --mode practice."));
    };
    if (!connection)
        return connection.error().kind == Error::Kind::NotFound && !arguments.mode
            ? needsMode()
            : terminal.noStore(connection.error());
    if (!arguments.mode) {
        const auto there = stores::schemaOf(**connection);
        if (!there && there.error().kind == Error::Kind::SchemaMissing)
            return needsMode();
    }
    const auto migration = stores::migrate(**connection, arguments.mode);
    if (!migration)
        return migration.error().kind == Error::Kind::Invalid ? terminal.failed(migration.error())
                                                              : terminal.noStore(migration.error());
    if (terminal.wantsJson()) {
        terminal.answer({{QStringLiteral("from"), migration->from}, {QStringLiteral("to"), migration->to}});
    } else if (migration->from == migration->to) {
        terminal.text() << Ctl::tr("The schema is %1 already; nothing to do.").arg(migration->to) << '\n';
    } else if (migration->from == 0) {
        terminal.text() << Ctl::tr("Made the schema %1.").arg(migration->to) << '\n';
    } else {
        terminal.text() << Ctl::tr("Upgraded the schema from %1 to %2.").arg(migration->from).arg(migration->to)
                        << '\n';
    }
    terminal.text().flush();
    return Exit::Done;
}

// A person waits: shorter than a service would.
constexpr providers::HttpLimits backendLimits{Millis{3000}, Millis{5000}, 16 * 1024, 64 * 1024};

BackendFact askBackend(const QString& url) { return providers::askBackend(url, backendLimits, providers::TlsTrust()); }

using Verb = Exit (*)(Desk&);

Verb verbNamed(const QString& name)
{
    static const QHash<QString, Verb> verbs{{QStringLiteral("status"), runStatus}, {QStringLiteral("list"), runList},
        {QStringLiteral("case"), runCase}, {QStringLiteral("log"), runLog}};
    return verbs.value(name, runAction);
}

} // namespace

Exit run(const Arguments& arguments, Terminal& terminal)
{
    const auto url = stores::parsedStoreUrl(arguments.store);
    if (!url)
        return terminal.usage(
            Ctl::tr("%1 is no store address (%2).").arg(QStringLiteral("--store"), url.error().detail));
    if (!url->password.isEmpty())
        terminal.warn(Ctl::tr("A password in the address can be read by others on this host. Use PGPASSFILE."));
    if (arguments.verb == QLatin1String("migrate"))
        return runMigrate(arguments, terminal, *url);

    const auto connection = stores::SqlConnection::open(*url);
    if (!connection)
        return terminal.noStore(connection.error());
    if (const auto schema = stores::checkSchema(**connection); !schema)
        return terminal.noStore(schema.error());
    stores::SqlStoreQueries queries(**connection);
    stores::SqlActionStore actions(**connection);
    Desk desk{arguments, terminal, queries, actions, url->display(), askBackend};
    return verbNamed(arguments.verb)(desk);
}

} // namespace unavez::ctl
