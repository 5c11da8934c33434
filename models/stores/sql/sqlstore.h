// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/stores/sql/sqlevidencestore.h"
#include "models/stores/sql/sqlintakestore.h"
#include "models/stores/sql/sqljobstore.h"
#include "models/stores/sql/sqlreservationstore.h"
#include "models/stores/sql/sqlservicestore.h"

#include <memory>

namespace unavez::stores {

// A store as one thread of the service uses it: one connection, and every port over it. Opened, used and destroyed in
// that thread; each thread opens its own.
class SqlStore
{
public:
    // Also checks the schema: SchemaMissing, SchemaNewer, Invalid ("migrate first"), and what SqlConnection::open says.
    static contract::Result<std::unique_ptr<SqlStore>> open(const StoreUrl& url);
    explicit SqlStore(std::unique_ptr<SqlConnection> connection);

    SqlConnection& connection() { return *m_connection; }
    contract::IntakeStore& intake() { return m_intake; }
    contract::JobStore& jobs() { return m_jobs; }
    contract::ReservationStore& reservations() { return m_reservations; }
    contract::EvidenceStore& evidence() { return m_evidence; }
    contract::ReaperStore& reaper() { return m_reaper; }
    contract::ServiceStore& service() { return m_service; }

private:
    std::unique_ptr<SqlConnection> m_connection; // first: the ports stand on it
    SqlIntakeStore m_intake;
    SqlJobStore m_jobs;
    SqlReservationStore m_reservations;
    SqlEvidenceStore m_evidence;
    SqlReaperStore m_reaper;
    SqlServiceStore m_service;
};

} // namespace unavez::stores
