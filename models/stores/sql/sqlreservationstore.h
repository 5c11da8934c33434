// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/reservationstore.h"
#include "models/stores/sql/rowreader.h"
#include "models/stores/sql/sqlconnection.h"

namespace unavez::stores {

class SqlReservationStore final : public contract::ReservationStore
{
public:
    explicit SqlReservationStore(SqlConnection& connection);

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
    contract::Result<contract::Held> held(const contract::KeyId& key);
    contract::Result<std::optional<contract::Intent>> intent(const contract::IntentId& id);
    contract::Result<contract::ReserveAnswer> reserveInside(const contract::ReserveRequest& request);
    contract::Result<bool> ownsJob(const contract::JobLease& job);
    contract::Result<> insertUse(const contract::IntentId& intent, const contract::JobLease& job);
    contract::Result<contract::Because> whyNotMarked(const contract::MarkRequest& request);

    SqlConnection& m_connection;
    Dialect m_dialect;
    RowReader m_reader;
};

} // namespace unavez::stores
