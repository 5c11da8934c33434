// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/boot.h"
#include "app/service/edgefront.h"
#include "models/contract/effecttool.h"
#include "models/contract/jobhandler.h"

#include <memory>
#include <vector>

namespace unavez::service {

// What the composition makes: everything with a concrete class behind it. Tools, handler and reader are thread-safe.
struct ServiceParts
{
    OpenStore openStore;
    std::function<EdgeSource(const SourceSettings& source, qint64 id)> edgeSource;
    std::vector<std::unique_ptr<contract::EffectTool>> tools;
    std::unique_ptr<contract::JobHandler> handler;
    std::unique_ptr<contract::EventReader> events;
};

// unavezd without its process: boots on its store, runs its roles, drains.
class Service
{
public:
    Service(ReadConfig config, ServiceParts parts, Log& log);
    // Ends at once; drain() first.
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // Boots, listens, starts the roles' threads, writes the ports file. Absent: it runs.
    std::optional<BootRefusal> start();
    // No new deliveries and no new jobs; what runs gets its time (service.drain_s). Then the services row says stopped.
    // Blocks; any thread.
    void drain();

private:
    struct Running;
    std::optional<BootRefusal> listen();
    contract::ServiceRow row() const;
    QList<contract::EffectTool*> tools() const;

    ReadConfig m_config;
    ServiceParts m_parts;
    Log& m_log;
    std::unique_ptr<Running> m_running;
};

} // namespace unavez::service
