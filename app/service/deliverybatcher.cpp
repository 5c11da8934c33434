// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/deliverybatcher.h"

#include "models/async/crashpoint.h"

#include <algorithm>

namespace unavez::service {

using namespace contract;
using engine::IntakeAnswer;

namespace {

IntakeAnswer away(const char* why) { return {503, {}, Error{Error::Kind::Offline, QString::fromLatin1(why), 0}}; }

} // namespace

DeliveryBatcher::DeliveryBatcher(OpenStore open, StoreHealth& health, Metrics& metrics, BatcherSettings settings)
    : m_metrics(metrics)
    , m_settings(settings)
    , m_store(std::move(open), health, settings.longestPause)
{
}

DeliveryBatcher::~DeliveryBatcher() { stop(); }

void DeliveryBatcher::start()
{
    m_thread = std::thread([this] { run(); });
}

void DeliveryBatcher::submit(Delivery delivery, Answered answered)
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_isStopping && static_cast<int>(m_waiting.size()) < m_settings.queue) {
            m_waiting.push_back({std::move(delivery), std::move(answered)});
            m_changed.notify_one();
            return;
        }
    }
    answered(away("edge: no room in the queue"));
}

void DeliveryBatcher::note(const SignatureFailure& failure)
{
    m_failures.add(failure);
    // Under the lock, or a batcher about to sleep would not hear it.
    const std::lock_guard lock(m_mutex);
    m_changed.notify_one();
}

void DeliveryBatcher::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
        m_changed.notify_one();
    }
    if (m_thread.joinable())
        m_thread.join();
}

void DeliveryBatcher::run()
{
    for (bool isStopping = false; !isStopping;) {
        auto batch = taken(isStopping);
        if (!batch.empty()) {
            record(std::move(batch));
            isStopping = false; // more may wait
        }
        if (isStopping || Clock::now() >= m_flushAfter)
            flush();
    }
    m_store.close();
}

// Waits until there is something to do. `isStopping` with an empty answer: nothing waits and nothing comes.
std::deque<DeliveryBatcher::Waiting> DeliveryBatcher::taken(bool& isStopping)
{
    std::unique_lock lock(m_mutex);
    const auto isWork = [this] { return m_isStopping || !m_waiting.empty(); };
    while (!isWork()) {
        if (m_failures.isEmpty())
            m_changed.wait(lock);
        else if (m_changed.wait_until(lock, m_flushAfter) == std::cv_status::timeout)
            break;
    }
    std::deque<Waiting> batch;
    const auto count = std::min(m_waiting.size(), static_cast<std::size_t>(m_settings.most));
    std::move(m_waiting.begin(), m_waiting.begin() + static_cast<std::ptrdiff_t>(count), std::back_inserter(batch));
    m_waiting.erase(m_waiting.begin(), m_waiting.begin() + static_cast<std::ptrdiff_t>(count));
    isStopping = m_isStopping;
    return batch;
}

void DeliveryBatcher::record(std::deque<Waiting> batch)
{
    auto* const store = m_store.session();
    if (!store) {
        for (const auto& waiting : batch)
            waiting.answered(away("edge: the store is away"));
        return;
    }
    const Metrics::Busy busy(m_metrics, Role::Edge);
    QList<Delivery> deliveries;
    deliveries.reserve(static_cast<qsizetype>(batch.size()));
    for (auto& waiting : batch)
        deliveries.append(std::move(waiting.delivery));
    const auto answers = engine::Intake(store->intake()).record(deliveries);
    noteState(answers);
    for (qsizetype i = 0; i < answers.size(); ++i)
        batch[static_cast<std::size_t>(i)].answered(answers[i]);
}

// What the answers say of the store, before anybody hears them.
void DeliveryBatcher::noteState(const QList<IntakeAnswer>& answers)
{
    std::optional<Error> trouble;
    qsizetype recorded = 0;
    for (const auto& answer : answers) {
        recorded += answer.http == 200;
        if (answer.error && (!trouble || isOfTheStore(answer.error->kind)))
            trouble = answer.error;
    }
    if (recorded > 0) {
        UNAVEZ_CRASH_POINT("edge.after_commit_before_200");
        m_metrics.committed(recorded);
    }
    if (trouble) // also of a row alone: a verified delivery that the store does not take is logged
        m_store.failed(*trouble);
    if (recorded > 0 && !(trouble && isOfTheStore(trouble->kind)))
        m_store.worked();
}

void DeliveryBatcher::flush()
{
    m_flushAfter = Clock::now() + m_settings.flush;
    if (m_failures.isEmpty())
        return;
    auto* const store = m_store.session();
    if (!store)
        return;
    const auto failures = m_failures.take();
    const auto written = store->intake().recordFailures(failures);
    if (written)
        return m_store.worked();
    // Counted again with the next write, but for a store that refuses them: those would be refused for ever.
    if (isOfTheStore(written.error().kind) || written.error().kind == Error::Kind::Conflict) {
        for (const auto& failure : failures)
            m_failures.add(failure);
    }
    m_store.failed(written.error());
}

} // namespace unavez::service
