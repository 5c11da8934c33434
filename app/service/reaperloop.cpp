// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/reaperloop.h"

#include "models/engine/reaper.h"

namespace unavez::service {

using namespace contract;

ReaperLoop::ReaperLoop(const SharedParts& shared, Millis every, Seconds grace)
    : m_shared(shared)
    , m_every(every)
    , m_grace(grace)
    , m_thread([this](std::stop_token stop) { run(std::move(stop)); })
{
}

void ReaperLoop::run(std::stop_token stop)
{
    StoreLink link(m_shared.openStore, m_shared.health);
    auto& counters = m_shared.counters;
    while (auto* store = link.session(stop)) {
        const auto begun = std::chrono::steady_clock::now();
        const auto reaped = engine::Reaper(store->reaper(), m_grace).step();
        if (!reaped) {
            link.failed(reaped.error());
            continue;
        }
        link.worked();
        counters.reapedUnknown += static_cast<quint64>(reaped->unknown.size());
        counters.reapedWaiting += static_cast<quint64>(reaped->waiting.size());
        counters.reapedDead += static_cast<quint64>(reaped->dead.size());
        for (const auto& key : reaped->unknown)
            m_shared.log.warning(QLatin1String("reaped_unknown"), {{QStringLiteral("key"), subjectOf(key)}});
        for (const auto job : reaped->waiting)
            m_shared.log.warning(QLatin1String("reaped_job"), {{QStringLiteral("job"), job}});
        for (const auto job : reaped->dead) {
            m_shared.log.error(QLatin1String("job_dead"),
                {{QStringLiteral("job"), job}, {QStringLiteral("class"), QStringLiteral("lease_over")}});
            m_shared.alert.died({job, {}, {}, QStringLiteral("lease_over")});
        }
        const auto took = std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - begun);
        // While there is more: twice the time it took, so that the edge is never crowded out of a small store.
        rest(stop, reaped->more ? took * 2 + Millis{1} : m_every);
    }
}

} // namespace unavez::service
