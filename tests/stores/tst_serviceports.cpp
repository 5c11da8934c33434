// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of the ports of edge, worker, reaper and the service itself, on both real stores and on the one in
// memory that simulations stand on.
#include "tests/stores/portsbench.h"

#include <mutex>
#include <thread>

using namespace unavez::contract;
using namespace unavez::tests;

class tst_serviceports : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    EVERY_STORE(shouldRecordAnEventOnceWithItsJob)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto first = must(bench.intake.record(
            {bench.delivery(QStringLiteral("evt_1"), "{}", 2), bench.delivery(QStringLiteral("evt_2"))}));
        QVERIFY(first.at(0).inserted && first.at(0).deliveries == 2);
        const auto again = must(bench.intake.record({bench.delivery(QStringLiteral("evt_1"))})).first();
        QVERIFY(!again.inserted && again.deliveries == 3 && !again.bodyChanged);
        QCOMPARE(again.eventPk, first.at(0).eventPk);
        QVERIFY(must(bench.intake.record({bench.delivery(QStringLiteral("evt_1"), "{\"x\":1}")})).first().bodyChanged);
        QVERIFY(must(bench.jobs.claim(bench.source, QStringLiteral("w"), Seconds{60})).has_value());
        QVERIFY(must(bench.jobs.claim(bench.source, QStringLiteral("w"), Seconds{60})).has_value());
        QVERIFY(!must(bench.jobs.claim(bench.source, QStringLiteral("w"), Seconds{60})).has_value());
        QCOMPARE(must(bench.jobs.payload(first.at(0).eventPk)), std::optional(QByteArray("{}")));
    }

    // A thin event and its snapshot are one change (scenario 9).

    EVERY_STORE(shouldCountAnAliasAsARepeat)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        must(bench.intake.record({bench.delivery(QStringLiteral("evt_1"))}));
        auto thin = bench.delivery(QStringLiteral("evt_thin"), "{\"thin\":1}");
        thin.delivery.snapshotId = QStringLiteral("evt_1");
        const auto repeat = must(bench.intake.record({thin})).first();
        QVERIFY(!repeat.inserted && repeat.deliveries == 2 && !repeat.bodyChanged);
    }

    EVERY_STORE(shouldRecordABatchWholeOrNotAtAll)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        auto unsigned_ = bench.delivery(QStringLiteral("evt_2"));
        unsigned_.delivery.signingKeyId = QStringLiteral("nobody's");
        QVERIFY(!bench.intake.record({bench.delivery(QStringLiteral("evt_1")), unsigned_}));
        QVERIFY(!must(bench.jobs.claim(bench.source, QStringLiteral("w"), Seconds{60})).has_value());
        QVERIFY(must(bench.intake.record({bench.delivery(QStringLiteral("evt_1"))})).first().inserted);
    }

    EVERY_STORE(shouldFenceAStaleWorker)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        QCOMPARE(job.job.leaseToken, 1);
        QCOMPARE(job.event->eventId, QStringLiteral("evt_1"));
        QVERIFY(must(bench.jobs.renew(job.lease(), Seconds{60})));
        const JobLease stale{job.job.id, 0};
        QVERIFY(!must(bench.jobs.renew(stale, Seconds{60})));
        QCOMPARE(must(bench.jobs.finishDone(stale)), JobFinish::LeaseLost);
        QCOMPARE(must(bench.jobs.finishLater(job.lease(), Seconds{0}, false, QStringLiteral("later"), {})),
            JobFinish::Later);
        const auto second = must(bench.jobs.claim(bench.source, QStringLiteral("w-2"), Seconds{60}));
        QCOMPARE(second->job.leaseToken, 2);
        QCOMPARE(second->job.attempts, 1); // the try was given back
        QCOMPARE(must(bench.jobs.finishDone(second->lease())), JobFinish::Done);
        QCOMPARE(must(bench.jobs.finishDead(second->lease(), QStringLiteral("late"), {})), JobFinish::LeaseLost);
    }

    EVERY_STORE(shouldDieWhenItsTriesAreUsed)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        auto delivery = bench.delivery(QStringLiteral("evt_1"));
        delivery.delivery.maxAttempts = 2;
        must(bench.intake.record({delivery}));
        const auto first = bench.claimedNext();
        QCOMPARE(must(bench.jobs.finishLater(first.lease(), Millis{0}, true, QStringLiteral("handler_failed"), {})),
            JobFinish::Later);
        const auto second = bench.claimedNext();
        QCOMPARE(second.job.attempts, 2);
        QCOMPARE(must(bench.jobs.finishLater(second.lease(), Millis{0}, true, QStringLiteral("handler_failed"), {})),
            JobFinish::Dead);
        const auto dead = bench.job(first.job.id);
        QCOMPARE(dead.errorClass, std::optional(QStringLiteral("handler_failed")));
        QVERIFY(dead.deadAt && !dead.leaseOwner);
    }

    EVERY_STORE(shouldNotClaimBeforeItsTimeNorUnderAHold)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        must(bench.jobs.finishLater(job.lease(), Seconds{3600}, true, QStringLiteral("handler_failed"), {}));
        QVERIFY(!must(bench.jobs.claim(bench.source, QStringLiteral("w"), Seconds{60})));
        must(bench.intake.record({bench.delivery(QStringLiteral("evt_2"))}));
        QVERIFY(!must(bench.jobs.claim(bench.source + 1, QStringLiteral("w"), Seconds{60})));
        bench.done(PortsBench::onHold(HoldKind::Source, QString::number(bench.source)));
        QVERIFY(!must(bench.jobs.claim(bench.source, QStringLiteral("w"), Seconds{60})));
    }

    // Scenario 34 (M7): two accounts with one invoice number are two intents.

    // Scenario 14 (M2, M10): past its cutoff a sent reservation is not resumed, and only then the reaper takes it.

    // Scenario 56 (M5): a late success beside another open attempt is two effects, and the index says so too.

    // Scenario 11: every job is leased once per token, whoever asks.

    EVERY_STORE(shouldLeaseEveryJobOnce)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        QList<MergedDelivery> batch;
        for (int i = 0; i < 200; ++i)
            batch.append(bench.delivery(QStringLiteral("evt_%1").arg(i, 4, 10, QLatin1Char('0'))));
        must(bench.intake.record(batch));
        std::mutex mutex;
        QList<qint64> taken;
        const auto work = [&] {
            const auto ports = bench.backend->connect();
            for (;;) {
                const auto job = ports->jobs().claim(bench.source, QStringLiteral("w"), Seconds{60});
                if (!job || !*job)
                    return;
                const std::lock_guard lock(mutex);
                taken.append((*job)->job.id);
            }
        };
        std::thread one(work);
        std::thread two(work);
        one.join();
        two.join();
        QCOMPARE(taken.size(), 200);
        QCOMPARE(QSet<qint64>(taken.begin(), taken.end()).size(), 200);
    }

    EVERY_STORE(shouldFreeOnlyWhatIsOver)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        QVERIFY(must(bench.reaper.freeJobs(Seconds{0}, 50)).waiting.isEmpty());
        QVERIFY(must(bench.reaper.expireReservations(Seconds{0}, 50)).isEmpty());
        QVERIFY(must(bench.jobs.renew(job.lease(), Millis{1})));
        QTest::qWait(5);
        QVERIFY(must(bench.reaper.freeJobs(Seconds{10}, 50)).waiting.isEmpty()); // grace
        QList<qint64> freed;
        QTRY_VERIFY(!(freed += must(bench.reaper.freeJobs(Seconds{0}, 50)).waiting).isEmpty());
        QCOMPARE(freed, QList<qint64>{job.job.id});
        QCOMPARE(must(bench.jobs.finishDone(job.lease())), JobFinish::LeaseLost);
        QCOMPARE(bench.stateOf(job.job.id), QStringLiteral("retry_wait"));
    }

    EVERY_STORE(shouldBeatAndCountFailures)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        ServiceRow row;
        row.instance = QStringLiteral("edge-1");
        row.host = QStringLiteral("host-1");
        row.version = QStringLiteral("0.1.0");
        row.roles = {QStringLiteral("edge"), QStringLiteral("worker")};
        row.configSha256 = sha256("c");
        must(bench.service.heartbeat(row));
        must(bench.service.heartbeat(row));
        must(bench.service.stopped(row.instance));
        SignatureFailure failure;
        failure.sourceId = bench.source;
        failure.route = QStringLiteral("/webhooks/stripe");
        failure.reason = FailureReason::LiveEventOnTest;
        must(bench.intake.recordFailures({failure, failure}));
        QCOMPARE(bench.backend->failures(), 2);
        QCOMPARE(must(bench.service.info()).mode, StoreMode::Practice);
        QCOMPARE(must(bench.service.info()).state, StoreState::Normal);
        must(bench.service.probe());
        QCOMPARE(must(bench.service.lastCall()), 0);
        bench.sent(bench.reserved(QStringLiteral("inv_1")));
        QCOMPARE(must(bench.service.lastCall()), 1);
    }

    EVERY_STORE(shouldKeepWhoASourceAndAKeyAre)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        Source source{1, QStringLiteral("stripe:acct_1"), QStringLiteral("stripe"), QStringLiteral("acct_1")};
        SigningKey key{QStringLiteral("k1"), 1, QStringLiteral("/webhooks/stripe"), QStringLiteral("file:/x"),
            QStringLiteral("0123456789ab"), Instant{0}, Instant::never()};
        QCOMPARE(must(bench.service.syncSources({source}, {key})).first().id, bench.source);
        key.fingerprint = QStringLiteral("ba9876543210");
        QCOMPARE(bench.service.syncSources({source}, {key}).error().kind, Error::Kind::Refused);
        source.account = QStringLiteral("acct_2");
        QCOMPARE(bench.service.syncSources({source}, {}).error().kind, Error::Kind::Refused);
    }
};

QTEST_GUILESS_MAIN(tst_serviceports)
#include "tst_serviceports.moc"
