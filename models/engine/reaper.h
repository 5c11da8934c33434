// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/servicestore.h"

// The reaper: it moves what its time has run out for, and changes nothing else (contract.md §10.4).
namespace unavez::engine {

struct Reaped
{
    QList<contract::KeyId> unknown; // reservations past their cutoff
    QList<qint64> waiting; // jobs whose lease ran out
    QList<qint64> dead; // the same, budget used
    bool more = false; // a chunk came back full: call again, after a pause of twice the time this took
};

class Reaper
{
public:
    // grace in seconds, ≥ 0; chunk: rows per transaction, 1–50.
    Reaper(contract::ReaperStore& store, contract::Seconds grace, int chunk = 50);

    // One chunk of reservations and one of jobs.
    contract::Result<Reaped> step();

private:
    contract::ReaperStore& m_store;
    contract::Seconds m_grace;
    int m_chunk;
};

} // namespace unavez::engine
