// SPDX-License-Identifier: GPL-3.0-or-later
// The edge while its store is in trouble: nothing is acknowledged that is not kept, and it heals by itself.
#include "models/stores/sql/migrator.h"
#include "tests/service/edgebench.h"
#include "tests/support/privatepostgres.h"

#include <thread>

using namespace unavez;
using namespace unavez::contract;
using namespace unavez::tests;
using service::BatcherSettings;
using stores::StoreUrl;

namespace {

QByteArray delivery(int n) { return signedPost(eventBody("evt_" + QByteArray::number(n))); }

void run(const TestStore& store, const QByteArray& sql)
{
    if (const auto done = store.connect()->runScript(sql); !done)
        qFatal("%s", qPrintable(done.error().detail));
}

class PlainSession final : public service::StoreSession
{
public:
    explicit PlainSession(std::unique_ptr<stores::SqlConnection> connection)
        : m_store(std::move(connection))
    {
    }
    IntakeStore& intake() override { return m_store.intake(); }
    JobStore& jobs() override { return m_store.jobs(); }
    ReservationStore& reservations() override { return m_store.reservations(); }
    EvidenceStore& evidence() override { return m_store.evidence(); }
    ReaperStore& reaper() override { return m_store.reaper(); }
    ServiceStore& service() override { return m_store.service(); }

private:
    stores::SqlStore m_store;
};

// Sends it again until it is taken, as a provider would; false: not within `limit`.
bool isTakenWithin(const EdgeBench& edge, const QByteArray& request, Millis limit)
{
    QElapsedTimer time;
    time.start();
    while (time.elapsed() < limit.count()) {
        if (edge.ask(request).status == 200)
            return true;
        QTest::qWait(20);
    }
    return false;
}

} // namespace

class tst_edgestore : public QObject
{
    Q_OBJECT

    void bothStores()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::newRow("sqlite") << StoreUrl::Kind::Sqlite;
        QTest::newRow("postgresql") << StoreUrl::Kind::PostgreSql;
    }

private Q_SLOTS:
    // Scenario 3.
    void shouldAcknowledgeNothingWhileTheStoreIsAway_data() { bothStores(); }
    void shouldAcknowledgeNothingWhileTheStoreIsAway()
    {
        QFETCH(StoreUrl::Kind, kind);
        TestStore store(kind);
        EdgeBench edge(store.url());
        QCOMPARE(edge.ask(delivery(1)).status, 200);
        QVERIFY(edge.isStoreUp());
        // WHEN
        edge.store.setAway(true);
        const auto told = edge.ask(delivery(2));
        // THEN
        QCOMPARE(told.status, 503);
        QVERIFY(told.body.contains("store_away"));
        QVERIFY(!told.value("Retry-After").isEmpty());
        QVERIFY(!edge.isStoreUp());
        QElapsedTimer time;
        time.start();
        QCOMPARE(edge.ask(delivery(2)).status, 503); // at once, whether it is tried again or not
        QVERIFY(time.elapsed() < 1000);
        QCOMPARE(edge.ask(post(edgeRoute, "{}")).status, 400); // what needs no store is answered as ever
        // and back, within a second, by itself
        edge.store.setAway(false);
        QVERIFY(isTakenWithin(edge, delivery(2), Millis{3000}));
        QCOMPARE(edge.ask(delivery(2)).status, 200);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM jobs"), 2);
        QCOMPARE(numberIn(store, "SELECT deliveries FROM processed_events WHERE event_id = 'evt_2'"), 2);
        // The refusal of the meantime was kept until it could be written.
        edge.stop();
        QCOMPARE(textIn(store, "SELECT reason FROM signature_failures"), QStringLiteral("missing_header"));
    }

    void shouldOutliveARestartOfTheServer()
    {
        PrivatePostgres server;
        auto url = server.superuser();
        {
            const auto connection = stores::SqlConnection::open(url);
            QVERIFY(connection.has_value());
            QVERIFY(stores::migrate(**connection, StoreMode::Practice).has_value());
        }
        EdgeBench edge(url);
        QCOMPARE(edge.ask(delivery(1)).status, 200);
        // WHEN
        server.stop();
        // THEN
        QCOMPARE(edge.ask(delivery(2)).status, 503);
        QCOMPARE(edge.ask(delivery(2)).status, 503);
        server.start();
        QVERIFY(isTakenWithin(edge, delivery(2), Millis{5000}));
        QCOMPARE(edge.ask(delivery(1)).status, 200);
        const auto connection = stores::SqlConnection::open(url);
        const auto events
            = (*connection)->run(QStringLiteral("SELECT count(*), sum(deliveries) FROM processed_events"));
        QVERIFY(events.has_value());
        QCOMPARE(events->first().at(0).toInt(), 2);
        QVERIFY(events->first().at(1).toInt() >= 3);
    }

    void shouldSay503OverAStoreThatOnlyReads_data() { bothStores(); }
    void shouldSay503OverAStoreThatOnlyReads()
    {
        QFETCH(StoreUrl::Kind, kind);
        TestStore store(kind);
        const bool isSqlite = kind == StoreUrl::Kind::Sqlite;
        std::atomic<bool> readsOnly = true;
        const auto open = [&]() -> Result<std::unique_ptr<service::StoreSession>> {
            auto connection = stores::SqlConnection::open(store.url(),
                isSqlite && readsOnly ? stores::SqlConnection::Access::ReadOnly
                                      : stores::SqlConnection::Access::ReadWrite);
            if (!connection)
                return fail(connection.error());
            return std::unique_ptr<service::StoreSession>(new PlainSession(std::move(*connection)));
        };
        EdgeBench edge(store.url(), StoreMode::Practice, {}, open);
        if (!isSqlite)
            run(store, "ALTER DATABASE " + store.url().database.toLatin1() + " SET default_transaction_read_only = on");
        QCOMPARE(edge.ask(delivery(1)).status, 503);
        QCOMPARE(edge.ask(delivery(1)).status, 503);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM processed_events"), 0);
        if (!isSqlite) {
            const auto owner = store.connect();
            QVERIFY(owner->runScript("SET default_transaction_read_only = off"));
            QVERIFY(owner->runScript(
                "ALTER DATABASE " + store.url().database.toLatin1() + " RESET default_transaction_read_only"));
        }
        readsOnly = false;
        QVERIFY(isTakenWithin(edge, delivery(1), Millis{3000}));
        QCOMPARE(numberIn(store, "SELECT count(*) FROM jobs"), 1);
    }

    void shouldSay503OverANewerSchema_data() { bothStores(); }
    void shouldSay503OverANewerSchema()
    {
        QFETCH(StoreUrl::Kind, kind);
        TestStore store(kind);
        const auto schema = textIn(store, "SELECT schema_version FROM store_info").toLatin1();
        EdgeBench edge(store.url());
        run(store, "UPDATE store_info SET schema_version = '209901010000'");
        QCOMPARE(edge.ask(delivery(1)).status, 503);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM processed_events"), 0);
        run(store, "UPDATE store_info SET schema_version = '" + schema + "'");
        QVERIFY(isTakenWithin(edge, delivery(1), Millis{3000}));
    }

    void shouldBoundItsQueue()
    {
        TestStore store(StoreUrl::Kind::Sqlite);
        BatcherSettings settings;
        settings.queue = 3;
        EdgeBench edge(store.url(), StoreMode::Practice, settings);
        edge.store.holdBatches();
        std::atomic<int> good = 0;
        std::vector<std::thread> senders;
        const auto send
            = [&](int n) { senders.emplace_back([&edge, &good, n] { good += edge.ask(delivery(n)).status == 200; }); };
        send(0);
        QTRY_COMPARE(edge.store.batches().size(), 1);
        for (int n = 1; n <= 3; ++n)
            send(n);
        QTRY_COMPARE(edge.listener.connections(), 4);
        QTest::qWait(50); // all three are in the queue: nothing shows it from outside
        // WHEN one more comes than there is room for
        QCOMPARE(edge.ask(delivery(4)).status, 503);
        edge.store.releaseBatches();
        for (auto& sender : senders)
            sender.join();
        QCOMPARE(good.load(), 4);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM jobs"), 4);
    }

    void shouldCommitInBatchesOfABoundedSize()
    {
        TestStore store(StoreUrl::Kind::Sqlite);
        BatcherSettings settings;
        settings.most = 4;
        EdgeBench edge(store.url(), StoreMode::Practice, settings);
        edge.store.holdBatches();
        std::vector<std::thread> senders;
        for (int n = 0; n < 10; ++n)
            senders.emplace_back([&edge, n] { edge.ask(delivery(n)); });
        QTRY_COMPARE(edge.listener.connections(), 10);
        QTest::qWait(50);
        edge.store.releaseBatches();
        for (auto& sender : senders)
            sender.join();
        const auto batches = edge.store.batches();
        QVERIFY(std::all_of(batches.begin(), batches.end(), [](qsizetype size) { return size <= 4; }));
        QVERIFY(batches.contains(4));
        QCOMPARE(numberIn(store, "SELECT count(*) FROM jobs"), 10);
    }

    void shouldKeepWhatWaitsWhenItStops()
    {
        TestStore store(StoreUrl::Kind::Sqlite);
        BatcherSettings settings;
        settings.most = 2;
        EdgeBench edge(store.url(), StoreMode::Practice, settings);
        edge.store.holdBatches();
        std::atomic<int> good = 0;
        std::vector<std::thread> senders;
        for (int n = 0; n < 5; ++n)
            senders.emplace_back([&edge, &good, n] { good += edge.ask(delivery(n)).status == 200; });
        QTRY_COMPARE(edge.listener.connections(), 5);
        QTest::qWait(50);
        // WHEN
        std::thread stopping([&] { edge.batcher.stop(); });
        QTest::qWait(50);
        edge.store.releaseBatches();
        stopping.join();
        for (auto& sender : senders)
            sender.join();
        // THEN
        QCOMPARE(good.load(), 5);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM jobs"), 5);
    }

    void shouldCountAFailureAgainWhoseWriteFailed()
    {
        TestStore store(StoreUrl::Kind::Sqlite);
        EdgeBench edge(store.url());
        QCOMPARE(edge.ask(delivery(1)).status, 200); // a session is open
        edge.store.setAway(true);
        QCOMPARE(edge.ask(post(edgeRoute, "{}")).status, 400);
        QTRY_VERIFY(edge.store.failureWrites() >= 1);
        edge.store.setAway(false);
        QTRY_COMPARE_WITH_TIMEOUT(numberIn(store, "SELECT COALESCE(sum(n), 0) FROM signature_failures"), 1, 4000);
    }

    void shouldWriteFailuresOnceASecondAtMost()
    {
        TestStore store(StoreUrl::Kind::Sqlite);
        EdgeBench edge(store.url());
        for (int n = 0; n < 50; ++n)
            QCOMPARE(edge.ask(post(edgeRoute, "{}")).status, 400);
        // The first is written at once, the others together: seen from outside within a second or so.
        QTRY_COMPARE_WITH_TIMEOUT(numberIn(store, "SELECT COALESCE(sum(n), 0) FROM signature_failures"), 50, 4000);
        QVERIFY2(edge.store.failureWrites() <= 3, qPrintable(QString::number(edge.store.failureWrites())));
    }
};

QTEST_GUILESS_MAIN(tst_edgestore)
#include "tst_edgestore.moc"
