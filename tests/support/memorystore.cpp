// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/memorystore.h"

#include "tests/support/memoryports.h"

namespace unavez::tests {

using namespace contract;

struct MemoryStore::Ports
{
    explicit Ports(MemoryStore& store)
        : intake(store)
        , jobs(store)
        , reservations(store)
        , evidence(store)
        , reaper(store)
        , service(store)
        , actions(store)
    {
    }
    MemoryIntakeStore intake;
    MemoryJobStore jobs;
    MemoryReservationStore reservations;
    MemoryEvidenceStore evidence;
    MemoryReaperStore reaper;
    MemoryServiceStore service;
    MemoryActionStore actions;
};

MemoryStore::MemoryStore(const HostClock& clock, StoreMode mode)
    : m_clock(clock)
    , m_ports(std::make_unique<Ports>(*this))
{
    m_rows.info.storeId = QStringLiteral("memory");
    m_rows.info.mode = mode;
    m_rows.sources.insert(0, {0, QStringLiteral("(none)"), QStringLiteral("none"), {}});
}

MemoryStore::~MemoryStore() = default;

IntakeStore& MemoryStore::intake() { return m_ports->intake; }
JobStore& MemoryStore::jobs() { return m_ports->jobs; }
ReservationStore& MemoryStore::reservations() { return m_ports->reservations; }
EvidenceStore& MemoryStore::evidence() { return m_ports->evidence; }
ReaperStore& MemoryStore::reaper() { return m_ports->reaper; }
ServiceStore& MemoryStore::service() { return m_ports->service; }
ActionStore& MemoryStore::actions() { return m_ports->actions; }

MemoryRows MemoryStore::rows() const
{
    const std::lock_guard lock(m_mutex);
    return m_rows;
}

void MemoryStore::setAway(bool away)
{
    const std::lock_guard lock(m_mutex);
    m_away = away;
}

qint64 MemoryStore::approvedProposal(Action action, const QString& target)
{
    const std::lock_guard lock(m_mutex);
    Proposal proposal;
    proposal.id = m_rows.proposals.size() + 1;
    proposal.action = action;
    proposal.target = target;
    proposal.proposedBy = QStringLiteral("ana");
    proposal.proposedAt = m_clock.wall();
    proposal.approved = true;
    proposal.decidedBy = QStringLiteral("bo");
    m_rows.proposals.insert(proposal.id, proposal);
    return proposal.id;
}

} // namespace unavez::tests
