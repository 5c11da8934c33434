// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/commands.h"

#include "app/sandbox/arguments.h"

#include <cstdio>

namespace unavez::sandbox {

namespace {

struct Command
{
    const char* name;
    const char* summary;
    int (*run)(const QStringList&, Surroundings&);
};

constexpr Command commands[]{
    {"provider", "a payment provider with the documented idempotency behaviour", runProvider},
    {"backend", "invoices, as a shop's own system would serve them", runBackend},
    {"agent", "the handler behind the worker, charging through the gate", runAgent},
    {"send", "really signed deliveries: duplicates, bursts, forged, skewed", runSend},
    {"age", "moves a practice store and its provider into the past", runAge},
    {"drill", "builds the state of an incident by really running it", runDrill},
    {"judge", "says whether a drill has ended right", runJudge},
};

void showHelp(FILE* to)
{
    std::fputs("Usage: unavez-sandbox COMMAND …\n\nSomewhere to practise. Nothing here touches a live store.\n\n", to);
    for (const auto& command : commands)
        std::fprintf(to, "  %-9s %s\n", command.name, command.summary);
    std::fputs("\nunavez-sandbox COMMAND --help tells a command's options.\n", to);
}

} // namespace

int run(const QStringList& arguments, Surroundings& around)
{
    const auto name = arguments.value(0);
    if (name == QLatin1String("--help") || name == QLatin1String("-h")) {
        showHelp(stdout);
        return ExitDone;
    }
    if (name == QLatin1String("--version")) {
        std::puts("unavez-sandbox " UNAVEZ_VERSION);
        return ExitDone;
    }
    for (const auto& command : commands) {
        if (name == QLatin1String(command.name))
            return command.run(arguments.mid(1), around);
    }
    showHelp(stderr);
    return ExitUsage;
}

} // namespace unavez::sandbox
