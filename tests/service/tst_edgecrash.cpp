// SPDX-License-Identifier: GPL-3.0-or-later
// The real unavezd killed at the worst moments of a delivery: scenario 2, crash points X1 and X2, and kills at random.
#include "models/signatures/stripe.h"
#include "tests/service/daemon.h"
#include "tests/service/wireclient.h"
#include "tests/support/teststores.h"

#include <QFile>
#include <QRandomGenerator>
#include <QtTest>

#include <csignal>
#include <thread>

using namespace unavez;
using namespace unavez::tests;
using stores::StoreUrl;

namespace {

QByteArray delivery(const QByteArray& eventId)
{
    const QByteArray body = "{\"id\":\"" + eventId + "\",\"object\":\"event\",\"type\":\"invoice.due\"}";
    return post("/webhooks/stripe", body,
        "Stripe-Signature: " + signatures::signedByStripe(body, {"whsec_test"}, contract::SystemHostClock().wall())
            + "\r\n");
}

qint64 numberIn(const TestStore& store, const QString& sql)
{
    const auto rows = store.connect()->run(sql);
    if (!rows || rows->isEmpty())
        qFatal("%s", qPrintable(sql));
    return rows->first().at(0).toLongLong();
}

// Starts anew, with a crash point or none; false: it does not come up.
bool isUpAgain(Daemon& daemon, const QByteArray& crashAt = {})
{
    QFile::remove(daemon.file(QStringLiteral("ports.json"))); // what a killed one left
    if (crashAt.isEmpty())
        qunsetenv("UNAVEZ_CRASH_AT");
    else
        qputenv("UNAVEZ_CRASH_AT", crashAt);
    daemon.start();
    qunsetenv("UNAVEZ_CRASH_AT");
    return QTest::qWaitFor([&] { return daemon.isUp(); }, Daemon::patience);
}

} // namespace

class tst_edgecrash : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldRecordOnceWhateverPointItDiesAt_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<QByteArray>("point");
        QTest::addColumn<bool>("isRecorded");
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            const auto* const name = kind == StoreUrl::Kind::Sqlite ? "sqlite" : "postgresql";
            QTest::addRow("before the commit, %s", name) << kind << QByteArray("edge.before_commit") << false;
            QTest::addRow("after the commit, %s", name) << kind << QByteArray("edge.after_commit_before_200") << true;
        }
    }
    void shouldRecordOnceWhateverPointItDiesAt()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(QByteArray, point);
        QFETCH(bool, isRecorded);
        const TestStore store(kind);
        Daemon daemon(spelledUrl(store.url()), QStringLiteral("\"edge\""));
        constexpr int times = 10;
        for (int i = 0; i < times; ++i) {
            const auto id = "evt_" + QByteArray::number(i);
            const auto counted = [&](const char* what) {
                return numberIn(store,
                    QStringLiteral("SELECT %1 FROM processed_events WHERE event_id = '%2'")
                        .arg(QLatin1String(what), QString::fromLatin1(id)));
            };
            // WHEN it dies at the point
            QVERIFY(isUpAgain(daemon, point));
            QCOMPARE(WireClient(daemon.port(QStringLiteral("edge"))).ask(delivery(id)).status, 0); // no 200
            QVERIFY(daemon.ends());
            QCOMPARE(counted("count(*)"), isRecorded ? 1 : 0);
            // THEN the provider's retry finds one event with one job, and is acknowledged
            QVERIFY(isUpAgain(daemon));
            QCOMPARE(WireClient(daemon.port(QStringLiteral("edge"))).ask(delivery(id)).status, 200);
            QCOMPARE(counted("deliveries"), isRecorded ? 2 : 1);
            daemon.signal(SIGKILL);
            QVERIFY(daemon.ends());
        }
        QCOMPARE(numberIn(store, QStringLiteral("SELECT count(*) FROM processed_events WHERE has_job")), times);
        QCOMPARE(numberIn(store, QStringLiteral("SELECT count(*) FROM jobs")), times);
    }

    void shouldLoseNothingItAcknowledged_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::newRow("sqlite") << StoreUrl::Kind::Sqlite;
        QTest::newRow("postgresql") << StoreUrl::Kind::PostgreSql;
    }
    void shouldLoseNothingItAcknowledged()
    {
        QFETCH(StoreUrl::Kind, kind);
        const TestStore store(kind);
        Daemon daemon(spelledUrl(store.url()), QStringLiteral("\"edge\""));
        QSet<QByteArray> acknowledged;
        constexpr int kills = 25; // on each store
        for (int kill = 0; kill < kills; ++kill) {
            QVERIFY(isUpAgain(daemon));
            const auto port = daemon.port(QStringLiteral("edge"));
            // WHEN four senders send as fast as they can, and it is killed at some moment
            std::array<QSet<QByteArray>, 4> told;
            std::vector<std::thread> senders;
            for (std::size_t sender = 0; sender < told.size(); ++sender) {
                senders.emplace_back([&told, sender, kill, port] {
                    WireClient client(port);
                    for (int n = 0;; ++n) {
                        const auto id = "evt_" + QByteArray::number(kill) + '_' + QByteArray::number(qulonglong(sender))
                            + '_' + QByteArray::number(n);
                        const auto reply = client.ask(delivery(id));
                        if (reply.status == 0)
                            return;
                        if (reply.status == 200)
                            told[sender].insert(id);
                    }
                });
            }
            QTest::qWait(QRandomGenerator::global()->bounded(5, 120));
            daemon.signal(SIGKILL);
            QVERIFY(daemon.ends());
            for (auto& sender : senders)
                sender.join();
            for (const auto& ids : told)
                acknowledged.unite(ids);
        }
        // THEN what was acknowledged is there, and every event has its one job
        QSet<QByteArray> kept;
        const auto rows = store.connect()->run(QStringLiteral("SELECT event_id FROM processed_events"));
        QVERIFY(rows.has_value());
        for (const auto& row : rows->rows)
            kept.insert(row.at(0).toString().toLatin1());
        QVERIFY(acknowledged.size() > kills);
        QVERIFY2((acknowledged - kept).isEmpty(), qPrintable(QString::number((acknowledged - kept).size())));
        QCOMPARE(numberIn(store, QStringLiteral("SELECT count(*) FROM jobs")), kept.size());
        QCOMPARE(numberIn(store, QStringLiteral("SELECT count(*) FROM processed_events WHERE NOT has_job")), 0);
    }
};

QTEST_GUILESS_MAIN(tst_edgecrash)
#include "tst_edgecrash.moc"
