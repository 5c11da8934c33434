// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/intakestore.h"
#include "models/contract/rows.h"

#include <QMap>

namespace unavez::tests {

struct MemoryReservation
{
    contract::Reservation row;
    QByteArray request; // empty: opened, never started
    QByteArray requestSha256;
};

struct MemoryFailure
{
    contract::SignatureFailure failure;
    contract::Instant minute;
};

// The tables of a store as values: copying them is taking a snapshot.
struct MemoryRows
{
    contract::StoreInfo info;
    QMap<qint64, contract::Source> sources;
    QMap<QString, contract::SigningKey> signingKeys;
    QMap<qint64, contract::Event> events;
    QMap<qint64, QByteArray> payloads;
    QMap<qint64, contract::Job> jobs;
    QMap<contract::IntentId, contract::Intent> intents;
    QList<contract::IntentUse> uses; // job state and version are filled in when they are read
    QMap<contract::KeyId, MemoryReservation> reservations;
    QMap<qint64, contract::ProviderCall> calls;
    QList<contract::Reconciliation> reconciliations;
    QList<contract::Hold> holds; // in force
    QList<contract::Incident> incidents;
    QMap<qint64, contract::Proposal> proposals;
    QList<contract::LogEntry> log;
    QMap<QString, contract::ServiceRow> services;
    QList<MemoryFailure> failures;
};

// One transaction's view of the tables. Every write goes through the rules that the triggers and constraints of the
// real stores keep (contract.md §12.3): what they would refuse is Refused here, in their words.
class MemoryTables
{
public:
    MemoryTables(MemoryRows rows, contract::Instant now);

    const MemoryRows& rows() const { return m_rows; }
    MemoryRows& anyRows() { return m_rows; } // tables without rules of their own
    contract::Instant now() const { return m_now; }

    contract::Result<qint64> insertEvent(contract::Event event, const QByteArray& payload);
    contract::Result<> updateEvent(const contract::Event& next);
    contract::Result<qint64> insertJob(contract::Job job); // its event has_job then
    // The row version is raised here, by one; so for reservations.
    contract::Result<> updateJob(contract::Job next);
    contract::Result<> insertIntent(const contract::Intent& intent);
    contract::Result<> updateIntent(const contract::Intent& next);
    void insertUse(const contract::IntentId& intent, qint64 job); // once
    contract::Result<> insertReservation(const MemoryReservation& made); // its intent's last_* follow
    contract::Result<> updateReservation(MemoryReservation next);
    contract::Result<qint64> insertCall(contract::ProviderCall call);
    contract::Result<> updateCall(const contract::ProviderCall& next);
    contract::Result<> insertReconciliation(contract::Reconciliation row);
    void raiseIncident(
        contract::IncidentKind kind, const QString& subject, contract::Severity severity, const QJsonObject& detail);

    QList<contract::Reservation> attemptsOf(const contract::IntentId& intent) const; // oldest first
    // Open reservations of a job: of its intents, and the one a resume job names.
    QList<contract::Reservation> openEffects(qint64 job) const;

private:
    bool hasVerdict(const contract::Reservation& row, contract::EvidenceVerdict verdict,
        const std::optional<QString>& object = {}) const;
    bool isProvenNotCharged(const contract::Reservation& row) const;
    bool isAllowed(const contract::Reservation& old, const contract::Reservation& next) const;
    std::optional<QString> brokenUniqueness(
        const contract::Reservation& next, std::optional<contract::ReservationStatus> was) const;
    void followStatus(const contract::Reservation& row);

    MemoryRows m_rows;
    contract::Instant m_now;
};

} // namespace unavez::tests
