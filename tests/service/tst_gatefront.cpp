// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/service/gatefrontbench.h"

#include <QSet>
#include <QtTest>

#include <latch>
#include <thread>

using namespace unavez;
using namespace unavez::contract;
using namespace unavez::tests;
using stores::StoreUrl;

class tst_gatefront : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    BOTH_STORES(shouldChargeOnceHoweverOftenItIsAsked) // scenario 19
    {
        QFETCH(StoreUrl::Kind, kind);
        GateFrontBench gate(kind);
        // WHEN
        const auto first = gate.charged();
        const auto second = gate.charged();
        const auto third = gate.charged("{ \"invoice_id\" : \"INV_42 \" }");
        // THEN
        QCOMPARE(first.status, 200);
        const auto body = jsonOf(first);
        const QStringList fields{QStringLiteral("can_open_new_attempt"), QStringLiteral("error"),
            QStringLiteral("intent"), QStringLiteral("key"), QStringLiteral("message"), QStringLiteral("reason"),
            QStringLiteral("replayed"), QStringLiteral("result"), QStringLiteral("retry_after_ms"),
            QStringLiteral("status")};
        QCOMPARE(body.keys(), fields);
        QCOMPARE(statusOf(first), QStringLiteral("done"));
        QCOMPARE(body[QLatin1String("intent")].toString(), QStringLiteral("charge:inv_42"));
        QCOMPARE(body[QLatin1String("key")].toString(), QStringLiteral("charge:inv_42:a1"));
        QCOMPARE(body[QLatin1String("replayed")], QJsonValue(false));
        QCOMPARE(body[QLatin1String("retry_after_ms")], QJsonValue());
        QCOMPARE(body[QLatin1String("error")], QJsonValue());
        QCOMPARE(body[QLatin1String("reason")], QJsonValue());
        QVERIFY(body[QLatin1String("result")].isObject());
        QVERIFY(body[QLatin1String("message")].toString().startsWith(QLatin1String("Done.")));
        for (const auto& repeat : {second, third}) {
            QCOMPARE(statusOf(repeat), QStringLiteral("done"));
            QCOMPARE(jsonOf(repeat)[QLatin1String("replayed")], QJsonValue(true));
            QCOMPARE(jsonOf(repeat)[QLatin1String("result")], body[QLatin1String("result")]);
        }
        QCOMPARE(gate.world.provider.effects(), 1);
        const auto metrics = gate.metrics.text({}, true);
        QVERIFY(metrics.contains("unavez_tool_calls_total{answer=\"done\"} 3"));
        QVERIFY(metrics.contains("unavez_sends_total{class=\"success\"} 1"));
    }

    void shouldLetNobodyInWithoutTheToken_data()
    {
        QTest::addColumn<QByteArray>("headers");
        QTest::newRow("none") << QByteArray();
        QTest::newRow("another") << QByteArray("Authorization: Bearer other\r\n");
        QTest::newRow("its beginning") << "Authorization: Bearer " + gateToken.chopped(1) + "\r\n";
        QTest::newRow("with more") << "Authorization: Bearer " + gateToken + "x\r\n";
        QTest::newRow("empty") << QByteArray("Authorization: Bearer \r\n");
        QTest::newRow("bare") << "Authorization: " + gateToken + "\r\n";
        QTest::newRow("another scheme") << "Authorization: Basic " + gateToken + "\r\n";
        QTest::newRow("two headers") << bearer + bearer;
        QTest::newRow("in the query") << QByteArray("X-Token: " + gateToken + "\r\n");
    }
    void shouldLetNobodyInWithoutTheToken()
    {
        QFETCH(QByteArray, headers);
        GateFrontBench gate(StoreUrl::Kind::Sqlite);
        for (const auto& told : {gate.ask(post("/tools/charge_customer", "{\"invoice_id\":\"inv_42\"}", headers)),
                 gate.asked("/tools", headers), gate.asked("/secret", headers)}) {
            QCOMPARE(told.status, 401);
            QCOMPARE(refusalOf(told), QStringLiteral("not_permitted"));
            QCOMPARE(told.value("WWW-Authenticate"), QByteArrayLiteral("Bearer"));
            QVERIFY(!told.body.contains(gateToken));
        }
        QCOMPARE(gate.world.provider.ledger().size(), 0);
        QCOMPARE(gate.asked("/healthz", headers).status, 200);
    }

    void shouldRefuseWhatCannotBeMeant_data()
    {
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("reason");
        const auto call = [](const QByteArray& arguments, const QByteArray& headers = {}) {
            return post("/tools/charge_customer", arguments, bearer + headers);
        };
        const QByteArray good = "{\"invoice_id\":\"inv_42\"}";
        const auto row = [](const char* name, const QByteArray& request, int status, const char* reason) {
            QTest::newRow(name) << request << status << QString::fromLatin1(reason);
        };
        row("no body", call(""), 400, "bad_arguments");
        row("truncated", call("{\"invoice_id\":\"inv"), 400, "bad_arguments");
        row("an array", call("[\"inv_42\"]"), 400, "bad_arguments");
        row("a word", call("\"inv_42\""), 400, "bad_arguments");
        row("no UTF-8", call("{\"invoice_id\":\"\xff\"}"), 400, "bad_arguments");
        row("no arguments", call("{}"), 400, "bad_arguments");
        row("an amount", call("{\"invoice_id\":\"inv_42\",\"amount_minor\":1}"), 400, "bad_arguments"); // scenario 19
        row("job alone", call(good, "Unavez-Job: 1\r\n"), 400, "bad_arguments");
        row("lease alone", call(good, "Unavez-Lease: 1\r\n"), 400, "bad_arguments");
        row("a job that is no number", call(good, "Unavez-Job: x\r\nUnavez-Lease: 1\r\n"), 400, "bad_arguments");
        row("a lease of nothing", call(good, "Unavez-Job: 1\r\nUnavez-Lease: 0\r\n"), 400, "bad_arguments");
        row("a negative lease", call(good, "Unavez-Job: 1\r\nUnavez-Lease: -1\r\n"), 400, "bad_arguments");
        row("two jobs", call(good, "Unavez-Job: 1\r\nUnavez-Job: 2\r\nUnavez-Lease: 1\r\n"), 400, "bad_arguments");
        row("an endless job", call(good, "Unavez-Job: 99999999999999999999\r\nUnavez-Lease: 1\r\n"), 400,
            "bad_arguments");
        row("a lease of nobody", call(good, "Unavez-Job: 1\r\nUnavez-Lease: 1\r\n"), 422, "lease_lost");
        row("unknown tool", post("/tools/give_money", good, bearer), 404, "unknown_tool");
        row("no tool", post("/tools/", good, bearer), 404, "unknown_tool");
        row("a tool below", post("/tools/charge_customer/x", good, bearer), 404, "unknown_tool");
        row("another path", post("/charge_customer", good, bearer), 404, "not_found");
        row("GET of a tool", "GET /tools/charge_customer HTTP/1.1\r\nHost: h\r\n" + bearer + "\r\n", 405,
            "method_not_allowed");
        row("POST of the list", post("/tools", good, bearer), 405, "method_not_allowed");
        row("70 KiB", call("{\"invoice_id\":\"" + QByteArray(70 * 1024, 'a') + "\"}"), 413, "body_too_large");
    }
    void shouldRefuseWhatCannotBeMeant()
    {
        QFETCH(QByteArray, request);
        QFETCH(int, status);
        QFETCH(QString, reason);
        GateFrontBench gate(StoreUrl::Kind::Sqlite);
        const auto told = gate.ask(request);
        QCOMPARE(told.status, status);
        QCOMPARE(refusalOf(told), reason);
        if (status == 400 || reason == QLatin1String("unknown_tool"))
            QVERIFY(!jsonOf(told)[QLatin1String("error")][QLatin1String("message")].toString().isEmpty());
        QCOMPARE(gate.world.provider.ledger().size(), 0);
        QCOMPARE(gate.world.count("SELECT count(*) FROM intents"), 0);
    }

    BOTH_STORES(shouldListItsToolsAndWhatIsHeld)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateFrontBench gate(kind);
        const auto heldOf = [&](int n) {
            const auto tools = jsonOf(gate.asked("/tools"))[QLatin1String("tools")].toArray();
            return tools[n].toObject()[QLatin1String("held")].toBool();
        };
        const auto tools = jsonOf(gate.asked("/tools"))[QLatin1String("tools")].toArray();
        QCOMPARE(tools.size(), 2);
        const auto charge = tools[0].toObject();
        const QStringList fields{QStringLiteral("description"), QStringLiteral("effect"), QStringLiteral("held"),
            QStringLiteral("input_schema"), QStringLiteral("name")};
        QCOMPARE(charge.keys(), fields);
        QCOMPARE(charge[QLatin1String("name")].toString(), QStringLiteral("charge_customer"));
        QCOMPARE(charge[QLatin1String("input_schema")].toObject(), gate.charge.inputSchema());
        QCOMPARE(charge[QLatin1String("effect")], QJsonValue(true));
        QCOMPARE(charge[QLatin1String("held")], QJsonValue(false));
        // one tool, then all sends
        gate.world.hold(HoldKind::Tool, QStringLiteral("refund"));
        QVERIFY(!heldOf(0) && heldOf(1));
        gate.world.hold(HoldKind::Sends, {});
        QVERIFY(heldOf(0) && heldOf(1));
        // What is held is refused with the reason and a time to come back; nothing leaves.
        const auto told = gate.charged();
        QCOMPARE(told.status, 503);
        QCOMPARE(refusalOf(told), QStringLiteral("held"));
        QVERIFY(told.value("Retry-After").toInt() > 0);
        QCOMPARE(gate.world.provider.ledger().size(), 0);
    }

    BOTH_STORES(shouldSayThatACallIsInProgress)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateFrontBench gate(kind);
        std::latch written(1);
        std::latch answer(1);
        gate.charge.written = [&] {
            if (!written.try_wait()) {
                written.count_down();
                answer.wait();
            }
        };
        WireReply first;
        std::thread caller([&] { first = gate.charged(); });
        written.wait();
        // WHEN it is asked again meanwhile
        const auto second = gate.charged();
        const auto problem
            = gate.charged("{\"invoice_id\":\"inv_42\"}", "Accept: text/html, Application/Problem+JSON;q=1\r\n");
        answer.count_down();
        caller.join();
        // THEN
        QCOMPARE(second.status, 200);
        QCOMPARE(statusOf(second), QStringLiteral("in_progress"));
        QVERIFY(jsonOf(second)[QLatin1String("retry_after_ms")].toInt() > 1000);
        QCOMPARE(problem.status, 409);
        QCOMPARE(problem.value("Content-Type"), QByteArrayLiteral("application/problem+json"));
        QCOMPARE(jsonOf(problem)[QLatin1String("type")].toString(), QStringLiteral("urn:unavez:in_progress"));
        QCOMPARE(jsonOf(problem)[QLatin1String("status")].toInt(), 409);
        QVERIFY(problem.value("Retry-After").toInt() > 0);
        QCOMPARE(statusOf(first), QStringLiteral("done"));
        QCOMPARE(gate.world.provider.effects(), 1);
    }

    BOTH_STORES(shouldTellAnUnknownOutcomeFromAFailure)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateFrontBench gate(kind);
        gate.world.provider.next(QStringLiteral("confirm"), Fault::CachedError);
        const QByteArray accept = "Accept: application/problem+json\r\n";
        // GIVEN an outcome nobody knows
        const auto unknown = gate.charged();
        QCOMPARE(unknown.status, 200);
        QCOMPARE(statusOf(unknown), QStringLiteral("unknown_outcome"));
        QVERIFY(jsonOf(unknown)[QLatin1String("message")].toString().contains(QLatin1String("Do not retry")));
        const auto problem = gate.charged("{\"invoice_id\":\"inv_42\"}", accept);
        QCOMPARE(problem.status, 409);
        QCOMPARE(jsonOf(problem)[QLatin1String("type")].toString(), QStringLiteral("urn:unavez:unknown_outcome"));
        // and a declined card
        gate.world.provider.next(QStringLiteral("confirm"), Fault::Decline);
        const auto failed = gate.charged("{\"invoice_id\":\"inv_43\"}", accept);
        QCOMPARE(failed.status, 200); // no other answer becomes a problem
        QCOMPARE(statusOf(failed), QStringLiteral("failed"));
        const auto error = jsonOf(failed)[QLatin1String("error")].toObject();
        QCOMPARE(error[QLatin1String("decline_code")].toString(), QStringLiteral("insufficient_funds"));
        QVERIFY(!error[QLatin1String("class")].toString().isEmpty());
        QCOMPARE(jsonOf(failed)[QLatin1String("can_open_new_attempt")], QJsonValue(true));
        QVERIFY(jsonOf(failed)[QLatin1String("message")].toString().contains(QLatin1String("insufficient_funds")));
        QCOMPARE(gate.world.provider.effects(), 0);
    }

    BOTH_STORES(shouldRefuseOtherArgumentsForTheSameIntent)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateFrontBench gate(kind);
        QCOMPARE(statusOf(gate.refunded("req_7", 500)), QStringLiteral("done"));
        const auto told = gate.refunded("req_7", 600);
        QCOMPARE(told.status, 422);
        QCOMPARE(refusalOf(told), QStringLiteral("plan_mismatch"));
        QVERIFY(jsonOf(told)[QLatin1String("error")][QLatin1String("arguments")].isObject());
        QCOMPARE(gate.world.provider.effects(), 1);
    }

    BOTH_STORES(shouldCallUnderAJobsLease)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateFrontBench gate(kind);
        needed(gate.world.owner->intake().record({{deliveryOf(gate.world.source.id, QStringLiteral("evt_1")), 1}}));
        const auto job
            = *needed(gate.world.owner->jobs().claim(gate.world.source.id, QStringLiteral("w"), Millis{60000}));
        const auto headers = [&](qint64 token) {
            return "Unavez-Job: " + QByteArray::number(job.job.id) + "\r\nUnavez-Lease: " + QByteArray::number(token)
                + "\r\n";
        };
        // WHEN a stale lease asks first
        const auto stale = gate.charged("{\"invoice_id\":\"inv_42\"}", headers(job.job.leaseToken + 1));
        QCOMPARE(stale.status, 422);
        QCOMPARE(refusalOf(stale), QStringLiteral("lease_lost"));
        QCOMPARE(gate.world.provider.ledger().size(), 0);
        // THEN the right one is served, and the use is on record
        QCOMPARE(
            statusOf(gate.charged("{\"invoice_id\":\"inv_42\"}", headers(job.job.leaseToken))), QStringLiteral("done"));
        QCOMPARE(gate.world.count("SELECT count(*) FROM intent_uses"), 1);
    }

    void shouldSayThatNothingIsDue()
    {
        GateFrontBench gate(StoreUrl::Kind::Sqlite);
        gate.world.backend.invoices[QStringLiteral("inv_43")].open = false;
        const auto told = gate.charged("{\"invoice_id\":\"inv_43\"}");
        QCOMPARE(told.status, 422);
        QCOMPARE(refusalOf(told), QStringLiteral("not_due"));
        gate.world.backend.away = true;
        const auto away = gate.charged();
        QCOMPARE(away.status, 503);
        QCOMPARE(refusalOf(away), QStringLiteral("backend_unreachable"));
        QVERIFY(away.value("Retry-After").toInt() > 0);
        QCOMPARE(gate.world.provider.ledger().size(), 0);
    }

    BOTH_STORES(shouldSendNothingWhileTheStoreIsAway)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateFrontBench gate(kind);
        gate.store.setAway(true);
        for (const auto& told : {gate.charged(), gate.charged(), gate.asked("/tools"), gate.asked("/healthz", {})}) {
            QCOMPARE(told.status, 503);
            QCOMPARE(refusalOf(told), QStringLiteral("store_away"));
            QVERIFY(told.value("Retry-After").toInt() > 0);
        }
        QCOMPARE(gate.world.provider.ledger().size(), 0);
        gate.store.setAway(false);
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(gate.charged()), QStringLiteral("done"), 3000);
        QCOMPARE(gate.asked("/healthz", {}).status, 200);
        QCOMPARE(gate.world.provider.effects(), 1);
    }

    void shouldEndWhatRunsAndTellWhatWaits()
    {
        GateFrontBench gate(StoreUrl::Kind::Sqlite, 1);
        std::latch written(1);
        std::latch answer(1);
        gate.charge.written = [&] {
            if (!written.try_wait()) {
                written.count_down();
                answer.wait();
            }
        };
        WireReply first;
        WireReply second;
        std::thread running([&] { first = gate.charged(); });
        written.wait();
        std::thread waiting([&] { second = gate.charged("{\"invoice_id\":\"inv_43\"}"); });
        QTRY_COMPARE(gate.listener.connections(), 2);
        QTest::qWait(50); // it is in the queue: nothing shows it from outside
        // WHEN
        std::thread stopping([&] { gate.front.stop(); });
        waiting.join();
        answer.count_down();
        stopping.join();
        running.join();
        // THEN bytes that left are waited for; others never leave
        QCOMPARE(second.status, 503);
        QVERIFY2(statusOf(first) == QLatin1String("done") || statusOf(first) == QLatin1String("in_progress"),
            first.body.constData());
        QCOMPARE(gate.charged().status, 503);
        QCOMPARE(gate.world.count("SELECT count(*) FROM intents"), 1);
        QCOMPARE(gate.world.count("SELECT count(*) FROM provider_calls WHERE ended_at IS NULL"), 0);
    }
};

QTEST_GUILESS_MAIN(tst_gatefront)
#include "tst_gatefront.moc"
