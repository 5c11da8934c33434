// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/arguments.h"

#include <QRegularExpression>

#include <cstdio>

namespace unavez::sandbox {

using contract::Error;
using contract::fail;
using contract::Millis;
using contract::Result;

Result<Millis> durationOf(const QString& text)
{
    static const QRegularExpression whole(QStringLiteral("^\\s*(-?)((?:\\s*\\d{1,9}\\s*(?:ms|s|min|m|h|d))+)\\s*$"));
    static const QRegularExpression part(QStringLiteral("(\\d+)\\s*(ms|s|min|m|h|d)"));
    const auto match = whole.match(text);
    if (!match.hasMatch())
        return fail(Error::Kind::Invalid, QStringLiteral("%1 is no duration like 20min or 25h").arg(text.left(40)));
    qint64 total = 0;
    auto parts = part.globalMatch(match.captured(2));
    while (parts.hasNext()) {
        const auto one = parts.next();
        const auto unit = one.captured(2);
        const qint64 each = unit == QLatin1String("ms") ? 1
            : unit == QLatin1String("s")                ? 1000
            : unit == QLatin1String("h")                ? 3'600'000
            : unit == QLatin1String("d")                ? 86'400'000
                                                        : 60'000;
        total += one.captured(1).toLongLong() * each;
    }
    return Millis{match.captured(1).isEmpty() ? total : -total};
}

int complain(int code, const QString& message)
{
    std::fprintf(stderr, "unavez-sandbox: %s\n", qUtf8Printable(message));
    return code;
}

int complain(const Error& error)
{
    const auto words = error.detail.isEmpty()
        ? contract::wordOf(error.kind)
        : QStringLiteral("%1 (%2)").arg(error.detail, contract::wordOf(error.kind));
    switch (error.kind) {
    case Error::Kind::SchemaMissing:
    case Error::Kind::SchemaNewer: return complain(ExitNoStore, words);
    default: return complain(ExitRefused, words);
    }
}

Arguments::Arguments(const QString& command, const QString& summary)
    : m_command(command)
{
    m_parser.setApplicationDescription(summary);
    m_parser.addOption({QStringLiteral("help"), QStringLiteral("Shows this.")});
}

void Arguments::option(const char* name, const char* value, const char* description, const QString& otherwise)
{
    m_parser.addOption({QLatin1String(name), QLatin1String(description), QLatin1String(value), otherwise});
}

void Arguments::flag(const char* name, const char* description)
{
    m_parser.addOption({QLatin1String(name), QLatin1String(description)});
}

void Arguments::positional(const char* name, const char* description)
{
    m_parser.addPositionalArgument(QLatin1String(name), QLatin1String(description));
    ++m_positional;
}

std::optional<int> Arguments::parse(const QStringList& arguments, const QStringList& needed)
{
    const QStringList all = QStringList{QStringLiteral("unavez-sandbox %1").arg(m_command)} + arguments;
    const bool isParsed = m_parser.parse(all);
    if (isParsed && m_parser.isSet(QStringLiteral("help"))) {
        // Qt names the program alone in its first line.
        const auto help = m_parser.helpText();
        const auto options = help.indexOf(QLatin1String("[options]"));
        std::printf("Usage: unavez-sandbox %s %s", qUtf8Printable(m_command), qUtf8Printable(help.mid(options)));
        return ExitDone;
    }
    if (!isParsed)
        return complain(ExitUsage, m_parser.errorText());
    for (const auto& name : needed) {
        if (!m_parser.isSet(name))
            return complain(ExitUsage, QStringLiteral("%1 needs --%2").arg(m_command, name));
    }
    if (m_parser.positionalArguments().size() != m_positional)
        return complain(ExitUsage,
            QStringLiteral("%1 takes %2 argument(s); try unavez-sandbox %1 --help").arg(m_command).arg(m_positional));
    return std::nullopt;
}

Result<int> Arguments::number(const char* name, int least, int most) const
{
    bool isNumber = false;
    const int number = value(name).toInt(&isNumber);
    if (!isNumber || number < least || number > most)
        return fail(Error::Kind::Invalid,
            QStringLiteral("--%1 takes a whole number from %2 to %3").arg(QLatin1String(name)).arg(least).arg(most));
    return number;
}

} // namespace unavez::sandbox
