// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/rows.h"

// What the reaper and the service itself write.
namespace unavez::contract {

struct ReapedJobs
{
    QList<qint64> waiting;
    QList<qint64> dead;
};

class ReaperStore
{
public:
    virtual ~ReaperStore() = default;
    // in_progress, sent, lease over + grace and past its cutoff → unknown; at most `limit`. Nothing else.
    virtual Result<QList<KeyId>> expireReservations(Seconds grace, int limit) = 0;
    // leased with its lease over + grace → retry_wait, or dead where the budget is used.
    virtual Result<ReapedJobs> freeJobs(Seconds grace, int limit) = 0;
};

class ServiceStore
{
public:
    virtual ~ServiceStore() = default;

    virtual Result<StoreInfo> info() = 0;
    virtual Result<Instant> now() = 0;
    // Writes the configured sources and signing keys that are missing, and answers with every source's id.
    // Refused where one would change what cannot change (provider, account of a name).
    virtual Result<QList<Source>> syncSources(const QList<Source>& sources, const QList<SigningKey>& keys) = 0;
    virtual Result<> heartbeat(const ServiceRow& row) = 0;
    virtual Result<> stopped(const QString& instance) = 0;
    virtual Result<QList<Hold>> holds() = 0;
    virtual Result<> raise(IncidentKind kind, const QString& subject, Severity severity, const QJsonObject& detail) = 0;
    virtual Result<> quarantine(Instant from) = 0;
    // The highest provider_calls id: what a rewound store shows less of (contract.md §10.7).
    virtual Result<qint64> lastCall() = 0;
    // Cheap proof that the store answers and can be written to; for /readyz.
    virtual Result<> probe() = 0;
};

} // namespace unavez::contract
