// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/jobstore.h"
#include "models/stores/sql/rowreader.h"
#include "models/stores/sql/sqlconnection.h"

namespace unavez::stores {

class SqlJobStore final : public contract::JobStore
{
public:
    explicit SqlJobStore(SqlConnection& connection);

    contract::Result<std::optional<contract::ClaimedJob>> claim(
        qint64 sourceId, const QString& owner, contract::Millis lease) override;
    contract::Result<bool> renew(const contract::JobLease& lease, contract::Millis by) override;
    contract::Result<std::optional<QByteArray>> payload(qint64 eventPk) override;
    contract::Result<contract::JobFinish> finishDone(const contract::JobLease& lease) override;
    contract::Result<contract::JobFinish> finishLater(const contract::JobLease& lease, contract::Millis runIn,
        bool counted, const QString& errorClass, const QString& errorText) override;
    contract::Result<contract::JobFinish> finishDead(
        const contract::JobLease& lease, const QString& errorClass, const QString& errorText) override;

private:
    contract::Result<contract::ClaimedJob> claimed(qint64 id);

    SqlConnection& m_connection;
    RowReader m_reader;
};

} // namespace unavez::stores
