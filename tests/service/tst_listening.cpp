// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/service/echofront.h"
#include "tests/service/wireclient.h"

#include <QFile>
#include <QProcess>
#include <QSslSocket>
#include <QTemporaryDir>
#include <QtTest>

#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace unavez;
using namespace unavez::service;
using namespace unavez::tests;
using contract::Millis;

namespace {
const QByteArray okRequest = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

// Uses up this process's descriptors for its lifetime.
class TightDescriptors
{
public:
    TightDescriptors()
    {
        ::getrlimit(RLIMIT_NOFILE, &m_before);
        auto tight = m_before;
        tight.rlim_cur = 128;
        ::setrlimit(RLIMIT_NOFILE, &tight);
        for (int taken = 0; (taken = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
            m_taken.append(taken);
    }
    ~TightDescriptors()
    {
        leave(m_taken.size());
        ::setrlimit(RLIMIT_NOFILE, &m_before);
    }
    void leave(qsizetype count)
    {
        for (; count > 0; --count)
            ::close(m_taken.takeLast());
    }

private:
    rlimit m_before{};
    QList<int> m_taken;
};

} // namespace

class tst_listening : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldDrain()
    {
        Echo echo(onLoopback());
        WireClient idle(echo.listener.port());
        QCOMPARE(idle.ask(okRequest).status, 200);
        echo.hold();
        WireClient busy(echo.listener.port());
        busy.send(okRequest + okRequest);
        QTRY_COMPARE(echo.held(), 1);
        const auto port = echo.listener.port();
        // WHEN
        std::thread draining([&] { echo.listener.drain(Millis{10000}); });
        // THEN an idle connection goes at once, a running request is still answered, the one behind it is not begun
        QVERIFY(idle.closes());
        QTRY_VERIFY(!WireClient(port).isConnected());
        echo.release();
        const auto reply = busy.read();
        QCOMPARE(reply.status, 200);
        QCOMPARE(reply.value("Connection"), QByteArrayLiteral("close"));
        QCOMPARE(busy.read().status, 0);
        draining.join();
        QCOMPARE(echo.seen().size(), 2);
    }

    void shouldNotDrainForEver()
    {
        auto echo = std::make_unique<Echo>(onLoopback());
        echo->hold();
        WireClient client(echo->listener.port());
        client.send(okRequest);
        QTRY_COMPARE(echo->held(), 1);
        QElapsedTimer time;
        time.start();
        echo->listener.drain(Millis{200});
        QVERIFY(time.elapsed() < 5000);
        QVERIFY(client.closes());
        // A reply after the end goes nowhere, and harms nothing.
        echo->release();
    }

    void shouldOutliveItsListenerWithAReply()
    {
        QList<Reply> kept;
        std::mutex mutex;
        {
            HttpListener listener(onLoopback(), [&](HttpRequest&&, const Reply& reply) {
                const std::lock_guard lock(mutex);
                kept.append(reply);
            });
            QVERIFY(listener.start());
            WireClient client(listener.port());
            client.send(okRequest);
            QTRY_VERIFY([&] {
                const std::lock_guard lock(mutex);
                return !kept.isEmpty();
            }());
        }
        kept.first()(jsonResponse(200, {}));
        kept.clear();
    }

    void shouldServeAUnixSocket()
    {
        QTemporaryDir folder;
        auto settings = onLoopback();
        settings.listen = {{}, 0, folder.filePath(QStringLiteral("gate.sock"))};
        {
            Echo echo(settings);
            WireClient client(settings.listen.path);
            QCOMPARE(client.ask(okRequest).status, 200);
            QCOMPARE(echo.seen().value(0).peer, QString());
            // THEN nobody but owner and group may speak to it
            const auto mode = QFile::permissions(settings.listen.path);
            QVERIFY(!mode.testAnyFlags(QFile::ReadOther | QFile::WriteOther));
            // and a second listener does not steal it
            HttpListener second(settings, [](HttpRequest&&, const Reply&) {});
            const auto refused = second.start();
            QVERIFY(!refused);
            QCOMPARE(refused.error().kind, contract::Error::Kind::Conflict);
            QCOMPARE(WireClient(settings.listen.path).ask(okRequest).status, 200);
        }
        QVERIFY(!QFile::exists(settings.listen.path));
    }

    void shouldTakeOverASocketThatNobodyHolds()
    {
        QTemporaryDir folder;
        const auto path = folder.filePath(QStringLiteral("gate.sock"));
        QProcess killed; // a process that leaves its socket behind
        killed.start(QStringLiteral("python3"),
            {QStringLiteral("-c"),
                QStringLiteral("import socket,os;s=socket.socket(socket.AF_UNIX);s.bind('%1');s.listen();os._exit(0)")
                    .arg(path)});
        QVERIFY(killed.waitForFinished());
        if (!QFile::exists(path))
            qFatal("no socket was left");
        auto settings = onLoopback();
        settings.listen = {{}, 0, path};
        Echo echo(settings);
        QCOMPARE(WireClient(path).ask(okRequest).status, 200);
    }

    void shouldOutliveALackOfDescriptors()
    {
        Echo echo(onLoopback());
        WireClient second(echo.listener.port(), Millis{10000});
        auto first = std::make_unique<WireClient>(echo.listener.port());
        QCOMPARE(first->ask(okRequest).status, 200);
        QCOMPARE(second.ask(okRequest).status, 200);
        // GIVEN a process with one descriptor left, which the caller's own end takes
        const auto tight = std::make_unique<TightDescriptors>();
        tight->leave(1);
        WireClient third(echo.listener.port());
        QVERIFY(third.send(okRequest));
        QTest::qWait(300); // longer than the listener's pause between two tries
        QCOMPARE(echo.listener.connections(), 2);
        QCOMPARE(second.ask(okRequest).status, 200); // the others are served meanwhile
        // WHEN there is room again
        first.reset();
        // THEN
        QCOMPARE(third.read().status, 200);
    }

    // Scenario 53.
    void shouldRefuseToListenInTheOpen()
    {
        const auto started = [](const QString& host, bool behindProxy) {
            auto settings = onLoopback();
            settings.listen.host = host;
            settings.behindProxy = behindProxy;
            return HttpListener(settings, [](HttpRequest&&, const Reply&) {}).start();
        };
        for (const auto& host : {QStringLiteral("0.0.0.0"), QStringLiteral("::"), QStringLiteral("192.0.2.1")}) {
            const auto refused = started(host, false);
            QVERIFY2(!refused, qPrintable(host));
            QCOMPARE(refused.error().kind, contract::Error::Kind::Refused);
        }
        QVERIFY(started(QStringLiteral("0.0.0.0"), true));
        QVERIFY(started(QStringLiteral("127.0.0.1"), false));
        const auto named = started(QStringLiteral("localhost"), true);
        QVERIFY(!named);
        QCOMPARE(named.error().kind, contract::Error::Kind::Invalid);
    }

    void shouldSayThatAnAddressIsTaken()
    {
        Echo echo(onLoopback());
        auto settings = onLoopback();
        settings.listen.port = echo.listener.port();
        HttpListener second(settings, [](HttpRequest&&, const Reply&) {});
        const auto refused = second.start();
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, contract::Error::Kind::Conflict);
    }

    void shouldSpeakTls()
    {
        // GIVEN a certificate of our own
        QTemporaryDir folder;
        auto settings = onLoopback();
        settings.listen.host = QStringLiteral("0.0.0.0");
        settings.tlsCertificate = folder.filePath(QStringLiteral("cert.pem"));
        settings.tlsKey = folder.filePath(QStringLiteral("key.pem"));
        QCOMPARE(QProcess::execute(QStringLiteral("sh"),
                     {QStringLiteral("-c"),
                         QStringLiteral("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
                                        "-subj /CN=localhost -keyout %2 -out %1 2>/dev/null")
                             .arg(settings.tlsCertificate, settings.tlsKey)}),
            0);
        Echo echo(settings);
        // WHEN
        const auto ask = [&](QSsl::SslProtocol protocol, const QByteArray& bytes) {
            QSslSocket socket;
            socket.setProtocol(protocol);
            socket.setPeerVerifyMode(QSslSocket::VerifyNone);
            socket.connectToHostEncrypted(QStringLiteral("127.0.0.1"), echo.listener.port());
            QByteArray got;
            if (socket.waitForEncrypted(5000)) {
                socket.write(bytes);
                while (!got.contains("\r\n\r\n") && socket.waitForReadyRead(5000))
                    got += socket.readAll();
            }
            return got;
        };
        // THEN
        QVERIFY(ask(QSsl::TlsV1_3, post("/", "abc")).startsWith("HTTP/1.1 200 "));
        QVERIFY(ask(QSsl::TlsV1_2, post("/", QByteArray(500000, 'a'))).startsWith("HTTP/1.1 200 "));
        QVERIFY(
            ask(QSsl::TlsV1_2, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n").startsWith("HTTP/1.1 400 "));
        QVERIFY(QProcess::execute(QStringLiteral("sh"),
                    {QStringLiteral("-c"),
                        QStringLiteral("openssl s_client -tls1_1 -cipher ALL:@SECLEVEL=0 -connect 127.0.0.1:%1 "
                                       "</dev/null >/dev/null 2>&1")
                            .arg(echo.listener.port())})
            != 0);
        // A plain request is no handshake.
        QCOMPARE(WireClient(echo.listener.port()).ask(okRequest).status, 0);
        QCOMPARE(echo.seen().size(), 2);
    }

    void shouldRefuseABrokenCertificate()
    {
        QTemporaryDir folder;
        auto settings = onLoopback();
        settings.tlsCertificate = folder.filePath(QStringLiteral("cert.pem"));
        HttpListener alone(settings, [](HttpRequest&&, const Reply&) {});
        QCOMPARE(alone.start().error().kind, contract::Error::Kind::Invalid);
        settings.tlsKey = settings.tlsCertificate;
        HttpListener absent(settings, [](HttpRequest&&, const Reply&) {});
        QCOMPARE(absent.start().error().kind, contract::Error::Kind::Invalid);
    }
};

QTEST_GUILESS_MAIN(tst_listening)
#include "tst_listening.moc"
