// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/arguments.h"
#include "app/sandbox/commands.h"
#include "app/sandbox/drills.h"
#include "app/sandbox/jsonfile.h"
#include "app/sandbox/judge.h"
#include "app/sandbox/webrequest.h"

#include <QJsonDocument>

#include <cstdio>

namespace unavez::sandbox {

using contract::Error;

namespace {

int complainOfStore(const Error& error)
{
    const bool isAway = error.kind == Error::Kind::Offline || error.kind == Error::Kind::NotFound;
    return isAway ? complain(ExitNoStore, error.detail) : complain(error);
}

int complainOfDrill(const QString& name)
{
    return complain(
        ExitUsage, QStringLiteral("%1 is no drill; there are %2").arg(name, drillNames().join(QStringLiteral(", "))));
}

int failed(const Error& error, const Stage& stage)
{
    if (error.kind == Error::Kind::Cancelled)
        return complain(ExitRefused, QStringLiteral("ended before the state stood"));
    const int code = complain(error);
    if (const auto words = stage.lastWords(); !words.isEmpty())
        std::fprintf(stderr, "%s\n", qUtf8Printable(words));
    return code;
}

} // namespace

int runAge(const QStringList& given, Surroundings& around)
{
    Arguments arguments(QStringLiteral("age"),
        QStringLiteral("Moves every stored time of a practice store, and all its provider remembers, into the past. "
                       "Durations: 20min, 25h, 1h30min; negative ones let a clock go back."));
    arguments.positional("DURATION", "How long ago it shall be.");
    arguments.option("store", "URL", "The practice store.");
    arguments.option("provider-url", "URL", "The practice provider that belongs to it.");
    if (const auto end = arguments.parse(given, {QStringLiteral("store")}))
        return *end;
    const auto by = durationOf(arguments.at(0));
    if (!by)
        return complain(ExitUsage, by.error().detail);
    const auto clock = arguments.value("provider-url") + QStringLiteral("/_clock");
    if (arguments.has("provider-url")) {
        // Asked before the store moves: one of them alone in the past would be no state anybody meets.
        if (const auto there = posted(clock, {{QStringLiteral("shift_ms"), 0}}); !there)
            return complain(ExitRefused, QStringLiteral("the provider does not answer: %1").arg(there.error().detail));
    }
    if (const auto aged = around.stores.age(arguments.value("store"), *by); !aged)
        return complainOfStore(aged.error());
    if (arguments.has("provider-url")) {
        const auto shifted = posted(clock, {{QStringLiteral("shift_ms"), qint64{-by->count()}}});
        if (!shifted)
            return complain(ExitRefused,
                QStringLiteral("the store is older now, the provider is not: %1").arg(shifted.error().detail));
    }
    return ExitDone;
}

int runDrill(const QStringList& given, Surroundings& around)
{
    Arguments arguments(QStringLiteral("drill"),
        QStringLiteral("Builds the state of an incident by really running it, tells by the ready file when it stands, "
                       "and keeps everything running until SIGINT. Drills: %1.")
            .arg(drillNames().join(QStringLiteral(", "))));
    arguments.positional("NAME", "Which drill.");
    arguments.option("store", "URL", "A practice store; made where there is none.");
    arguments.option("ready-file", "FILE", "Written when the state stands.");
    arguments.option("bin-dir", "FOLDER", "Where unavezd is.", around.binDir);
    arguments.option("slow", "DURATION", "live-lease: how long the agent thinks.", QStringLiteral("60s"));
    if (const auto end = arguments.parse(given, {QStringLiteral("store"), QStringLiteral("ready-file")}))
        return *end;
    const auto name = arguments.at(0);
    auto settings = stageFor(name);
    if (!settings)
        return complainOfDrill(name);
    const auto slow = durationOf(arguments.value("slow"));
    if (!slow || *slow < contract::Seconds{2}) // a lease nobody sees is no drill
        return complain(ExitUsage, QStringLiteral("--slow takes a duration like 60s, at least 2s"));
    if (settings->agentThinks.count() > 0)
        settings->agentThinks = std::chrono::duration_cast<contract::Seconds>(*slow);
    settings->store = arguments.value("store");
    settings->binDir = arguments.value("bin-dir");

    Stage stage(*settings, around.stores, around.ending);
    if (const auto raised = stage.raise(); !raised)
        return failed(raised.error(), stage);
    if (const auto done = played(name, stage); !done)
        return failed(done.error(), stage);
    const auto ready = stage.ready();
    if (!ready)
        return failed(ready.error(), stage);
    if (const auto written = writeJsonFile(arguments.value("ready-file"), jsonOf(*ready)); !written)
        return failed(written.error(), stage);
    std::printf("%s stands; Ctrl+C ends it\n", qUtf8Printable(name));
    std::fflush(stdout);
    while (!around.ending.isAskedWithin(contract::Millis{500})) {
        const auto fallen = stage.fallen();
        for (const auto& program : fallen)
            std::fprintf(stderr, "unavez-sandbox: %s has ended\n", qUtf8Printable(program));
    }
    return ExitDone;
}

int runJudge(const QStringList& given, Surroundings& around)
{
    Arguments arguments(QStringLiteral("judge"),
        QStringLiteral("Reads the store and the provider's own ledger. Ends 0 right, 1 not yet, 4 wrong for good."));
    arguments.positional("NAME", "Which drill.");
    arguments.option("ready-file", "FILE", "What the drill wrote.");
    if (const auto end = arguments.parse(given, {QStringLiteral("ready-file")}))
        return *end;
    const auto name = arguments.at(0);
    if (!drillNames().contains(name))
        return complainOfDrill(name);
    const auto json = readJsonFile(arguments.value("ready-file"));
    if (!json)
        return complain(ExitNoStore, json.error().detail);
    const auto ready = readyFileOf(*json);
    if (!ready)
        return complain(ExitUsage, ready.error().detail);
    if (ready->drill != name)
        return complain(ExitUsage, QStringLiteral("that ready file is of the drill %1").arg(ready->drill));
    const auto reader = around.stores.read(ready->store);
    if (!reader)
        return complainOfStore(reader.error());
    const auto facts = judgedFacts(*ready, (*reader)->queries());
    if (!facts)
        return complainOfStore(facts.error());
    const auto judgement = judged(*facts);
    std::puts(QJsonDocument(jsonOf(judgement, name)).toJson(QJsonDocument::Compact).constData());
    return judgement.exitCode();
}

} // namespace unavez::sandbox
