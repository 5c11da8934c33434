// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/composition.h"
#include "app/service/signals.h"

#include <QCommandLineParser>
#include <QCoreApplication>

#include <cstdio>

using namespace unavez;
using namespace unavez::service;

namespace {

int refuse(const BootRefusal& refusal)
{
    std::fprintf(stderr, "unavezd: %s\n", qPrintable(refusal.sentence));
    return refusal.exit;
}

int check(const ReadConfig& config, const ServiceParts& parts)
{
    const auto session = parts.openStore();
    if (!session)
        return refuse(storeRefusal(config.settings.store, session.error()));
    const auto store = checkStore(**session, config);
    if (!store)
        return refuse(store.error());
    std::printf("%s and its store are good to start on.\n", qPrintable(config.file));
    return ExitDone;
}

} // namespace

int main(int argc, char** argv)
{
    StopSignals::block(); // before any thread: all of them inherit it
    QCoreApplication app(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("unavezd"));
    QCoreApplication::setApplicationVersion(QStringLiteral(UNAVEZ_VERSION));

    QCommandLineParser arguments;
    arguments.setApplicationDescription(
        QStringLiteral("Takes webhooks in, runs their jobs, and sends each effect once."));
    const QCommandLineOption configFile(
        QStringLiteral("config"), QStringLiteral("The TOML file to run on."), QStringLiteral("FILE"));
    const QCommandLineOption checkOnly(
        QStringLiteral("check"), QStringLiteral("Check the file and its store, change nothing, and end."));
    arguments.addOptions({configFile, checkOnly});
    const auto help = arguments.addHelpOption();
    const auto version = arguments.addVersionOption();
    if (!arguments.parse(QCoreApplication::arguments()))
        return refuse({ExitUsage, arguments.errorText()});
    if (arguments.isSet(help)) {
        std::fputs(qPrintable(arguments.helpText()), stdout);
        return ExitDone;
    }
    if (arguments.isSet(version)) {
        std::printf("unavezd %s\n", UNAVEZ_VERSION);
        return ExitDone;
    }
    if (!arguments.isSet(configFile) || !arguments.positionalArguments().isEmpty())
        return refuse({ExitUsage, QStringLiteral("say --config FILE; --help tells the rest.")});

    const auto config = readConfig(arguments.value(configFile));
    if (!config)
        return refuse(settingRefusal(config.error()));
    for (const auto& warning : config->warnings)
        std::fprintf(stderr, "unavezd: %s\n", qPrintable(text::sentence(warning)));
    auto parts = composed(*config);
    if (!parts)
        return refuse(settingRefusal(parts.error()));
    if (arguments.isSet(checkOnly))
        return check(*config, *parts);

    Log log;
    logQtMessages(log);
    Service service(*config, std::move(*parts), log);
    if (const auto refusal = service.start())
        return refuse(*refusal);
    StopSignals stop([&service] { service.drain(); });
    const int ended = QCoreApplication::exec();
    logQtMessages();
    return ended;
}
