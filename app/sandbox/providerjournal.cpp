// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/providerjournal.h"

#include <QJsonDocument>
#include <QSaveFile>

namespace unavez::sandbox {

using contract::done;
using contract::Error;
using contract::fail;
using contract::Instant;
using contract::Result;

namespace {

QByteArray lineOf(const QJsonObject& record) { return QJsonDocument(record).toJson(QJsonDocument::Compact) + '\n'; }

QList<LedgerLine> ledgerLinesOf(const QJsonObject& record)
{
    QList<LedgerLine> lines;
    for (const auto& json : record.value(QLatin1String("ledger")).toArray()) {
        if (const auto line = ledgerLineOf(json.toObject()))
            lines.append(*line);
    }
    return lines;
}

Error unwritable(const QFileDevice& file)
{
    return {Error::Kind::Invalid, QStringLiteral("state %1: %2").arg(file.fileName(), file.errorString()), 0};
}

} // namespace

ProviderJournal::ProviderJournal(const QString& statePath, const QString& ledgerPath)
    : m_file(statePath)
    , m_ledger(ledgerPath)
{
}

Result<> ProviderJournal::load(ProviderState& state)
{
    if (!m_file.exists())
        return done();
    if (!m_file.open(QIODevice::ReadOnly))
        return fail(unwritable(m_file));
    for (int number = 1; !m_file.atEnd(); ++number) {
        const auto text = m_file.readLine();
        if (!text.endsWith('\n'))
            break; // the crash came while it was written: its answer never left
        const auto record = QJsonDocument::fromJson(text).object();
        if (record.isEmpty())
            return fail(Error::Kind::Corrupt,
                QStringLiteral("state %1, line %2 is no record of a provider").arg(m_file.fileName()).arg(number));
        state.apply(record);
        m_ledgerLines += record.value(QLatin1String("ledger_lines")).toInteger();
        const auto lines = ledgerLinesOf(record);
        m_recent += lines;
        m_ledgerLines += lines.size();
    }
    m_file.close();
    return done();
}

Result<> ProviderJournal::mendLedger()
{
    const auto there = m_ledger.open();
    if (!there)
        return fail(there.error());
    const auto missing = std::clamp<qsizetype>(static_cast<qsizetype>(m_ledgerLines - *there), 0, m_recent.size());
    for (const auto& line : m_recent.last(missing)) {
        if (auto written = m_ledger.append(line); !written)
            return written;
    }
    m_ledgerLines = std::max(m_ledgerLines, *there);
    m_recent.clear();
    return done();
}

Result<> ProviderJournal::open(ProviderState& state, Instant now)
{
    if (auto loaded = load(state); !loaded)
        return loaded;
    if (auto mended = mendLedger(); !mended)
        return mended;
    auto whole = state.snapshot(now);
    whole.insert(QStringLiteral("ledger_lines"), m_ledgerLines);
    static_cast<void>(state.takeChanges());
    QSaveFile anew(m_file.fileName());
    const auto text = lineOf(whole);
    if (!anew.open(QIODevice::WriteOnly) || anew.write(text) != text.size() || !anew.commit())
        return fail(unwritable(anew));
    if (!m_file.open(QIODevice::WriteOnly | QIODevice::Append))
        return fail(unwritable(m_file));
    return done();
}

Result<> ProviderJournal::write(const QJsonObject& record)
{
    const auto text = lineOf(record);
    if (m_file.write(text) != text.size() || !m_file.flush())
        return fail(Error::Kind::Full, QStringLiteral("state %1: %2").arg(m_file.fileName(), m_file.errorString()));
    return done();
}

Result<> ProviderJournal::keep(ProviderState& state)
{
    const auto record = state.takeChanges();
    if (record.isEmpty())
        return done();
    if (auto written = write(record); !written)
        return written;
    const auto lines = ledgerLinesOf(record);
    for (const auto& line : lines) {
        if (auto written = m_ledger.append(line); !written)
            return written;
        ++m_ledgerLines;
    }
    return done();
}

} // namespace unavez::sandbox
