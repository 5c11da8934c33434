// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/service/edgebench.h"

#include <thread>

using namespace unavez;
using namespace unavez::contract;
using namespace unavez::tests;
using service::BatcherSettings;
using stores::StoreUrl;

namespace {

QByteArray reasonOf(const WireReply& reply)
{
    return QJsonDocument::fromJson(reply.body)[QStringLiteral("error")][QStringLiteral("reason")].toString().toLatin1();
}

// Each of them at once, on a connection of its own; the statuses in their order.
QList<int> askedAtOnce(const EdgeBench& edge, const QList<QByteArray>& requests)
{
    QList<int> statuses(requests.size());
    std::vector<std::thread> senders;
    int* const told = statuses.data();
    for (qsizetype i = 0; i < requests.size(); ++i)
        senders.emplace_back([&edge, told, i, bytes = requests[i]] { told[i] = edge.ask(bytes).status; });
    for (auto& sender : senders)
        sender.join();
    return statuses;
}

// What was counted, "reason:n" by route and reason.
QString failuresIn(const TestStore& store)
{
    return textIn(store,
        "SELECT route || ' ' || reason || ':' || CAST(sum(n) AS TEXT) FROM signature_failures "
        "GROUP BY route, reason ORDER BY route, reason");
}

} // namespace

class tst_edgefront : public QObject
{
    Q_OBJECT

    void bothStores()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::newRow("sqlite") << StoreUrl::Kind::Sqlite;
        QTest::newRow("postgresql") << StoreUrl::Kind::PostgreSql;
    }

private Q_SLOTS:
    void shouldRecordBeforeItAnswers_data() { bothStores(); }
    void shouldRecordBeforeItAnswers()
    {
        QFETCH(StoreUrl::Kind, kind);
        TestStore store(kind);
        EdgeBench edge(store.url());
        const auto body = eventBody("evt_1", ",\"x\":\"\xc3\xa9\"");
        // WHEN
        const auto reply = edge.ask(signedPost(body));
        // THEN
        QCOMPARE(reply.status, 200);
        QCOMPARE(reply.body, QByteArrayLiteral("{\"received\":true}"));
        QCOMPARE(numberIn(store, "SELECT count(*) FROM processed_events WHERE event_id = 'evt_1' AND has_job"), 1);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM jobs WHERE state = 'queued' AND max_attempts = 5"), 1);
        QCOMPARE(textIn(store, "SELECT signing_key_id FROM processed_events"), QStringLiteral("k1"));
        const auto kept = store.connect()->run(QStringLiteral("SELECT body FROM event_payloads"));
        QVERIFY(kept.has_value());
        QCOMPARE(kept->first().at(0).toByteArray(), body); // byte by byte as it was signed
        QVERIFY(edge.metrics.text({}, true).contains("unavez_deliveries_total{answer=\"200\"} 1"));
        QVERIFY(edge.metrics.text({}, true).contains("unavez_commit_batch_deliveries_count 1"));
    }

    // Scenario 1.
    void shouldRecordOneEventOnceHoweverOftenItComes_data() { bothStores(); }
    void shouldRecordOneEventOnceHoweverOftenItComes()
    {
        QFETCH(StoreUrl::Kind, kind);
        TestStore store(kind);
        EdgeBench edge(store.url());
        const QList<QByteArray> five(5, signedPost(eventBody("evt_1")));
        // WHEN they come in parallel, and then within one micro-batch
        QCOMPARE(askedAtOnce(edge, five), QList<int>(5, 200));
        edge.store.holdBatches();
        const auto before = edge.store.batches().size();
        std::thread first([&] { edge.ask(signedPost(eventBody("evt_0"))); });
        QTRY_COMPARE(edge.store.batches().size(), before + 1);
        std::vector<std::thread> more;
        QList<int> statuses(5);
        for (int i = 0; i < 5; ++i)
            more.emplace_back([&, i] { statuses[i] = edge.ask(five[i]).status; });
        QTRY_COMPARE(edge.listener.connections(), 6);
        QTest::qWait(50); // all are in the queue: nothing shows it from outside
        edge.store.releaseBatches();
        first.join();
        for (auto& sender : more)
            sender.join();
        // THEN
        QCOMPARE(statuses, QList<int>(5, 200));
        QCOMPARE(edge.store.batches().last(), 1); // merged
        QCOMPARE(numberIn(store, "SELECT count(*) FROM processed_events WHERE event_id = 'evt_1'"), 1);
        QCOMPARE(numberIn(store, "SELECT deliveries FROM processed_events WHERE event_id = 'evt_1'"), 10);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM jobs"), 2);
    }

    // Scenario 9, both ways round.
    void shouldTakeAThinEventForItsSnapshot_data() { bothStores(); }
    void shouldTakeAThinEventForItsSnapshot()
    {
        QFETCH(StoreUrl::Kind, kind);
        TestStore store(kind);
        EdgeBench edge(store.url());
        const auto thin = [](const QByteArray& id, const QByteArray& snapshot) {
            return signedPost("{\"id\":\"" + id + "\",\"object\":\"v2.core.event\",\"type\":\"v1.invoice.due\","
                + "\"snapshot_event\":\"" + snapshot + "\"}");
        };
        QCOMPARE(edge.ask(signedPost(eventBody("evt_1"))).status, 200);
        QCOMPARE(edge.ask(thin("evt_thin_1", "evt_1")).status, 200);
        QCOMPARE(edge.ask(thin("evt_thin_2", "evt_2")).status, 200);
        QCOMPARE(edge.ask(signedPost(eventBody("evt_2"))).status, 200);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM jobs"), 2);
        QCOMPARE(numberIn(store, "SELECT min(deliveries) FROM processed_events"), 2);
        QCOMPARE(textIn(store, "SELECT alias_event_id FROM processed_events WHERE event_id = 'evt_1'"),
            QStringLiteral("evt_thin_1"));
    }

    // Scenario 45.
    void shouldLetNoBadRowSpoilItsBatch_data() { bothStores(); }
    void shouldLetNoBadRowSpoilItsBatch()
    {
        QFETCH(StoreUrl::Kind, kind);
        TestStore store(kind);
        EdgeBench edge(store.url());
        QList<QByteArray> requests;
        for (int i = 0; i < 62; ++i)
            requests.append(signedPost(eventBody("evt_" + QByteArray::number(i))));
        requests.append(requests.first());
        requests.append(signedPost(eventBody("evt_\\u0000x")));
        // WHEN all wait for one commit
        edge.store.holdBatches();
        std::thread first([&] { edge.ask(signedPost(eventBody("evt_first"))); });
        QTRY_COMPARE(edge.store.batches().size(), 1);
        QList<int> statuses;
        std::thread rest([&] { statuses = askedAtOnce(edge, requests); });
        QTRY_VERIFY(edge.listener.connections() >= 64);
        QTest::qWait(50);
        edge.store.releaseBatches();
        first.join();
        rest.join();
        // THEN
        QCOMPARE(statuses.count(200), 63);
        QCOMPARE(statuses.last(), 400);
        QCOMPARE(edge.store.batches().last(), 62);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM processed_events"), 63);
        QCOMPARE(numberIn(store, "SELECT deliveries FROM processed_events WHERE event_id = 'evt_0'"), 2);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM jobs"), 63);
    }

    void shouldRefuseWhatIsNotProven_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("reason");
        const auto now = SystemHostClock().wall();
        const auto body = eventBody("evt_1");
        const auto header = [](const QByteArray& value) { return "Stripe-Signature: " + value + "\r\n"; };
        const auto right = signatures::signedByStripe(body, {edgeSecret}, now);
        const auto t = right.first(right.indexOf(','));
        const auto v1 = right.sliced(right.indexOf(',') + 1);
        const QByteArray wrong = ",v1=" + QByteArray(64, '0');
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            const auto row = [&](const char* name, const QByteArray& request, int status, const char* reason) {
                QTest::addRow("%s, %s", name, kind == StoreUrl::Kind::Sqlite ? "sqlite" : "postgresql")
                    << kind << request << status << QByteArray(reason);
            };
            // Scenario 4.
            row("one right of three", post(edgeRoute, body, header(t + wrong + ',' + v1 + ",v0=00")), 200, "");
            row("v0 only", post(edgeRoute, body, header(t + ",v0=" + v1.sliced(3))), 400, "no_supported_scheme");
            row("too old", signedPost(body, now - Seconds{310}), 400, "too_old");
            row("too new", signedPost(body, now + Seconds{310}), 400, "too_new");
            row("a byte changed", post(edgeRoute, eventBody("evt_2"), header(right)), 400, "mismatch");
            row("re-serialised", post(edgeRoute, QByteArray(body).replace(":", ": "), header(right)), 400, "mismatch");
            row("another secret", signedPost(body, now, {"whsec_other"}), 400, "mismatch");
            row("no header", post(edgeRoute, body), 400, "missing_header");
            row("no time", post(edgeRoute, body, header(v1)), 400, "malformed_header");
            row("two headers", post(edgeRoute, body, header(right) + header(t + wrong)), 400, "malformed_header");
            row("two headers, bad one first", post(edgeRoute, body, header(t + wrong) + header(right)), 400,
                "malformed_header");
            // Signed, and still no event.
            row("empty body", signedPost({}), 400, "not_json");
            row("truncated", signedPost(body.chopped(3)), 400, "not_json");
            row("no object", signedPost("[1]"), 400, "not_json");
            row("no UTF-8", signedPost(eventBody("evt_1", ",\"x\":\"\xff\xfe\"")), 400, "not_json");
            row("the least there is", signedPost("{\"id\":\"evt_test_webhook\",\"object\":\"event\"}"), 200, "");
            row("no id", signedPost("{\"object\":\"event\"}"), 400, "no_event_id");
            row("a NUL in the id", signedPost(eventBody("evt\\u0000_1")), 400, "no_event_id");
            row("half a surrogate", signedPost(eventBody("evt_\\ud800")), 400, "no_event_id");
            row("an endless id", signedPost(eventBody(QByteArray(256, 'a'))), 400, "no_event_id");
            row("a NUL in the type", signedPost("{\"id\":\"evt_1\",\"type\":\"a\\u0000b\"}"), 400, "not_json");
            row("deep nesting", signedPost(QByteArray(100'000, '[')), 400, "not_json");
            // Not a delivery at all.
            row("unknown source", post("/webhooks/other", body, header(right)), 404, "unknown_source");
            row("a longer path", post(edgeRoute + "/", body, header(right)), 404, "unknown_source");
            row("GET", "GET " + edgeRoute + " HTTP/1.1\r\nHost: h\r\n\r\n", 405, "method_not_allowed");
            row("10 MiB", signedPost(QByteArray(10 * 1024 * 1024, 'a')), 413, "body_too_large");
        }
    }
    void shouldRefuseWhatIsNotProven()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(QByteArray, request);
        QFETCH(int, status);
        QFETCH(QByteArray, reason);
        TestStore store(kind);
        EdgeBench edge(store.url());
        // WHEN
        const auto reply = edge.ask(request);
        edge.stop();
        // THEN a clear answer, a row that says why, and nothing else
        QCOMPARE(reply.status, status);
        QCOMPARE(reasonOf(reply), reason);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM processed_events"), status == 200 ? 1 : 0);
        const auto route = status == 404 ? QStringLiteral("(unknown)") : QString::fromLatin1(edgeRoute);
        QCOMPARE(failuresIn(store),
            status == 200 || status == 405 ? QString() : route + QStringLiteral(" %1:1").arg(QLatin1String(reason)));
    }

    // Scenarios 8 and 37.
    void shouldKeepTestAndLiveApart_data() { bothStores(); }
    void shouldKeepTestAndLiveApart()
    {
        QFETCH(StoreUrl::Kind, kind);
        const auto live = signedPost(eventBody("evt_live", ",\"livemode\":true"));
        const auto test = signedPost(eventBody("evt_test", ",\"livemode\":false"));
        {
            // A test event on a live store: told to stop coming.
            TestStore store(kind, StoreMode::Live);
            EdgeBench edge(store.url(), StoreMode::Live);
            QCOMPARE(edge.ask(test).status, 200);
            QCOMPARE(edge.ask(live).status, 200);
            edge.stop();
            QCOMPARE(textIn(store, "SELECT event_id FROM processed_events"), QStringLiteral("evt_live"));
            QCOMPARE(failuresIn(store), QString::fromLatin1(edgeRoute) + QStringLiteral(" test_event_on_live:1"));
            QCOMPARE(numberIn(store, "SELECT count(*) FROM incidents"), 0);
        }
        // A live event on a test store: the provider keeps it until the setting is mended.
        TestStore store(kind, StoreMode::Test);
        {
            EdgeBench edge(store.url(), StoreMode::Test);
            const auto told = edge.ask(live);
            QCOMPARE(told.status, 503);
            QVERIFY(!told.value("Retry-After").isEmpty());
            QCOMPARE(edge.ask(test).status, 200);
            edge.stop();
        }
        QCOMPARE(textIn(store, "SELECT event_id FROM processed_events"), QStringLiteral("evt_test"));
        QCOMPARE(
            textIn(store, "SELECT kind FROM incidents WHERE closed_at IS NULL"), QStringLiteral("live_event_on_test"));
        EdgeBench mended(store.url(), StoreMode::Live);
        QCOMPARE(mended.ask(live).status, 200);
        QCOMPARE(numberIn(store, "SELECT count(*) FROM jobs"), 2);
    }

    // Scenario 52.
    void shouldNotBeFilledByAFlood_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<int>("posts");
        QTest::newRow("sqlite") << StoreUrl::Kind::Sqlite << 100'000;
        QTest::newRow("postgresql") << StoreUrl::Kind::PostgreSql << 10'000;
    }
    void shouldNotBeFilledByAFlood()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(int, posts);
        TestStore store(kind);
        EdgeBench edge(store.url());
        constexpr int senders = 4;
        constexpr int together = 100;
        std::atomic<int> denied = 0;
        std::vector<std::thread> flood;
        for (int sender = 0; sender < senders; ++sender) {
            flood.emplace_back([&, sender] {
                WireClient client(edge.listener.port());
                for (int i = 0; i < posts / senders; i += together) {
                    QByteArray bytes;
                    for (int n = 0; n < together; ++n)
                        bytes += post("/" + QByteArray::number(sender) + '/' + QByteArray::number(i + n), "{}");
                    client.send(bytes);
                    for (int n = 0; n < together; ++n)
                        denied += client.read().status == 404;
                }
            });
        }
        for (auto& sender : flood)
            sender.join();
        edge.stop();
        // THEN every one is answered and counted, in a few rows of one route
        QCOMPARE(denied.load(), posts);
        QCOMPARE(failuresIn(store), QStringLiteral("(unknown) unknown_source:%1").arg(posts));
        QVERIFY(numberIn(store, "SELECT count(*) FROM signature_failures") < 5);
    }
};

QTEST_GUILESS_MAIN(tst_edgefront)
#include "tst_edgefront.moc"
