// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/agent.h"
#include "app/sandbox/arguments.h"
#include "app/sandbox/backend.h"
#include "app/sandbox/commands.h"
#include "app/sandbox/jsonfile.h"
#include "app/sandbox/provider.h"

#include <QRandomGenerator>

#include <cstdio>
#include <unistd.h>

// The subcommands that serve until they are told to end.
namespace unavez::sandbox {

namespace {

void addListening(Arguments& arguments)
{
    arguments.option(
        "listen", "ADDRESS", "Loopback address and port; port 0 is any free one.", QStringLiteral("127.0.0.1:0"));
    arguments.option("ports-file", "FILE", "Written once it listens: {\"url\",\"port\",\"pid\"}.");
}

int serve(const Arguments& arguments, const char* what, HttpServer::Respond respond, const ServerLimits& limits,
    Surroundings& around)
{
    const auto server = HttpServer::listen(arguments.value("listen"), std::move(respond), limits);
    if (!server)
        return complain(server.error());
    if (arguments.has("ports-file")) {
        const auto written = writeJsonFile(arguments.value("ports-file"),
            {{QStringLiteral("url"), (*server)->url()}, {QStringLiteral("port"), (*server)->port()},
                {QStringLiteral("pid"), qint64{getpid()}}});
        if (!written)
            return complain(written.error());
    }
    std::printf("%s listens on %s\n", what, qUtf8Printable((*server)->url()));
    std::fflush(stdout);
    around.ending.wait();
    return ExitDone;
}

QString randomSeed()
{
    constexpr int base = 36;
    return QString::number(QRandomGenerator::system()->generate64(), base).left(8);
}

} // namespace

int runProvider(const QStringList& given, Surroundings& around)
{
    Arguments arguments(QStringLiteral("provider"),
        QStringLiteral("A payment provider: payment intents, customers, idempotency keys kept for 24 h. The credential "
                       "of account acct_1 is sk_practice_acct_1."));
    addListening(arguments);
    arguments.option("ledger", "FILE", "JSON lines: every request, and whether money moved.");
    arguments.option("state", "FILE", "What it remembers; a restarted provider goes on from it.");
    arguments.option("account", "ID", "An account it knows; may be given more than once.", QStringLiteral("acct_1"));
    arguments.option("idle", "DURATION", "Drops connections that are silent for so long.", QStringLiteral("60s"));
    if (const auto end = arguments.parse(given, {QStringLiteral("ledger"), QStringLiteral("state")}))
        return *end;
    const auto idle = durationOf(arguments.value("idle"));
    if (!idle || *idle <= contract::Millis{0})
        return complain(ExitUsage, QStringLiteral("--idle takes a duration like 60s"));
    const contract::SystemHostClock clock;
    Provider provider(
        arguments.values("account"), randomSeed(), arguments.value("state"), arguments.value("ledger"), clock);
    if (const auto opened = provider.open(); !opened)
        return complain(opened.error());
    QStringList customers;
    for (const auto& invoice : practiceInvoices())
        customers.append(invoice.customer);
    if (const auto welcomed = provider.welcome(customers); !welcomed)
        return complain(welcomed.error());
    ServerLimits limits;
    limits.idle = *idle;
    return serve(
        arguments, "provider",
        [&](const ServedRequest& request, const std::stop_token& stop) { return provider.respond(request, stop); },
        limits, around);
}

int runBackend(const QStringList& given, Surroundings& around)
{
    Arguments arguments(QStringLiteral("backend"),
        QStringLiteral("Invoices inv_1 … inv_9 and inv_42: GET /invoices/inv_42, PUT to change or make one."));
    addListening(arguments);
    if (const auto end = arguments.parse(given))
        return *end;
    Backend backend(practiceInvoices());
    return serve(
        arguments, "backend",
        [&](const ServedRequest& request, const std::stop_token&) { return backend.respond(request); }, {}, around);
}

int runAgent(const QStringList& given, Surroundings& around)
{
    Arguments arguments(QStringLiteral("agent"),
        QStringLiteral("The handler behind the worker: POST /run charges the invoice of the event through the gate."));
    addListening(arguments);
    arguments.option("gate", "URL", "Where the gate listens.");
    arguments.option("gate-ports", "FILE", "unavezd's ports file, read at every call; instead of --gate.");
    arguments.option("gate-token-file", "FILE", "The gate's bearer token.");
    arguments.option("repeat", "N", "Asks for the same charge so many times.", QStringLiteral("1"));
    arguments.option("slow", "DURATION", "Thinks so long before it asks.", QStringLiteral("0s"));
    if (const auto end = arguments.parse(given, {QStringLiteral("gate-token-file")}))
        return *end;
    const auto repeat = arguments.number("repeat", 1, 1000);
    const auto slow = durationOf(arguments.value("slow"));
    if (arguments.has("gate") == arguments.has("gate-ports") || !repeat || !slow || *slow < contract::Millis{0})
        return complain(ExitUsage,
            QStringLiteral("agent takes one of --gate and --gate-ports, --repeat 1 to 1000, --slow like 5s"));
    const auto token = readSecretFile(arguments.value("gate-token-file"));
    if (!token)
        return complain(token.error());
    const auto url = arguments.value("gate");
    const auto ports = arguments.value("gate-ports");
    const auto gateUrl = [&url, &ports]() -> QString {
        if (!url.isEmpty())
            return url;
        const auto read = readJsonFile(ports);
        return QStringLiteral("http://127.0.0.1:%1").arg(read ? read->value(QLatin1String("gate")).toInt() : 0);
    };
    Agent agent({gateUrl, *token, *repeat, *slow});
    return serve(
        arguments, "agent",
        [&](const ServedRequest& request, const std::stop_token& stop) { return agent.respond(request, stop); }, {},
        around);
}

} // namespace unavez::sandbox
