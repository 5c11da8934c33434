// SPDX-License-Identifier: GPL-3.0-or-later
// The real program with every role on: gate, admin, the account behind its credential, and what a drain leaves open.
#include "app/service/httplistener.h"
#include "models/signatures/stripe.h"
#include "models/stores/sql/sqlconnection.h"
#include "tests/service/daemon.h"
#include "tests/service/wireclient.h"
#include "tests/support/teststores.h"

#include <QJsonDocument>
#include <QtTest>

#include <condition_variable>
#include <csignal>

using namespace unavez;
using namespace unavez::contract;
using namespace unavez::tests;
using service::HttpListener;
using service::HttpRequest;
using service::Reply;
using stores::StoreUrl;

namespace {

void addStores()
{
    QTest::addColumn<StoreUrl::Kind>("kind");
    QTest::newRow("SQLite") << StoreUrl::Kind::Sqlite;
    QTest::newRow("PostgreSQL") << StoreUrl::Kind::PostgreSql;
}

QString textIn(const TestStore& store, const char* sql)
{
    const auto rows = store.connect()->run(QString::fromLatin1(sql));
    return rows && !rows->isEmpty() ? rows->first().at(0).toString() : QString();
}

service::ListenerSettings onLoopback()
{
    service::ListenerSettings settings;
    settings.listen = {QStringLiteral("127.0.0.1"), 0, {}};
    return settings;
}

// What stands around the service: the provider's account, a backend without invoices, an agent that works until told.
class Surroundings
{
public:
    explicit Surroundings(const QString& account = QStringLiteral("acct_1"))
        : m_account(account)
        , m_listener(onLoopback(), [this](HttpRequest&& request, const Reply& reply) { answer(request, reply); })
    {
        if (const auto started = m_listener.start(); !started)
            qFatal("%s", qPrintable(started.error().detail));
    }
    QString settings() const
    {
        return QStringLiteral("[worker]\nhandler = \"http://127.0.0.1:%1/run\"\nconcurrency = 2\npoll_ms = 20\n"
                              "[gate]\nlisten = \"127.0.0.1:0\"\ntoken = \"file:DIR/token\"\n"
                              "[providers.stripe]\nurl = \"http://127.0.0.1:%1\"\naccount = \"acct_1\"\n"
                              "key = \"file:DIR/key\"\n"
                              "[tools.charge_customer]\nbackend = \"http://127.0.0.1:%1/invoices/{invoice_id}\"\n")
            .arg(m_listener.port());
    }
    bool isAtWork()
    {
        const std::lock_guard lock(m_mutex);
        return m_job.has_value();
    }
    void endJob()
    {
        const std::lock_guard lock(m_mutex);
        (*m_job)(service::jsonResponse(200, {}));
    }
    int posts() const { return m_posts; } // effects the provider was asked for

private:
    void answer(const HttpRequest& request, const Reply& reply)
    {
        if (request.path == "/run") {
            const std::lock_guard lock(m_mutex);
            m_job = reply;
        } else if (request.path == "/v1/account") {
            reply(service::jsonResponse(200, {{QStringLiteral("id"), m_account}}));
        } else if (request.path == "/invoices/inv_42") {
            reply(service::jsonResponse(200,
                {{QStringLiteral("id"), QStringLiteral("inv_42")},
                    {QStringLiteral("customer"), QStringLiteral("cus_1")}, {QStringLiteral("amount_minor"), 1200},
                    {QStringLiteral("currency"), QStringLiteral("eur")}, {QStringLiteral("open"), true}}));
        } else {
            m_posts += request.method == "POST" ? 1 : 0;
            reply(service::errorResponse(404, QStringLiteral("none")));
        }
    }

    QString m_account;
    std::mutex m_mutex;
    std::optional<Reply> m_job;
    std::atomic<int> m_posts{0};
    HttpListener m_listener; // last: it calls the rest
};

const auto everyRole = QStringLiteral("\"edge\", \"worker\", \"gate\", \"reaper\"");

WireReply asked(quint16 port, const QByteArray& path, const QByteArray& moreHeaders = {})
{
    return WireClient(port, WireClient::Limit{5000})
        .ask("GET " + path + " HTTP/1.1\r\nHost: h\r\n" + moreHeaders + "\r\n");
}

QByteArray delivery()
{
    const QByteArray body = "{\"id\":\"evt_1\",\"type\":\"invoice.due\",\"livemode\":false,\"data\":{\"object\":{}}}";
    return post("/webhooks/stripe", body,
        "Stripe-Signature: " + signatures::signedByStripe(body, {"whsec_test"}, SystemHostClock().wall()) + "\r\n");
}

const QByteArray token = "Authorization: Bearer gate-token\r\n";

} // namespace

class tst_unavezdroles : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldServeEveryRole_data() { addStores(); }
    void shouldServeEveryRole();
    void shouldServeButNeverSendOnAnotherAccount_data() { addStores(); }
    void shouldServeButNeverSendOnAnotherAccount();
    void shouldKeepTheGateOpenForRunningJobs();
    void shouldCountWhatItDid();
};

void tst_unavezdroles::shouldServeEveryRole()
{
    QFETCH(StoreUrl::Kind, kind);
    const TestStore store(kind);
    const Surroundings around;
    Daemon daemon(spelledUrl(store.url()), everyRole, around.settings());
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    const auto admin = daemon.port(QStringLiteral("admin"));
    QCOMPARE(asked(admin, "/healthz").status, 200);
    QCOMPARE(asked(admin, "/readyz").status, 200);
    const auto gate = daemon.port(QStringLiteral("gate"));
    QCOMPARE(asked(gate, "/tools").status, 401);
    const auto tools = asked(gate, "/tools", token);
    QCOMPARE(tools.status, 200);
    QVERIFY2(tools.body.contains("charge_customer"), tools.body);
    QTRY_VERIFY(!textIn(store, "SELECT roles FROM services").isEmpty());
    const auto roles = textIn(store, "SELECT roles FROM services");
    for (const auto* role : {"edge", "worker", "gate", "reaper"})
        QVERIFY2(roles.contains(QLatin1String(role)), qPrintable(roles));
    QCOMPARE(textIn(store, "SELECT count(*) FROM incidents"), QStringLiteral("0"));
    daemon.signal(SIGTERM);
    QVERIFY(daemon.ends());
    QCOMPARE(daemon.process().exitCode(), 0);
}

void tst_unavezdroles::shouldServeButNeverSendOnAnotherAccount()
{
    QFETCH(StoreUrl::Kind, kind);
    // GIVEN a credential of another account
    const TestStore store(kind);
    const Surroundings around(QStringLiteral("acct_2"));
    Daemon daemon(spelledUrl(store.url()), everyRole, around.settings());
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    // THEN it is found at boot, and everything but sending goes on
    QTRY_COMPARE(textIn(store, "SELECT kind FROM incidents WHERE closed_at IS NULL"), QStringLiteral("credential"));
    QTRY_COMPARE(daemon.logged(QStringLiteral("account_check")), 1);
    QCOMPARE(asked(daemon.port(QStringLiteral("admin")), "/readyz").status, 200);
    QCOMPARE(WireClient(daemon.port(QStringLiteral("edge"))).ask(delivery()).status, 200);
    const auto refused = WireClient(daemon.port(QStringLiteral("gate")))
                             .ask(post("/tools/charge_customer", "{\"invoice_id\":\"inv_42\"}",
                                 token + "Content-Type: application/json\r\n"));
    QCOMPARE(refused.status, 503);
    QVERIFY2(refused.body.contains("wrong_account"), refused.body);
    QCOMPARE(around.posts(), 0);
    QCOMPARE(textIn(store, "SELECT count(*) FROM idempotency_keys"), QStringLiteral("0"));
}

void tst_unavezdroles::shouldKeepTheGateOpenForRunningJobs()
{
    const TestStore store(StoreUrl::Kind::Sqlite);
    Surroundings around;
    Daemon daemon(spelledUrl(store.url()), everyRole, around.settings());
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    const auto edge = daemon.port(QStringLiteral("edge")), gate = daemon.port(QStringLiteral("gate")),
               admin = daemon.port(QStringLiteral("admin"));
    QCOMPARE(WireClient(edge).ask(delivery()).status, 200);
    QTRY_VERIFY(around.isAtWork());
    // WHEN the service is told to end while an agent works
    daemon.signal(SIGTERM);
    // THEN the edge is closed, it says so, and the agent may still call its tools
    QTRY_VERIFY(!WireClient(edge, WireClient::Limit{500}).isConnected());
    QCOMPARE(asked(admin, "/readyz").status, 503);
    QCOMPARE(asked(admin, "/healthz").status, 200);
    QCOMPARE(asked(gate, "/tools", token).status, 200);
    around.endJob();
    QVERIFY(daemon.ends());
    QCOMPARE(daemon.process().exitCode(), 0);
    QCOMPARE(textIn(store, "SELECT state FROM jobs"), QStringLiteral("done"));
}

void tst_unavezdroles::shouldCountWhatItDid()
{
    const TestStore store(StoreUrl::Kind::Sqlite);
    Surroundings around;
    Daemon daemon(spelledUrl(store.url()), everyRole, around.settings());
    daemon.start();
    QTRY_VERIFY2_WITH_TIMEOUT(daemon.isUp(), daemon.said(), Daemon::patience);
    const auto numbers = [&] { return asked(daemon.port(QStringLiteral("admin")), "/metrics").body; };
    QCOMPARE(WireClient(daemon.port(QStringLiteral("edge"))).ask(delivery()).status, 200);
    QTRY_VERIFY(around.isAtWork());
    QVERIFY2(numbers().contains("unavez_threads_busy{role=\"worker\"} 1\n"), numbers());
    around.endJob();
    QTRY_VERIFY2(numbers().contains("unavez_job_tries_total{result=\"done\"} 1\n"), numbers());
    QTRY_VERIFY(numbers().contains("unavez_threads_busy{role=\"worker\"} 0\n"));
    QVERIFY2(numbers().contains("unavez_deliveries_total{answer=\"200\"} 1\n"), numbers());
    QVERIFY2(numbers().contains("unavez_store_up 1\n"), numbers());
}

QTEST_GUILESS_MAIN(tst_unavezdroles)
#include "tst_unavezdroles.moc"
