// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/ledger.h"
#include "app/sandbox/providerstate.h"

namespace unavez::sandbox {

// A provider's memory on disk: one JSON line for each change, written before the answer leaves, so that a killed
// provider comes back knowing what it did. The ledger's lines travel in it; what a crash kept from the ledger is
// written there at the next start.
class ProviderJournal
{
public:
    ProviderJournal(const QString& statePath, const QString& ledgerPath);

    // Reads what is there into `state`, mends the ledger, begins the file anew with one whole record.
    // Invalid: a file cannot be written. Corrupt: a line that is not ours.
    contract::Result<> open(ProviderState& state, contract::Instant now);
    // What `state` changed since the last call. A crash of this process loses nothing that was kept; a crash of the
    // machine may.
    contract::Result<> keep(ProviderState& state);

private:
    contract::Result<> load(ProviderState& state);
    contract::Result<> mendLedger();
    contract::Result<> write(const QJsonObject& record);

    QFile m_file;
    Ledger m_ledger;
    qint64 m_ledgerLines = 0; // in all, as this journal knows
    QList<LedgerLine> m_recent; // those of the file as loaded
};

} // namespace unavez::sandbox
