// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine/reaper.h"

#include <algorithm>

namespace unavez::engine {

using namespace contract;

Reaper::Reaper(ReaperStore& store, Seconds grace, int chunk)
    : m_store(store)
    , m_grace(std::max(grace, Seconds{0}))
    , m_chunk(std::clamp(chunk, 1, 50))
{
}

Result<Reaped> Reaper::step()
{
    const auto expired = m_store.expireReservations(m_grace, m_chunk);
    if (!expired)
        return fail(expired.error());
    const auto jobs = m_store.freeJobs(m_grace, m_chunk);
    if (!jobs)
        return fail(jobs.error());
    Reaped reaped{*expired, jobs->waiting, jobs->dead, false};
    reaped.more = expired->size() >= m_chunk || jobs->waiting.size() + jobs->dead.size() >= m_chunk;
    return reaped;
}

} // namespace unavez::engine
