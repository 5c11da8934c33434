// SPDX-License-Identifier: GPL-3.0-or-later
// What only the store can tell at boot, on both real stores.
#include "app/service/boot.h"
#include "app/service/heartbeat.h"
#include "app/service/secretsource.h"
#include "models/stores/sql/migrator.h"
#include "tests/service/logpipe.h"
#include "tests/service/sqlsession.h"
#include "tests/support/teststores.h"

#include <QtTest>

using namespace unavez;
using namespace unavez::contract;
using namespace unavez::service;
using stores::StoreUrl;

namespace {

struct Bench
{
    explicit Bench(StoreUrl::Kind kind, StoreMode mode = StoreMode::Practice)
        : store(kind, mode)
    {
        config.file = QStringLiteral("unavez.toml");
        auto& settings = config.settings;
        settings.store = store.url().display();
        settings.instance = QStringLiteral("test-1");
        settings.stateDir = folder.path();
        settings.sources = {{QStringLiteral("stripe:acct_1"), QStringLiteral("stripe"), QStringLiteral("acct_1"),
            QStringLiteral("/webhooks/stripe"), Seconds{300},
            {{QStringLiteral("k1"), QStringLiteral("file:/k1"), "whsec_one"}}}};
    }

    tl::expected<BootedStore, BootRefusal> boot()
    {
        const auto session = tests::openerOf(store.url())();
        if (!session)
            return tl::unexpected(storeRefusal(config.settings.store, session.error()));
        return bootStore(**session, config, pipe.log());
    }
    StoreInfo info()
    {
        const auto session = tests::openerOf(store.url())();
        const auto read = (*session)->service().info();
        if (!read)
            qFatal("%s", qPrintable(read.error().detail));
        return *read;
    }
    // What an earlier life of this store was seen at.
    void wasSeen(qint64 epoch, qint64 lastCall)
    {
        const auto id = info().storeId;
        if (!HighWaterFile(folder.path(), id).raise({id, epoch, lastCall}))
            qFatal("cannot raise");
    }

    QTemporaryDir folder;
    tests::TestStore store;
    tests::LogPipe pipe;
    ReadConfig config;
};

void addStores()
{
    QTest::addColumn<StoreUrl::Kind>("kind");
    QTest::newRow("SQLite") << StoreUrl::Kind::Sqlite;
    QTest::newRow("PostgreSQL") << StoreUrl::Kind::PostgreSql;
}

} // namespace

class tst_boot : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldWriteItsSourcesAndKeysOnce_data() { addStores(); }
    void shouldWriteItsSourcesAndKeysOnce()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        const auto first = bench.boot();
        QVERIFY2(first, qPrintable(first ? QString() : first.error().sentence));
        QVERIFY(first->sources.first().id > 0);
        const auto again = bench.boot();
        QVERIFY(again && again->sources == first->sources);
        const auto keys
            = bench.store.connect()->run(QStringLiteral("SELECT id, secret_ref, fingerprint FROM signing_keys"));
        QVERIFY(keys && keys->rows.size() == 1);
        QCOMPARE(keys->first().at(1).toString(), QStringLiteral("file:/k1"));
        QCOMPARE(keys->first().at(2).toString(), fingerprintOf("whsec_one"));
        QCOMPARE(keys->first().at(2).toString().size(), 12);
    }

    void shouldNotTakeAnotherSecretUnderAKnownId_data() { addStores(); }
    void shouldNotTakeAnotherSecretUnderAKnownId()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        QVERIFY(bench.boot());
        bench.config.settings.sources.first().secrets.first().secret = "whsec_two";
        const auto booted = bench.boot();
        QVERIFY(!booted);
        QCOMPARE(booted.error().exit, ExitStore);
        QVERIFY2(booted.error().sentence.contains(QLatin1String("k1")), qPrintable(booted.error().sentence));
        QVERIFY(!booted.error().sentence.contains(QLatin1String("whsec")));
    }

    void shouldQuarantineAStoreThatWasSetBack_data() { addStores(); }
    void shouldQuarantineAStoreThatWasSetBack()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind, StoreMode::Live);
        bench.wasSeen(1, 40);
        const auto booted = bench.boot();
        QVERIFY2(booted, qPrintable(booted ? QString() : booted.error().sentence)); // it serves, and sends nothing
        QCOMPARE(booted->info.state, StoreState::Quarantine);
        QCOMPARE(bench.info().state, StoreState::Quarantine);
        QCOMPARE(bench.pipe.count(QStringLiteral("store_rewound")), 1);
        const auto incidents = bench.store.connect()->run(QStringLiteral("SELECT kind FROM incidents"));
        QVERIFY(incidents && incidents->rows.size() == 1);
        QCOMPARE(incidents->first().at(0).toString(), QStringLiteral("restore"));
    }

    void shouldTakeAStoreThatShowsAsMuch_data() { addStores(); }
    void shouldTakeAStoreThatShowsAsMuch()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.wasSeen(1, 0);
        QVERIFY(bench.boot());
        QCOMPARE(bench.info().state, StoreState::Normal);
    }

    void shouldNotStartBesideAMarkItCannotRead_data() { addStores(); }
    void shouldNotStartBesideAMarkItCannotRead()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        const HighWaterFile mark(bench.folder.path(), bench.info().storeId);
        QFile file(mark.path());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("half") == 4);
        file.close();
        const auto booted = bench.boot();
        QVERIFY(!booted && booted.error().exit == ExitStore);
        QVERIFY2(booted.error().sentence.contains(mark.path()), qPrintable(booted.error().sentence));
    }

    void shouldShortenTimesOnAPracticeStoreOnly_data() { addStores(); }
    void shouldShortenTimesOnAPracticeStoreOnly()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench live(kind, StoreMode::Live), practice(kind);
        for (auto* bench : {&live, &practice})
            bench->config.settings.timing.gateLease = Millis{31000};
        const auto refused = live.boot();
        QVERIFY(!refused && refused.error().exit == ExitUsage);
        QVERIFY2(
            refused.error().sentence.contains(QLatin1String("gate.lease_s")), qPrintable(refused.error().sentence));
        QVERIFY(practice.boot());
    }

    void shouldSayWhatTheLoginMayNot()
    {
        Bench bench(StoreUrl::Kind::PostgreSql);
        const auto owner = bench.store.connect();
        bench.store.connectAs(QStringLiteral("worker"));
        auto url = bench.store.url();
        url.user = QStringLiteral("login_worker_") + url.database.right(8);
        const auto session = tests::openerOf(url)();
        QVERIFY(session);
        // GIVEN a worker's login, which may not write sources
        const auto booted = bootStore(**session, bench.config, bench.pipe.log());
        QVERIFY(!booted && booted.error().exit == ExitStore);
        QVERIFY2(booted.error().sentence.contains(QLatin1String("sources")), qPrintable(booted.error().sentence));
        // WHEN an admin wrote them
        QVERIFY(bench.boot());
        // THEN it starts
        const auto again = bootStore(**session, bench.config, bench.pipe.log());
        QVERIFY2(again, qPrintable(again ? QString() : again.error().sentence));
        // and may not hide a store that was set back
        bench.wasSeen(1, 40);
        const auto rewound = bootStore(**session, bench.config, bench.pipe.log());
        QVERIFY(!rewound && rewound.error().exit == ExitStore);
        QVERIFY2(rewound.error().sentence.contains(QLatin1String("quarantine")), qPrintable(rewound.error().sentence));
        QCOMPARE(bench.info().state, StoreState::Normal);
    }

    void shouldBootAnEdgeThatSeesNoCalls()
    {
        Bench bench(StoreUrl::Kind::PostgreSql);
        QVERIFY(bench.boot());
        bench.wasSeen(1, 40); // by a gate beside it; the edge has no say in it
        bench.store.connectAs(QStringLiteral("edge"));
        auto url = bench.store.url();
        url.user = QStringLiteral("login_edge_") + url.database.right(8);
        const auto session = tests::openerOf(url)();
        QVERIFY(session);
        const auto booted = bootStore(**session, bench.config, bench.pipe.log());
        QVERIFY2(booted, qPrintable(booted ? QString() : booted.error().sentence));
    }

    void shouldShowItselfAndKeepTheMark_data() { addStores(); }
    void shouldShowItselfAndKeepTheMark()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        const auto id = bench.info().storeId;
        StoreHealth health(bench.pipe.log());
        Alert alert({}, bench.pipe.log());
        Counters counters;
        Metrics metrics;
        SystemHostClock clock;
        const SharedParts shared{
            tests::openerOf(bench.store.url()), health, bench.pipe.log(), alert, counters, metrics, clock};
        ServiceRow row;
        row.instance = QStringLiteral("test-1");
        row.host = QStringLiteral("h");
        row.pid = 17;
        row.version = QStringLiteral("0");
        row.roles = QStringList{QStringLiteral("edge"), QStringLiteral("gate")};
        row.configSha256 = QByteArray(32, 'x');
        row.secretFingerprints = QStringList{QStringLiteral("0123456789ab")};
        const HighWaterFile mark(bench.folder.path(), id);
        {
            Heartbeat heartbeat(shared, row, Millis{30}, mark, AccountCheck(shared, {}, {}));
            QTRY_VERIFY(counters.heartbeats >= 3);
            QTRY_VERIFY(mark.read() && *mark.read());
            const auto rows = bench.store.connect()->run(
                QStringLiteral("SELECT instance, db_skew_ms FROM services WHERE stopped_at IS NULL"));
            QVERIFY(rows && rows->rows.size() == 1);
            QVERIFY(qAbs(rows->first().at(1).toInt()) < 1000);
            // A store set back under the running service.
            bench.wasSeen(1, 40);
            QTRY_COMPARE(bench.info().state, StoreState::Quarantine);
        }
        QCOMPARE((*mark.read())->lastCall, 40);
        QVERIFY(!health.isAway());
    }
};

QTEST_GUILESS_MAIN(tst_boot)
#include "tst_boot.moc"
