// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/httpconnection.h"
#include "tests/providers/wireserver.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <thread>

using namespace unavez::contract;
using namespace unavez::providers;
using namespace unavez::test;

namespace {

HttpLimits quick() { return {Millis{2000}, Millis{2000}, 16 * 1024, 64 * 1024}; }
HttpRequest look() { return {"GET", "/", {}, {}}; }

// openssl's own server with a certificate made a moment ago.
class TlsServer
{
public:
    TlsServer(const QTemporaryDir& dir, const QString& subjectAltName)
        : m_certificate(dir.filePath(QStringLiteral("certificate.pem")))
    {
        const auto key = dir.filePath(QStringLiteral("key.pem"));
        QProcess::execute(QStringLiteral("openssl"),
            {QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-newkey"), QStringLiteral("ec"),
                QStringLiteral("-pkeyopt"), QStringLiteral("ec_paramgen_curve:P-256"), QStringLiteral("-nodes"),
                QStringLiteral("-keyout"), key, QStringLiteral("-out"), m_certificate, QStringLiteral("-days"),
                QStringLiteral("1"), QStringLiteral("-subj"), QStringLiteral("/CN=test"), QStringLiteral("-addext"),
                QStringLiteral("subjectAltName=") + subjectAltName, QStringLiteral("-batch")});
        m_server.start(QStringLiteral("openssl"),
            {QStringLiteral("s_server"), QStringLiteral("-accept"), QStringLiteral("127.0.0.1:0"),
                QStringLiteral("-cert"), m_certificate, QStringLiteral("-key"), key, QStringLiteral("-www")});
        const QRegularExpression listening(QStringLiteral("ACCEPT 127\\.0\\.0\\.1:(\\d+)"));
        QByteArray said;
        while (m_port == 0 && m_server.waitForReadyRead(5000)) {
            said += m_server.readAllStandardOutput();
            m_port = listening.match(QString::fromLatin1(said)).captured(1).toUShort();
        }
    }
    ~TlsServer()
    {
        m_server.kill();
        m_server.waitForFinished();
    }
    quint16 port() const { return m_port; }
    QString certificate() const { return m_certificate; }

private:
    QString m_certificate;
    QProcess m_server;
    quint16 m_port = 0;
};

} // namespace

class tst_http : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldReadUrls()
    {
        const auto api = parsedUrl(QStringLiteral("https://api.stripe.com"));
        QCOMPARE(*api, (ParsedUrl{{true, QStringLiteral("api.stripe.com"), 443}, "/"}));
        QCOMPARE(*parsedUrl(QStringLiteral("http://[::1]:9001/invoices/inv%2042?a=b%26c")),
            (ParsedUrl{{false, QStringLiteral("::1"), 9001}, "/invoices/inv%2042?a=b%26c"}));
    }

    void shouldRefuseUrls_data()
    {
        QTest::addColumn<QString>("url");
        for (const auto* url : {"", "api.stripe.com", "ftp://host/", "file:///etc/passwd", "http://", "https:///path",
                 "http://user:secret@host/", "http://user@host/", "http://host/#part", "http://host/a b",
                 "http://host/\r\nX: 1", "http://host:99999/", "gopher://host"})
            QTest::newRow(url) << QString::fromLatin1(url);
        QTest::newRow("long") << QStringLiteral("http://host/") + QString(3000, QLatin1Char('a'));
    }
    void shouldRefuseUrls()
    {
        QFETCH(QString, url);
        const auto parsed = parsedUrl(url);
        QVERIFY(!parsed);
        QCOMPARE(parsed.error().kind, Error::Kind::Invalid);
        QVERIFY(!parsed.error().detail.contains(QLatin1String("secret")));
    }

    void shouldCutABodyPastItsLimitButKeepTheStatus()
    {
        WireServer server(answering(httpAnswer(422, QByteArray(100 * 1024, 'x'))));
        const auto reply = fetched({false, QStringLiteral("127.0.0.1"), server.port()}, look(), quick(), TlsTrust());
        QVERIFY(reply);
        QCOMPARE(reply->status, 422);
        QVERIFY(!reply->complete);
        QVERIFY(reply->body.size() <= 64 * 1024);
    }

    void shouldTryEveryAddressOfAName()
    {
        // localhost is ::1 and 127.0.0.1 where IPv6 is on; nobody listens at the first.
        WireServer server(answering(httpAnswer(200, "here")));
        const auto reply = fetched({false, QStringLiteral("localhost"), server.port()}, look(), quick(), TlsTrust());
        QVERIFY2(reply.has_value(), reply ? "" : qPrintable(reply.error().detail));
        QCOMPARE(reply->body, QByteArray("here"));
    }

    void shouldSayThatANameIsUnknown()
    {
        const auto reply = fetched({false, QStringLiteral("no-such-host.invalid"), 80}, look(), quick(), TlsTrust());
        QVERIFY(!reply);
        QVERIFY(reply.error().kind == Error::Kind::Offline || reply.error().kind == Error::Kind::Timeout);
    }

    void shouldEndSoonAfterACancel()
    {
        std::stop_source stop;
        WireServer server([&stop](Peer& peer) {
            peer.readRequest();
            stop.request_stop();
            peer.waitForClose();
        });
        QElapsedTimer timer;
        timer.start();
        const auto reply = fetched(
            {false, QStringLiteral("127.0.0.1"), server.port()}, look(), quick(), TlsTrust(), stop.get_token());
        QVERIFY(!reply);
        QCOMPARE(reply.error().kind, Error::Kind::Cancelled);
        QVERIFY(timer.elapsed() < 1500);
    }

    void shouldSpeakTlsToWhomItTrusts()
    {
        const QTemporaryDir dir;
        const TlsServer server(dir, QStringLiteral("IP:127.0.0.1,DNS:localhost"));
        QVERIFY(server.port() != 0);
        const TlsTrust trust(server.certificate());
        QVERIFY(!trust.fault());
        for (const auto* host : {"127.0.0.1", "localhost"}) {
            const auto reply = fetched({true, QString::fromLatin1(host), server.port()}, look(), quick(), trust);
            QVERIFY2(reply.has_value(), reply ? "" : qPrintable(reply.error().detail));
            QCOMPARE(reply->status, 200);
        }
        // THEN a certificate nobody vouches for is refused
        const auto refused = fetched({true, QStringLiteral("127.0.0.1"), server.port()}, look(), quick(), TlsTrust());
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, Error::Kind::Denied);
    }

    void shouldRefuseACertificateOfAnotherName()
    {
        const QTemporaryDir dir;
        const TlsServer server(dir, QStringLiteral("DNS:elsewhere.example"));
        QVERIFY(server.port() != 0);
        const auto reply = fetched(
            {true, QStringLiteral("localhost"), server.port()}, look(), quick(), TlsTrust(server.certificate()));
        QVERIFY(!reply);
        QCOMPARE(reply.error().kind, Error::Kind::Denied);
    }

    void shouldRefuseToSpeakTlsWithAPlainServer()
    {
        WireServer server(answering(httpAnswer(200, "plain")));
        const auto reply = fetched({true, QStringLiteral("127.0.0.1"), server.port()}, look(), quick(), TlsTrust());
        QVERIFY(!reply);
    }

    void shouldSayWhenTheAuthoritiesCannotBeRead() { QVERIFY(TlsTrust(QStringLiteral("/no/such/file.pem")).fault()); }
};

QTEST_GUILESS_MAIN(tst_http)
#include "tst_http.moc"
