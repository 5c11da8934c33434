// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/stores/storebench.h"

#include "models/stores/sql/sqlactionstore.h"
#include "models/stores/sql/sqlstore.h"
#include "models/stores/sql/sqlstorequeries.h"
#include "tests/support/memorystore.h"

namespace unavez::tests {

using namespace contract;
using namespace stores;

namespace {

class SqlPorts final : public StorePorts
{
public:
    explicit SqlPorts(std::unique_ptr<SqlConnection> connection)
        : m_store(std::move(connection))
        , m_actions(m_store.connection())
    {
    }
    IntakeStore& intake() override { return m_store.intake(); }
    JobStore& jobs() override { return m_store.jobs(); }
    ReservationStore& reservations() override { return m_store.reservations(); }
    EvidenceStore& evidence() override { return m_store.evidence(); }
    ReaperStore& reaper() override { return m_store.reaper(); }
    ServiceStore& service() override { return m_store.service(); }
    ActionStore& actions() override { return m_actions; }

private:
    SqlStore m_store;
    SqlActionStore m_actions;
};

class MemoryPorts final : public StorePorts
{
public:
    explicit MemoryPorts(MemoryStore& store)
        : m_store(store)
    {
    }
    IntakeStore& intake() override { return m_store.intake(); }
    JobStore& jobs() override { return m_store.jobs(); }
    ReservationStore& reservations() override { return m_store.reservations(); }
    EvidenceStore& evidence() override { return m_store.evidence(); }
    ReaperStore& reaper() override { return m_store.reaper(); }
    ServiceStore& service() override { return m_store.service(); }
    ActionStore& actions() override { return m_store.actions(); }

private:
    MemoryStore& m_store;
};

class MemoryStoreBench final : public StoreBench
{
public:
    MemoryStoreBench()
        : m_store(m_clock)
    {
    }

    std::unique_ptr<StorePorts> connect() override { return std::make_unique<MemoryPorts>(m_store); }

    int failures() override
    {
        int counted = 0;
        for (const auto& row : m_store.rows().failures)
            counted += row.failure.count;
        return counted;
    }

    QList<LogEntry> log() override
    {
        const auto rows = m_store.rows().log;
        return {rows.rbegin(), rows.rend()};
    }

    std::optional<qint64> brokenLog() override { return std::nullopt; } // a list in memory has no chain to break

    Result<> forced(const KeyId& key, ReservationStatus status) override
    {
        return m_store.inTransaction([&](MemoryTables& tables) {
            auto next = tables.rows().reservations.value(key);
            next.row.status = status;
            next.row.completedAt = tables.now();
            next.row.outcomeClass = QStringLiteral("x");
            if (status == ReservationStatus::Done)
                next.row.providerObjectId = QStringLiteral("pi_late");
            return tables.updateReservation(next);
        });
    }

private:
    SystemHostClock m_clock;
    MemoryStore m_store;
};

template <typename T> T needed(const Result<T>& result)
{
    if (!result)
        qFatal("%s", qPrintable(result.error().detail));
    return *result;
}

} // namespace

std::unique_ptr<StoreBench> StoreBench::made(Backend backend)
{
    switch (backend) {
    case Backend::Sqlite: return std::make_unique<SqlStoreBench>(StoreUrl::Kind::Sqlite);
    case Backend::PostgreSql: return std::make_unique<SqlStoreBench>(StoreUrl::Kind::PostgreSql);
    case Backend::Memory: break;
    }
    return std::make_unique<MemoryStoreBench>();
}

SqlStoreBench::SqlStoreBench(StoreUrl::Kind kind)
    : store(kind)
    , connection(store.connect())
{
}

std::unique_ptr<StorePorts> SqlStoreBench::connect() { return std::make_unique<SqlPorts>(store.connect()); }

int SqlStoreBench::failures()
{
    return needed(connection->run(QStringLiteral("SELECT COALESCE(sum(n), 0) FROM signature_failures")))
        .first()
        .at(0)
        .toInt();
}

QList<LogEntry> SqlStoreBench::log() { return needed(SqlStoreQueries(*connection).log({})).rows; }

std::optional<qint64> SqlStoreBench::brokenLog() { return needed(SqlStoreQueries(*connection).verifyLog()); }

Result<> SqlStoreBench::forced(const KeyId& key, ReservationStatus status)
{
    const bool charged = status == ReservationStatus::Done;
    const auto written = connection->run(
        QStringLiteral("UPDATE idempotency_keys SET status = ?, outcome_class = 'x', completed_at = status_at, "
                       "provider_object_id = %1%2 WHERE provider = ? AND provider_account = ? AND key = ?")
            .arg(charged ? QStringLiteral("'pi_late'") : QStringLiteral("provider_object_id"),
                bumpVersion(connection->dialect())),
        {wordOf(status), key.provider, key.account, key.key});
    return written ? done() : Result<>(fail(written.error()));
}

} // namespace unavez::tests
