// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/boot.h"

#include "app/service/heartbeat.h"
#include "app/service/secretsource.h"
#include "ui/text/sentences.h"

#include <QUrl>

namespace unavez::service {

using namespace contract;

namespace {

tl::unexpected<BootRefusal> refused(const ReadConfig& config, const Error& error)
{
    return tl::unexpected(storeRefusal(config.settings.store, error));
}

tl::unexpected<BootRefusal> refused(text::BootFault fault, const QVariantMap& facts = {})
{
    return tl::unexpected(BootRefusal{ExitStore, text::sentence(fault, facts)});
}

std::optional<BootRefusal> quarantineIfRewound(StoreSession& store, const ReadConfig& config, StoreInfo& info, Log& log)
{
    const HighWaterFile file(config.settings.stateDir, info.storeId);
    const auto shown = shownBy(store, info);
    if (!shown)
        return storeRefusal(config.settings.store, shown.error());
    if (!*shown)
        return std::nullopt; // a login that sees no calls makes none
    const auto seen = file.read();
    if (!seen)
        return refused(text::BootFault::HighWaterUnreadable,
            {{QStringLiteral("path"), file.path()}, {QStringLiteral("why"), seen.error().detail}})
            .value();
    if (!*seen || !isRewound(**seen, **shown))
        return std::nullopt;
    log.error(QLatin1String("store_rewound"),
        {{QStringLiteral("seen_epoch"), (*seen)->epoch}, {QStringLiteral("seen"), (*seen)->lastCall},
            {QStringLiteral("shown_epoch"), (*shown)->epoch}, {QStringLiteral("shown"), (*shown)->lastCall},
            {QStringLiteral("message"), text::sentence(text::BootFault::StoreRewound)}});
    if (info.state == StoreState::Quarantine)
        return std::nullopt;
    const auto now = store.service().now();
    if (!now)
        return storeRefusal(config.settings.store, now.error());
    const auto closed = store.service().quarantine(*now);
    if (!closed && closed.error().kind == Error::Kind::Denied)
        return refused(text::BootFault::CannotQuarantine).value();
    if (!closed)
        return storeRefusal(config.settings.store, closed.error());
    info.state = StoreState::Quarantine;
    return std::nullopt;
}

tl::expected<QList<Source>, BootRefusal> syncedSources(StoreSession& store, const ReadConfig& config)
{
    const auto now = store.service().now();
    if (!now)
        return refused(config, now.error());
    QList<Source> sources;
    QList<SigningKey> keys;
    for (const auto& configured : config.settings.sources) {
        const auto number = sources.size() + 1; // ties keys to sources until the store says its ids
        sources.append({number, configured.name, configured.provider, configured.account});
        if (!config.settings.roles.contains(Role::Edge))
            continue; // only the edge holds the secrets
        for (const auto& secret : configured.secrets)
            keys.append({secret.id, number, configured.route, secret.reference, fingerprintOf(secret.secret), *now});
    }
    const auto synced = store.service().syncSources(sources, keys);
    if (synced)
        return *synced;
    if (synced.error().kind == Error::Kind::Denied)
        return refused(text::BootFault::SourcesDenied);
    if (synced.error().kind == Error::Kind::Refused)
        return refused(text::BootFault::SourcesRefused, {{QStringLiteral("why"), synced.error().detail}});
    return refused(config, synced.error());
}

} // namespace

BootRefusal storeRefusal(const QString& shownUrl, const Error& error)
{
    // What opening a store means by these two is not what a row's absence or a caller's slip mean elsewhere.
    const auto sentence = error.kind == Error::Kind::NotFound ? text::sentence(text::BootFault::NoStore)
        : error.kind == Error::Kind::Invalid                  ? text::sentence(text::BootFault::SchemaOlder)
                                                              : text::sentence(error);
    return {ExitStore, shownUrl + QLatin1String(": ") + sentence};
}

BootRefusal settingRefusal(const text::SettingProblem& problem) { return {ExitUsage, text::sentence(problem)}; }

tl::expected<StoreInfo, BootRefusal> checkStore(StoreSession& store, const ReadConfig& config)
{
    const auto info = store.service().info();
    if (!info)
        return refused(config, info.error());
    if (const auto broken = timingProblem(config, info->mode == StoreMode::Practice))
        return tl::unexpected(settingRefusal(*broken));
    return *info;
}

tl::expected<BootedStore, BootRefusal> bootStore(StoreSession& store, const ReadConfig& config, Log& log)
{
    auto info = checkStore(store, config);
    if (!info)
        return tl::unexpected(info.error());
    if (const auto refusal = quarantineIfRewound(store, config, *info, log))
        return tl::unexpected(*refusal);
    const auto sources = syncedSources(store, config);
    if (!sources)
        return tl::unexpected(sources.error());
    return BootedStore{*info, *sources};
}

} // namespace unavez::service
