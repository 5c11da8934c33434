// SPDX-License-Identifier: GPL-3.0-or-later
// The practice provider over real sockets: faults, the ledger, and coming back after a kill.
#include "app/sandbox/provider.h"
#include "models/providers/httpconnection.h"

#include <QJsonDocument>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QtTest>

#include <future>

using namespace unavez::sandbox;
using namespace unavez;
using contract::Error;
using contract::Millis;
using providers::HttpReply;

namespace {

const auto account = QStringLiteral("acct_1");

// A running provider on its files, and a client of it.
struct Bench
{
    explicit Bench(const QString& folder, const ServerLimits& limits = {})
        : ledgerPath(folder + QStringLiteral("/ledger.jsonl"))
        , provider({account}, QStringLiteral("t"), folder + QStringLiteral("/state.jsonl"), ledgerPath, clock)
    {
        opened = provider.open();
        server = std::move(*HttpServer::listen(
            QStringLiteral("127.0.0.1:0"),
            [this](
                const ServedRequest& request, const std::stop_token& stop) { return provider.respond(request, stop); },
            limits));
    }

    contract::Result<HttpReply> send(const QByteArray& method, const QByteArray& target, const QByteArray& body,
        const QByteArray& key = {}, Millis total = Millis{10000}) const
    {
        providers::HttpRequest request{
            method, target, {{"Authorization", "Bearer " + ProviderState::credentialOf(account)}}, body};
        if (!key.isEmpty())
            request.headers.append({"Idempotency-Key", key});
        providers::HttpLimits limits;
        limits.total = total;
        return providers::fetched(
            {false, QStringLiteral("127.0.0.1"), server->port()}, request, limits, providers::TlsTrust());
    }
    QJsonObject control(const QByteArray& target, const QByteArray& body) const
    {
        const auto reply = send("POST", target, body);
        return reply && reply->status == 200 ? QJsonDocument::fromJson(reply->body).object() : QJsonObject();
    }
    QByteArray addCustomer()
    {
        return control("/_card", R"({"customer":"cus_1","works":true})")
            .value(QLatin1String("payment_method"))
            .toString()
            .toLatin1();
    }
    QByteArray createIntent(const QByteArray& key = "charge:inv_1:a1:create") const
    {
        const auto made = send("POST", "/v1/payment_intents", "amount=1200&currency=eur&customer=cus_1", key);
        return QJsonDocument::fromJson(made->body).object().value(QLatin1String("id")).toString().toLatin1();
    }
    contract::Result<HttpReply> confirm(
        const QByteArray& intent, const QByteArray& method, const QByteArray& key, Millis total = Millis{10000}) const
    {
        return send("POST", "/v1/payment_intents/" + intent + "/confirm", "payment_method=" + method, key, total);
    }
    int effects() const
    {
        const auto lines = readLedger(ledgerPath);
        return static_cast<int>(
            std::count_if(lines->begin(), lines->end(), [](const LedgerLine& line) { return line.effect; }));
    }
    LedgerLine lastLine() const { return readLedger(ledgerPath)->last(); }

    contract::SystemHostClock clock;
    QString ledgerPath;
    Provider provider;
    contract::Result<> opened = contract::done();
    std::unique_ptr<HttpServer> server;
};

QByteArray faultOnConfirm(const QByteArray& what)
{
    const QJsonObject on{{QStringLiteral("path"), QStringLiteral("/v1/payment_intents/:id/confirm")}};
    return QJsonDocument(QJsonObject{{QStringLiteral("on"), on}, {QStringLiteral("do"), QString::fromLatin1(what)}})
        .toJson();
}

} // namespace

class tst_provider : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_bench = std::make_unique<Bench>(m_folder->path());
        QVERIFY(m_bench->opened);
    }

    void shouldAnswerWithTheDocumentedHeaders()
    {
        const auto method = m_bench->addCustomer();
        const auto intent = m_bench->createIntent();
        const auto first = m_bench->confirm(intent, method, "charge:inv_1:a1:confirm");
        QVERIFY(first);
        QCOMPARE(first->status, 200);
        QVERIFY(first->header("Request-Id").startsWith("req_"));
        QVERIFY(first->header("Idempotent-Replayed").isEmpty());
        QVERIFY(first->header("Date").endsWith("GMT"));
        const auto again = m_bench->confirm(intent, method, "charge:inv_1:a1:confirm");
        QCOMPARE(again->header("Idempotent-Replayed"), QByteArray("true"));
        QCOMPARE(again->header("Original-Request"), first->header("Request-Id"));
        QCOMPARE(again->body, first->body);
        QCOMPARE(m_bench->effects(), 1);
        const auto line = m_bench->lastLine();
        QVERIFY(line.replayed && !line.effect);
        QCOMPARE(line.sentKey, QStringLiteral("charge:inv_1:a1:confirm"));
        QCOMPARE(line.account, account);
        QCOMPARE(line.objectId.toLatin1(), intent);
        QCOMPARE(line.bodySha256.size(), 32);
    }

    void shouldShowItsAccountOnlyToItsCredential()
    {
        const auto known = m_bench->send("GET", "/v1/account", {});
        QCOMPARE(QJsonDocument::fromJson(known->body).object().value(QLatin1String("id")).toString(), account);
        const auto unknown = providers::fetched({false, QStringLiteral("127.0.0.1"), m_bench->server->port()},
            {"GET", "/v1/account", {{"Authorization", "Bearer sk_practice_other"}}, {}}, {}, providers::TlsTrust());
        QCOMPARE(unknown->status, 401);
        QVERIFY(m_bench->lastLine().account.isEmpty());
    }

    void shouldResetAfterReadingOneRequest_data()
    {
        QTest::addColumn<QByteArray>("what");
        QTest::addColumn<int>("effects");
        QTest::newRow("before it is executed") << QByteArray("reset_before") << 0;
        QTest::newRow("after it is executed") << QByteArray("reset_after") << 1;
    }

    void shouldResetAfterReadingOneRequest()
    {
        QFETCH(QByteArray, what);
        QFETCH(int, effects);
        // GIVEN a fault on the confirm of any intent
        const auto method = m_bench->addCustomer();
        const auto intent = m_bench->createIntent();
        m_bench->control("/_fault", faultOnConfirm(what));
        // WHEN it is sent
        const auto lost = m_bench->confirm(intent, method, "a1");
        // THEN there is no answer, and the ledger tells whether money moved
        QVERIFY(!lost);
        QCOMPARE(lost.error().kind, Error::Kind::Offline);
        QCOMPARE(m_bench->effects(), effects);
        QCOMPARE(m_bench->lastLine().status, effects ? 200 : 0);
        // and the same key ends it with one charge
        QCOMPARE(m_bench->confirm(intent, method, "a1")->status, 200);
        QCOMPARE(m_bench->effects(), 1);
    }

    void shouldAnswerAStatusBeforeTheIdempotencyLayer()
    {
        const auto method = m_bench->addCustomer();
        const auto intent = m_bench->createIntent();
        m_bench->control("/_fault", R"({"on":{"sent_key":"a1","nth":2},"do":"status","value":503})");
        m_bench->control(
            "/_fault", R"({"on":{"sent_key":"a1"},"do":"status","value":{"status":429,"should_retry":true}})");
        const auto limited = m_bench->confirm(intent, method, "a1");
        QCOMPARE(limited->status, 429);
        QCOMPARE(limited->header("Retry-After"), QByteArray("1"));
        QCOMPARE(limited->header("Stripe-Should-Retry"), QByteArray("true"));
        QCOMPARE(m_bench->confirm(intent, method, "a1")->status, 503);
        const auto paid = m_bench->confirm(intent, method, "a1");
        QCOMPARE(paid->status, 200);
        QVERIFY(paid->header("Idempotent-Replayed").isEmpty());
    }

    void shouldKeepA500()
    {
        const auto method = m_bench->addCustomer();
        const auto intent = m_bench->createIntent();
        m_bench->control("/_fault", R"({"on":{"sent_key":"a1"},"do":"cache_500","value":true})");
        QCOMPARE(m_bench->confirm(intent, method, "a1")->status, 500);
        const auto again = m_bench->confirm(intent, method, "a1");
        QCOMPARE(again->status, 500);
        QCOMPARE(again->header("Idempotent-Replayed"), QByteArray("true"));
        QCOMPARE(m_bench->effects(), 1);
        const auto events = m_bench->control("/_emit", R"({"sent_key":"a1","type":"charge.succeeded"})")
                                .value(QLatin1String("events"))
                                .toArray();
        QCOMPARE(events.size(), 1);
        QCOMPARE(events.first()
                     .toObject()
                     .value(QLatin1String("request"))
                     .toObject()
                     .value(QLatin1String("idempotency_key"))
                     .toString(),
            QStringLiteral("a1"));
    }

    void shouldDeclineOnceWhereAskedTo()
    {
        const auto method = m_bench->addCustomer();
        const auto intent = m_bench->createIntent();
        m_bench->control("/_fault", R"({"on":{"sent_key":"a1"},"do":"decline","value":"lost_card"})");
        const auto declined = m_bench->confirm(intent, method, "a1");
        QCOMPARE(declined->status, 402);
        QVERIFY(declined->body.contains("lost_card"));
        QCOMPARE(m_bench->confirm(intent, method, "a2")->status, 200);
    }

    void shouldNotChargeTwiceWhereAKeyIsPruned()
    {
        const auto method = m_bench->addCustomer();
        const auto intent = m_bench->createIntent();
        QCOMPARE(m_bench->confirm(intent, method, "a1")->status, 200);
        m_bench->control("/_fault", R"({"on":{"sent_key":"a1"},"do":"prune"})");
        const auto again = m_bench->confirm(intent, method, "a1");
        QCOMPARE(again->status, 400);
        QVERIFY(again->body.contains("payment_intent_unexpected_state"));
        QCOMPARE(m_bench->effects(), 1);
    }

    void shouldPruneByItsClock()
    {
        m_bench->addCustomer();
        const auto intent = m_bench->createIntent();
        QCOMPARE(m_bench->createIntent(), intent);
        m_bench->control("/_clock", R"({"shift_ms":-86400000})");
        QVERIFY(m_bench->createIntent() != intent);
    }

    void shouldDelayTheAnswerAfterTheEffect()
    {
        // GIVEN an answer that comes too late for its client
        const auto method = m_bench->addCustomer();
        const auto intent = m_bench->createIntent();
        m_bench->control("/_fault", R"({"on":{"sent_key":"a1"},"do":"delay","value":3000})");
        auto slow = std::async(std::launch::async, [&] { return m_bench->confirm(intent, method, "a1", Millis{400}); });
        // THEN the effect is there before the answer, and the key replays at once
        QTRY_COMPARE_WITH_TIMEOUT(m_bench->effects(), 1, 3000);
        QCOMPARE(slow.get().error().kind, Error::Kind::Timeout);
        QCOMPARE(m_bench->confirm(intent, method, "a1")->header("Idempotent-Replayed"), QByteArray("true"));
    }

    void shouldConflictWhileTheFirstRequestExecutes()
    {
        const auto method = m_bench->addCustomer();
        const auto intent = m_bench->createIntent();
        m_bench->control("/_fault", R"({"on":{"sent_key":"a1"},"do":"delay","value":{"ms":1500,"when":"before"}})");
        const auto confirm = [&] { return m_bench->confirm(intent, method, "a1")->status; };
        auto one = std::async(std::launch::async, confirm);
        auto two = std::async(std::launch::async, confirm);
        QList<int> statuses{one.get(), two.get()};
        std::sort(statuses.begin(), statuses.end());
        QCOMPARE(statuses, QList<int>({200, 409}));
        QCOMPARE(m_bench->effects(), 1);
    }

    void shouldKnowAfterARestartWhatItDid()
    {
        // GIVEN a paid intent, and a provider that ends
        const auto method = m_bench->addCustomer();
        const auto intent = m_bench->createIntent();
        QCOMPARE(m_bench->confirm(intent, method, "a1")->status, 200);
        m_bench.reset();
        // and that a crash kept the last line from the ledger
        QFile ledger(m_folder->filePath(QStringLiteral("ledger.jsonl")));
        QVERIFY(ledger.open(QIODevice::ReadWrite));
        const auto lines = ledger.readAll();
        ledger.resize(lines.lastIndexOf('\n', -2) + 10);
        ledger.close();
        // WHEN it starts again
        m_bench = std::make_unique<Bench>(m_folder->path());
        QVERIFY(m_bench->opened);
        // THEN the ledger is whole and the key replays
        QVERIFY(ledger.open(QIODevice::ReadOnly));
        QCOMPARE(ledger.readAll(), lines);
        const auto again = m_bench->confirm(intent, method, "a1");
        QCOMPARE(again->header("Idempotent-Replayed"), QByteArray("true"));
        QCOMPARE(m_bench->effects(), 1);
        // and once more, over the file begun anew
        m_bench.reset();
        m_bench = std::make_unique<Bench>(m_folder->path());
        QCOMPARE(m_bench->confirm(intent, method, "a1")->header("Idempotent-Replayed"), QByteArray("true"));
    }

    void shouldRefuseAStateThatIsNotItsOwn()
    {
        QTemporaryDir other;
        QFile state(other.filePath(QStringLiteral("state.jsonl")));
        QVERIFY(state.open(QIODevice::WriteOnly));
        state.write("a list of groceries\n");
        state.close();
        const Bench bench(other.path());
        QVERIFY(!bench.opened);
        QCOMPARE(bench.opened.error().kind, Error::Kind::Corrupt);
    }

    void shouldDropAConnectionThatStaysSilent()
    {
        m_bench.reset();
        ServerLimits limits;
        limits.idle = Millis{200};
        m_bench = std::make_unique<Bench>(m_folder->path(), limits);
        QTcpSocket socket;
        socket.connectToHost(QStringLiteral("127.0.0.1"), m_bench->server->port());
        QVERIFY(socket.waitForConnected());
        QTRY_COMPARE_WITH_TIMEOUT(socket.state(), QAbstractSocket::UnconnectedState, 5000);
    }

    void shouldServeNoMoreThanItsConnectionsAtOnce()
    {
        m_bench.reset();
        ServerLimits limits;
        limits.connections = 2;
        m_bench = std::make_unique<Bench>(m_folder->path(), limits);
        const auto idle = [&] {
            auto socket = std::make_unique<QTcpSocket>();
            socket->connectToHost(QStringLiteral("127.0.0.1"), m_bench->server->port());
            socket->waitForConnected();
            return socket;
        };
        auto one = idle();
        const auto two = idle();
        QVERIFY(!m_bench->send("GET", "/v1/account", {}, {}, Millis{300}));
        one.reset();
        QTRY_VERIFY(m_bench->send("GET", "/v1/account", {}, {}, Millis{300}));
    }

    void shouldRefuseBodiesPastItsLimit()
    {
        const auto reply = m_bench->send("POST", "/v1/payment_intents", QByteArray(2 * 1024 * 1024, 'a'));
        QVERIFY(!reply || reply->status == 413);
        QCOMPARE(m_bench->send("GET", "/v1/account", {})->status, 200);
    }

    void shouldListenOnLoopbackOnly()
    {
        for (const auto& address : {"0.0.0.0:0", "192.0.2.1:80", "127.0.0.1", "localhost:0", "127.0.0.1:99999", ""})
            QVERIFY2(!HttpServer::listen(
                         QLatin1String(address), [](const ServedRequest&, std::stop_token) { return ServedReply(); }),
                address);
    }

    void shouldRefuseFaultsItCannotMean_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::newRow("kind") << QByteArray(R"({"do":"explode"})");
        QTest::newRow("delay") << QByteArray(R"({"do":"delay"})");
        QTest::newRow("status") << QByteArray(R"({"do":"status","value":200})");
        QTest::newRow("cache") << QByteArray(R"({"do":"cache_500","value":"yes"})");
        QTest::newRow("nth") << QByteArray(R"({"on":{"nth":-1},"do":"prune"})");
        QTest::newRow("list") << QByteArray("[]");
    }

    void shouldRefuseFaultsItCannotMean()
    {
        QFETCH(QByteArray, body);
        QCOMPARE(m_bench->send("POST", "/_fault", body)->status, 400);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Bench> m_bench;
};

QTEST_GUILESS_MAIN(tst_provider)
#include "tst_provider.moc"
