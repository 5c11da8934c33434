// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace unavez::service {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

namespace {

Family<Counter>& counter(prometheus::Registry& registry, const char* name, const char* help)
{
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

Histogram& histogram(
    prometheus::Registry& registry, const char* name, const char* help, const Histogram::BucketBoundaries& bounds)
{
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, bounds);
}

// A counter that is kept elsewhere, with one value of its label a row.
prometheus::MetricFamily labelled(
    const char* name, const char* help, const char* label, const std::vector<std::pair<const char*, quint64>>& values)
{
    prometheus::MetricFamily family{name, help, prometheus::MetricType::Counter, {}};
    for (const auto& [value, count] : values) {
        prometheus::ClientMetric metric;
        metric.label.push_back({label, value});
        metric.counter.value = static_cast<double>(count);
        family.metric.push_back(std::move(metric));
    }
    return family;
}

std::string labelOf(Role role) { return wordOf(role).toStdString(); }

} // namespace

struct Metrics::Series
{
    prometheus::Registry registry;
    Family<Counter>& deliveries
        = counter(registry, "unavez_deliveries_total", "Requests to the edge by the status they got.");
    Histogram& answerTime
        = histogram(registry, "unavez_delivery_answer_seconds", "From a delivery's first byte to its answer.",
            {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10});
    Histogram& batch = histogram(registry, "unavez_commit_batch_deliveries", "Deliveries that shared one commit.",
        {1, 2, 4, 8, 16, 32, 64, 128});
    Family<Counter>& sends
        = counter(registry, "unavez_sends_total", "Requests with an effect by how their answer was understood.");
    Family<Counter>& calls = counter(registry, "unavez_tool_calls_total", "Tool calls by their answer.");
    Gauge& store = prometheus::BuildGauge()
                       .Name("unavez_store_up")
                       .Help("1 while the store answers.")
                       .Register(registry)
                       .Add({});
    Family<Gauge>& busy
        = prometheus::BuildGauge().Name("unavez_threads_busy").Help("Threads at work by role.").Register(registry);
};

Metrics::Metrics()
    : m_series(std::make_unique<Series>())
{
    // A series that is there from the start reads as zero, not as absent.
    for (const auto role : {Role::Edge, Role::Worker, Role::Gate, Role::Reaper})
        m_series->busy.Add({{"role", labelOf(role)}});
}

Metrics::~Metrics() = default;

void Metrics::answered(int status, contract::Millis after)
{
    m_series->deliveries.Add({{"answer", std::to_string(status)}}).Increment();
    m_series->answerTime.Observe(std::chrono::duration<double>(after).count());
}

void Metrics::committed(qsizetype deliveries) { m_series->batch.Observe(static_cast<double>(deliveries)); }

void Metrics::sent(contract::OutcomeClass outcome)
{
    m_series->sends.Add({{"class", contract::wordOf(outcome).toStdString()}}).Increment();
}

void Metrics::called(const QString& answer) { m_series->calls.Add({{"answer", answer.toStdString()}}).Increment(); }

Metrics::Busy::Busy(Metrics& metrics, Role role)
    : m_metrics(metrics)
    , m_role(role)
{
    m_metrics.m_series->busy.Add({{"role", labelOf(m_role)}}).Increment();
}

Metrics::Busy::~Busy() { m_metrics.m_series->busy.Add({{"role", labelOf(m_role)}}).Decrement(); }

QByteArray Metrics::text(const Counters& counters, bool isStoreUp) const
{
    m_series->store.Set(isStoreUp ? 1 : 0);
    auto families = m_series->registry.Collect();
    families.push_back(labelled("unavez_job_tries_total", "Tries of jobs by how they ended.", "result",
        {{"done", counters.jobsDone}, {"later", counters.jobsLater}, {"dead", counters.jobsDead},
            {"lease_lost", counters.leasesLost}}));
    families.push_back(labelled("unavez_dead_letters_total", "Jobs that went dead here, by who found it.", "by",
        {{"worker", counters.jobsDead}, {"reaper", counters.reapedDead}}));
    families.push_back(labelled("unavez_reaped_total", "What the reaper moved.", "to",
        {{"unknown", counters.reapedUnknown}, {"waiting", counters.reapedWaiting}, {"dead", counters.reapedDead}}));
    return QByteArray::fromStdString(prometheus::TextSerializer().Serialize(families));
}

} // namespace unavez::service
