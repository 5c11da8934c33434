// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/meteredstore.h"

namespace unavez::service {

using namespace contract;

namespace {

class MeteredReservations final : public ReservationStore
{
public:
    MeteredReservations(ReservationStore& store, Metrics& metrics)
        : m_store(store)
        , m_metrics(metrics)
    {
    }

    Result<> completeCall(const CallEnd& end) override
    {
        const auto completed = m_store.completeCall(end);
        if (completed)
            m_metrics.sent(end.outcome);
        return completed;
    }

    Result<Instant> now() override { return m_store.now(); }
    Result<std::optional<IntentState>> find(const IntentId& intent) override { return m_store.find(intent); }
    Result<std::optional<IntentState>> findKey(const KeyId& key) override { return m_store.findKey(key); }
    Result<bool> use(const IntentId& intent, const JobLease& job) override { return m_store.use(intent, job); }
    Result<ReserveAnswer> reserve(const ReserveRequest& request) override { return m_store.reserve(request); }
    Result<std::optional<Held>> start(
        const KeyId& key, qint64 seenVersion, const QString& owner, Millis lease, const QByteArray& request) override
    {
        return m_store.start(key, seenVersion, owner, lease, request);
    }
    Result<std::optional<Held>> resume(
        const KeyId& key, qint64 seenFence, const QString& owner, Millis lease, Seconds grace) override
    {
        return m_store.resume(key, seenFence, owner, lease, grace);
    }
    Result<MarkAnswer> mark(const MarkRequest& request) override { return m_store.mark(request); }
    Result<bool> storeObject(const IntentId& intent, const QString& objectId) override
    {
        return m_store.storeObject(intent, objectId);
    }
    Result<bool> finish(const FinishRequest& request) override { return m_store.finish(request); }
    Result<> giveUpLease(const KeyId& key, qint64 fence, Seconds grace) override
    {
        return m_store.giveUpLease(key, fence, grace);
    }
    Result<bool> hasUnansweredSend(const KeyId& key, const QString& sentKey, qint64 exceptCall) override
    {
        return m_store.hasUnansweredSend(key, sentKey, exceptCall);
    }
    Result<QList<Reservation>> openEffects(qint64 job) override { return m_store.openEffects(job); }
    Result<> raise(IncidentKind kind, const QString& subject, Severity severity, const QJsonObject& detail) override
    {
        return m_store.raise(kind, subject, severity, detail);
    }

private:
    ReservationStore& m_store;
    Metrics& m_metrics;
};

class MeteredSession final : public StoreSession
{
public:
    MeteredSession(std::unique_ptr<StoreSession> session, Metrics& metrics)
        : m_session(std::move(session))
        , m_reservations(m_session->reservations(), metrics)
    {
    }
    IntakeStore& intake() override { return m_session->intake(); }
    JobStore& jobs() override { return m_session->jobs(); }
    ReservationStore& reservations() override { return m_reservations; }
    EvidenceStore& evidence() override { return m_session->evidence(); }
    ReaperStore& reaper() override { return m_session->reaper(); }
    ServiceStore& service() override { return m_session->service(); }

private:
    std::unique_ptr<StoreSession> m_session;
    MeteredReservations m_reservations;
};

} // namespace

OpenStore metered(OpenStore open, Metrics& metrics)
{
    return [open = std::move(open), &metrics]() -> Result<std::unique_ptr<StoreSession>> {
        auto session = open();
        if (!session)
            return fail(session.error());
        return std::unique_ptr<StoreSession>(new MeteredSession(std::move(*session), metrics));
    };
}

} // namespace unavez::service
