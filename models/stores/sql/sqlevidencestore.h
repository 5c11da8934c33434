// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/evidencestore.h"
#include "models/stores/sql/rowreader.h"
#include "models/stores/sql/sqlconnection.h"

namespace unavez::stores {

class SqlEvidenceStore final : public contract::EvidenceStore
{
public:
    explicit SqlEvidenceStore(SqlConnection& connection);

    contract::Result<std::optional<contract::KeyId>> keyOfSentKey(
        const QString& provider, const QString& account, const QString& sentKey) override;
    contract::Result<contract::EvidenceEffect> record(const contract::ObservedOutcome& observed) override;

private:
    contract::Result<contract::EvidenceEffect> recordInside(const contract::ObservedOutcome& observed);
    contract::Result<> insertRow(const contract::ObservedOutcome& observed);
    contract::Result<QList<contract::Reservation>> siblings(const contract::KeyId& key);
    contract::Result<> settle(const contract::ObservedOutcome& observed);

    SqlConnection& m_connection;
    Dialect m_dialect;
};

} // namespace unavez::stores
