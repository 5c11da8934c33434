// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/evidencestore.h"
#include "models/contract/reservationstore.h"

// Actor E for the provider's own events (contract.md §10.4): an event our key caused says what became of the effect.
namespace unavez::engine {

class Evidence
{
public:
    Evidence(contract::EvidenceStore& store, contract::ReservationStore& reservations,
        const contract::EventReader& reader, contract::StoreMode mode);

    // Absent: the event proves nothing about an effect of ours. Never requeues, never sends.
    contract::Result<std::optional<contract::EvidenceEffect>> observe(
        const contract::Event& event, const contract::Source& source, const QByteArray& payload);

private:
    contract::EvidenceStore& m_store;
    contract::ReservationStore& m_reservations;
    const contract::EventReader& m_reader;
    contract::StoreMode m_mode;
};

} // namespace unavez::engine
