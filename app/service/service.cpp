// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/service.h"

#include "app/service/adminrole.h"
#include "app/service/configvalues.h"
#include "app/service/edgerole.h"
#include "app/service/gaterole.h"
#include "app/service/heartbeat.h"
#include "app/service/leaserenewer.h"
#include "app/service/meteredstore.h"
#include "app/service/portsfile.h"
#include "app/service/reaperloop.h"
#include "app/service/secretsource.h"

#include <QRandomGenerator>
#include <QSysInfo>

#include <unistd.h>

namespace unavez::service {

using namespace contract;

namespace {

Seconds graceOf(const engine::Timing& timing) { return std::chrono::duration_cast<Seconds>(timing.grace); }

engine::GateSettings gateSettings(const Settings& settings)
{
    GuardPolicy policy;
    policy.grace = graceOf(settings.timing);
    policy.providerTotal = std::chrono::ceil<Seconds>(settings.timing.providerTotal);
    for (const auto& tool : settings.tools)
        policy.minInterval = tool.minInterval;
    return {settings.instance, settings.timing.gateLease, policy.grace, policy};
}

engine::WorkerSettings workerSettings(const Settings& settings)
{
    return {settings.instance, settings.timing.workerLease, graceOf(settings.timing), settings.worker.handlerTime,
        settings.worker.payload, engine::Backoff{settings.timing.backoff},
        [] { return QRandomGenerator::global()->generateDouble(); }};
}

} // namespace

// Everything that lives while the service runs; torn down from the last member to the first.
struct Service::Running
{
    Running(const Settings& settings, const ServiceParts& parts, Log& log)
        : health(log)
        , alert(settings.alertCommand, log)
        , ports(settings.portsFile)
        , shared{metered(parts.openStore, metrics), health, log, alert, counters, metrics, clock}
    {
    }

    SystemHostClock clock;
    Counters counters;
    Metrics metrics;
    StoreHealth health;
    Alert alert;
    PortsFile ports;
    SharedParts shared;
    BootedStore store;
    std::unique_ptr<LeaseRenewer> renewer;
    std::unique_ptr<WorkerPool> workers;
    std::unique_ptr<ReaperLoop> reaper;
    std::unique_ptr<Heartbeat> heartbeat;
    std::unique_ptr<EdgeRole> edge;
    std::unique_ptr<GateRole> gate;
    std::unique_ptr<AdminRole> admin; // last: it answers while the others end
};

Service::Service(ReadConfig config, ServiceParts parts, Log& log)
    : m_config(std::move(config))
    , m_parts(std::move(parts))
    , m_log(log)
{
}

Service::~Service() = default;

ServiceRow Service::row() const
{
    const auto& settings = m_config.settings;
    ServiceRow row;
    row.instance = settings.instance;
    row.host = QSysInfo::machineHostName();
    row.pid = getpid();
    row.version = QStringLiteral(UNAVEZ_VERSION);
    for (const auto role : {Role::Edge, Role::Worker, Role::Gate, Role::Reaper}) {
        if (settings.roles.contains(role))
            row.roles.append(wordOf(role));
    }
    row.configSha256 = settings.sha256;
    for (const auto& source : settings.sources) {
        for (const auto& secret : source.secrets) {
            if (!secret.secret.isEmpty())
                row.secretFingerprints.append(fingerprintOf(secret.secret));
        }
    }
    for (const auto& provider : settings.providers) {
        if (!provider.credential.isEmpty())
            row.secretFingerprints.append(fingerprintOf(provider.credential));
    }
    return row;
}

QList<EffectTool*> Service::tools() const
{
    QList<EffectTool*> tools;
    for (const auto& tool : m_parts.tools)
        tools.append(tool.get());
    return tools;
}

std::optional<BootRefusal> Service::start()
{
    const auto& settings = m_config.settings;
    m_running = std::make_unique<Running>(settings, m_parts, m_log);
    auto& running = *m_running;
    {
        const auto session = m_parts.openStore();
        if (!session)
            return storeRefusal(settings.store, session.error());
        const auto booted = bootStore(**session, m_config, m_log);
        if (!booted)
            return booted.error();
        running.store = *booted;
    }
    if (const auto refusal = listen())
        return refusal;

    const auto& timing = settings.timing;
    if (settings.roles.contains(Role::Worker)) {
        running.renewer = std::make_unique<LeaseRenewer>(
            m_parts.openStore, running.health, m_log, timing.workerRenew, timing.workerLease);
        running.workers = std::make_unique<WorkerPool>(running.shared,
            WorkerPoolParts{settings.worker.concurrency, settings.worker.poll, running.store.info.mode,
                gateSettings(settings), workerSettings(settings), running.store.sources, tools(), *m_parts.handler,
                *m_parts.events, *running.renewer});
    }
    if (settings.roles.contains(Role::Reaper))
        running.reaper = std::make_unique<ReaperLoop>(running.shared, settings.reapEvery, graceOf(timing));
    running.heartbeat = std::make_unique<Heartbeat>(running.shared, row(), settings.heartbeat,
        HighWaterFile(settings.stateDir, running.store.info.storeId),
        AccountCheck(running.shared, gateSettings(settings), tools()));
    m_log.info(QLatin1String("started"),
        {{QStringLiteral("instance"), settings.instance}, {QStringLiteral("version"), QStringLiteral(UNAVEZ_VERSION)},
            {QStringLiteral("store"), running.store.info.storeId},
            {QStringLiteral("mode"), wordOf(running.store.info.mode)}});
    return std::nullopt;
}

std::optional<BootRefusal> Service::listen()
{
    const auto& settings = m_config.settings;
    auto& running = *m_running;
    QMap<QString, quint16> ports;
    const auto refused = [&](const char* key, const ListenAddress& at, const Error& error) {
        return settingRefusal(m_config.problem(QString::fromLatin1(key), text::SettingFault::CannotListen,
            {{QStringLiteral("value"), spelled(at)}, {QStringLiteral("why"), error.detail}}));
    };
    if (settings.roles.contains(Role::Edge)) {
        QList<EdgeSource> sources;
        for (qsizetype i = 0; i < settings.sources.size(); ++i)
            sources.append(m_parts.edgeSource(settings.sources.at(i), running.store.sources.at(i).id));
        running.edge = std::make_unique<EdgeRole>(settings.edge, sources, running.store.info.mode,
            settings.worker.maxAttempts, m_parts.openStore, running.health, running.metrics, running.clock);
        if (const auto started = running.edge->start(); !started)
            return refused("edge.listen", settings.edge.listen, started.error());
        ports.insert(QStringLiteral("edge"), running.edge->port());
    }
    if (settings.roles.contains(Role::Gate)) {
        running.gate = std::make_unique<GateRole>(settings.gate.listen,
            GateFrontParts{running.shared.openStore, running.health, running.metrics, running.clock,
                settings.gate.token, gateSettings(settings), tools()});
        if (const auto started = running.gate->start(); !started)
            return refused("gate.listen", settings.gate.listen, started.error());
        if (running.gate->port() != 0)
            ports.insert(QStringLiteral("gate"), running.gate->port());
    }
    if (settings.admin) {
        running.admin = std::make_unique<AdminRole>(
            *settings.admin, m_parts.openStore, running.health, running.metrics, running.counters);
        if (const auto started = running.admin->start(); !started)
            return refused("service.admin", *settings.admin, started.error());
        if (running.admin->port() != 0)
            ports.insert(QStringLiteral("admin"), running.admin->port());
    }
    if (const auto written = running.ports.write(ports); !written)
        return settingRefusal(m_config.problem(QStringLiteral("service.ports_file"), text::SettingFault::CannotWrite,
            {{QStringLiteral("path"), settings.portsFile}, {QStringLiteral("why"), written.error().detail}}));
    return std::nullopt;
}

void Service::drain()
{
    auto& running = *m_running;
    m_log.info(QLatin1String("draining"));
    const auto within = m_config.settings.drain;
    const auto begun = running.clock.boottime();
    if (running.admin)
        running.admin->setDraining();
    // Nobody takes anything new from here on; all of them end in the same time.
    std::jthread edge([&] {
        if (running.edge)
            running.edge->drain(within);
    });
    if (running.workers)
        running.workers->drain(within);
    edge.join();
    // The handlers of running jobs call the gate: it ends after them, in what is left of the time.
    if (running.gate)
        running.gate->drain(std::max(Millis{0}, within - (running.clock.boottime() - begun)));
    running.reaper.reset();
    running.renewer.reset();
    running.heartbeat.reset();
    const auto session = m_parts.openStore();
    const auto told
        = session ? (*session)->service().stopped(m_config.settings.instance) : Result<>(fail(session.error()));
    if (!told)
        m_log.warning(QLatin1String("stop_untold"), logged(told.error()));
    m_log.info(QLatin1String("stopped"));
}

} // namespace unavez::service
