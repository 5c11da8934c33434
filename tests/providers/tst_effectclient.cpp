// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/effectclient.h"
#include "tests/providers/wireserver.h"

#include <QElapsedTimer>
#include <QtTest>

#include <thread>

using namespace unavez::contract;
using namespace unavez::providers;
using namespace unavez::test;

namespace {

class SteppedClock final : public HostClock
{
public:
    Instant wall() const override { return {1700000000000}; }
    Millis boottime() const override { return now; }
    Millis now{1000};
};

struct Marker
{
    int asked = 0;
    std::function<Result<MarkAnswer>()> answer = [] {
        MarkAnswer marked;
        marked.call = 7;
        return Result<MarkAnswer>(marked);
    };
    MarkFunction function()
    {
        return [this] {
            ++asked;
            return answer();
        };
    }
};

HttpLimits quick() { return {Millis{1000}, Millis{1000}, 16 * 1024, 64 * 1024}; }

HttpRequest charge()
{
    return {
        "POST", "/v1/payment_intents", {{"Idempotency-Key", "charge:inv_42:a1:create"}}, "amount=1200&currency=eur"};
}

Endpoint at(quint16 port) { return {false, QStringLiteral("127.0.0.1"), port}; }

} // namespace

class tst_effectclient : public QObject
{
    Q_OBJECT

    SteppedClock m_clock;
    Marker m_mark;

    EffectSent send(quint16 port, std::stop_token cancelled = {}, const HttpLimits& limits = quick())
    {
        const EffectClient client(limits, Millis{10000}, TlsTrust(), m_clock);
        return client.send(at(port), charge(), m_mark.function(), cancelled);
    }

private Q_SLOTS:
    void init()
    {
        m_clock.now = Millis{1000};
        m_mark = {};
    }

    void shouldSendOnceAndReadTheAnswer()
    {
        WireServer server(answering(httpAnswer(200, R"({"id":"pi_1"})", "Request-Id: req_1\r\n")));
        const auto sent = send(server.port());
        QVERIFY(std::holds_alternative<Exchanged>(sent));
        const auto& got = std::get<Exchanged>(sent);
        QCOMPARE(got.call, 7);
        QCOMPARE(got.reply.status, 200);
        QCOMPARE(got.reply.body, QByteArray(R"({"id":"pi_1"})"));
        QCOMPARE(got.reply.header("request-ID"), QByteArray("req_1"));
        QCOMPARE(server.requests(),
            QList<QByteArray>{
                "POST /v1/payment_intents HTTP/1.1\r\nHost: 127.0.0.1:" + QByteArray::number(server.port())
                + "\r\nIdempotency-Key: charge:inv_42:a1:create\r\nContent-Length: 24\r\nConnection: close\r\n\r\n"
                  "amount=1200&currency=eur"});
    }

    // Scenario 33 and H36.
    void shouldSendExactlyOneRequestWhenTheServerResets()
    {
        WireServer server([](Peer& peer) {
            peer.readRequest();
            peer.reset();
        });
        const auto sent = send(server.port());
        QVERIFY(std::holds_alternative<NoAnswer>(sent));
        QCOMPARE(std::get<NoAnswer>(sent).call, 7);
        QTest::qWait(100); // a second request would come at once
        QCOMPARE(server.requests().size(), 1);
        QCOMPARE(server.connections(), 1);
        QCOMPARE(m_mark.asked, 1);
    }

    void shouldNotFollowARedirect_data()
    {
        QTest::addColumn<int>("status");
        for (const int status : {301, 302, 303, 307, 308})
            QTest::addRow("%d", status) << status;
    }
    void shouldNotFollowARedirect()
    {
        QFETCH(int, status);
        WireServer server([status](Peer& peer) {
            peer.readRequest();
            peer.send(httpAnswer(status, "", "Location: /elsewhere\r\n"));
        });
        const auto sent = send(server.port());
        QVERIFY(std::holds_alternative<Exchanged>(sent));
        QCOMPARE(std::get<Exchanged>(sent).reply.status, status);
        QTest::qWait(50);
        QCOMPARE(server.connections(), 1);
    }

    void shouldNotAskForTheMarkBeforeItIsConnected()
    {
        QVERIFY(std::holds_alternative<NotConnected>(send(closedPort())));
        const DeafListener deaf;
        QElapsedTimer timer;
        timer.start();
        auto limits = quick();
        limits.connect = Millis{200};
        QVERIFY(std::holds_alternative<NotConnected>(send(deaf.port(), {}, limits)));
        QVERIFY2(timer.elapsed() < 900, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(m_mark.asked, 0);
    }

    void shouldBeConnectedWhenItAsksForTheMark()
    {
        WireServer server(answering(httpAnswer(200, "{}")));
        m_mark.answer = [&server]() -> Result<MarkAnswer> {
            if (!QTest::qWaitFor([&server] { return server.connections() == 1; }, 1000))
                return fail(Error::Kind::Corrupt);
            MarkAnswer marked;
            marked.call = 7;
            return marked;
        };
        QVERIFY(std::holds_alternative<Exchanged>(send(server.port())));
    }

    void shouldWriteNothingWhenTheMarkIsRefused()
    {
        WireServer server(answering(httpAnswer(200, "{}")));
        m_mark.answer = []() -> Result<MarkAnswer> {
            MarkAnswer refused;
            refused.refused = Because{Reason::Held, {}};
            return refused;
        };
        auto sent = send(server.port());
        QVERIFY(std::holds_alternative<NotMarked>(sent));
        QCOMPARE(std::get<NotMarked>(sent).because->reason, Reason::Held);
        // AND WHEN the store is away
        m_mark.answer = []() -> Result<MarkAnswer> { return fail(Error::Kind::Offline); };
        sent = send(server.port());
        QVERIFY(std::holds_alternative<NotMarked>(sent));
        QVERIFY(!std::get<NotMarked>(sent).because);
        QTRY_COMPARE(server.connections(), 2);
        QVERIFY(server.requests().isEmpty());
    }

    // Scenario 21: a suspend between mark and write.
    void shouldWriteNothingTooLateAfterTheMark()
    {
        WireServer server(answering(httpAnswer(200, "{}")));
        const auto pause = [this](Millis by) {
            m_mark.answer = [this, by]() -> Result<MarkAnswer> {
                m_clock.now += by;
                MarkAnswer marked;
                marked.call = 7;
                return marked;
            };
        };
        pause(Seconds{25 * 3600});
        auto sent = send(server.port());
        QVERIFY(std::holds_alternative<NotWritten>(sent));
        QCOMPARE(std::get<NotWritten>(sent).call, 7);
        pause(Millis{10000});
        QVERIFY(std::holds_alternative<NotWritten>(send(server.port())));
        QTRY_COMPARE(server.connections(), 2);
        QVERIFY(server.requests().isEmpty());
        pause(Millis{9999});
        QVERIFY(std::holds_alternative<Exchanged>(send(server.port())));
    }

    void shouldWriteNothingOnceCancelled()
    {
        WireServer server(answering(httpAnswer(200, "{}")));
        std::stop_source stop;
        m_mark.answer = [&stop]() -> Result<MarkAnswer> {
            stop.request_stop();
            MarkAnswer marked;
            marked.call = 7;
            return marked;
        };
        QVERIFY(std::holds_alternative<NotWritten>(send(server.port(), stop.get_token())));
        QVERIFY(std::holds_alternative<NotConnected>(send(server.port(), stop.get_token())));
        QVERIFY(server.requests().isEmpty());
    }

    void shouldWaitForTheAnswerThoughCancelled()
    {
        std::stop_source stop;
        WireServer server([&stop](Peer& peer) {
            peer.readRequest();
            stop.request_stop();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            peer.send(httpAnswer(200, "{}"));
        });
        QVERIFY(std::holds_alternative<Exchanged>(send(server.port(), stop.get_token())));
    }

    void shouldCallADamagedAnswerNoAnswer_data()
    {
        QTest::addColumn<QByteArray>("answer");
        const auto tooMuch = QByteArray(70 * 1024, 'x');
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("not HTTP") << QByteArray("SSH-2.0-OpenSSH_9.2\r\n");
        QTest::newRow("half a head") << QByteArray("HTTP/1.1 200 OK\r\nContent-Le");
        QTest::newRow("length longer than the body") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}");
        QTest::newRow("length past the limit")
            << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n{}");
        QTest::newRow("length not a number") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}");
        QTest::newRow("two lengths") << QByteArray(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x");
        QTest::newRow("body past the limit") << httpAnswer(200, tooMuch);
        QTest::newRow("chunks past the limit")
            << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11800\r\n" + tooMuch + "\r\n0\r\n\r\n");
        QTest::newRow("chunks that end early")
            << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
        QTest::newRow("a header past its limit")
            << QByteArray("HTTP/1.1 200 OK\r\nX-Long: " + QByteArray(20 * 1024, 'x') + "\r\n\r\n");
        QTest::newRow("interim answers only") << QByteArray("HTTP/1.1 100 Continue\r\n\r\n").repeated(20);
    }
    void shouldCallADamagedAnswerNoAnswer()
    {
        QFETCH(QByteArray, answer);
        WireServer server(answering(answer));
        const auto sent = send(server.port());
        QVERIFY(std::holds_alternative<NoAnswer>(sent));
        QCOMPARE(std::get<NoAnswer>(sent).call, 7);
        QCOMPARE(server.connections(), 1);
    }

    void shouldReadChunksAndPassOverInterimAnswers()
    {
        WireServer server(answering("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                    "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"));
        const auto sent = send(server.port());
        QVERIFY(std::holds_alternative<Exchanged>(sent));
        QCOMPARE(std::get<Exchanged>(sent).reply.body, QByteArray("hello world"));
    }

    void shouldStopReadingAnEndlessHeader()
    {
        WireServer server([](Peer& peer) {
            peer.readRequest();
            peer.send("HTTP/1.1 200 OK\r\n");
            while (peer.send("X-Again: " + QByteArray(1000, 'x') + "\r\n")) { }
        });
        QVERIFY(std::holds_alternative<NoAnswer>(send(server.port())));
    }

    void shouldStopWaitingAtTotal_data()
    {
        QTest::addColumn<QByteArray>("part");
        QTest::newRow("silence") << QByteArray();
        QTest::newRow("a head, then silence") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{");
    }
    void shouldStopWaitingAtTotal()
    {
        QFETCH(QByteArray, part);
        WireServer server([part](Peer& peer) {
            peer.readRequest();
            peer.send(part);
            peer.waitForClose();
        });
        auto limits = quick();
        limits.total = Millis{200};
        QElapsedTimer timer;
        timer.start();
        QVERIFY(std::holds_alternative<NoAnswer>(send(server.port(), {}, limits)));
        QVERIFY2(timer.elapsed() >= 190 && timer.elapsed() < 900, qPrintable(QString::number(timer.elapsed())));
    }

    void shouldNeverWriteTwoRequestsForOne()
    {
        WireServer server(answering(httpAnswer(200, "{}")));
        const EffectClient client(quick(), Millis{10000}, TlsTrust(), m_clock);
        auto request = charge();
        request.headers += {QByteArray("X"), QByteArray("1\r\n\r\nPOST /v1/refunds HTTP/1.1")};
        QVERIFY(std::holds_alternative<NotWritten>(client.send(at(server.port()), request, m_mark.function(), {})));
        QTRY_COMPARE(server.connections(), 1);
        QVERIFY(server.requests().isEmpty());
    }
};

QTEST_GUILESS_MAIN(tst_effectclient)
#include "tst_effectclient.moc"
