// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/adminrole.h"
#include "tests/service/switchedstore.h"
#include "tests/service/wireclient.h"

#include <QFile>
#include <QJsonDocument>
#include <QtTest>

using namespace unavez;
using namespace unavez::contract;
using namespace unavez::tests;
using stores::StoreUrl;

namespace {

class AdminBench
{
public:
    explicit AdminBench(stores::StoreUrl url, service::OpenStore open = {})
        : store(std::move(url))
        , m_log(silent())
        , health(m_log)
        , role({QStringLiteral("127.0.0.1"), 0, {}}, open ? std::move(open) : store.opener(), health, metrics, counters)
    {
        if (const auto started = role.start(); !started)
            qFatal("%s", qPrintable(started.error().detail));
    }
    WireReply asked(const QByteArray& path) const
    {
        return WireClient(role.port()).ask("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
    }

private:
    static int silent()
    {
        static QFile null(QStringLiteral("/dev/null"));
        if (!null.isOpen() && !null.open(QIODevice::WriteOnly))
            qFatal("no /dev/null");
        return null.handle();
    }

public:
    SwitchedStore store;
    service::Metrics metrics;
    service::Counters counters;

private:
    service::Log m_log;

public:
    service::StoreHealth health;
    service::AdminRole role;
};

QString reasonOf(const WireReply& reply)
{
    return QJsonDocument::fromJson(reply.body)[QStringLiteral("reason")].toString();
}

} // namespace

class tst_adminfront : public QObject
{
    Q_OBJECT

    void bothStores()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::newRow("sqlite") << StoreUrl::Kind::Sqlite;
        QTest::newRow("postgresql") << StoreUrl::Kind::PostgreSql;
    }

private Q_SLOTS:
    void shouldSayWhetherItsStoreCanBeWrittenTo_data() { bothStores(); }
    void shouldSayWhetherItsStoreCanBeWrittenTo()
    {
        QFETCH(StoreUrl::Kind, kind);
        TestStore store(kind);
        AdminBench admin(store.url());
        // GIVEN
        QCOMPARE(admin.asked("/readyz").status, 200);
        QCOMPARE(admin.asked("/readyz").body, QByteArrayLiteral("{\"ready\":true}"));
        QCOMPARE(admin.store.opened(), 1);
        // WHEN the store cannot be used any more
        admin.store.setAway(true);
        const auto isReady = [&] { return admin.asked("/readyz").status == 200; };
        // THEN it is known within the second an answer is kept for
        QTRY_VERIFY_WITH_TIMEOUT(!isReady(), 3000);
        const auto told = admin.asked("/readyz");
        QCOMPARE(told.status, 503);
        QCOMPARE(reasonOf(told), QStringLiteral("store_away"));
        QVERIFY(!told.value("Retry-After").isEmpty());
        QCOMPARE(admin.asked("/healthz").status, 200); // the process lives
        QVERIFY(admin.asked("/metrics").body.contains("unavez_store_up 0"));
        admin.store.setAway(false);
        QTRY_VERIFY_WITH_TIMEOUT(isReady(), 4000);
        QVERIFY(admin.asked("/metrics").body.contains("unavez_store_up 1"));
    }

    void shouldNameWhatIsWrongWithTheStore_data() { bothStores(); }
    void shouldNameWhatIsWrongWithTheStore()
    {
        QFETCH(StoreUrl::Kind, kind);
        TestStore store(kind);
        QVERIFY(store.connect()->runScript("UPDATE store_info SET schema_version = '209901010000'"));
        AdminBench admin(store.url());
        const auto told = admin.asked("/readyz");
        QCOMPARE(told.status, 503);
        QCOMPARE(reasonOf(told), QStringLiteral("schema_newer"));
        QVERIFY(!QJsonDocument::fromJson(told.body)[QStringLiteral("message")].toString().isEmpty());
        QCOMPARE(reasonOf(admin.asked("/readyz")), QStringLiteral("schema_newer"));
    }

    void shouldNotWaitForAStoreThatHangs()
    {
        TestStore store(StoreUrl::Kind::Sqlite);
        std::mutex mutex;
        std::unique_lock hang(mutex);
        AdminBench admin(store.url(), [&]() -> Result<std::unique_ptr<service::StoreSession>> {
            const std::lock_guard wait(mutex);
            return fail(Error::Kind::Offline);
        });
        QElapsedTimer time;
        time.start();
        const auto first = admin.asked("/readyz");
        QCOMPARE(first.status, 503);
        QCOMPARE(reasonOf(first), QStringLiteral("store_away"));
        QVERIFY2(time.elapsed() >= 1900 && time.elapsed() < 4000, qPrintable(QString::number(time.elapsed())));
        time.restart();
        QCOMPARE(admin.asked("/readyz").status, 503); // known by now
        QCOMPARE(admin.asked("/healthz").status, 200);
        QVERIFY(time.elapsed() < 1000);
        hang.unlock();
    }

    void shouldSayThatItDrains()
    {
        TestStore store(StoreUrl::Kind::Sqlite);
        AdminBench admin(store.url());
        QCOMPARE(admin.asked("/readyz").status, 200);
        admin.role.setDraining();
        QCOMPARE(admin.asked("/readyz").status, 503);
        QCOMPARE(reasonOf(admin.asked("/readyz")), QStringLiteral("draining"));
        QCOMPARE(admin.asked("/healthz").status, 200);
    }

    void shouldServeTheNumbers()
    {
        TestStore store(StoreUrl::Kind::Sqlite);
        AdminBench admin(store.url());
        admin.metrics.answered(200, Millis{3});
        admin.metrics.answered(400, Millis{30});
        admin.metrics.answered(400, Millis{40});
        admin.metrics.committed(5);
        admin.metrics.sent(OutcomeClass::DefinitiveFailure);
        admin.counters.jobsDone = 7;
        admin.counters.jobsDead = 2;
        const service::Metrics::Busy busy(admin.metrics, service::Role::Worker);
        // WHEN
        const auto told = admin.asked("/metrics");
        // THEN
        QCOMPARE(told.status, 200);
        QCOMPARE(told.value("Content-Type"), QByteArrayLiteral("text/plain; version=0.0.4; charset=utf-8"));
        for (const auto* line :
            {"unavez_deliveries_total{answer=\"200\"} 1", "unavez_deliveries_total{answer=\"400\"} 2",
                "unavez_delivery_answer_seconds_bucket{le=\"0.005\"} 1", "unavez_delivery_answer_seconds_count 3",
                "unavez_commit_batch_deliveries_bucket{le=\"8\"} 1", "unavez_commit_batch_deliveries_sum 5",
                "unavez_sends_total{class=\"definitive_failure\"} 1", "unavez_job_tries_total{result=\"done\"} 7",
                "unavez_dead_letters_total{by=\"worker\"} 2", "unavez_threads_busy{role=\"worker\"} 1",
                "unavez_threads_busy{role=\"edge\"} 0", "# TYPE unavez_job_tries_total counter"})
            QVERIFY2(told.body.contains(line), line);
    }

    void shouldAnswerNothingElse()
    {
        TestStore store(StoreUrl::Kind::Sqlite);
        AdminBench admin(store.url());
        QCOMPARE(admin.asked("/").status, 404);
        const auto told = WireClient(admin.role.port()).ask(post("/metrics", "{}"));
        QCOMPARE(told.status, 405);
        QCOMPARE(told.value("Allow"), QByteArrayLiteral("GET, HEAD"));
    }
};

QTEST_GUILESS_MAIN(tst_adminfront)
#include "tst_adminfront.moc"
