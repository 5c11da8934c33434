// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/storesession.h"
#include "models/stores/sql/sqlstore.h"

namespace unavez::tests {

// A real store as a thread of the service uses it.
class SqlSession final : public service::StoreSession
{
public:
    explicit SqlSession(std::unique_ptr<stores::SqlStore> store)
        : m_store(std::move(store))
    {
    }
    contract::IntakeStore& intake() override { return m_store->intake(); }
    contract::JobStore& jobs() override { return m_store->jobs(); }
    contract::ReservationStore& reservations() override { return m_store->reservations(); }
    contract::EvidenceStore& evidence() override { return m_store->evidence(); }
    contract::ReaperStore& reaper() override { return m_store->reaper(); }
    contract::ServiceStore& service() override { return m_store->service(); }

private:
    std::unique_ptr<stores::SqlStore> m_store;
};

inline service::OpenStore openerOf(const stores::StoreUrl& url)
{
    return [url]() -> contract::Result<std::unique_ptr<service::StoreSession>> {
        auto store = stores::SqlStore::open(url);
        if (!store)
            return contract::fail(store.error());
        return std::unique_ptr<service::StoreSession>(std::make_unique<SqlSession>(std::move(*store)));
    };
}

} // namespace unavez::tests
