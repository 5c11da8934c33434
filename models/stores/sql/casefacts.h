// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/guard.h"
#include "models/stores/sql/rowreader.h"
#include "models/stores/sql/sqlconnection.h"

// The facts the guards judge, read by primary key and index only. Inside a transaction that has locked the case they
// are the locked rows; outside, one statement's view each, as an offer needs.
namespace unavez::stores {

class CaseReader
{
public:
    CaseReader(SqlConnection& connection, const contract::GuardPolicy& policy);

    contract::Result<contract::StoreFacts> store();
    contract::Result<contract::Instant> now();

    // A target that is not there leaves its rows empty.
    contract::Result<contract::CaseFacts> of(const contract::ActionRequest& request);
    contract::Result<contract::CaseFacts> ofJob(qint64 id);
    contract::Result<contract::CaseFacts> ofEvent(qint64 pk);
    contract::Result<contract::CaseFacts> ofIntent(const contract::IntentId& intent);
    // The intent a key belongs to; absent where the key is not there.
    contract::Result<std::optional<contract::IntentId>> intentOf(const contract::KeyId& key);
    contract::Result<QList<contract::IntentId>> intentsOfJob(qint64 id);
    contract::Result<std::optional<contract::Job>> job(qint64 id);
    contract::Result<std::optional<contract::Event>> event(qint64 pk);

private:
    template <typename Row>
    contract::Result<QList<Row>> list(const QString& sql, const QVariantList& values, Row (*read)(const SqlRow&));
    contract::Result<contract::CaseFacts> begun();
    contract::Result<> addIntents(contract::CaseFacts& facts, const QList<contract::IntentId>& intents);
    contract::Result<> addIntent(contract::CaseFacts& facts, const contract::IntentId& id);
    contract::Result<> addJob(contract::CaseFacts& facts, qint64 id);
    contract::Result<> addIncidents(contract::CaseFacts& facts);
    contract::Result<> addRequested(contract::CaseFacts& facts, const contract::ActionRequest& request);
    contract::Result<> addObjectUse(contract::CaseFacts& facts, const contract::ActionRequest& request);
    contract::Result<> addHeldBack(contract::CaseFacts& facts, const contract::HoldRequest& hold);
    contract::Result<> addNaming(contract::CaseFacts& facts);
    contract::Result<contract::StoreFacts> postgresLogin(contract::StoreFacts facts);
    contract::Result<contract::StoreFacts> fileLogin(contract::StoreFacts facts);

    SqlConnection& m_connection;
    contract::GuardPolicy m_policy;
    RowReader m_reader;
};

// The OS login of this process: who acts on a SQLite store.
QString systemLogin();

} // namespace unavez::stores
