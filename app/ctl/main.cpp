// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/composition.h"
#include "ui/text/sentences.h"

#include <QCoreApplication>
#include <QLocale>

#include <cstdio>

int main(int argc, char** argv)
{
    using namespace unavez;
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("unavezctl"));
    QCoreApplication::setApplicationVersion(QStringLiteral(UNAVEZ_VERSION));
    text::installLanguage(QLocale::system().name().left(2));

    QTextStream out(stdout);
    QTextStream err(stderr);
    const auto words = QCoreApplication::arguments().mid(1);
    const auto arguments = ctl::parsed(words, qEnvironmentVariable("UNAVEZ_STORE"));
    ctl::Terminal terminal(out, err, words.contains(QStringLiteral("--json")));
    if (!arguments)
        return static_cast<int>(terminal.usage(arguments.error().message));
    if (arguments->verb == QLatin1String("help"))
        out << ctl::usage();
    else if (arguments->verb == QLatin1String("version"))
        out << QCoreApplication::applicationName() << ' ' << QCoreApplication::applicationVersion() << '\n';
    else
        return static_cast<int>(ctl::run(*arguments, terminal));
    return 0;
}
