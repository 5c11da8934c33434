// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/leaserenewer.h"

#include <algorithm>

namespace unavez::service {

using namespace contract;

LeaseRenewer::LeaseRenewer(OpenStore open, StoreHealth& health, Log& log, Millis every, Millis lease)
    : m_store(std::move(open), health)
    , m_log(log)
    , m_every(every)
    , m_lease(lease)
    , m_thread([this](std::stop_token stop) { run(std::move(stop)); })
{
}

LeaseRenewer::~LeaseRenewer() = default;

void LeaseRenewer::begin(const JobLease& lease, std::stop_source lost)
{
    const auto now = Clock::now();
    {
        const std::lock_guard lock(m_mutex);
        m_kept.push_back({lease, std::move(lost), now + m_every, now + m_lease});
    }
    m_changed.notify_one();
}

void LeaseRenewer::end(const JobLease& lease)
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_kept, [&](const Kept& kept) { return kept.lease == lease; });
}

std::optional<LeaseRenewer::Kept> LeaseRenewer::due(std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        const auto next = std::min_element(
            m_kept.begin(), m_kept.end(), [](const Kept& a, const Kept& b) { return a.renewAt < b.renewAt; });
        if (next == m_kept.end()) {
            m_changed.wait(lock, stop, [this] { return !m_kept.empty(); });
            continue;
        }
        if (next->renewAt <= Clock::now())
            return *next;
        const auto until = next->renewAt;
        const auto before = m_kept.size();
        m_changed.wait_until(lock, stop, until, [&] { return m_kept.size() != before; });
    }
    return std::nullopt;
}

void LeaseRenewer::renewed(const JobLease& lease, Clock::time_point asked)
{
    const std::lock_guard lock(m_mutex);
    for (auto& kept : m_kept) {
        if (kept.lease == lease) {
            kept.renewAt = asked + m_every;
            kept.overAt = asked + m_lease;
        }
    }
}

void LeaseRenewer::postponed(const JobLease& lease)
{
    bool isOver = false;
    {
        const std::lock_guard lock(m_mutex);
        for (auto& kept : m_kept) {
            if (kept.lease == lease) {
                kept.renewAt = Clock::now() + std::min(m_every / 4, Millis{1000});
                isOver = Clock::now() >= kept.overAt;
            }
        }
    }
    if (isOver)
        lost(lease);
}

void LeaseRenewer::lost(const JobLease& lease)
{
    std::optional<std::stop_source> source;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& kept : m_kept) {
            if (kept.lease == lease)
                source = kept.lost;
        }
        std::erase_if(m_kept, [&](const Kept& kept) { return kept.lease == lease; });
    }
    if (!source)
        return; // it ended meanwhile
    m_log.warning(
        QLatin1String("lease_lost"), {{QStringLiteral("job"), lease.job}, {QStringLiteral("token"), lease.token}});
    source->request_stop(); // outside of the lock: what it stops may call end()
}

void LeaseRenewer::run(std::stop_token stop)
{
    while (const auto kept = due(stop)) {
        auto* store = m_store.tried();
        if (!store) {
            postponed(kept->lease);
            continue;
        }
        const auto asked = Clock::now();
        const auto ours = store->jobs().renew(kept->lease, m_lease);
        if (!ours) {
            m_store.failed(ours.error());
            postponed(kept->lease);
            continue;
        }
        m_store.worked();
        if (*ours)
            renewed(kept->lease, asked);
        else
            lost(kept->lease);
    }
}

} // namespace unavez::service
