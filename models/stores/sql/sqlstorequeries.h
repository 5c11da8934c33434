// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/storequeries.h"
#include "models/stores/sql/listqueries.h"
#include "models/stores/sql/sqlconnection.h"

namespace unavez::stores {

// The operator's reads on SQLite and PostgreSQL. Lives in its connection's thread.
class SqlStoreQueries final : public contract::StoreQueries
{
public:
    explicit SqlStoreQueries(SqlConnection& connection, contract::GuardPolicy policy = {});

    contract::Capabilities capabilities() const override;
    contract::Result<contract::StoreInfo> info() override;
    contract::Result<contract::StoreFacts> facts() override;
    contract::Result<contract::StoreStatus> status() override;

    contract::Result<contract::Page<contract::ReservationRow>> stuck(const contract::PageRequest&) override;
    contract::Result<contract::Page<contract::ReservationRow>> unknown(const contract::PageRequest&) override;
    contract::Result<contract::Page<contract::ReservationRow>> keys(const contract::PageRequest&) override;
    contract::Result<contract::Page<contract::FailedRow>> failed(const contract::PageRequest&) override;
    contract::Result<contract::Page<contract::DeadRow>> dead(const contract::PageRequest&) override;
    contract::Result<contract::Page<contract::LeaseRow>> leases(const contract::PageRequest&) override;
    contract::Result<contract::Page<contract::Event>> lost(const contract::PageRequest&) override;
    contract::Result<contract::Page<contract::Event>> events(const contract::PageRequest&) override;
    contract::Result<contract::Page<contract::SignatureRow>> signatures(const contract::PageRequest&) override;
    contract::Result<contract::Page<contract::LogEntry>> log(const contract::PageRequest&) override;
    contract::Result<contract::Page<contract::Incident>> incidents(const contract::PageRequest&) override;
    contract::Result<QList<contract::ServiceRow>> services() override;
    contract::Result<QList<contract::Source>> sources() override;

    contract::Result<QList<contract::CaseSubject>> find(const QString& id) override;
    contract::Result<contract::CaseFile> caseOf(const contract::CaseSubject& subject) override;
    contract::Result<std::optional<qint64>> verifyLog() override;

    // The statement behind a list, for tests of its plan.
    contract::Result<PageStatement> statementOf(const QString& kind, const contract::PageRequest& request) const;

private:
    template <typename Row>
    contract::Result<contract::Page<Row>> page(
        const ListSpec& list, const contract::PageRequest& request, const QString& columns, Row (*read)(const SqlRow&));
    contract::Result<contract::Problem> problem(const ListSpec& list, contract::Instant now);
    QString columnsOf(const ListSpec& list) const;
    QString reservationRowColumns() const;
    QString failedRowColumns() const;
    QString jobsOfIntent() const;

    SqlConnection& m_connection;
    contract::GuardPolicy m_policy;
    RowReader m_reader;
};

} // namespace unavez::stores
