// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/backendlookup.h"
#include "tests/providers/wireserver.h"

#include <rapidcheck.h>

#include <QtTest>

using namespace unavez::contract;
using namespace unavez::providers;
using namespace unavez::test;

namespace {

const QByteArray invoice = R"({"id":"inv_42","customer":"cus_1","amount_minor":1200,"currency":"EUR","open":true})";

BackendFact asked(const QString& url) { return askBackend(url, {Millis{500}, Millis{500}, 4096, 4096}, TlsTrust()); }
QString at(quint16 port) { return QStringLiteral("http://127.0.0.1:%1/invoices/inv_42").arg(port); }

} // namespace

class tst_backendlookup : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldReadWhatIsDue()
    {
        WireServer server(answering(httpAnswer(200, invoice)));
        const auto fact = asked(at(server.port()));
        QVERIFY2(fact.reachable, qPrintable(fact.why));
        QCOMPARE(fact.id, QStringLiteral("inv_42"));
        QCOMPARE(fact.customer, QStringLiteral("cus_1"));
        QCOMPARE(fact.amount, (Money{1200, QStringLiteral("eur")}));
        QVERIFY(fact.open);
        QCOMPARE(fact.state, QStringLiteral("open"));
        QVERIFY(server.requests().first().startsWith("GET /invoices/inv_42 HTTP/1.1\r\n"));
    }

    void shouldTakeNotFoundForAnAnswer()
    {
        WireServer server(answering(httpAnswer(404, "{}")));
        const auto fact = asked(at(server.port()));
        QVERIFY(fact.reachable && !fact.open && fact.id.isEmpty());
    }

    void shouldSayWhyItCouldNotAsk()
    {
        QCOMPARE(asked(at(closedPort())).why, QStringLiteral("offline"));
        QVERIFY(!asked(QStringLiteral("file:///etc/passwd")).reachable);
        QVERIFY(!asked(QString()).reachable);
        WireServer redirect(answering(httpAnswer(302, {}, "Location: /elsewhere\r\n")));
        QCOMPARE(asked(at(redirect.port())).why, QStringLiteral("HTTP 302"));
        QCOMPARE(redirect.connections(), 1);
        WireServer huge(answering(httpAnswer(200, QByteArray(100'000, ' '))));
        QVERIFY(!asked(at(huge.port())).reachable);
    }

    void shouldNotGuess_data()
    {
        QTest::addColumn<QByteArray>("what");
        QTest::addColumn<QByteArray>("by");
        QTest::addColumn<QString>("field");
        const auto row = [](const char* what, const char* by, const char* field) {
            QTest::newRow(by) << QByteArray(what) << QByteArray(by) << QString::fromLatin1(field);
        };
        row(R"("inv_42")", R"("")", "id");
        row(R"("inv_42")", R"("inv\u000042")", "id");
        row(R"("cus_1")", "7", "customer");
        row("1200", "1250.5", "amount_minor");
        row("1200", R"("1200")", "amount_minor");
        row("1200", "0", "amount_minor");
        row("1200", "-1200", "amount_minor");
        row("1200", "1e300", "amount_minor");
        row(R"("EUR")", R"("EURO")", "currency");
        row(R"("EUR")", R"("E1R")", "currency");
        row("true", R"("yes")", "open");
    }
    void shouldNotGuess()
    {
        QFETCH(QByteArray, what);
        QFETCH(QByteArray, by);
        QFETCH(QString, field);
        auto body = invoice;
        const auto fact = readBackendAnswer(200, body.replace(what, by));
        QVERIFY(!fact.reachable);
        QVERIFY2(fact.why.endsWith(field), qPrintable(fact.why));
    }

    void shouldSurviveAnyBytes()
    {
        QVERIFY(rc::check("any bytes", [](const std::string& bytes) {
            const auto fact = readBackendAnswer(200, QByteArray::fromStdString(bytes));
            RC_ASSERT(!fact.reachable || fact.amount.minor > 0);
        }));
    }
};

QTEST_GUILESS_MAIN(tst_backendlookup)
#include "tst_backendlookup.moc"
