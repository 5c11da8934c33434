// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/faults.h"
#include "app/sandbox/httpserver.h"
#include "app/sandbox/providerjournal.h"

#include <condition_variable>
#include <mutex>

namespace unavez::sandbox {

// The practice provider over HTTP: its API under /v1, and its strings under
//   POST /_fault   {"on":{"path","sent_key","nth"},"do":…,"value":…} · DELETE /_fault takes them all away
//   POST /_clock   {"shift_ms":-…} ages what it remembers · {"date_shift_ms":…} makes its Date header lie
//   POST /_card    {"customer","works":true,"decline_code","advice_code"[,"account"]}: a new card
//   POST /_emit    {"sent_key","type"} → {"events":[…]}: what it would deliver about our requests
// Any thread.
class Provider
{
public:
    // `accounts`: whose credentials it knows, at least one. `seed` as in ProviderState.
    Provider(const QStringList& accounts, const QString& seed, const QString& statePath, const QString& ledgerPath,
        const contract::HostClock& clock);

    contract::Result<> open();
    // Gives every account these customers, with a card that works, where it does not know them yet.
    contract::Result<> welcome(const QStringList& customers);
    ServedReply respond(const ServedRequest& request, const std::stop_token& stop);

private:
    ServedReply call(const ServedRequest& request, const std::stop_token& stop);
    ServedReply control(const ServedRequest& request);
    ServedReply placeCard(const QJsonObject& asked);
    ServedReply moveClock(const QJsonObject& asked);
    ServedReply emitEvents(const QJsonObject& asked);
    // Writes the ledger line and what changed; the answer that may leave then.
    ServedReply kept(const ServedAnswer& answer, LedgerLine line);
    ServedReply replyOf(const ServedAnswer& answer, const QString& key) const;
    void pause(contract::Millis time, const std::stop_token& stop);

    const contract::HostClock& m_clock;
    std::mutex m_mutex;
    ProviderState m_state;
    ProviderJournal m_journal;
    Faults m_faults;
    contract::Millis m_dateShift{0};
};

} // namespace unavez::sandbox
