// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/highwater.h"
#include "app/service/workerpool.h"

namespace unavez::service {

// The account behind each tool's credential, asked at boot and every ten minutes (contract.md §10.5.5). Trouble is
// logged, and a wrong account raised as an incident; the gate refuses to send by itself.
class AccountCheck
{
public:
    AccountCheck(const SharedParts& shared, engine::GateSettings gate, QList<contract::EffectTool*> tools);
    void run(StoreSession& store);
    // The provider's clock against this host's, as last seen; absent: never, or no tool.
    std::optional<int> skewMs() const { return m_skewMs; }

private:
    SharedParts m_shared;
    engine::GateSettings m_gate;
    QList<contract::EffectTool*> m_tools;
    std::optional<int> m_skewMs;
};

// The highest provider call, unless the login may not see calls (an edge alone, which sends nothing).
contract::Result<std::optional<HighWater>> shownBy(StoreSession& store, const contract::StoreInfo& info);

// The services row of this instance, and the high-water file: written every `every`.
class Heartbeat
{
public:
    Heartbeat(const SharedParts& shared, contract::ServiceRow row, contract::Millis every, HighWaterFile file,
        AccountCheck accounts);

private:
    void run(std::stop_token stop);
    contract::Result<> beat(StoreSession& store);

    SharedParts m_shared;
    contract::ServiceRow m_row;
    contract::Millis m_every;
    HighWaterFile m_file;
    bool m_fileFailed = false; // logged once per change
    AccountCheck m_accounts;
    std::optional<contract::Millis> m_checkedAt; // BOOTTIME; absent: not yet
    std::jthread m_thread; // last: it uses the rest; its end stops it
};

} // namespace unavez::service
