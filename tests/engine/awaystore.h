// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/reservationstore.h"

namespace unavez::tests {

// A store that can go away between two calls, and come back.
class AwayStore final : public contract::ReservationStore
{
public:
    explicit AwayStore(contract::ReservationStore& store)
        : m_store(store)
    {
    }

    bool away = false;

    contract::Result<contract::Instant> now() override
    {
        return asked<contract::Instant>([&] { return m_store.now(); });
    }
    contract::Result<std::optional<contract::IntentState>> find(const contract::IntentId& intent) override
    {
        return asked<std::optional<contract::IntentState>>([&] { return m_store.find(intent); });
    }
    contract::Result<std::optional<contract::IntentState>> findKey(const contract::KeyId& key) override
    {
        return asked<std::optional<contract::IntentState>>([&] { return m_store.findKey(key); });
    }
    contract::Result<bool> use(const contract::IntentId& intent, const contract::JobLease& job) override
    {
        return asked<bool>([&] { return m_store.use(intent, job); });
    }
    contract::Result<contract::ReserveAnswer> reserve(const contract::ReserveRequest& request) override
    {
        return asked<contract::ReserveAnswer>([&] { return m_store.reserve(request); });
    }
    contract::Result<std::optional<contract::Held>> start(const contract::KeyId& key, qint64 seenVersion,
        const QString& owner, contract::Millis lease, const QByteArray& request) override
    {
        return asked<std::optional<contract::Held>>(
            [&] { return m_store.start(key, seenVersion, owner, lease, request); });
    }
    contract::Result<std::optional<contract::Held>> resume(const contract::KeyId& key, qint64 seenFence,
        const QString& owner, contract::Millis lease, contract::Seconds grace) override
    {
        return asked<std::optional<contract::Held>>(
            [&] { return m_store.resume(key, seenFence, owner, lease, grace); });
    }
    contract::Result<contract::MarkAnswer> mark(const contract::MarkRequest& request) override
    {
        return asked<contract::MarkAnswer>([&] { return m_store.mark(request); });
    }
    contract::Result<> completeCall(const contract::CallEnd& end) override
    {
        return asked<std::monostate>([&] { return m_store.completeCall(end); });
    }
    contract::Result<bool> storeObject(const contract::IntentId& intent, const QString& objectId) override
    {
        return asked<bool>([&] { return m_store.storeObject(intent, objectId); });
    }
    contract::Result<bool> finish(const contract::FinishRequest& request) override
    {
        return asked<bool>([&] { return m_store.finish(request); });
    }
    contract::Result<> giveUpLease(const contract::KeyId& key, qint64 fence, contract::Seconds grace) override
    {
        return asked<std::monostate>([&] { return m_store.giveUpLease(key, fence, grace); });
    }
    contract::Result<bool> hasUnansweredSend(
        const contract::KeyId& key, const QString& sentKey, qint64 exceptCall) override
    {
        return asked<bool>([&] { return m_store.hasUnansweredSend(key, sentKey, exceptCall); });
    }
    contract::Result<QList<contract::Reservation>> openEffects(qint64 job) override
    {
        return asked<QList<contract::Reservation>>([&] { return m_store.openEffects(job); });
    }
    contract::Result<> raise(contract::IncidentKind kind, const QString& subject, contract::Severity severity,
        const QJsonObject& detail) override
    {
        return asked<std::monostate>([&] { return m_store.raise(kind, subject, severity, detail); });
    }

private:
    template <typename T, typename Ask> contract::Result<T> asked(Ask ask)
    {
        if (away)
            return contract::fail(contract::Error::Kind::Offline, QStringLiteral("away"));
        return ask();
    }

    contract::ReservationStore& m_store;
};

} // namespace unavez::tests
