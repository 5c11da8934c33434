// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/engine/simprovider.h"
#include "tests/support/memorytables.h"

// The invariants of contract.md §10.9, as far as rows and the provider's ledger show them. Empty: they hold.
namespace unavez::tests {

QString brokenIn(const MemoryRows& rows); // N1, N3
// N4, N5, N6, N10, and no reservation given up before its cutoff. `now` is the store's clock, after.
QString brokenBetween(const MemoryRows& before, const MemoryRows& after, contract::Instant now);
QString brokenAtProvider(const SimProvider& provider); // N2, N9
// When everything has come to rest: N12, and no effect is denied.
QString brokenAtRest(const MemoryRows& rows, const SimProvider& provider);
// After everything was looked up, requeued and tried again: nothing is left that somebody could have settled.
QString unsettledIn(const MemoryRows& rows);

} // namespace unavez::tests
