// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/migrator.h"
#include "tests/support/privatepostgres.h"
#include "tests/support/teststores.h"

#include <QtTest>

#include <thread>

using namespace unavez::contract;
using namespace unavez::stores;
using namespace unavez::tests;

class tst_migrator : public QObject
{
    Q_OBJECT
private:
    static void bothStores()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::newRow("sqlite") << StoreUrl::Kind::Sqlite;
        QTest::newRow("postgresql") << StoreUrl::Kind::PostgreSql;
    }

private Q_SLOTS:
    void shouldDoNothingTwice_data() { bothStores(); }
    void shouldDoNothingTwice()
    {
        QFETCH(StoreUrl::Kind, kind);
        const TestStore store(kind, StoreMode::Live);
        const auto connection = store.connect();
        const auto newest = newestSchema(connection->dialect());
        QCOMPARE(*schemaOf(*connection), newest);
        QVERIFY(checkSchema(*connection).has_value());
        QCOMPARE(*migrate(*connection, {}), (Migration{newest, newest}));
        // The mode is for good.
        QCOMPARE(migrate(*connection, StoreMode::Test).error().kind, Error::Kind::Invalid);
    }

    void shouldRefuseANewerSchema_data() { bothStores(); }
    void shouldRefuseANewerSchema()
    {
        QFETCH(StoreUrl::Kind, kind);
        const TestStore store(kind);
        const auto connection = store.connect();
        QVERIFY(connection->run(QStringLiteral("UPDATE store_info SET schema_version = '209901010000'")).has_value());
        QCOMPARE(checkSchema(*connection).error().kind, Error::Kind::SchemaNewer);
        QCOMPARE(migrate(*connection, {}).error().kind, Error::Kind::SchemaNewer);
    }

    void shouldLeaveOneSchemaBehindTwoMigrators()
    {
        QTemporaryDir folder;
        StoreUrl url;
        url.path = folder.filePath(QStringLiteral("s.db"));
        QVERIFY(SqlConnection::open(url, SqlConnection::Access::ReadWrite, true).has_value());
        QList<Migration> migrations;
        std::mutex mutex;
        const auto work = [&] {
            auto connection = SqlConnection::open(url);
            const auto migration = migrate(**connection, StoreMode::Practice);
            const std::lock_guard lock(mutex);
            migrations.append(migration ? *migration : Migration{-1, -1});
        };
        std::thread one(work);
        std::thread two(work);
        one.join();
        two.join();
        const auto newest = newestSchema(Dialect::Sqlite);
        QVERIFY(migrations.contains(Migration{0, newest}));
        QVERIFY(migrations.contains(Migration{newest, newest}));
    }

    void shouldNameWhatIsMissing()
    {
        QTemporaryDir folder;
        StoreUrl url;
        url.path = folder.filePath(QStringLiteral("none.db"));
        QCOMPARE(SqlConnection::open(url).error().kind, Error::Kind::NotFound);
        const auto empty = SqlConnection::open(url, SqlConnection::Access::ReadWrite, true);
        QCOMPARE(checkSchema(**empty).error().kind, Error::Kind::SchemaMissing);
        QCOMPARE(migrate(**empty, {}).error().kind, Error::Kind::Invalid); // a new store needs its mode

        QFile notADatabase(folder.filePath(QStringLiteral("text.db")));
        QVERIFY(notADatabase.open(QIODevice::WriteOnly));
        notADatabase.write(QByteArray(4096, 'x'));
        notADatabase.close();
        url.path = notADatabase.fileName();
        QCOMPARE(SqlConnection::open(url).error().kind, Error::Kind::Corrupt);

        auto away = PrivatePostgres::instance().superuser();
        away.port = 1;
        QCOMPARE(SqlConnection::open(away).error().kind, Error::Kind::Offline);
        const auto nowhere = PrivatePostgres::instance().superuser(QStringLiteral("no_such_database"));
        QCOMPARE(SqlConnection::open(nowhere).error().kind, Error::Kind::NotFound);
    }

    void shouldKeepTheSchemasOwnGuards_data() { bothStores(); }
    void shouldKeepTheSchemasOwnGuards()
    {
        QFETCH(StoreUrl::Kind, kind);
        const TestStore store(kind);
        const auto connection = store.connect();
        QCOMPARE(connection->run(QStringLiteral("DELETE FROM store_info")).error().kind, Error::Kind::Refused);
        QCOMPARE(
            connection->run(QStringLiteral("UPDATE store_info SET mode = 'live'")).error().kind, Error::Kind::Refused);
        QCOMPARE(connection
                     ->run(QStringLiteral("INSERT INTO jobs(kind, provider, provider_account, key, state) VALUES "
                                          "('resume','p','a','k','done')"))
                     .error()
                     .kind,
            Error::Kind::Refused);
    }

    // Roles belong to the server, not to the store: the first two stores of a server make them at the same time.
    void shouldMakeTwoStoresOfOneServerAtOnce()
    {
        // GIVEN a server without our roles, and somebody half way through making them
        PrivatePostgres server{};
        const auto first = SqlConnection::open(server.superuser());
        QVERIFY((*first)->runScript("CREATE DATABASE other").has_value());
        QVERIFY((*first)->begin().has_value());
        QVERIFY((*first)->runScript("CREATE ROLE unavez_viewer NOLOGIN").has_value());

        // WHEN a second store is made, and the first maker commits while it waits
        Result<Migration> made;
        std::thread second([&] {
            const auto connection = SqlConnection::open(server.superuser(QStringLiteral("other")));
            made = migrate(**connection, StoreMode::Practice);
        });
        const auto watcher = SqlConnection::open(server.superuser());
        QTRY_COMPARE((*watcher)
                         ->run(QStringLiteral("SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = "
                                              "'Lock' AND datname = 'other'"))
                         ->first()
                         .value(QStringLiteral("n"))
                         .toLongLong(),
            1LL);
        QVERIFY((*first)->commit().has_value());
        second.join();

        // THEN both stand
        QVERIFY2(made.has_value(), made ? "" : qPrintable(made.error().detail));
    }

    void shouldComeBackAfterItsServerWentAway()
    {
        PrivatePostgres server{};
        if (qEnvironmentVariableIsSet("UNAVEZ_TEST_PG"))
            QVERIFY(server.superuser().port != PrivatePostgres::instance().superuser().port);
        const auto connection = SqlConnection::open(server.superuser());
        QVERIFY((*connection)->run(QStringLiteral("SELECT 1")).has_value());
        server.stop();
        QCOMPARE((*connection)->run(QStringLiteral("SELECT 1")).error().kind, Error::Kind::Offline);
        server.start();
        QVERIFY((*connection)->run(QStringLiteral("SELECT 1")).has_value());
    }
};

QTEST_GUILESS_MAIN(tst_migrator)
#include "tst_migrator.moc"
