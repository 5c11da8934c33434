// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/terminal.h"

#include "ui/text/sentences.h"

#include <QCoreApplication>
#include <QJsonDocument>

namespace unavez::ctl {

using namespace contract;

Terminal::Terminal(QTextStream& out, QTextStream& err, bool json)
    : m_out(out)
    , m_err(err)
    , m_json(json)
{
}

void Terminal::answer(const QJsonObject& object)
{
    m_out << QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact)) << '\n';
    m_out.flush();
}

void Terminal::problem(const QString& kind, const QString& reason, const QString& message)
{
    if (m_json) {
        const QJsonObject error{{QStringLiteral("kind"), kind},
            {QStringLiteral("reason"), reason.isEmpty() ? QJsonValue() : QJsonValue(reason)},
            {QStringLiteral("message"), message}};
        m_err << QString::fromUtf8(
            QJsonDocument(QJsonObject{{QStringLiteral("error"), error}}).toJson(QJsonDocument::Compact))
              << '\n';
    } else {
        m_err << printable(message) << '\n';
    }
    m_err.flush();
}

Exit Terminal::usage(const QString& message)
{
    problem(QStringLiteral("usage"), {}, message);
    return Exit::Usage;
}

Exit Terminal::failed(const Error& error)
{
    problem(wordOf(error.kind), {}, text::sentence(error));
    switch (error.kind) {
    case Error::Kind::NotFound:
    case Error::Kind::Conflict:
    case Error::Kind::Refused: return Exit::Refused;
    case Error::Kind::Invalid: return Exit::Usage;
    default: return Exit::NoStore;
    }
}

Exit Terminal::noStore(const Error& error)
{
    const auto message = error.kind == Error::Kind::NotFound
        ? Ctl::tr("There is no store there. unavezctl migrate makes one.")
        : text::sentence(error);
    problem(wordOf(error.kind), {}, message);
    return Exit::NoStore;
}

void Terminal::warn(const QString& message)
{
    if (m_json)
        return;
    m_err << printable(message) << '\n';
    m_err.flush();
}

Exit Terminal::refused(const Because& because)
{
    problem(QStringLiteral("refused"), wordOf(because.reason), text::sentence(because));
    return because.reason == Reason::StoreUnreachable || because.reason == Reason::SchemaNewer ? Exit::NoStore
                                                                                               : Exit::Refused;
}

Exit Terminal::refused(const QString& message, const QString& reasonCode)
{
    problem(QStringLiteral("refused"), reasonCode, message);
    return Exit::Refused;
}

QString printable(const QString& text)
{
    QString safe;
    safe.reserve(text.size());
    for (const auto character : text)
        safe.append(character.isSpace() ? QLatin1Char(' ') : character.isPrint() ? character : QChar(0xFFFD));
    return safe;
}

QString aligned(const QList<QStringList>& rows, int indent)
{
    QList<qsizetype> widths;
    for (const auto& row : rows) {
        for (qsizetype i = 0; i < row.size(); ++i) {
            if (i == widths.size())
                widths.append(0);
            widths[i] = std::max(widths.at(i), printable(row.at(i)).size());
        }
    }
    QString text;
    for (const auto& row : rows) {
        QString line(indent, QLatin1Char(' '));
        for (qsizetype i = 0; i < row.size(); ++i) {
            const auto cell = printable(row.at(i));
            line += i + 1 == row.size() ? cell : cell.leftJustified(widths.at(i) + 2);
        }
        while (line.endsWith(QLatin1Char(' ')))
            line.chop(1);
        text += line + QLatin1Char('\n');
    }
    return text;
}

} // namespace unavez::ctl
