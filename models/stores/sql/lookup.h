// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/storequeries.h"
#include "models/stores/sql/rowreader.h"
#include "models/stores/sql/sqlconnection.h"

namespace unavez::stores {

// From anything a person may paste to its case, by index only.
class Lookup
{
public:
    explicit Lookup(SqlConnection& connection);

    contract::Result<QList<contract::CaseSubject>> find(const QString& id);
    contract::Result<contract::CaseFile> caseOf(
        const contract::CaseSubject& subject, const contract::GuardPolicy& policy);

private:
    using Subjects = QList<contract::CaseSubject>;
    contract::Result<> addEvents(Subjects& found, const QString& condition, const QVariantList& values);
    contract::Result<> addKeys(Subjects& found, const QString& from, const QVariantList& values);
    contract::Result<> addIntents(Subjects& found, const QString& condition, const QVariantList& values);
    contract::Result<> addSpelled(Subjects& found, const contract::IntentId& account, const QString& id);
    contract::Result<QList<contract::IntentId>> accounts(); // provider and account only
    contract::Result<> addHistory(contract::CaseFile& file);
    contract::Result<> addJobs(contract::CaseFile& file);

    SqlConnection& m_connection;
    RowReader m_reader;
};

} // namespace unavez::stores
