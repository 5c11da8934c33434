// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/actionstore.h"
#include "models/contract/evidencestore.h"
#include "models/contract/jobstore.h"
#include "models/contract/reservationstore.h"
#include "models/contract/servicestore.h"
#include "tests/support/memorytables.h"

#include <memory>
#include <mutex>

namespace unavez::tests {

// A whole store in memory, for simulations: every port of the service and the operator's actions, with the guards,
// transactions and refusals of the real ones. It earns trust by passing their tests (tests/stores). Any thread.
class MemoryStore
{
public:
    // `clock.wall()` is the store's clock; it outlives the store and may step in either direction.
    explicit MemoryStore(const contract::HostClock& clock, contract::StoreMode mode = contract::StoreMode::Practice);
    ~MemoryStore();
    MemoryStore(const MemoryStore&) = delete;
    MemoryStore& operator=(const MemoryStore&) = delete;

    contract::IntakeStore& intake();
    contract::JobStore& jobs();
    contract::ReservationStore& reservations();
    contract::EvidenceStore& evidence();
    contract::ReaperStore& reaper();
    contract::ServiceStore& service();
    contract::ActionStore& actions();

    MemoryRows rows() const; // a snapshot
    void setAway(bool away); // every call answers Offline, and changes nothing
    // What two people agreed on, for actions that need them.
    qint64 approvedProposal(contract::Action action, const QString& target);

    // All or nothing: what `work` wrote stays only where it returns a value; an exception loses it too.
    template <typename Work> auto inTransaction(Work&& work) -> decltype(work(std::declval<MemoryTables&>()))
    {
        const std::lock_guard lock(m_mutex);
        if (m_away)
            return contract::fail(contract::Error::Kind::Offline, QStringLiteral("memory store is away"));
        MemoryTables tables(m_rows, m_clock.wall());
        auto result = work(tables);
        if (result)
            m_rows = tables.rows();
        return result;
    }

private:
    struct Ports;

    const contract::HostClock& m_clock;
    mutable std::mutex m_mutex;
    MemoryRows m_rows;
    bool m_away = false;
    std::unique_ptr<Ports> m_ports;
};

} // namespace unavez::tests
