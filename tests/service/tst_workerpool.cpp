// SPDX-License-Identifier: GPL-3.0-or-later
// The worker role and the reaper's loop, on both real stores.
#include "app/service/leaserenewer.h"
#include "app/service/reaperloop.h"
#include "app/service/workerpool.h"
#include "models/contract/storedrequest.h"
#include "tests/service/logpipe.h"
#include "tests/service/sqlsession.h"
#include "tests/support/teststores.h"

#include <QtTest>

using namespace unavez;
using namespace unavez::contract;
using namespace unavez::service;
using stores::StoreUrl;

namespace {

// An agent that answers as it is told, and counts.
class FakeAgent final : public JobHandler
{
public:
    HandlerAnswer handle(const HandlerRequest& request, std::stop_token cancelled) override
    {
        {
            const std::lock_guard lock(m_mutex);
            m_seen.append(request.lease.job);
        }
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, cancelled, [this] { return m_open; });
        return cancelled.stop_requested() ? HandlerAnswer{HandlerAnswer::Kind::TimedOut, 0, {}}
                                          : HandlerAnswer{m_answer, 200, {}};
    }
    void hold()
    {
        const std::lock_guard lock(m_mutex);
        m_open = false;
    }
    void letGo()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_open = true;
        }
        m_changed.notify_all();
    }
    void answer(HandlerAnswer::Kind kind)
    {
        const std::lock_guard lock(m_mutex);
        m_answer = kind;
    }
    QList<qint64> seen()
    {
        const std::lock_guard lock(m_mutex);
        return m_seen;
    }

private:
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    QList<qint64> m_seen;
    bool m_open = true;
    HandlerAnswer::Kind m_answer = HandlerAnswer::Kind::Done;
};

class NoEvents final : public EventReader
{
public:
    std::optional<CausedByUs> read(const QString&, const QByteArray&) const override { return std::nullopt; }
};

struct Bench
{
    explicit Bench(StoreUrl::Kind kind)
        : store(kind)
        , connection(store.connect())
        , alert(
              {QStringLiteral("/bin/sh"), QStringLiteral("-c"),
                  QStringLiteral("echo \"$@\" >> ") + folder.filePath(QStringLiteral("alerts")), QStringLiteral("sh")},
              pipe.log())
        , shared{[this]() {
                     return isAway ? Result<std::unique_ptr<StoreSession>>(fail(Error::Kind::Offline))
                                   : tests::openerOf(store.url())();
                 },
              health, pipe.log(), alert, counters, metrics, clock}
        , renewer(shared.openStore, health, pipe.log(), Millis{100}, Millis{2000})
    {
        stores::SqlServiceStore service(*connection);
        const auto synced = service.syncSources(
            {{1, QStringLiteral("stripe:acct_1"), QStringLiteral("stripe"), QStringLiteral("acct_1")}},
            {{QStringLiteral("k1"), 1, QStringLiteral("/webhooks/stripe"), QStringLiteral("file:/x"),
                QStringLiteral("0123456789ab"), Instant{0}, Instant::never()}});
        if (!synced)
            qFatal("%s", qPrintable(synced.error().detail));
        sources = *synced;
    }

    void deliver(int count, int maxAttempts = 8)
    {
        stores::SqlIntakeStore intake(*connection);
        QList<MergedDelivery> batch;
        for (int i = 0; i < count; ++i) {
            Delivery d;
            d.sourceId = sources.first().id;
            d.eventId = QStringLiteral("evt_%1").arg(++delivered);
            d.eventType = QStringLiteral("invoice.due");
            d.signingKeyId = QStringLiteral("k1");
            d.body = "{}";
            d.bodySha256 = sha256(d.body);
            d.peer = QStringLiteral("127.0.0.1");
            d.maxAttempts = maxAttempts;
            batch.append({d, 1});
        }
        if (const auto recorded = intake.record(batch); !recorded)
            qFatal("%s", qPrintable(recorded.error().detail));
    }

    std::unique_ptr<WorkerPool> pool(int concurrency)
    {
        engine::WorkerSettings worker;
        worker.owner = QStringLiteral("w-1");
        worker.lease = Millis{2000};
        return std::make_unique<WorkerPool>(shared,
            WorkerPoolParts{
                concurrency, Millis{20}, StoreMode::Practice, {}, worker, sources, {}, agent, events, renewer});
    }

    int jobsIn(const QString& state)
    {
        const auto rows = connection->run(QStringLiteral("SELECT count(*) FROM jobs WHERE state = ?"), {state});
        return rows ? rows->first().at(0).toInt() : -1;
    }
    QByteArray alerts() const
    {
        QFile file(folder.filePath(QStringLiteral("alerts")));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir folder;
    tests::TestStore store;
    std::unique_ptr<stores::SqlConnection> connection;
    tests::LogPipe pipe;
    std::atomic<bool> isAway{false};
    StoreHealth health{pipe.log()};
    Alert alert;
    Counters counters;
    Metrics metrics;
    SystemHostClock clock;
    SharedParts shared;
    QList<Source> sources;
    FakeAgent agent;
    NoEvents events;
    LeaseRenewer renewer;
    int delivered = 0;
};

void addStores()
{
    QTest::addColumn<StoreUrl::Kind>("kind");
    QTest::newRow("SQLite") << StoreUrl::Kind::Sqlite;
    QTest::newRow("PostgreSQL") << StoreUrl::Kind::PostgreSql;
}

} // namespace

class tst_workerpool : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldRunEveryJobOnce_data() { addStores(); }
    void shouldRunEveryJobOnce()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.deliver(40);
        const auto pool = bench.pool(4);
        QTRY_COMPARE_WITH_TIMEOUT(bench.jobsIn(QStringLiteral("done")), 40, 20000);
        pool->drain(Millis{5000});
        auto seen = bench.agent.seen();
        std::sort(seen.begin(), seen.end());
        QCOMPARE(seen.size(), 40);
        QVERIFY(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
        QCOMPARE(bench.pipe.count(QStringLiteral("job_done")), 40);
    }

    void shouldAlertOnceForAJobThatDies_data() { addStores(); }
    void shouldAlertOnceForAJobThatDies()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.agent.answer(HandlerAnswer::Kind::Rejected);
        bench.deliver(1);
        const auto pool = bench.pool(2);
        QTRY_COMPARE(bench.jobsIn(QStringLiteral("dead")), 1);
        QTRY_COMPARE(bench.alerts().count('\n'), 1);
        pool->drain(Millis{5000});
        QVERIFY2(bench.alerts().endsWith(" event=evt_1 source=stripe:acct_1 class=rejected\n"), bench.alerts());
        QCOMPARE(bench.pipe.count(QStringLiteral("job_dead")), 1);
    }

    void shouldKeepTheLeaseOfALongJob_data() { addStores(); }
    void shouldKeepTheLeaseOfALongJob()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.agent.hold();
        bench.deliver(1);
        const auto pool = bench.pool(1);
        // A reaper without mercy, beside it for longer than the lease of two seconds.
        ReaperLoop reaper(bench.shared, Millis{50}, Seconds{0});
        QTRY_COMPARE(bench.jobsIn(QStringLiteral("leased")), 1);
        QTest::qWait(3000);
        QCOMPARE(bench.jobsIn(QStringLiteral("leased")), 1);
        bench.agent.letGo();
        QTRY_COMPARE(bench.jobsIn(QStringLiteral("done")), 1);
        pool->drain(Millis{5000});
        QCOMPARE(bench.agent.seen().size(), 1);
        QCOMPARE(bench.pipe.count(QStringLiteral("reaped_job")), 0);
    }

    void shouldLetRunningJobsEndAndClaimNoMore_data() { addStores(); }
    void shouldLetRunningJobsEndAndClaimNoMore()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.agent.hold();
        bench.deliver(5);
        const auto pool = bench.pool(2);
        QTRY_COMPARE(bench.agent.seen().size(), 2);
        std::jthread draining([&] { pool->drain(Millis{20000}); });
        QTest::qWait(200);
        bench.agent.letGo();
        draining.join();
        QCOMPARE(bench.jobsIn(QStringLiteral("done")), 2);
        QCOMPARE(bench.jobsIn(QStringLiteral("queued")), 3);
        QCOMPARE(bench.agent.seen().size(), 2);
    }

    void shouldGiveBackWhatOutlivesTheDrain_data() { addStores(); }
    void shouldGiveBackWhatOutlivesTheDrain()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.agent.hold();
        bench.deliver(1);
        const auto pool = bench.pool(1);
        QTRY_COMPARE(bench.agent.seen().size(), 1);
        pool->drain(Millis{100});
        QCOMPARE(bench.jobsIn(QStringLiteral("retry_wait")), 1);
        const auto rows = bench.connection->run(QStringLiteral("SELECT attempts FROM jobs"));
        QVERIFY(rows);
        QCOMPARE(rows->first().at(0).toInt(), 0); // our own end is no fault of the job
        QCOMPARE(bench.pipe.count(QStringLiteral("drain_over")), 1);
    }

    void shouldWaitForAStoreThatIsAway()
    {
        Bench bench(StoreUrl::Kind::Sqlite);
        bench.isAway = true;
        bench.deliver(3);
        const auto pool = bench.pool(3);
        QTRY_VERIFY(bench.health.isAway());
        QTest::qWait(300);
        bench.isAway = false;
        QTRY_COMPARE_WITH_TIMEOUT(bench.jobsIn(QStringLiteral("done")), 3, 15000);
        QCOMPARE(bench.pipe.count(QStringLiteral("store_away")), 1);
        QCOMPARE(bench.pipe.count(QStringLiteral("store_back")), 1);
        pool->drain(Millis{5000});
    }

    void shouldEndAtOnceWhileItsStoreIsAway()
    {
        Bench bench(StoreUrl::Kind::Sqlite);
        bench.isAway = true;
        const auto pool = bench.pool(2);
        QTest::qWait(800);
        QElapsedTimer clock;
        clock.start();
        pool->drain(Millis{20000});
        QVERIFY(clock.elapsed() < 1000);
    }

    void shouldFreeAndBuryTheJobsOfWorkersThatAreGone_data() { addStores(); }
    void shouldFreeAndBuryTheJobsOfWorkersThatAreGone()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.deliver(1, 1);
        bench.deliver(1, 8);
        stores::SqlJobStore jobs(*bench.connection);
        for (int i = 0; i < 2; ++i) {
            const auto job = jobs.claim(bench.sources.first().id, QStringLiteral("gone"), Millis{1});
            QVERIFY(job && *job);
        }
        ReaperLoop reaper(bench.shared, Millis{50}, Seconds{0});
        QTRY_COMPARE(bench.jobsIn(QStringLiteral("retry_wait")), 1);
        QTRY_COMPARE(bench.jobsIn(QStringLiteral("dead")), 1);
        QTRY_COMPARE(bench.alerts().count('\n'), 1);
        QTest::qWait(200);
        QCOMPARE(bench.alerts().count("class=lease_over"), 1);
    }
};

QTEST_GUILESS_MAIN(tst_workerpool)
#include "tst_workerpool.moc"
