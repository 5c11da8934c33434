// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/time.h"

#include <QCommandLineParser>

namespace unavez::sandbox {

enum ExitCode { ExitDone = 0, ExitRefused = 1, ExitUsage = 2, ExitNoStore = 3, ExitWrong = 4 };

// "20min", "1h 30min", "25 h", "500ms", "2d", "-90s": numbers with ms, s, min (or m), h, d. Invalid else.
contract::Result<contract::Millis> durationOf(const QString& text);

// Prints "unavez-sandbox: <message>" to stderr and gives the code back.
int complain(int code, const QString& message);
// The error's own words, and the code its kind stands for.
int complain(const contract::Error& error);

// The options of one subcommand.
class Arguments
{
public:
    Arguments(const QString& command, const QString& summary);

    void option(const char* name, const char* value, const char* description, const QString& otherwise = {});
    void flag(const char* name, const char* description);
    // `most`: how many positional arguments it may have beyond these.
    void positional(const char* name, const char* description);
    // An exit code when there is nothing more to do: help was shown, or the usage is wrong. `needed` options must be
    // given, and exactly the positional arguments named above.
    std::optional<int> parse(const QStringList& arguments, const QStringList& needed = {});

    bool has(const char* name) const { return m_parser.isSet(QLatin1String(name)); }
    QString value(const char* name) const { return m_parser.value(QLatin1String(name)); }
    QStringList values(const char* name) const { return m_parser.values(QLatin1String(name)); }
    QString at(int positional) const { return m_parser.positionalArguments().value(positional); }
    // A whole number from `least` to `most`; Invalid else.
    contract::Result<int> number(const char* name, int least, int most) const;

private:
    QCommandLineParser m_parser;
    QString m_command;
    qsizetype m_positional = 0;
};

} // namespace unavez::sandbox
