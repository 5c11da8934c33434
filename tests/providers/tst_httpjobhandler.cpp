// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/httpjobhandler.h"
#include "tests/providers/wireserver.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <thread>

using namespace unavez::contract;
using namespace unavez::providers;
using namespace unavez::test;
using Kind = HandlerAnswer::Kind;

Q_DECLARE_METATYPE(Kind)

namespace {

const SystemHostClock hostClock;

HandlerRequest request(Millis within = Millis{2000})
{
    HandlerRequest r;
    r.lease = {48211, 3};
    r.attempt = 2;
    r.event.eventId = QStringLiteral("evt_1");
    r.event.eventType = QStringLiteral("invoice.due");
    r.event.source = QStringLiteral("stripe:acct_1");
    r.event.receivedAt = Instant{1'700'000'000'000};
    r.event.deliveries = 5;
    r.payload = R"({"id":"evt_1"})";
    r.deadline = hostClock.wall() + within;
    return r;
}

HandlerAnswer asked(quint16 port, const HandlerRequest& r = request(), std::stop_token cancelled = {})
{
    const auto url = parsedUrl(QStringLiteral("http://127.0.0.1:%1/run").arg(port));
    return HttpJobHandler(*url, Millis{1000}, TlsTrust(), hostClock).handle(r, cancelled);
}

} // namespace

class tst_httpjobhandler : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldHandOverTheJobAsTheContractSpellsIt()
    {
        WireServer server(answering(httpAnswer(200, {})));
        QCOMPARE(asked(server.port()).kind, Kind::Done);
        QTRY_COMPARE(server.requests().size(), 1);
        const auto sent = server.requests().first();
        QVERIFY(sent.startsWith("POST /run HTTP/1.1\r\n"));
        QVERIFY(sent.contains("Unavez-Job: 48211\r\n") && sent.contains("Unavez-Lease: 3\r\n"));
        QVERIFY(sent.contains("Content-Type: application/json\r\n") && sent.contains("Unavez-Deadline: 20"));
        const auto body = QJsonDocument::fromJson(sent.mid(sent.indexOf("\r\n\r\n") + 4)).object();
        QCOMPARE(QJsonDocument(body).toJson(QJsonDocument::Compact),
            QByteArray(R"({"attempt":2,"deliveries":5,"event_id":"evt_1","job":48211,"object_id":null,"payload":)"
                       R"({"id":"evt_1"},"received_at":"2023-11-14T22:13:20.000Z","source":"stripe:acct_1",)"
                       R"("type":"invoice.due"})"));
    }

    void shouldReadTheAnswersOfTheContract_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("retryAfter");
        QTest::addColumn<Kind>("kind");
        QTest::newRow("200") << 200 << QByteArray() << Kind::Done;
        QTest::newRow("204") << 204 << QByteArray() << Kind::Done;
        QTest::newRow("302") << 302 << QByteArray() << Kind::Failed;
        QTest::newRow("409 later") << 409 << QByteArray("30") << Kind::Later;
        QTest::newRow("409 without when") << 409 << QByteArray() << Kind::Failed;
        QTest::newRow("409 nonsense") << 409 << QByteArray("soon") << Kind::Failed;
        QTest::newRow("409 negative") << 409 << QByteArray("-5") << Kind::Failed;
        QTest::newRow("422") << 422 << QByteArray() << Kind::Rejected;
        QTest::newRow("500") << 500 << QByteArray() << Kind::Failed;
        QTest::newRow("503 with a wait") << 503 << QByteArray("30") << Kind::Failed;
    }
    void shouldReadTheAnswersOfTheContract()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, retryAfter);
        QFETCH(Kind, kind);
        QCOMPARE(readHandlerAnswer(status, retryAfter).kind, kind);
    }

    void shouldNotWaitLongerThanAnHour() { QCOMPARE(*readHandlerAnswer(409, "999999").retryAfter, Seconds{3600}); }

    void shouldKeepTheStatusOfAnAnswerNobodyReadsToItsEnd()
    {
        WireServer server(answering(httpAnswer(200, QByteArray(100'000, 'x'))));
        QCOMPARE(asked(server.port()).kind, Kind::Done);
    }

    void shouldTellAwayFromSilentFromBroken()
    {
        QCOMPARE(asked(closedPort()).kind, Kind::Unreachable);
        WireServer silent([](Peer& peer) {
            peer.readRequest();
            peer.waitForClose();
        });
        QCOMPARE(asked(silent.port(), request(Millis{200})).kind, Kind::TimedOut);
        WireServer broken([](Peer& peer) {
            peer.readRequest();
            peer.reset();
        });
        QCOMPARE(asked(broken.port()).kind, Kind::Failed);
        QCOMPARE(broken.connections(), 1); // never twice
    }

    void shouldStopWaitingWhenTheLeaseIsLost()
    {
        WireServer silent([](Peer& peer) {
            peer.readRequest();
            peer.waitForClose();
        });
        std::stop_source lost;
        std::thread later([&] {
            while (silent.requests().isEmpty())
                std::this_thread::yield();
            lost.request_stop();
        });
        const auto began = hostClock.boottime();
        QCOMPARE(asked(silent.port(), request(Millis{60'000}), lost.get_token()).kind, Kind::Failed);
        QVERIFY(hostClock.boottime() - began < Millis{10'000});
        later.join();
    }
};

QTEST_GUILESS_MAIN(tst_httpjobhandler)
#include "tst_httpjobhandler.moc"
