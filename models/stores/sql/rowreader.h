// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/rows.h"
#include "models/stores/sql/sqlconnection.h"

// The store's rows as values, the same on both databases: times are selected as milliseconds, arrays as JSON text.
// Every <row>Columns() is a select list for the table under `alias`; its reader takes such a row.
namespace unavez::stores {

class RowReader
{
public:
    explicit RowReader(bool postgres)
        : m_postgres(postgres)
    {
    }

    bool isPostgres() const { return m_postgres; }
    QString ms(const QString& column) const; // a time as milliseconds, "infinity" as Instant::never()
    QString time() const; // a placeholder that takes milliseconds as a time
    QString now() const; // the store's clock, as a time
    QString array(const QString& column) const; // a text array as JSON text

    QString eventColumns(const QString& alias) const; // with its source's name and whether its body is kept
    QString jobColumns(const QString& alias) const;
    QString intentColumns(const QString& alias) const;
    QString useColumns(const QString& alias) const; // wants `j`, the use's job
    QString reservationColumns(const QString& alias) const; // never the request bytes
    QString callColumns(const QString& alias) const;
    QString reconciliationColumns(const QString& alias) const;
    QString holdColumns(const QString& alias) const;
    QString incidentColumns(const QString& alias) const;
    QString proposalColumns(const QString& alias) const;
    QString serviceColumns(const QString& alias) const;
    QString logColumns(const QString& alias) const;
    QString noteColumns(const QString& alias) const;

private:
    QString selected(
        const QString& alias, const QStringList& plain, const QStringList& times, const QStringList& arrays = {}) const;

    bool m_postgres = false;
};

contract::Event readEvent(const SqlRow& row);
contract::Job readJob(const SqlRow& row);
contract::Intent readIntent(const SqlRow& row);
contract::IntentUse readUse(const SqlRow& row);
contract::Reservation readReservation(const SqlRow& row);
contract::ProviderCall readCall(const SqlRow& row);
contract::Reconciliation readReconciliation(const SqlRow& row);
contract::Hold readHold(const SqlRow& row);
contract::Incident readIncident(const SqlRow& row);
contract::Proposal readProposal(const SqlRow& row);
contract::ServiceRow readService(const SqlRow& row);
contract::LogEntry readLogEntry(const SqlRow& row);
contract::CaseNote readNote(const SqlRow& row);

QString textOf(const SqlRow& row, const char* column);
qint64 numberOf(const SqlRow& row, const char* column);
contract::Instant instantOf(const SqlRow& row, const char* column);
std::optional<QString> maybeText(const SqlRow& row, const char* column);
std::optional<qint64> maybeNumber(const SqlRow& row, const char* column);
std::optional<int> maybeInt(const SqlRow& row, const char* column);
std::optional<bool> maybeBool(const SqlRow& row, const char* column);
std::optional<contract::Instant> maybeInstant(const SqlRow& row, const char* column);
std::optional<contract::Money> maybeMoney(const SqlRow& row);
// Absent for null and for a word this program does not know.
template <typename E> std::optional<E> maybeWord(const SqlRow& row, const char* column)
{
    const auto text = maybeText(row, column);
    return text ? contract::fromString<E>(*text) : std::nullopt;
}
// For columns that a check constraint keeps to the words of the contract.
template <typename E> E wordIn(const SqlRow& row, const char* column)
{
    return maybeWord<E>(row, column).value_or(E{});
}

} // namespace unavez::stores
