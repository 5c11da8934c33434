// SPDX-License-Identifier: GPL-3.0-or-later
// Micro-batches on both real stores (contract.md §10.2): scenarios 1, 2, 8, 9, 45.
#include "models/async/crashpoint.h"
#include "models/contract/storedrequest.h"
#include "models/engine/intake.h"
#include "tests/engine/bothstores.h"

#include <QtTest>

#include <mutex>
#include <thread>

using namespace unavez::contract;
using namespace unavez::engine;
using namespace unavez::stores;
using namespace unavez::tests;

namespace {

QString text(const char* word) { return QString::fromUtf8(word); }

struct Bench
{
    explicit Bench(StoreUrl::Kind kind)
        : store(kind)
        , ports(portsOf(store))
        , source(syncedSource(*ports))
        , intake(ports->intake())
    {
    }

    Delivery delivery(const QString& id, const QByteArray& body = "{}") const
    {
        return deliveryOf(source.id, id, body);
    }
    int count(const char* sql) { return numberIn(*ports, sql); }

    TestStore store;
    std::unique_ptr<SqlStore> ports;
    Source source;
    Intake intake;
};

// Answers as scripted and remembers what it was given.
class ScriptedIntakeStore final : public IntakeStore
{
public:
    Result<QList<RecordedEvent>> record(const QList<MergedDelivery>& batch) override
    {
        batches.append(batch);
        for (const auto& entry : batch) {
            if (entry.delivery.eventId == poison)
                return fail(error);
        }
        return QList<RecordedEvent>(batch.size());
    }
    Result<> recordFailures(const QList<SignatureFailure>&) override { return done(); }

    QList<QList<MergedDelivery>> batches;
    QString poison;
    Error error;
};

QList<int> codesOf(const QList<IntakeAnswer>& answers)
{
    QList<int> codes;
    for (const auto& answer : answers)
        codes.append(answer.http);
    return codes;
}

} // namespace

class tst_intake : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Scenario 1, within one batch.
    BOTH_STORES(shouldRecordFiveEqualDeliveriesOfOneBatchOnce)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        const auto answers = bench.intake.record(QList<Delivery>(5, bench.delivery(text("evt_1"))));
        QCOMPARE(codesOf(answers), QList<int>(5, 200));
        QCOMPARE(answers.last().event->deliveries, 5);
        QCOMPARE(bench.count("SELECT count(*) FROM processed_events"), 1);
        QCOMPARE(bench.count("SELECT max(deliveries) FROM processed_events"), 5);
        QCOMPARE(bench.count("SELECT count(*) FROM jobs"), 1);
    }

    // Scenario 1, five services at once.
    BOTH_STORES(shouldRecordFiveParallelDeliveriesOnce)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        std::mutex mutex;
        QList<int> codes;
        std::vector<std::thread> services;
        for (int i = 0; i < 5; ++i) {
            services.emplace_back([&] {
                const auto ports = portsOf(bench.store);
                Intake intake(ports->intake());
                const auto answers = intake.record({bench.delivery(text("evt_1"))});
                const std::lock_guard lock(mutex);
                codes += codesOf(answers);
            });
        }
        for (auto& service : services)
            service.join();
        QCOMPARE(codes, QList<int>(5, 200));
        QCOMPARE(bench.count("SELECT count(*) FROM processed_events"), 1);
        QCOMPARE(bench.count("SELECT max(deliveries) FROM processed_events"), 5);
        QCOMPARE(bench.count("SELECT count(*) FROM jobs"), 1);
    }

    // Scenario 2: dead before the commit nothing is there; dead after it, the retry finds it.
    BOTH_STORES(shouldSurviveDyingAroundTheCommit)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        {
            // A process that dies in the transaction is a connection that ends without a commit.
            const auto dying = portsOf(bench.store);
            struct Died
            {
            };
            unavez::async::setCrashObserver([](const char* point) {
                if (qstrcmp(point, "edge.before_commit") == 0)
                    throw Died();
            });
            Intake intake(dying->intake());
            bool died = false;
            try {
                intake.record({bench.delivery(text("evt_1"))});
            } catch (const Died&) {
                died = true;
            }
            unavez::async::setCrashObserver(nullptr);
            QVERIFY(died);
        }
        QCOMPARE(bench.count("SELECT count(*) FROM processed_events"), 0);
        QCOMPARE(codesOf(bench.intake.record({bench.delivery(text("evt_1"))})), QList<int>{200});
        // The first answer was lost; the provider sends it again.
        QCOMPARE(codesOf(bench.intake.record({bench.delivery(text("evt_1"))})), QList<int>{200});
        QCOMPARE(bench.count("SELECT count(*) FROM jobs"), 1);
        QCOMPARE(bench.count("SELECT max(deliveries) FROM processed_events"), 2);
    }

    // Scenario 9.
    BOTH_STORES(shouldKnowTheSnapshotOfAThinEvent)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        QCOMPARE(codesOf(bench.intake.record({bench.delivery(text("evt_snap"))})), QList<int>{200});
        auto thin = bench.delivery(text("evt_thin"), "{\"object\":\"v2.core.event\"}");
        thin.snapshotId = text("evt_snap");
        const auto answers = bench.intake.record({thin});
        QCOMPARE(codesOf(answers), QList<int>{200});
        QVERIFY(!answers.first().event->inserted);
        QCOMPARE(bench.count("SELECT count(*) FROM jobs"), 1);
        QCOMPARE(bench.count("SELECT count(*) FROM processed_events WHERE alias_event_id = 'evt_thin'"), 1);
    }

    // Both spellings of one change in one batch: one statement may not touch a row twice.
    BOTH_STORES(shouldRecordThinAndSnapshotOfOneBatchOnce)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        auto thin = bench.delivery(text("evt_thin"), "{\"object\":\"v2.core.event\"}");
        thin.snapshotId = text("evt_snap");
        const auto answers = bench.intake.record({thin, bench.delivery(text("evt_snap"))});
        QCOMPARE(codesOf(answers), QList<int>(2, 200));
        QCOMPARE(bench.count("SELECT count(*) FROM jobs"), 1);
        QCOMPARE(bench.count("SELECT max(deliveries) FROM processed_events"), 2);
    }

    BOTH_STORES(shouldRaiseAChangedBodyAndRunNothingTwice)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        const auto answers = bench.intake.record(
            {bench.delivery(text("evt_1"), "{\"a\":1}"), bench.delivery(text("evt_1"), "{ \"a\": 1 }")});
        QCOMPARE(codesOf(answers), QList<int>(2, 200));
        QVERIFY(answers.at(0).event->bodyChanged != answers.at(1).event->bodyChanged);
        QCOMPARE(bench.count("SELECT count(*) FROM jobs"), 1);
        QCOMPARE(bench.count("SELECT count(*) FROM incidents WHERE kind = 'body_changed'"), 1);
    }

    // Scenario 45: 62 good ones, a duplicate of one of them, and an id no store can hold.
    BOTH_STORES(shouldRefuseOnlyTheOffenderOfABatch)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        QList<Delivery> batch;
        for (int i = 61; i >= 0; --i)
            batch.append(bench.delivery(text("evt_%1").arg(i)));
        batch.insert(30, bench.delivery(text("evt_7")));
        batch.insert(11, bench.delivery(QStringLiteral("evt") + QChar(0) + QStringLiteral("nul")));
        const auto answers = bench.intake.record(batch);
        QCOMPARE(answers.size(), 64);
        for (qsizetype i = 0; i < answers.size(); ++i)
            QCOMPARE(answers[i].http, i == 11 ? 400 : 200);
        QCOMPARE(answers[11].error->kind, Error::Kind::Invalid);
        QCOMPARE(bench.count("SELECT count(*) FROM processed_events"), 62);
        QCOMPARE(bench.count("SELECT sum(deliveries) FROM processed_events"), 63);
        QCOMPARE(bench.count("SELECT count(*) FROM jobs"), 62);
    }

    // Scenario 45, second half: crossed orders at once end without a deadlock that anybody sees.
    BOTH_STORES(shouldNotDeadlockOnCrossedOrders)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        std::mutex mutex;
        QList<int> codes;
        const auto service = [&](bool reversed) {
            const auto ports = portsOf(bench.store);
            Intake intake(ports->intake());
            for (int round = 0; round < 10; ++round) {
                QList<Delivery> batch;
                for (int i = 0; i < 30; ++i)
                    batch.append(bench.delivery(text("evt_%1").arg(reversed ? 29 - i : i)));
                const auto answers = intake.record(batch);
                const std::lock_guard lock(mutex);
                codes += codesOf(answers);
            }
        };
        std::thread one(service, false);
        std::thread two(service, true);
        one.join();
        two.join();
        QCOMPARE(codes.size(), 600);
        QCOMPARE(codes.count(200), 600);
        QCOMPARE(bench.count("SELECT count(*) FROM jobs"), 30);
        QCOMPARE(bench.count("SELECT sum(deliveries) FROM processed_events"), 600);
    }

    void shouldSortMergeAndBisect()
    {
        ScriptedIntakeStore store;
        store.poison = text("evt_c");
        store.error = {Error::Kind::Refused, text("check constraint"), 0};
        Intake intake(store);
        QList<Delivery> batch;
        for (const char* id : {"evt_d", "evt_c", "evt_a", "evt_d", "evt_b"})
            batch.append(deliveryOf(1, text(id)));
        const auto answers = intake.record(batch);
        QCOMPARE(codesOf(answers), (QList<int>{200, 400, 200, 200, 200}));
        QStringList first;
        for (const auto& entry : store.batches.first())
            first.append(entry.delivery.eventId + text("x%1").arg(entry.count));
        QCOMPARE(first, (QStringList{text("evt_ax1"), text("evt_bx1"), text("evt_cx1"), text("evt_dx2")}));
    }

    void shouldAnswer503ForTheWholeBatchWhenTheStoreIsAway_data()
    {
        QTest::addColumn<int>("kind");
        for (const auto kind : {Error::Kind::Offline, Error::Kind::Timeout, Error::Kind::Full, Error::Kind::ReadOnly,
                 Error::Kind::Denied, Error::Kind::SchemaNewer})
            QTest::newRow(qPrintable(unavez::contract::wordOf(kind))) << int(kind);
    }
    void shouldAnswer503ForTheWholeBatchWhenTheStoreIsAway()
    {
        QFETCH(int, kind);
        ScriptedIntakeStore store;
        store.poison = text("evt_a");
        store.error = {static_cast<Error::Kind>(kind), {}, 0};
        Intake intake(store);
        const auto answers = intake.record({deliveryOf(1, text("evt_a")), deliveryOf(1, text("evt_b"))});
        QCOMPARE(codesOf(answers), QList<int>(2, 503));
        QCOMPARE(store.batches.size(), 1); // halves of a batch fare no better: the store is not asked again
        QVERIFY(answers.first().error.has_value() && !answers.first().event);
    }

    void shouldNotRefuseForGoodWhatLostARace()
    {
        ScriptedIntakeStore store;
        store.poison = text("evt_a");
        store.error = {Error::Kind::Conflict, {}, 0};
        Intake intake(store);
        const auto answers = intake.record({deliveryOf(1, text("evt_a")), deliveryOf(1, text("evt_b"))});
        QCOMPARE(codesOf(answers), (QList<int>{503, 200}));
    }

    void shouldRefuseIdsNoStoreCanHold_data()
    {
        QTest::addColumn<QString>("id");
        QTest::newRow("empty") << QString();
        QTest::newRow("256 bytes") << QString(256, QLatin1Char('e'));
        QTest::newRow("256 bytes in 128 letters") << QString(128, QChar(0xe9));
        QTest::newRow("NUL") << QString(QChar(0));
        QTest::newRow("half a pair") << QString(QChar(0xd800));
    }
    void shouldRefuseIdsNoStoreCanHold()
    {
        QFETCH(QString, id);
        ScriptedIntakeStore store;
        Intake intake(store);
        QCOMPARE(codesOf(intake.record({deliveryOf(1, id)})), QList<int>{400});
        auto thin = deliveryOf(1, text("evt_1"));
        thin.snapshotId = id;
        QCOMPARE(codesOf(intake.record({thin})), QList<int>{400});
        QVERIFY(store.batches.isEmpty());
    }

    // Scenarios 8 and 37.
    void shouldKeepModesApart()
    {
        QVERIFY(!modeRefusal(StoreMode::Live, true));
        QVERIFY(!modeRefusal(StoreMode::Test, false));
        QVERIFY(!modeRefusal(StoreMode::Live, std::nullopt));
        const auto test = modeRefusal(StoreMode::Live, false);
        QVERIFY(test && test->http == 200 && test->reason == FailureReason::TestEventOnLive);
        for (const auto mode : {StoreMode::Test, StoreMode::Practice}) {
            const auto live = modeRefusal(mode, true);
            QVERIFY(live && live->http == 503 && live->reason == FailureReason::LiveEventOnTest);
        }
    }
};

QTEST_GUILESS_MAIN(tst_intake)
#include "tst_intake.moc"
