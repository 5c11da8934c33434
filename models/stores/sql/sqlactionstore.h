// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/actionstore.h"
#include "models/stores/sql/sqlconnection.h"

#include <memory>

namespace unavez::stores {

class ActionWrites;

// The eight actions on SQLite and PostgreSQL (contract.md §11.10). Lives in its connection's thread.
class SqlActionStore final : public contract::ActionStore
{
public:
    explicit SqlActionStore(SqlConnection& connection, contract::GuardPolicy policy = {});
    ~SqlActionStore() override;

    void setPolicy(const contract::GuardPolicy& policy) override { m_policy = policy; }
    contract::Result<contract::CaseFacts> facts(const contract::ActionRequest& request) override;
    contract::Result<contract::ActionOutcome> apply(const contract::Plan& plan, const QString& reason) override;

private:
    contract::Result<contract::ActionOutcome> attempted(const contract::Plan& plan, const QString& reason);
    contract::Result<contract::ActionOutcome> recorded(
        const contract::Plan& plan, const QString& reason, const contract::Because& because);
    contract::Result<contract::ActionOutcome> refused(
        const contract::Plan& plan, const QString& reason, const contract::Because& because);

    SqlConnection& m_connection;
    contract::GuardPolicy m_policy;
    std::unique_ptr<ActionWrites> m_writes;
};

} // namespace unavez::stores
