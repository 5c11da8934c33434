// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/composition.h"

#include "models/providers/httpjobhandler.h"
#include "models/providers/stripecharge.h"
#include "models/providers/stripeevent.h"
#include "models/stores/sql/sqlstore.h"
#include "models/stores/sql/storeurl.h"

namespace unavez::service {

using namespace contract;

namespace {

class SqlSession final : public StoreSession
{
public:
    explicit SqlSession(std::unique_ptr<stores::SqlStore> store)
        : m_store(std::move(store))
    {
    }
    IntakeStore& intake() override { return m_store->intake(); }
    JobStore& jobs() override { return m_store->jobs(); }
    ReservationStore& reservations() override { return m_store->reservations(); }
    EvidenceStore& evidence() override { return m_store->evidence(); }
    ReaperStore& reaper() override { return m_store->reaper(); }
    ServiceStore& service() override { return m_store->service(); }

private:
    std::unique_ptr<stores::SqlStore> m_store;
};

OpenStore openerOf(const stores::StoreUrl& url)
{
    return [url]() -> Result<std::unique_ptr<StoreSession>> {
        auto store = stores::SqlStore::open(url);
        if (!store)
            return fail(store.error());
        return std::unique_ptr<StoreSession>(std::make_unique<SqlSession>(std::move(*store)));
    };
}

tl::expected<EventFacts, FailureReason> readStripe(const QByteArray& body)
{
    const auto read = providers::readStripeDelivery(body);
    if (!read)
        return tl::unexpected(read.error().notJson ? FailureReason::NotJson : FailureReason::NoEventId);
    return EventFacts{read->eventId, read->type, read->objectId, read->snapshotId, read->createdAt, read->live};
}

const HostClock& systemClock()
{
    static const SystemHostClock clock;
    return clock;
}

using Tools = std::vector<std::unique_ptr<EffectTool>>;

tl::expected<Tools, text::SettingProblem> toolsOf(const ReadConfig& config)
{
    using text::SettingFault;
    const auto& settings = config.settings;
    const auto& timing = settings.timing;
    Tools tools;
    // charge_customer on Stripe is the one tool, and Stripe the one provider, the configuration lets through.
    for (const auto& tool : settings.tools) {
        const auto& provider = settings.providers.first();
        const auto key = [&](const char* name) {
            return QStringLiteral("providers.%1.%2").arg(provider.name, QLatin1String(name));
        };
        const auto url = providers::parsedUrl(provider.url);
        if (!url)
            return tl::unexpected(config.problem(key("url"), SettingFault::BadUrl));
        const providers::TlsTrust trust(provider.authorityFile);
        if (trust.fault())
            return tl::unexpected(config.problem(key("authorities"), SettingFault::NoFile,
                {{QStringLiteral("path"), provider.authorityFile.value_or(QString())},
                    {QStringLiteral("why"), trust.fault()->detail}}));
        providers::StripeChargeSettings charge;
        charge.endpoint = url->endpoint;
        charge.account = provider.account;
        charge.credential = provider.credential;
        charge.backend = tool.backend;
        charge.maxAttempts = tool.maxAttempts;
        charge.window = timing.window;
        charge.margin = timing.margin;
        charge.limits.connect = timing.providerConnect;
        charge.limits.total = timing.providerTotal;
        charge.writeWithin = engine::sendWithin(timing);
        tools.push_back(std::make_unique<providers::StripeChargeTool>(std::move(charge), trust, systemClock()));
    }
    return tools;
}

} // namespace

tl::expected<ServiceParts, text::SettingProblem> composed(const ReadConfig& config)
{
    using text::SettingFault;
    const auto& settings = config.settings;
    ServiceParts parts;
    const auto url = stores::parsedStoreUrl(settings.store);
    if (!url)
        return tl::unexpected(config.problem(QStringLiteral("store.url"), SettingFault::BadStoreUrl));
    if (!url->password.isEmpty())
        return tl::unexpected(config.problem(QStringLiteral("store.url"), SettingFault::PasswordInUrl));
    parts.openStore = openerOf(*url);
    // Stripe is the one scheme the configuration lets through.
    parts.edgeSource = [](const SourceSettings& source, qint64 id) { return stripeSource(source, id, readStripe); };
    parts.events = std::make_unique<providers::StripeEventReader>();
    if (settings.roles.contains(Role::Worker)) {
        const auto handler = providers::parsedUrl(settings.worker.handler);
        if (!handler)
            return tl::unexpected(config.problem(QStringLiteral("worker.handler"), SettingFault::BadUrl));
        parts.handler = std::make_unique<providers::HttpJobHandler>(
            *handler, settings.timing.providerConnect, providers::TlsTrust(), systemClock());
    }
    if (settings.roles.contains(Role::Worker) || settings.roles.contains(Role::Gate)) {
        auto tools = toolsOf(config);
        if (!tools)
            return tl::unexpected(tools.error());
        parts.tools = std::move(*tools);
    }
    return parts;
}

} // namespace unavez::service
