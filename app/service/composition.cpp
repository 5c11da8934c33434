// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/composition.h"

#include "models/providers/httpjobhandler.h"
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
    return parts;
}

} // namespace unavez::service
