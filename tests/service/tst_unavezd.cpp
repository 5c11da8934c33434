// SPDX-License-Identifier: GPL-3.0-or-later
// The real program on both real stores: how it starts, how it refuses to, how it ends.
#include "models/signatures/stripe.h"
#include "models/stores/sql/migrator.h"
#include "models/stores/sql/sqlconnection.h"
#include "tests/service/daemon.h"
#include "tests/service/wireclient.h"
#include "tests/support/privatepostgres.h"
#include "tests/support/teststores.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QtTest>

#include <csignal>

using namespace unavez;
using namespace unavez::tests;
using stores::StoreUrl;

namespace {

void addStores()
{
    QTest::addColumn<StoreUrl::Kind>("kind");
    QTest::newRow("SQLite") << StoreUrl::Kind::Sqlite;
    QTest::newRow("PostgreSQL") << StoreUrl::Kind::PostgreSql;
}

QString numberIn(const TestStore& store, const char* sql)
{
    const auto rows = store.connect()->run(QString::fromLatin1(sql));
    return rows && !rows->isEmpty() ? rows->first().at(0).toString() : QStringLiteral("?");
}

QByteArray delivery(const QByteArray& eventId)
{
    const QByteArray body = "{\"id\":\"" + eventId
        + "\",\"object\":\"event\",\"type\":\"invoice.due\",\"livemode\":false,\"created\":1700000000,\"data\":{"
          "\"object\":{\"id\":\"in_1\",\"email\":\"ana@example.com\"}}}";
    const auto now = contract::SystemHostClock().wall();
    return post("/webhooks/stripe", body,
        "Stripe-Signature: " + signatures::signedByStripe(body, {"whsec_test"}, now) + "\r\n");
}

// An agent that takes a job and answers when it is told to.
class SlowAgent : public QTcpServer
{
public:
    SlowAgent() { listen(QHostAddress::LocalHost); }
    QString section() const
    {
        return QStringLiteral("[worker]\nhandler = \"http://127.0.0.1:%1/run\"\nconcurrency = 2\npoll_ms = 20\n")
            .arg(serverPort());
    }
    bool hasJob()
    {
        if (!m_socket && (hasPendingConnections() || waitForNewConnection(10)))
            m_socket = nextPendingConnection();
        return m_socket;
    }
    void answer()
    {
        m_socket->write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        m_socket->flush();
    }

private:
    QTcpSocket* m_socket = nullptr;
};

const auto everyRole = QStringLiteral("\"edge\", \"worker\", \"reaper\"");

} // namespace

class tst_unavezd : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldServeAndDrain_data() { addStores(); }
    void shouldServeAndDrain();
    void shouldLetARunningJobEnd_data() { addStores(); }
    void shouldLetARunningJobEnd();
    void shouldGiveBackTheJobThatOutlivesTheDrain();
    void shouldEndAtOnceAtTheSecondSignal();
    void shouldIgnoreAHangup();
    void shouldStartAgainAfterAKill_data() { addStores(); }
    void shouldStartAgainAfterAKill();
    void shouldOutliveItsStore();
    void shouldRefuseABadConfiguration();
    void shouldRefuseAPortThatIsTaken();
    void shouldRefuseAStoreWithoutASchema_data() { addStores(); }
    void shouldRefuseAStoreWithoutASchema();
    void shouldRefuseAStoreThatIsNotThere();
    void shouldRefuseASchemaOfAnotherAge_data() { addStores(); }
    void shouldRefuseASchemaOfAnotherAge();
    void shouldCheckWithoutStarting_data() { addStores(); }
    void shouldCheckWithoutStarting();
    void shouldSayHowItIsUsed_data();
    void shouldSayHowItIsUsed();
};

void tst_unavezd::shouldServeAndDrain()
{
    QFETCH(StoreUrl::Kind, kind);
    // GIVEN a service on a fresh store
    const TestStore store(kind);
    SlowAgent agent;
    Daemon daemon(spelledUrl(store.url()), everyRole, agent.section());
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    QTRY_COMPARE(numberIn(store, "SELECT count(*) FROM services WHERE stopped_at IS NULL"), QStringLiteral("1"));
    // WHEN a signed delivery comes
    const auto reply = WireClient(daemon.port(QStringLiteral("edge"))).ask(delivery("evt_1"));
    QCOMPARE(reply.status, 200);
    QCOMPARE(numberIn(store, "SELECT count(*) FROM processed_events WHERE has_job"), QStringLiteral("1"));
    // THEN it reaches the agent, and SIGTERM ends the service cleanly
    QTRY_VERIFY(agent.hasJob());
    agent.answer();
    QTRY_COMPARE(numberIn(store, "SELECT state FROM jobs"), QStringLiteral("done"));
    daemon.signal(SIGTERM);
    QVERIFY(daemon.ends());
    QVERIFY2(daemon.process().exitStatus() == QProcess::NormalExit, daemon.said());
    QCOMPARE(daemon.process().exitCode(), 0);
    QVERIFY(!daemon.isUp());
    QCOMPARE(numberIn(store, "SELECT count(*) FROM services WHERE stopped_at IS NOT NULL"), QStringLiteral("1"));
    // and its log is JSON, with ids and nothing else of anybody
    for (const auto& line : daemon.said().split('\n'))
        QVERIFY2(line.isEmpty() || line.startsWith("{\"ts\":\""), line);
    QCOMPARE(daemon.logged(QStringLiteral("job_done")), 1);
    for (const auto* secret : {"whsec_test", "gate-token", "sk_test_secret", "ana@example.com"})
        QVERIFY(!daemon.said().contains(secret));
}

void tst_unavezd::shouldLetARunningJobEnd()
{
    QFETCH(StoreUrl::Kind, kind);
    const TestStore store(kind);
    SlowAgent agent;
    Daemon daemon(spelledUrl(store.url()), everyRole, agent.section());
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    const auto port = daemon.port(QStringLiteral("edge"));
    QCOMPARE(WireClient(port).ask(delivery("evt_1")).status, 200);
    QTRY_VERIFY(agent.hasJob());
    // WHEN the signal comes while the agent works
    daemon.signal(SIGTERM);
    // THEN nothing new is taken
    QTRY_VERIFY(!WireClient(port, WireClient::Limit{500}).isConnected());
    QVERIFY(!daemon.ends(300));
    QCOMPARE(numberIn(store, "SELECT state FROM jobs"), QStringLiteral("leased"));
    // and what runs may end
    agent.answer();
    QVERIFY(daemon.ends());
    QCOMPARE(daemon.process().exitCode(), 0);
    QCOMPARE(numberIn(store, "SELECT state FROM jobs"), QStringLiteral("done"));
    QCOMPARE(numberIn(store, "SELECT count(*) FROM processed_events"), QStringLiteral("1"));
}

void tst_unavezd::shouldGiveBackTheJobThatOutlivesTheDrain()
{
    const TestStore store(StoreUrl::Kind::Sqlite);
    SlowAgent agent;
    Daemon daemon(spelledUrl(store.url()), everyRole, agent.section());
    daemon.change("heartbeat_s = 1", "heartbeat_s = 1\ndrain_s = 1");
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    QCOMPARE(WireClient(daemon.port(QStringLiteral("edge"))).ask(delivery("evt_1")).status, 200);
    QTRY_VERIFY(agent.hasJob());
    // WHEN the agent never answers
    daemon.signal(SIGTERM);
    QVERIFY(daemon.ends(10000));
    // THEN the job is back, and its try was not counted
    QCOMPARE(daemon.process().exitCode(), 0);
    QCOMPARE(numberIn(store, "SELECT state FROM jobs"), QStringLiteral("retry_wait"));
    QCOMPARE(numberIn(store, "SELECT attempts FROM jobs"), QStringLiteral("0"));
}

void tst_unavezd::shouldEndAtOnceAtTheSecondSignal()
{
    const TestStore store(StoreUrl::Kind::Sqlite);
    SlowAgent agent;
    Daemon daemon(spelledUrl(store.url()), everyRole, agent.section());
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    QCOMPARE(WireClient(daemon.port(QStringLiteral("edge"))).ask(delivery("evt_1")).status, 200);
    QTRY_VERIFY(agent.hasJob());
    daemon.signal(SIGTERM);
    QTRY_COMPARE(daemon.logged(QStringLiteral("draining")), 1);
    QVERIFY(!daemon.ends(300));
    daemon.signal(SIGTERM);
    QVERIFY(daemon.ends(5000));
    QCOMPARE(daemon.process().exitStatus(), QProcess::CrashExit); // by the signal itself
    QCOMPARE(numberIn(store, "SELECT state FROM jobs"), QStringLiteral("leased")); // the reaper's now
}

void tst_unavezd::shouldIgnoreAHangup()
{
    const TestStore store(StoreUrl::Kind::Sqlite);
    Daemon daemon(spelledUrl(store.url()), QStringLiteral("\"reaper\""));
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    daemon.signal(SIGHUP);
    QVERIFY(!daemon.ends(300));
    daemon.signal(SIGINT);
    QVERIFY(daemon.ends());
    QCOMPARE(daemon.process().exitCode(), 0);
}

void tst_unavezd::shouldStartAgainAfterAKill()
{
    QFETCH(StoreUrl::Kind, kind);
    const TestStore store(kind);
    Daemon daemon(spelledUrl(store.url()), QStringLiteral("\"edge\", \"reaper\""));
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    QCOMPARE(WireClient(daemon.port(QStringLiteral("edge"))).ask(delivery("evt_1")).status, 200);
    daemon.signal(SIGKILL);
    QVERIFY(daemon.ends());
    QVERIFY(daemon.isUp()); // its ports file is still there
    const auto pid = daemon.port(QStringLiteral("pid"));
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(
        daemon.isUp() && daemon.port(QStringLiteral("pid")) != pid, daemon.said(), Daemon::patience);
    QCOMPARE(WireClient(daemon.port(QStringLiteral("edge"))).ask(delivery("evt_1")).status, 200);
    QCOMPARE(numberIn(store, "SELECT deliveries FROM processed_events"), QStringLiteral("2"));
    daemon.signal(SIGTERM);
    QVERIFY(daemon.ends());
    QCOMPARE(daemon.process().exitCode(), 0);
}

void tst_unavezd::shouldOutliveItsStore()
{
    // GIVEN a service on a server of its own
    PrivatePostgres server;
    const auto url = server.superuser();
    {
        const auto owner = stores::SqlConnection::open(url);
        QVERIFY(owner);
        QVERIFY(stores::migrate(**owner, contract::StoreMode::Practice));
    }
    Daemon daemon(spelledUrl(url), QStringLiteral("\"edge\", \"reaper\""), QStringLiteral("[reaper]\nevery_s = 1\n"));
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    const auto port = daemon.port(QStringLiteral("edge"));
    QCOMPARE(WireClient(port).ask(delivery("evt_1")).status, 200);
    // WHEN the server goes
    server.stop();
    // THEN deliveries are told to come again, and it says so once
    QCOMPARE(WireClient(port).ask(delivery("evt_2")).status, 503);
    QTRY_COMPARE_WITH_TIMEOUT(daemon.logged(QStringLiteral("store_away")), 1, Daemon::patience);
    QTest::qWait(1500);
    QCOMPARE(daemon.logged(QStringLiteral("store_away")), 1);
    // and it is back with the server
    server.start();
    QTRY_COMPARE_WITH_TIMEOUT(WireClient(port).ask(delivery("evt_2")).status, 200, Daemon::patience);
    QTRY_COMPARE_WITH_TIMEOUT(daemon.logged(QStringLiteral("store_back")), 1, Daemon::patience);
    daemon.signal(SIGTERM);
    QVERIFY(daemon.ends());
    QCOMPARE(daemon.process().exitCode(), 0);
}

void tst_unavezd::shouldRefuseABadConfiguration()
{
    Daemon daemon(QStringLiteral("sqlite:///nowhere.db"), everyRole, QStringLiteral("[worker]\nhandlr = 1\n"));
    QCOMPARE(daemon.run(), 2);
    QCOMPARE(QString::fromUtf8(daemon.said()),
        QStringLiteral(
            "unavezd: %1:20: there is no setting worker.handlr; known here are handler, payload, concurrency, "
            "lease_s, renew_s, max_attempts, handler_s, backoff_s, poll_ms.\n")
            .arg(daemon.file(QStringLiteral("unavez.toml"))));
}

void tst_unavezd::shouldRefuseAPortThatIsTaken()
{
    QTcpServer taken;
    QVERIFY(taken.listen(QHostAddress::LocalHost));
    const TestStore store(StoreUrl::Kind::Sqlite);
    Daemon daemon(spelledUrl(store.url()), QStringLiteral("\"edge\""));
    daemon.change("[edge]\nlisten = \"127.0.0.1:0\"",
        "[edge]\nlisten = \"127.0.0.1:" + QByteArray::number(taken.serverPort()) + "\"");
    QCOMPARE(daemon.run(), 2);
    QVERIFY2(daemon.said().contains(":18: edge.listen: cannot listen on 127.0.0.1:"), daemon.said());
    QVERIFY(!daemon.isUp());
}

void tst_unavezd::shouldRefuseAStoreWithoutASchema()
{
    QFETCH(StoreUrl::Kind, kind);
    QTemporaryDir folder;
    StoreUrl url;
    if (kind == StoreUrl::Kind::Sqlite) {
        url.path = folder.filePath(QStringLiteral("empty.db"));
        QVERIFY(stores::SqlConnection::open(url, stores::SqlConnection::Access::ReadWrite, true));
    } else {
        url = PrivatePostgres::instance().superuser();
    }
    Daemon daemon(spelledUrl(url), QStringLiteral("\"reaper\""));
    QCOMPARE(daemon.run(), 3);
    QVERIFY2(daemon.said().contains("unavezctl migrate"), daemon.said());
}

void tst_unavezd::shouldRefuseAStoreThatIsNotThere()
{
    Daemon file(QStringLiteral("sqlite:///nonexistent/store.db"), QStringLiteral("\"reaper\""));
    QCOMPARE(file.run(), 3);
    QCOMPARE(file.said(),
        QByteArray(
            "unavezd: sqlite:///nonexistent/store.db: There is no store there. Run unavezctl migrate to make one.\n"));
    Daemon server(QStringLiteral("postgresql://nobody@127.0.0.1:1/none"), QStringLiteral("\"reaper\""));
    QCOMPARE(server.run(), 3);
}

void tst_unavezd::shouldRefuseASchemaOfAnotherAge()
{
    QFETCH(StoreUrl::Kind, kind);
    const TestStore store(kind);
    const auto owner = store.connect();
    Daemon daemon(spelledUrl(store.url()), QStringLiteral("\"reaper\""));
    QVERIFY(owner->run(QStringLiteral("UPDATE store_info SET schema_version = '299901010000'")));
    QCOMPARE(daemon.run(), 3);
    QVERIFY2(daemon.said().contains("newer than this program"), daemon.said());
    QVERIFY(owner->run(QStringLiteral("UPDATE store_info SET schema_version = '200001010000'")));
    QCOMPARE(daemon.run(), 3);
    QVERIFY2(daemon.said().contains("older than this program"), daemon.said());
}

void tst_unavezd::shouldCheckWithoutStarting()
{
    QFETCH(StoreUrl::Kind, kind);
    const TestStore store(kind);
    Daemon daemon(spelledUrl(store.url()), QStringLiteral("\"edge\", \"reaper\""));
    QCOMPARE(daemon.run({QStringLiteral("--check")}), 0);
    QCOMPARE(numberIn(store, "SELECT count(*) FROM sources"), QStringLiteral("1")); // 0 = none, and no other
    QCOMPARE(numberIn(store, "SELECT count(*) FROM services"), QStringLiteral("0"));
}

void tst_unavezd::shouldSayHowItIsUsed_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exit");
    QTest::addColumn<QByteArray>("word");
    QTest::newRow("nothing") << QStringList() << 2 << QByteArray("--config");
    QTest::newRow("unknown option") << QStringList{QStringLiteral("--conf")} << 2 << QByteArray("conf");
    QTest::newRow("a word too many") << QStringList{QStringLiteral("--config"), QStringLiteral("a"),
        QStringLiteral("b")} << 2 << QByteArray("--config");
    QTest::newRow("no such file") << QStringList{QStringLiteral("--config"), QStringLiteral("/none.toml")} << 2
                                  << QByteArray("/none.toml");
    QTest::newRow("help") << QStringList{QStringLiteral("--help")} << 0 << QByteArray("--check");
    QTest::newRow("version") << QStringList{QStringLiteral("--version")} << 0 << QByteArray("unavezd " UNAVEZ_VERSION);
}

void tst_unavezd::shouldSayHowItIsUsed()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, exit);
    QFETCH(QByteArray, word);
    QProcess process;
    process.start(QStringLiteral(UNAVEZ_DAEMON), arguments);
    QVERIFY(process.waitForFinished(Daemon::patience));
    QCOMPARE(process.exitCode(), exit);
    const auto said = exit == 0 ? process.readAllStandardOutput() : process.readAllStandardError();
    QVERIFY2(said.contains(word), said);
}

QTEST_GUILESS_MAIN(tst_unavezd)
#include "tst_unavezd.moc"
