// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/configreader.h"

#include "app/service/configtable.h"
#include "app/service/configvalues.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSysInfo>
#include <QUrl>

#include <unistd.h>

namespace unavez::service {

using namespace contract;
using text::SettingFault;

namespace {

constexpr qint64 largestFile = 1024 * 1024;
constexpr qint64 day = 86400;

void readStore(const ConfigTable& root, Settings& settings)
{
    const auto table = root.table("store");
    table.only({"url"});
    needed(table, "url");
    table.text("url", settings.store);
    if (!QUrl(settings.store).password().isEmpty())
        table.refuse("url", SettingFault::PasswordInUrl);
}

void readRoles(const ConfigTable& table, Settings& settings)
{
    QStringList words;
    table.texts("roles", words);
    if (!table.has("roles") || !table.isFine())
        return;
    settings.roles.clear();
    for (const auto& word : words) {
        const auto role = roleFrom(word);
        if (!role)
            return table.refuse("roles", SettingFault::NotOneOf,
                {{QStringLiteral("allowed"), QStringLiteral("edge, worker, gate, reaper")}});
        if (settings.roles.contains(*role))
            return table.refuse("roles", SettingFault::Duplicate,
                {{QStringLiteral("value"), word}, {QStringLiteral("first"), table.lineOf("roles")}});
        settings.roles.insert(*role);
    }
    if (settings.roles.isEmpty())
        table.refuse("roles", SettingFault::Empty);
}

void readService(const ConfigTable& root, const QString& file, Settings& settings)
{
    const auto table = root.table("service");
    table.only({"instance", "roles", "state_dir", "admin", "ports_file", "heartbeat_s", "drain_s"});
    settings.instance = QStringLiteral("%1:%2").arg(QSysInfo::machineHostName()).arg(getpid());
    readName(table, "instance", settings.instance, 100);
    readRoles(table, settings);
    // The high-water file stands beside the configuration unless told otherwise (contract.md §10.7).
    settings.stateDir = QFileInfo(file).absolutePath();
    table.text("state_dir", settings.stateDir);
    const QFileInfo state(settings.stateDir);
    if (table.isFine() && (!state.isDir() || !state.isWritable()))
        table.refuse("state_dir", SettingFault::NoFolder, {{QStringLiteral("path"), settings.stateDir}});
    if (table.has("admin")) {
        ListenAddress admin;
        readAddress(table, "admin", admin, false);
        settings.admin = admin;
    }
    table.text("ports_file", settings.portsFile);
    table.seconds("heartbeat_s", settings.heartbeat, 1, 15); // "not seen" after 30 s
    qint64 drain = 30;
    table.whole("drain_s", drain, qint64{0}, qint64{3600});
    settings.drain = Seconds{drain};
}

void readEdge(const ConfigTable& root, Settings& settings)
{
    const auto table = root.table("edge");
    table.only({"listen", "behind_proxy", "tls_certificate", "tls_key", "body_max", "header_max", "read_s",
        "max_connections"});
    auto& edge = settings.edge;
    readAddress(table, "listen", edge.listen, false);
    table.truth("behind_proxy", edge.behindProxy);
    readFileName(table, "tls_certificate", edge.tlsCertificate);
    readFileName(table, "tls_key", edge.tlsKey);
    table.whole("body_max", edge.bodyMax, 1024, 64 * 1024 * 1024);
    table.whole("header_max", edge.headerMax, 1024, 1024 * 1024);
    table.time("read_s", edge.read, 300);
    table.whole("max_connections", edge.maxConnections, 1, 65536);
    if (edge.tlsCertificate.isEmpty() != edge.tlsKey.isEmpty()) {
        const bool keyIsMissing = edge.tlsKey.isEmpty();
        table.refuse(keyIsMissing ? "tls_key" : "tls_certificate", SettingFault::NeededWith,
            {{QStringLiteral("other"), table.key(keyIsMissing ? "tls_certificate" : "tls_key")}});
    }
    if (settings.roles.contains(Role::Edge) && !edge.listen.isLoopback() && !edge.behindProxy
        && edge.tlsCertificate.isEmpty())
        table.refuse("listen", SettingFault::EdgeInTheOpen, {{QStringLiteral("value"), spelled(edge.listen)}});
}

void readWorker(const ConfigTable& root, Settings& settings)
{
    const auto table = root.table("worker");
    table.only({"handler", "payload", "concurrency", "lease_s", "renew_s", "max_attempts", "handler_s", "backoff_s",
        "poll_ms"});
    auto& worker = settings.worker;
    if (settings.roles.contains(Role::Worker))
        neededByRole(table, "handler", Role::Worker);
    readUrl(table, "handler", worker.handler);
    table.truth("payload", worker.payload);
    table.whole("concurrency", worker.concurrency, 1, 256);
    table.time("lease_s", settings.timing.workerLease, 3600);
    table.time("renew_s", settings.timing.workerRenew, 3600);
    table.whole("max_attempts", worker.maxAttempts, 1, 100);
    table.time("handler_s", worker.handlerTime, day);
    table.seconds("backoff_s", settings.timing.backoff, 1, 30 * day);
    qint64 poll = worker.poll.count();
    table.whole("poll_ms", poll, qint64{10}, qint64{60000});
    worker.poll = Millis{poll};
}

void readGate(const ConfigTable& root, Settings& settings)
{
    const auto table = root.table("gate");
    table.only({"listen", "token", "lease_s"});
    const bool isOn = settings.roles.contains(Role::Gate);
    readAddress(table, "listen", settings.gate.listen, true);
    table.time("lease_s", settings.timing.gateLease, 3600);
    if (isOn)
        neededByRole(table, "token", Role::Gate);
    QString reference;
    readSecretAt(table, "token", isOn, reference, settings.gate.token);
    if (isOn && !settings.gate.listen.isLoopback())
        table.refuse("listen", SettingFault::GateInTheOpen, {{QStringLiteral("value"), spelled(settings.gate.listen)}});
}

void readProvider(const ConfigTable& root, Settings& settings)
{
    const auto providers = root.table("providers");
    providers.only({"stripe"});
    if (!providers.has("stripe"))
        return;
    const auto table = providers.table("stripe");
    table.only({"url", "account", "key", "window_s", "margin_s", "connect_s", "total_s", "authorities"});
    ProviderSettings provider;
    provider.name = QStringLiteral("stripe");
    provider.url = QStringLiteral("https://api.stripe.com");
    readUrl(table, "url", provider.url);
    if (table.isFine() && crossesInTheOpen(provider.url))
        table.refuse("url", SettingFault::PlainHttp);
    needed(table, "account");
    readName(table, "account", provider.account, 200);
    needed(table, "key");
    QString reference;
    const bool sends = settings.roles.contains(Role::Gate) || settings.roles.contains(Role::Worker);
    readSecretAt(table, "key", sends, reference, provider.credential);
    auto& timing = settings.timing;
    table.seconds("window_s", timing.window, 0, 365 * day);
    table.seconds("margin_s", timing.margin, 0, 365 * day);
    table.time("connect_s", timing.providerConnect, 300);
    table.time("total_s", timing.providerTotal, 600);
    QString authorities;
    readFileName(table, "authorities", authorities);
    if (!authorities.isEmpty())
        provider.authorityFile = authorities;
    settings.providers.append(provider);
}

void readTools(const ConfigTable& root, Settings& settings)
{
    const auto tools = root.table("tools");
    tools.only({"charge_customer"});
    if (settings.roles.contains(Role::Gate))
        neededByRole(tools, "charge_customer", Role::Gate);
    if (!tools.has("charge_customer"))
        return;
    const auto table = tools.table("charge_customer");
    table.only({"backend", "max_attempts", "min_interval_s"});
    ToolSettings tool;
    tool.name = QStringLiteral("charge_customer");
    needed(table, "backend");
    readUrlTemplate(table, "backend", QStringLiteral("{invoice_id}"), tool.backend);
    table.whole("max_attempts", tool.maxAttempts, 1, 20);
    table.seconds("min_interval_s", tool.minInterval, 0, day);
    settings.tools.append(tool);
    if (settings.providers.isEmpty())
        root.refuse(
            "providers.stripe", SettingFault::NeededWith, {{QStringLiteral("other"), tools.key("charge_customer")}});
}

void readRest(const ConfigTable& root, Settings& settings)
{
    const auto reaper = root.table("reaper");
    reaper.only({"every_s", "grace_s"});
    reaper.seconds("every_s", settings.reapEvery, 1, 3600);
    Seconds grace = std::chrono::duration_cast<Seconds>(settings.timing.grace);
    reaper.seconds("grace_s", grace, 0, 3600);
    settings.timing.grace = grace;

    const auto alert = root.table("alert");
    alert.only({"command"});
    alert.texts("command", settings.alertCommand);
    if (!alert.has("command") || !alert.isFine())
        return;
    const QFileInfo program(settings.alertCommand.value(0));
    if (!program.isAbsolute() || !program.isFile() || !program.isExecutable())
        alert.refuse("command", SettingFault::NoProgram, {{QStringLiteral("path"), settings.alertCommand.value(0)}});
}

// The keys an inequality speaks of, the one to look at first.
QStringList keysOf(engine::Inequality inequality)
{
    const auto gate = QStringLiteral("gate.lease_s"), lease = QStringLiteral("worker.lease_s"),
               renew = QStringLiteral("worker.renew_s"), backoff = QStringLiteral("worker.backoff_s"),
               total = QStringLiteral("providers.stripe.total_s"), margin = QStringLiteral("providers.stripe.margin_s"),
               grace = QStringLiteral("reaper.grace_s");
    switch (inequality) {
    case engine::Inequality::ConnectBelowTotal: return {QStringLiteral("providers.stripe.connect_s"), total};
    case engine::Inequality::GateLeaseAboveTotal: return {gate, total};
    case engine::Inequality::WorkerLeaseAboveGateLease: return {lease, gate};
    case engine::Inequality::RenewWithinThird: return {renew, lease};
    case engine::Inequality::MarginCoversBackoff: return {margin, backoff, total, grace};
    case engine::Inequality::BackoffWithinWindow: return {backoff, QStringLiteral("providers.stripe.window_s"), margin};
    case engine::Inequality::NotPositive:
    case engine::Inequality::EventsKeptThirtyDays: break;
    }
    return {backoff};
}

tl::unexpected<text::SettingProblem> unread(
    const QString& path, SettingFault fault, const QVariantMap& facts, int line = 0)
{
    return tl::unexpected(text::SettingProblem{path, line, {}, fault, facts});
}

} // namespace

text::SettingProblem ReadConfig::problem(const QString& key, SettingFault fault, const QVariantMap& facts) const
{
    auto written = key;
    while (!lines.contains(written) && written.contains(QLatin1Char('.')))
        written = written.section(QLatin1Char('.'), 0, -2);
    return {file, lines.value(written, 1), key, fault, facts};
}

std::optional<text::SettingProblem> timingProblem(const ReadConfig& config, bool practice)
{
    const auto broken = engine::brokenTiming(config.settings.timing, practice);
    if (!broken)
        return std::nullopt;
    const auto keys = keysOf(*broken);
    // The first of them that somebody wrote: the others stand at their defaults, which hold together.
    const auto written
        = std::find_if(keys.begin(), keys.end(), [&](const QString& key) { return config.lines.contains(key); });
    return config.problem(written != keys.end() ? *written : keys.first(), SettingFault::BrokenTiming,
        {{QStringLiteral("rule"), engine::wordOf(*broken)}});
}

tl::expected<ReadConfig, text::SettingProblem> readConfig(const QString& path)
{
    QFile file(path);
    if (!QFileInfo(path).isFile() && QFileInfo::exists(path))
        return unread(path, SettingFault::Unreadable, {{QStringLiteral("why"), QStringLiteral("not a regular file")}});
    if (!file.open(QIODevice::ReadOnly))
        return unread(path, SettingFault::Unreadable, {{QStringLiteral("why"), file.errorString()}});
    const auto bytes = file.read(largestFile + 1);
    if (bytes.size() > largestFile)
        return unread(path, SettingFault::TooLarge, {{QStringLiteral("max"), largestFile}});

    const auto parsed = toml::parse(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    if (!parsed) {
        const auto why = parsed.error().description();
        return unread(path, SettingFault::Syntax,
            {{QStringLiteral("why"), QString::fromUtf8(why.data(), static_cast<qsizetype>(why.size()))}},
            std::max(1, static_cast<int>(parsed.error().source().begin.line)));
    }

    ConfigReading reading{path, {}, {}, {}};
    ReadConfig config;
    config.file = path;
    auto& settings = config.settings;
    const ConfigTable root(reading, &parsed.table(), {}, 1);
    root.only({"store", "service", "edge", "sources", "worker", "gate", "providers", "tools", "reaper", "alert"});
    readStore(root, settings);
    readService(root, path, settings);
    readEdge(root, settings);
    readSources(root, settings);
    readWorker(root, settings);
    readGate(root, settings);
    readProvider(root, settings);
    readTools(root, settings);
    readRest(root, settings);
    if (reading.problem)
        return tl::unexpected(*reading.problem);
    settings.sha256 = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256);
    config.lines = reading.lines;
    config.warnings = reading.warnings;
    if (const auto broken = timingProblem(config, true))
        return tl::unexpected(*broken);
    return config;
}

} // namespace unavez::service
