// SPDX-License-Identifier: GPL-3.0-or-later
// The gate and its Stripe tool against the practice provider and backend, over real sockets and a real store: what the
// provider's own ledger says of every fault.
#include "app/sandbox/backend.h"
#include "app/sandbox/provider.h"
#include "models/engine/gate.h"
#include "models/providers/stripecharge.h"
#include "models/stores/sql/sqlstore.h"
#include "tests/support/teststores.h"

#include <QJsonDocument>
#include <QtTest>

using namespace unavez;
using namespace unavez::sandbox;
using contract::Millis;
using contract::Seconds;
using engine::GateAnswer;
using engine::GateStatus;
using stores::StoreUrl;

namespace {

const auto account = QStringLiteral("acct_1");

std::unique_ptr<HttpServer> serving(HttpServer::Respond respond)
{
    return std::move(*HttpServer::listen(QStringLiteral("127.0.0.1:0"), std::move(respond)));
}

struct Bench
{
    explicit Bench(StoreUrl::Kind kind)
        : store(kind)
        , session(std::move(*stores::SqlStore::open(store.url())))
        , ledgerPath(folder.filePath(QStringLiteral("ledger")))
        , provider({account, QStringLiteral("acct_2")}, QStringLiteral("t"), folder.filePath(QStringLiteral("state")),
              ledgerPath, clock)
        , backend(practiceInvoices())
        , providerServer(serving([this](const ServedRequest& request, const std::stop_token& stop) {
            return provider.respond(request, stop);
        }))
        , backendServer(serving(
              [this](const ServedRequest& request, const std::stop_token&) { return backend.respond(request); }))
        , tool(settings(), providers::TlsTrust(), clock)
        , gate(session->reservations(), clock, {QStringLiteral("test"), Millis{9000}, Seconds{0}, {}}, {&tool})
    {
        if (!provider.open() || !provider.welcome({QStringLiteral("cus_1"), QStringLiteral("cus_42")}))
            qFatal("the provider did not open");
    }

    providers::StripeChargeSettings settings() const
    {
        providers::StripeChargeSettings made;
        made.endpoint = {false, QStringLiteral("127.0.0.1"), providerServer->port()};
        made.account = account;
        made.credential = ProviderState::credentialOf(account);
        made.backend = backendServer->url() + QStringLiteral("/invoices/{invoice_id}");
        made.limits.total = Millis{3000};
        return made;
    }
    GateAnswer charge(const QString& invoice = QStringLiteral("inv_1"))
    {
        return gate.call(QStringLiteral("charge_customer"), {{QStringLiteral("invoice_id"), invoice}});
    }
    // Asks until the row may be taken again: a lease given up is over a moment later.
    GateAnswer chargeAgain()
    {
        auto answer = charge();
        for (int i = 0; i < 40 && answer.status == GateStatus::InProgress; ++i) {
            QThread::msleep(50);
            answer = charge();
        }
        return answer;
    }
    void control(const QString& path, const QJsonObject& body)
    {
        const auto reply = provider.respond({"POST", path, {}, {}, QJsonDocument(body).toJson()}, {});
        if (reply.status != 200)
            qFatal("the provider refused: %s", reply.body.constData());
    }
    void fault(const char* step, const char* what, const QJsonValue& value = {})
    {
        control(QStringLiteral("/_fault"),
            {{QStringLiteral("on"),
                 QJsonObject{{QStringLiteral("sent_key"), QStringLiteral("charge:inv_1:a1:") + QLatin1String(step)}}},
                {QStringLiteral("do"), QLatin1String(what)}, {QStringLiteral("value"), value}});
    }
    QList<LedgerLine> sends(const QString& step) const
    {
        auto lines = *readLedger(ledgerPath);
        lines.removeIf([&](const LedgerLine& line) { return !line.sentKey.endsWith(QLatin1Char(':') + step); });
        return lines;
    }
    int effects() const
    {
        const auto lines = *readLedger(ledgerPath);
        return static_cast<int>(
            std::count_if(lines.begin(), lines.end(), [](const LedgerLine& line) { return line.effect; }));
    }

    contract::SystemHostClock clock;
    tests::TestStore store;
    std::unique_ptr<stores::SqlStore> session;
    QTemporaryDir folder;
    QString ledgerPath;
    Provider provider;
    Backend backend;
    std::unique_ptr<HttpServer> providerServer;
    std::unique_ptr<HttpServer> backendServer;
    providers::StripeChargeTool tool;
    engine::Gate gate;
};

} // namespace

class tst_practicecharge : public QObject
{
    Q_OBJECT
private:
    static void stores()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::newRow("SQLite") << StoreUrl::Kind::Sqlite;
        QTest::newRow("PostgreSQL") << StoreUrl::Kind::PostgreSql;
    }

private Q_SLOTS:
    void shouldChargeOnceHoweverOftenItIsAsked_data() { stores(); }
    void shouldChargeOnceHoweverOftenItIsAsked()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        const auto first = bench.charge();
        QCOMPARE(first.status, std::optional(GateStatus::Done));
        QVERIFY(!first.replayed);
        for (const auto& spelled :
            {QStringLiteral("inv_1"), QStringLiteral("INV_1"), QStringLiteral("inv_1 "), QStringLiteral("1")}) {
            const auto again = bench.charge(spelled);
            QCOMPARE(again.status, std::optional(GateStatus::Done));
            QVERIFY(again.replayed);
            QCOMPARE(again.result, first.result);
        }
        QCOMPARE(bench.effects(), 1);
        QCOMPARE(bench.sends(QStringLiteral("create")).size(), 1);
        QCOMPARE(bench.sends(QStringLiteral("confirm")).size(), 1);
    }

    void shouldStoreADeclineAndNotSendItAgain_data() { stores(); }
    void shouldStoreADeclineAndNotSendItAgain()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.control(QStringLiteral("/_card"),
            {{QStringLiteral("customer"), QStringLiteral("cus_1")}, {QStringLiteral("works"), false},
                {QStringLiteral("decline_code"), QStringLiteral("insufficient_funds")}});
        const auto failed = bench.charge();
        QCOMPARE(failed.status, std::optional(GateStatus::Failed));
        QCOMPARE(failed.error->declineCode, std::optional(QStringLiteral("insufficient_funds")));
        QVERIFY(failed.canOpenNewAttempt);
        QVERIFY(bench.charge().replayed);
        QCOMPARE(bench.sends(QStringLiteral("confirm")).size(), 1);
        QCOMPARE(bench.effects(), 0);
    }

    void shouldEndWithOneChargeUnderTheSameKey_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<QString>("step");
        QTest::addColumn<QString>("fault");
        QTest::addColumn<QJsonValue>("value");
        const auto row = [](const char* name, const char* step, const char* fault, const QJsonValue& value) {
            const QByteArray tag(name);
            QTest::newRow((tag + ", SQLite").constData())
                << StoreUrl::Kind::Sqlite << QString::fromLatin1(step) << QString::fromLatin1(fault) << value;
            QTest::newRow((tag + ", PostgreSQL").constData())
                << StoreUrl::Kind::PostgreSql << QString::fromLatin1(step) << QString::fromLatin1(fault) << value;
        };
        row("answer lost", "confirm", "reset_after", {});
        row("request lost", "confirm", "reset_before", {});
        row("created, answer lost", "create", "reset_after", {});
        row("503", "confirm", "status", 503);
        row("429", "confirm", "status", 429);
        row("key in use", "confirm", "status", 409);
        row("too slow", "confirm", "delay", 3500);
    }

    void shouldEndWithOneChargeUnderTheSameKey()
    {
        // GIVEN a fault at one step
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(QString, step);
        QFETCH(QString, fault);
        QFETCH(QJsonValue, value);
        Bench bench(kind);
        bench.fault(step.toLatin1().constData(), fault.toLatin1().constData(), value);
        const auto first = bench.charge();
        QCOMPARE(first.status, std::optional(GateStatus::InProgress));
        // WHEN it is asked for again
        const auto again = bench.chargeAgain();
        // THEN it is done, by one charge, two sends of equal bytes under one key
        QCOMPARE(again.status, std::optional(GateStatus::Done));
        QCOMPARE(bench.effects(), 1);
        const auto sends = bench.sends(step);
        QCOMPARE(sends.size(), 2);
        QCOMPARE(sends.first().bodySha256, sends.last().bodySha256);
        QCOMPARE(sends.first().sentKey, sends.last().sentKey);
    }

    void shouldReadAPaidIntentAsDoneWhereTheKeyIsPruned_data() { stores(); }
    void shouldReadAPaidIntentAsDoneWhereTheKeyIsPruned()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.fault("confirm", "reset_after");
        QCOMPARE(bench.charge().status, std::optional(GateStatus::InProgress));
        bench.fault("confirm", "prune");
        QCOMPARE(bench.chargeAgain().status, std::optional(GateStatus::Done));
        QCOMPARE(bench.effects(), 1);
    }

    void shouldNeverSendAgainAfterACached500_data() { stores(); }
    void shouldNeverSendAgainAfterACached500()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.fault("confirm", "cache_500", true);
        QCOMPARE(bench.charge().status, std::optional(GateStatus::UnknownOutcome));
        QCOMPARE(bench.charge().status, std::optional(GateStatus::UnknownOutcome));
        QCOMPARE(bench.sends(QStringLiteral("confirm")).size(), 1);
        QCOMPARE(bench.effects(), 1);
    }

    void shouldSendNothingWhileTheProvidersClockIsWrong_data() { stores(); }
    void shouldSendNothingWhileTheProvidersClockIsWrong()
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        bench.control(QStringLiteral("/_clock"), {{QStringLiteral("date_shift_ms"), 3'600'000}});
        const auto refused = bench.charge();
        QCOMPARE(refused.http, 503);
        QCOMPARE(refused.because->reason, contract::Reason::ClockSkew);
        QVERIFY(bench.sends(QStringLiteral("create")).isEmpty());
    }
};

QTEST_GUILESS_MAIN(tst_practicecharge)
#include "tst_practicecharge.moc"
