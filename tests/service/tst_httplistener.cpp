// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/service/echofront.h"
#include "tests/service/wireclient.h"

#include <QJsonDocument>
#include <QtTest>

#include <thread>

using namespace unavez;
using namespace unavez::service;
using namespace unavez::tests;
using contract::Millis;

namespace {

const QByteArray okRequest = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

QByteArray reasonOf(const WireReply& reply)
{
    return QJsonDocument::fromJson(reply.body)[QStringLiteral("error")][QStringLiteral("reason")].toString().toLatin1();
}

} // namespace

class tst_httplistener : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldHandOverWhatWasSent()
    {
        // GIVEN
        Echo echo(onLoopback());
        WireClient client(echo.listener.port());
        // WHEN
        const auto reply
            = client.ask(post("/a%20b?x=1", QByteArray("raw\0\xff bytes", 11), "X-Sig: one\r\nx-sig:  two \r\n"));
        // THEN
        QCOMPARE(reply.status, 200);
        QCOMPARE(reply.body, QByteArrayLiteral("{\"size\":11}"));
        QCOMPARE(reply.value("Content-Type"), QByteArrayLiteral("application/json"));
        QCOMPARE(reply.value("Connection"), QByteArray());
        const auto request = echo.seen().value(0);
        QCOMPARE(request.method, QByteArrayLiteral("POST"));
        QCOMPARE(request.path, QByteArrayLiteral("/a%20b"));
        QCOMPARE(request.query, QByteArrayLiteral("x=1"));
        QCOMPARE(request.body, QByteArray("raw\0\xff bytes", 11));
        QCOMPARE(request.values("X-SIG"), (QList<QByteArray>{"one", "two"}));
        QCOMPARE(request.peer, QStringLiteral("127.0.0.1"));
    }

    void shouldAnswerManyRequestsOfOneConnectionInOrder()
    {
        Echo echo(onLoopback());
        WireClient client(echo.listener.port());
        // WHEN two come at once, and a third with its chunks
        client.send(post("/1", "a") + post("/2", "bb")
            + "POST /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;ext=1\r\ncc\r\n1\r\nc\r\n0\r\n"
              "X-Sig: trailer\r\n\r\n");
        // THEN
        QCOMPARE(client.read().body, QByteArrayLiteral("{\"size\":1}"));
        QCOMPARE(client.read().body, QByteArrayLiteral("{\"size\":2}"));
        QCOMPARE(client.read().body, QByteArrayLiteral("{\"size\":3}"));
        QCOMPARE(echo.listener.connections(), 1);
        // and a trailer is no header
        QCOMPARE(echo.seen().value(2).values("X-Sig"), QList<QByteArray>());
    }

    void shouldRefuse_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("status");
        const QByteArray head = "POST / HTTP/1.1\r\nHost: h\r\n";
        const auto row
            = [](const char* name, const QByteArray& bytes, int status) { QTest::newRow(name) << bytes << status; };
        row("no HTTP", "hello\r\n\r\n", 400);
        row("TLS on a plain port", QByteArray::fromHex("16030100f5010000f10303") + "\r\n\r\n", 400);
        row("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505);
        row("HTTP/0.9", "GET /\r\n\r\n", 400);
        row("HTTP/1.2", "GET / HTTP/1.2\r\nHost: h\r\n\r\n", 505);
        row("no Host", "GET / HTTP/1.1\r\n\r\n", 400);
        row("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400);
        row("absolute target", "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400);
        row("asterisk", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 400);
        row("target of bytes", "GET /\xc3\xa9 HTTP/1.1\r\nHost: h\r\n\r\n", 400);
        row("bare LF after the version", "GET / HTTP/1.1\nHost: h\n\n", 505);
        row("bare LF after a field", "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n", 400);
        row("space before colon", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length : 5\r\n\r\nabcde", 400);
        row("NUL in a field", QByteArray("GET / HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n", 36), 400);
        row("two lengths", head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400);
        row("one length twice", head + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400);
        row("a list of lengths", head + "Content-Length: 3, 3\r\n\r\nabc", 400);
        row("length and chunks", head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
        row("chunks and length", head + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400);
        row("negative length", head + "Content-Length: -1\r\n\r\n", 400);
        row("signed length", head + "Content-Length: +1\r\n\r\na", 400);
        row("hex length", head + "Content-Length: 0x1\r\n\r\na", 400);
        row("length of 2^64-1", head + "Content-Length: 18446744073709551615\r\n\r\n", 400);
        row("length of 2^64", head + "Content-Length: 18446744073709551616\r\n\r\n", 400);
        row("length past the limit", head + "Content-Length: 1048577\r\n\r\n", 413);
        row("unknown coding", head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400);
        row("identity coding", head + "Transfer-Encoding: identity\r\n\r\n", 400);
        row("coding twice", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
        row("chunks of HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
        row("chunk without size", head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400);
        row("chunk longer than said", head + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", 400);
        row("chunk of 2^64", head + "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n", 400);
        row("other expectation", head + "Expect: 200-ok\r\nContent-Length: 1\r\n\r\na", 417);
        row("long header", "GET / HTTP/1.1\r\nHost: h\r\nX: " + QByteArray(17000, 'a') + "\r\n\r\n", 431);
        row("long target", "GET /" + QByteArray(17000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n", 431);
        QByteArray flood = "GET / HTTP/1.1\r\nHost: h\r\n";
        for (int i = 0; i < 5000; ++i)
            flood += "X-" + QByteArray::number(i) + ": a\r\n";
        row("many headers", flood + "\r\n", 431);
    }
    void shouldRefuse()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, status);
        // GIVEN
        Echo echo(onLoopback());
        WireClient client(echo.listener.port());
        // WHEN a sound request follows the bad one
        client.send(bytes + okRequest);
        // THEN one clear answer, no second one, and nothing reaches the front
        const auto reply = client.read();
        QCOMPARE(reply.status, status);
        QCOMPARE(reply.value("Connection"), QByteArrayLiteral("close"));
        QVERIFY(!reasonOf(reply).isEmpty());
        QCOMPARE(client.read().status, 0);
        QCOMPARE(echo.seen().size(), 0);
        QCOMPARE(echo.refused().size(), 1);
        QCOMPARE(echo.refused().value(0).status, status);
    }

    void shouldRefuseTenMebibytesAndStillBeHeard()
    {
        Echo echo(onLoopback());
        // announced, and in chunks that announce nothing
        WireClient announced(echo.listener.port());
        // a sender that writes it all before it reads is not cut off in the middle
        QVERIFY(announced.send(post("/big", QByteArray(10 * 1024 * 1024, 'a'))));
        const auto told = announced.read();
        QCOMPARE(told.status, 413);
        QCOMPARE(reasonOf(told), QByteArrayLiteral("body_too_large"));
        WireClient chunked(echo.listener.port());
        QByteArray chunks = "POST /big HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (int i = 0; i < 160; ++i)
            chunks += "10000\r\n" + QByteArray(65536, 'b') + "\r\n";
        QCOMPARE(chunked.ask(chunks + "0\r\n\r\n").status, 413);
        QCOMPARE(echo.refused().value(0).path, QByteArrayLiteral("/big"));
        QCOMPARE(echo.refused().value(1).path, QByteArrayLiteral("/big"));
        QCOMPARE(echo.seen().size(), 0);
    }

    void shouldTakeABodyOfExactlyTheLimit()
    {
        Echo echo(onLoopback());
        WireClient client(echo.listener.port());
        QCOMPARE(client.ask(post("/", QByteArray(1024 * 1024, 'a'))).body, QByteArrayLiteral("{\"size\":1048576}"));
        QCOMPARE(client.ask(post("/", QByteArray())).body, QByteArrayLiteral("{\"size\":0}"));
    }

    void shouldRefuseATruncatedRequest()
    {
        Echo echo(onLoopback());
        for (const auto& bytes : {QByteArrayLiteral("POST / HT"), QByteArrayLiteral("POST / HTTP/1.1\r\nHost: h\r\n"),
                 QByteArrayLiteral("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc")}) {
            WireClient client(echo.listener.port());
            client.send(bytes);
            client.endSending();
            QCOMPARE(client.read().status, 400);
        }
        // One that asked for nothing is told nothing.
        WireClient silent(echo.listener.port());
        silent.endSending();
        QCOMPARE(silent.read().status, 0);
        QCOMPARE(echo.seen().size(), 0);
    }

    void shouldNotWaitForASlowSender()
    {
        auto settings = onLoopback();
        settings.read = Millis{300};
        Echo echo(settings);
        // GIVEN one that drips its head, one that lies of its length, and one that never speaks
        WireClient silent(echo.listener.port());
        WireClient lying(echo.listener.port());
        lying.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc");
        WireClient dripping(echo.listener.port(), Millis{50});
        QElapsedTimer time;
        time.start();
        // WHEN a byte comes every now and then, each within any pause between bytes
        WireReply told;
        const QByteArray head = "GET / HTTP/1.1\r\nHost: h\r\nX: " + QByteArray(1000, 'a');
        for (qsizetype i = 0; told.status == 0 && time.elapsed() < 5000; ++i)
            told = dripping.ask(head.mid(i, 1)); // waits 50 ms for an answer
        // THEN the limit is of the whole
        QCOMPARE(told.status, 408);
        QVERIFY2(time.elapsed() >= 250 && time.elapsed() < 3000, qPrintable(QString::number(time.elapsed())));
        QCOMPARE(lying.read().status, 408);
        QVERIFY(silent.closes());
        QCOMPARE(echo.seen().size(), 0);
    }

    void shouldCloseAnIdleConnection()
    {
        auto settings = onLoopback();
        settings.idle = Millis{100};
        Echo echo(settings);
        WireClient client(echo.listener.port());
        QCOMPARE(client.ask(okRequest).status, 200);
        QVERIFY(client.closes());
        QTRY_COMPARE(echo.listener.connections(), 0);
    }

    void shouldCloseWhereTheClientAsksForIt()
    {
        Echo echo(onLoopback());
        WireClient client(echo.listener.port());
        QCOMPARE(client.ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").value("Connection"),
            QByteArrayLiteral("close"));
        QVERIFY(client.closes());
        WireClient old(echo.listener.port());
        QCOMPARE(old.ask("GET / HTTP/1.0\r\n\r\n").status, 200);
        QVERIFY(old.closes());
    }

    void shouldInviteABodyThatWaits()
    {
        Echo echo(onLoopback());
        WireClient client(echo.listener.port());
        QCOMPARE(
            client.ask("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n").status, 100);
        QCOMPARE(client.ask("abc").body, QByteArrayLiteral("{\"size\":3}"));
        // A body past the limit is not invited at all.
        QCOMPARE(
            client.ask("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n\r\n").status,
            413);
    }

    void shouldTellTheOneTooManyToComeBack()
    {
        auto settings = onLoopback();
        settings.maxConnections = 2;
        Echo echo(settings);
        WireClient first(echo.listener.port());
        auto second = std::make_unique<WireClient>(echo.listener.port());
        QCOMPARE(first.ask(okRequest).status, 200);
        QCOMPARE(second->ask(okRequest).status, 200);
        // WHEN
        WireClient third(echo.listener.port());
        const auto told = third.read();
        // THEN
        QCOMPARE(told.status, 503);
        QVERIFY(third.closes());
        // and room is room again
        second.reset();
        QTRY_COMPARE(echo.listener.connections(), 1);
        WireClient fourth(echo.listener.port());
        QCOMPARE(fourth.ask(okRequest).status, 200);
    }

    void shouldBoundTheMemoryOfAllBodies()
    {
        auto settings = onLoopback();
        settings.memoryMax = 3 * 1024 * 1024;
        Echo echo(settings);
        echo.hold();
        const auto big = post("/", QByteArray(1000 * 1000, 'a'));
        std::vector<std::unique_ptr<WireClient>> clients;
        for (int i = 0; i < 3; ++i) {
            clients.push_back(std::make_unique<WireClient>(echo.listener.port()));
            clients.back()->send(big);
            QTRY_COMPARE(echo.held(), i + 1);
        }
        // WHEN one more than fits comes
        WireClient more(echo.listener.port());
        const auto told = more.ask(big);
        QCOMPARE(told.status, 503);
        QVERIFY(!told.value("Retry-After").isEmpty());
        // THEN an answered one makes room
        echo.release();
        for (const auto& client : clients)
            QCOMPARE(client->read().status, 200);
        WireClient again(echo.listener.port());
        QCOMPARE(again.ask(big).status, 200);
    }

    void shouldAnswerForAFrontThatIsLate()
    {
        auto settings = onLoopback();
        settings.answer = Millis{100};
        settings.late.retryAfter = contract::Seconds{7};
        Echo echo(settings);
        echo.hold();
        WireClient client(echo.listener.port());
        const auto told = client.ask(okRequest);
        QCOMPARE(told.status, 503);
        QCOMPARE(told.value("Retry-After"), QByteArrayLiteral("7"));
        // THEN what comes later is not taken for the next answer
        echo.release();
        QCOMPARE(client.ask(post("/", "ab")).body, QByteArrayLiteral("{\"size\":2}"));
    }

    void shouldTakeOneAnswerFromAnyThread()
    {
        auto settings = onLoopback();
        settings.threads = 2;
        HttpListener listener(settings, [](HttpRequest&& request, const Reply& reply) {
            std::thread([reply, size = request.body.size()] {
                reply(jsonResponse(200, {{QStringLiteral("n"), size}}));
                reply(jsonResponse(500, {}));
            }).detach();
        });
        QVERIFY(listener.start());
        std::vector<std::thread> callers;
        std::atomic<int> good = 0;
        for (int i = 0; i < 8; ++i) {
            callers.emplace_back([&] {
                WireClient client(listener.port());
                for (int n = 0; n < 200; ++n) {
                    const auto reply = client.ask(post("/", QByteArray(n, 'x')));
                    if (reply.status == 200 && reply.body == "{\"n\":" + QByteArray::number(n) + "}")
                        ++good;
                }
            });
        }
        for (auto& caller : callers)
            caller.join();
        QCOMPARE(good.load(), 8 * 200);
    }

    void shouldAnswerForAFrontThatForgot()
    {
        HttpListener listener(onLoopback(), [](HttpRequest&&, const Reply&) {});
        QVERIFY(listener.start());
        WireClient client(listener.port());
        QCOMPARE(client.ask(okRequest).status, 503);
    }
};

QTEST_GUILESS_MAIN(tst_httplistener)
#include "tst_httplistener.moc"
