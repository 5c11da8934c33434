// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/intakestore.h"
#include "models/stores/sql/sqlconnection.h"

namespace unavez::stores {

class SqlIntakeStore final : public contract::IntakeStore
{
public:
    explicit SqlIntakeStore(SqlConnection& connection);

    contract::Result<QList<contract::RecordedEvent>> record(const QList<contract::MergedDelivery>& batch) override;
    contract::Result<> recordFailures(const QList<contract::SignatureFailure>& failures) override;

private:
    contract::Result<contract::RecordedEvent> recordOne(const contract::MergedDelivery& merged);
    contract::Result<std::optional<contract::RecordedEvent>> countRepeat(const contract::MergedDelivery& merged);
    contract::Result<std::optional<contract::RecordedEvent>> insertNew(const contract::MergedDelivery& merged);
    contract::Result<> noteDelivery(const contract::MergedDelivery& merged, const contract::RecordedEvent& event);
    contract::Result<> countKey(const contract::MergedDelivery& merged);
    contract::Result<> recordFailure(const contract::SignatureFailure& failure);
    contract::Result<> writeFailure(const contract::SignatureFailure& failure);

    SqlConnection& m_connection;
};

} // namespace unavez::stores
