// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/servicestore.h"
#include "models/stores/sql/rowreader.h"
#include "models/stores/sql/sqlconnection.h"

namespace unavez::stores {

class SqlReaperStore final : public contract::ReaperStore
{
public:
    explicit SqlReaperStore(SqlConnection& connection);

    contract::Result<QList<contract::KeyId>> expireReservations(contract::Seconds grace, int limit) override;
    contract::Result<contract::ReapedJobs> freeJobs(contract::Seconds grace, int limit) override;

private:
    SqlConnection& m_connection;
};

class SqlServiceStore final : public contract::ServiceStore
{
public:
    explicit SqlServiceStore(SqlConnection& connection);

    contract::Result<contract::StoreInfo> info() override;
    contract::Result<contract::Instant> now() override;
    contract::Result<QList<contract::Source>> syncSources(
        const QList<contract::Source>& sources, const QList<contract::SigningKey>& keys) override;
    contract::Result<> heartbeat(const contract::ServiceRow& row) override;
    contract::Result<> stopped(const QString& instance) override;
    contract::Result<QList<contract::Hold>> holds() override;
    contract::Result<> raise(contract::IncidentKind kind, const QString& subject, contract::Severity severity,
        const QJsonObject& detail) override;
    contract::Result<> quarantine(contract::Instant from) override;
    contract::Result<qint64> lastCall() override;
    contract::Result<> probe() override;

private:
    contract::Result<qint64> syncSource(const contract::Source& source);
    contract::Result<> syncKey(const contract::SigningKey& key, qint64 sourceId);

    SqlConnection& m_connection;
    Dialect m_dialect;
};

} // namespace unavez::stores
