// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

#include <atomic>

namespace unavez::service {

// What the service's threads did since its start, for /metrics. Only counts: labels are ids, and ids stay out.
struct Counters
{
    std::atomic<quint64> jobsClaimed{0};
    std::atomic<quint64> jobsDone{0};
    std::atomic<quint64> jobsLater{0};
    std::atomic<quint64> jobsDead{0};
    std::atomic<quint64> leasesLost{0};
    std::atomic<quint64> reapedUnknown{0}; // reservations past their cutoff
    std::atomic<quint64> reapedWaiting{0};
    std::atomic<quint64> reapedDead{0};
    std::atomic<quint64> heartbeats{0};
};

} // namespace unavez::service
