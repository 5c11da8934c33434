// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/memorystore.h"

// The ports of MemoryStore, one class each, as the SQL stores have them.
namespace unavez::tests {

class MemoryIntakeStore final : public contract::IntakeStore
{
public:
    explicit MemoryIntakeStore(MemoryStore& store)
        : m_store(store)
    {
    }
    contract::Result<QList<contract::RecordedEvent>> record(const QList<contract::MergedDelivery>& batch) override;
    contract::Result<> recordFailures(const QList<contract::SignatureFailure>& failures) override;

private:
    MemoryStore& m_store;
};

class MemoryJobStore final : public contract::JobStore
{
public:
    explicit MemoryJobStore(MemoryStore& store)
        : m_store(store)
    {
    }
    contract::Result<std::optional<contract::ClaimedJob>> claim(
        qint64 sourceId, const QString& owner, contract::Millis lease) override;
    contract::Result<bool> renew(const contract::JobLease& lease, contract::Millis by) override;
    contract::Result<std::optional<QByteArray>> payload(qint64 eventPk) override;
    contract::Result<contract::JobFinish> finishDone(const contract::JobLease& lease) override;
    contract::Result<contract::JobFinish> finishLater(const contract::JobLease& lease, contract::Millis runIn,
        bool counted, const QString& errorClass, const QString& errorText) override;
    contract::Result<contract::JobFinish> finishDead(
        const contract::JobLease& lease, const QString& errorClass, const QString& errorText) override;

private:
    MemoryStore& m_store;
};

class MemoryReservationStore final : public contract::ReservationStore
{
public:
    explicit MemoryReservationStore(MemoryStore& store)
        : m_store(store)
    {
    }
    contract::Result<contract::Instant> now() override;
    contract::Result<std::optional<contract::IntentState>> find(const contract::IntentId& intent) override;
    contract::Result<std::optional<contract::IntentState>> findKey(const contract::KeyId& key) override;
    contract::Result<bool> use(const contract::IntentId& intent, const contract::JobLease& job) override;
    contract::Result<contract::ReserveAnswer> reserve(const contract::ReserveRequest& request) override;
    contract::Result<std::optional<contract::Held>> start(const contract::KeyId& key, qint64 seenVersion,
        const QString& owner, contract::Millis lease, const QByteArray& request) override;
    contract::Result<std::optional<contract::Held>> resume(const contract::KeyId& key, qint64 seenFence,
        const QString& owner, contract::Millis lease, contract::Seconds grace) override;
    contract::Result<contract::MarkAnswer> mark(const contract::MarkRequest& request) override;
    contract::Result<> completeCall(const contract::CallEnd& end) override;
    contract::Result<bool> storeObject(const contract::IntentId& intent, const QString& objectId) override;
    contract::Result<bool> finish(const contract::FinishRequest& request) override;
    contract::Result<> giveUpLease(const contract::KeyId& key, qint64 fence, contract::Seconds grace) override;
    contract::Result<bool> hasUnansweredSend(
        const contract::KeyId& key, const QString& sentKey, qint64 exceptCall) override;
    contract::Result<QList<contract::Reservation>> openEffects(qint64 job) override;
    contract::Result<> raise(contract::IncidentKind kind, const QString& subject, contract::Severity severity,
        const QJsonObject& detail) override;

private:
    MemoryStore& m_store;
};

class MemoryEvidenceStore final : public contract::EvidenceStore
{
public:
    explicit MemoryEvidenceStore(MemoryStore& store)
        : m_store(store)
    {
    }
    contract::Result<std::optional<contract::KeyId>> keyOfSentKey(
        const QString& provider, const QString& account, const QString& sentKey) override;
    contract::Result<contract::EvidenceEffect> record(const contract::ObservedOutcome& observed) override;

private:
    MemoryStore& m_store;
};

class MemoryReaperStore final : public contract::ReaperStore
{
public:
    explicit MemoryReaperStore(MemoryStore& store)
        : m_store(store)
    {
    }
    contract::Result<QList<contract::KeyId>> expireReservations(contract::Seconds grace, int limit) override;
    contract::Result<contract::ReapedJobs> freeJobs(contract::Seconds grace, int limit) override;

private:
    MemoryStore& m_store;
};

class MemoryServiceStore final : public contract::ServiceStore
{
public:
    explicit MemoryServiceStore(MemoryStore& store)
        : m_store(store)
    {
    }
    contract::Result<contract::StoreInfo> info() override;
    contract::Result<contract::Instant> now() override;
    contract::Result<QList<contract::Source>> syncSources(
        const QList<contract::Source>& sources, const QList<contract::SigningKey>& keys) override;
    contract::Result<> heartbeat(const contract::ServiceRow& row) override;
    contract::Result<> stopped(const QString& instance) override;
    contract::Result<QList<contract::Hold>> holds() override;
    contract::Result<> raise(contract::IncidentKind kind, const QString& subject, contract::Severity severity,
        const QJsonObject& detail) override;
    contract::Result<> quarantine(contract::Instant from) override;
    contract::Result<qint64> lastCall() override;
    contract::Result<> probe() override;

private:
    MemoryStore& m_store;
};

class MemoryActionStore final : public contract::ActionStore
{
public:
    explicit MemoryActionStore(MemoryStore& store)
        : m_store(store)
    {
    }
    void setPolicy(const contract::GuardPolicy& policy) override { m_policy = policy; }
    contract::Result<contract::CaseFacts> facts(const contract::ActionRequest& request) override;
    contract::Result<contract::ActionOutcome> apply(const contract::Plan& plan, const QString& reason) override;

private:
    contract::Result<contract::ActionOutcome> recorded(
        const contract::Plan& plan, const QString& reason, const contract::Because& because);

    MemoryStore& m_store;
    contract::GuardPolicy m_policy;
};

} // namespace unavez::tests
