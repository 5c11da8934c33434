// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/counters.h"
#include "app/service/settings.h"
#include "models/contract/states.h"

#include <QByteArray>

#include <memory>

namespace unavez::service {

// The numbers behind GET /metrics. Counted since this process started; labels are words of closed lists only, so that
// no caller can make a new series. Any thread.
class Metrics
{
public:
    Metrics();
    ~Metrics();
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;

    // A request to the edge: the status it got, and the time from its first byte to its answer.
    void answered(int status, contract::Millis after);
    // A micro-batch that was committed, with this many deliveries.
    void committed(qsizetype deliveries);
    // A request with an effect that ended, by how its answer was understood (contract.md §1.4).
    void sent(contract::OutcomeClass outcome);
    // A tool call that was answered: its status word, or the reason of its refusal.
    void called(const QString& answer);

    // Counts a thread of that role as busy for its lifetime.
    class Busy
    {
    public:
        Busy(Metrics& metrics, Role role);
        ~Busy();
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;

    private:
        Metrics& m_metrics;
        Role m_role;
    };

    // Prometheus' text format, version 0.0.4, with what the other threads counted.
    QByteArray text(const Counters& counters, bool isStoreUp) const;

private:
    struct Series;
    std::unique_ptr<Series> m_series;
};

} // namespace unavez::service
