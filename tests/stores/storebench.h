// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/actionstore.h"
#include "models/contract/evidencestore.h"
#include "models/contract/intakestore.h"
#include "models/contract/jobstore.h"
#include "models/contract/reservationstore.h"
#include "models/contract/servicestore.h"
#include "tests/support/teststores.h"

#include <QtTest>

#include <memory>

// What a contract suite needs of a store, whatever it is made of: a fake earns trust by passing the real one's tests.
namespace unavez::tests {

enum class Backend { Sqlite, PostgreSql, Memory };

// Every port, for one thread.
class StorePorts
{
public:
    virtual ~StorePorts() = default;
    virtual contract::IntakeStore& intake() = 0;
    virtual contract::JobStore& jobs() = 0;
    virtual contract::ReservationStore& reservations() = 0;
    virtual contract::EvidenceStore& evidence() = 0;
    virtual contract::ReaperStore& reaper() = 0;
    virtual contract::ServiceStore& service() = 0;
    virtual contract::ActionStore& actions() = 0;
};

// A fresh store, gone with the object.
class StoreBench
{
public:
    static std::unique_ptr<StoreBench> made(Backend backend);
    virtual ~StoreBench() = default;

    virtual std::unique_ptr<StorePorts> connect() = 0;

    // What no port reads or writes.
    virtual int failures() = 0; // signature failures counted
    virtual QList<contract::LogEntry> log() = 0; // newest first
    virtual std::optional<qint64> brokenLog() = 0; // absent: the chain holds
    // A write past every port, of a row's status: only the store's own last line of defence is asked (§12.3).
    virtual contract::Result<> forced(const contract::KeyId& key, contract::ReservationStatus status) = 0;
};

// The stores that speak SQL.
class SqlStoreBench final : public StoreBench
{
public:
    explicit SqlStoreBench(stores::StoreUrl::Kind kind);

    std::unique_ptr<StorePorts> connect() override;
    int failures() override;
    QList<contract::LogEntry> log() override;
    std::optional<qint64> brokenLog() override;
    contract::Result<> forced(const contract::KeyId& key, contract::ReservationStatus status) override;

    TestStore store;
    std::unique_ptr<stores::SqlConnection> connection; // the owner's
};

inline void everyStore()
{
    QTest::addColumn<Backend>("backend");
    QTest::newRow("sqlite") << Backend::Sqlite;
    QTest::newRow("postgresql") << Backend::PostgreSql;
    QTest::newRow("memory") << Backend::Memory;
}

} // namespace unavez::tests

Q_DECLARE_METATYPE(unavez::tests::Backend)
