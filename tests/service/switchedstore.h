// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/storesession.h"
#include "models/stores/sql/sqlstore.h"
#include "tests/support/teststores.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace unavez::tests {

// A real store behind a switch and a turnstile: it can be made to be away, and made to wait.
class SwitchedStore
{
public:
    explicit SwitchedStore(stores::StoreUrl url)
        : m_url(std::move(url))
    {
    }

    service::OpenStore opener()
    {
        return [this]() -> contract::Result<std::unique_ptr<service::StoreSession>> {
            if (m_isAway)
                return away();
            auto opened = stores::SqlStore::open(m_url);
            if (!opened)
                return contract::fail(opened.error());
            ++m_opened;
            return std::unique_ptr<service::StoreSession>(new Session(*this, std::move(*opened)));
        };
    }

    void setAway(bool isAway) { m_isAway = isAway; } // open sessions answer Offline too
    int opened() const { return m_opened; }
    int failureWrites() const { return m_failureWrites; } // tried ones
    // From now on record() waits; release() lets all go.
    void holdBatches()
    {
        const std::lock_guard lock(m_mutex);
        m_isHeld = true;
    }
    void releaseBatches()
    {
        const std::lock_guard lock(m_mutex);
        m_isHeld = false;
        m_changed.notify_all();
    }
    // The sizes of the batches that reached the store, after merging.
    QList<qsizetype> batches() const
    {
        const std::lock_guard lock(m_mutex);
        return m_batches;
    }

private:
    static contract::Failure away()
    {
        return contract::fail(contract::Error::Kind::Offline, QStringLiteral("switched off"));
    }

    // The service's port, away with the switch.
    class SwitchedService final : public contract::ServiceStore
    {
    public:
        SwitchedService(const SwitchedStore& owner, contract::ServiceStore& store)
            : m_owner(owner)
            , m_store(store)
        {
        }
        contract::Result<contract::StoreInfo> info() override { return m_store.info(); }
        contract::Result<contract::Instant> now() override { return m_store.now(); }
        contract::Result<QList<contract::Source>> syncSources(
            const QList<contract::Source>& sources, const QList<contract::SigningKey>& keys) override
        {
            return m_store.syncSources(sources, keys);
        }
        contract::Result<> heartbeat(const contract::ServiceRow& row) override { return m_store.heartbeat(row); }
        contract::Result<> stopped(const QString& instance) override { return m_store.stopped(instance); }
        contract::Result<QList<contract::Hold>> holds() override
        {
            return m_owner.m_isAway ? contract::Result<QList<contract::Hold>>(away()) : m_store.holds();
        }
        contract::Result<> raise(contract::IncidentKind kind, const QString& subject, contract::Severity severity,
            const QJsonObject& detail) override
        {
            return m_store.raise(kind, subject, severity, detail);
        }
        contract::Result<> quarantine(contract::Instant from) override { return m_store.quarantine(from); }
        contract::Result<qint64> lastCall() override { return m_store.lastCall(); }
        contract::Result<> probe() override { return m_owner.m_isAway ? contract::Result<>(away()) : m_store.probe(); }

    private:
        const SwitchedStore& m_owner;
        contract::ServiceStore& m_store;
    };

    class Session final : public service::StoreSession, public contract::IntakeStore
    {
    public:
        Session(SwitchedStore& owner, std::unique_ptr<stores::SqlStore> store)
            : m_owner(owner)
            , m_store(std::move(store))
            , m_service(owner, m_store->service())
        {
        }
        contract::IntakeStore& intake() override { return *this; }
        contract::JobStore& jobs() override { return m_store->jobs(); }
        contract::ReservationStore& reservations() override { return m_store->reservations(); }
        contract::EvidenceStore& evidence() override { return m_store->evidence(); }
        contract::ReaperStore& reaper() override { return m_store->reaper(); }
        contract::ServiceStore& service() override { return m_service; }

        contract::Result<QList<contract::RecordedEvent>> record(const QList<contract::MergedDelivery>& batch) override
        {
            {
                std::unique_lock lock(m_owner.m_mutex);
                m_owner.m_batches.append(batch.size());
                m_owner.m_changed.wait(lock, [this] { return !m_owner.m_isHeld; });
            }
            if (m_owner.m_isAway)
                return away();
            return m_store->intake().record(batch);
        }
        contract::Result<> recordFailures(const QList<contract::SignatureFailure>& failures) override
        {
            ++m_owner.m_failureWrites;
            if (m_owner.m_isAway)
                return away();
            return m_store->intake().recordFailures(failures);
        }

    private:
        SwitchedStore& m_owner;
        std::unique_ptr<stores::SqlStore> m_store;
        SwitchedService m_service;
    };

    const stores::StoreUrl m_url;
    std::atomic<bool> m_isAway{false};
    std::atomic<int> m_opened{0};
    std::atomic<int> m_failureWrites{0};
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_isHeld = false;
    QList<qsizetype> m_batches;
};

} // namespace unavez::tests
