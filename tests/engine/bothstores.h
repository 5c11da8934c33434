// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/intakestore.h"
#include "models/contract/storedrequest.h"
#include "models/stores/sql/agestore.h"
#include "models/stores/sql/sqlstore.h"
#include "tests/support/teststores.h"

#include <QtTest>

// A test slot that runs on SQLite and on PostgreSQL; QFETCH(StoreUrl::Kind, kind) says which.
#define BOTH_STORES(slot)                                                                                              \
    void slot##_data()                                                                                                 \
    {                                                                                                                  \
        QTest::addColumn<unavez::stores::StoreUrl::Kind>("kind");                                                      \
        QTest::newRow("sqlite") << unavez::stores::StoreUrl::Kind::Sqlite;                                             \
        QTest::newRow("postgresql") << unavez::stores::StoreUrl::Kind::PostgreSql;                                     \
    }                                                                                                                  \
    void slot()

namespace unavez::tests {

template <typename T> T needed(contract::Result<T> result)
{
    if (!result)
        qFatal("%s: %s", qPrintable(contract::wordOf(result.error().kind)), qPrintable(result.error().detail));
    return *std::move(result);
}

inline std::unique_ptr<stores::SqlStore> portsOf(const TestStore& store)
{
    return needed(stores::SqlStore::open(store.url()));
}

// The one source of these tests, stripe:acct_1, with the signing key k1.
inline contract::Source syncedSource(stores::SqlStore& ports)
{
    return needed(ports.service().syncSources(
                      {{1, QStringLiteral("stripe:acct_1"), QStringLiteral("stripe"), QStringLiteral("acct_1")}},
                      {{QStringLiteral("k1"), 1, QStringLiteral("/webhooks/stripe"), QStringLiteral("file:/x"),
                          QStringLiteral("0123456789ab"), contract::Instant{0}, contract::Instant::never()}}))
        .first();
}

inline contract::Delivery deliveryOf(qint64 source, const QString& id, const QByteArray& body = "{}")
{
    contract::Delivery delivery;
    delivery.sourceId = source;
    delivery.eventId = id;
    delivery.eventType = QStringLiteral("invoice.due");
    delivery.signingKeyId = QStringLiteral("k1");
    delivery.body = body;
    delivery.bodySha256 = contract::sha256(body);
    delivery.peer = QStringLiteral("127.0.0.1");
    return delivery;
}

inline int numberIn(stores::SqlStore& ports, const char* sql)
{
    return needed(ports.connection().run(QString::fromLatin1(sql))).first().at(0).toInt();
}

} // namespace unavez::tests
