// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/arguments.h"
#include "app/sandbox/httpserver.h"
#include "app/sandbox/sender.h"
#include "app/sandbox/serviceconfig.h"
#include "models/signatures/stripe.h"

#include <QJsonDocument>
#include <QtTest>

#include <mutex>

using namespace unavez;
using namespace unavez::sandbox;
using contract::FailureReason;
using contract::Millis;
using contract::Seconds;

namespace {

const QByteArray secret = "whsec_practice_only";

// An edge that verifies as the real one does, and answers 200 or 400.
struct Edge
{
    std::mutex mutex;
    QList<std::optional<FailureReason>> verdicts;
    QList<QByteArray> bodies;
    std::unique_ptr<HttpServer> server = std::move(*HttpServer::listen(
        QStringLiteral("127.0.0.1:0"), [this](const ServedRequest& request, const std::stop_token&) {
            const auto header = request.header("Stripe-Signature");
            const auto verdict = signatures::verifyStripe(header ? QList<QByteArray>{*header} : QList<QByteArray>(),
                request.body, {{QStringLiteral("k1"), secret}}, contract::SystemHostClock().wall());
            const std::scoped_lock lock(mutex);
            verdicts.append(verdict.failure);
            bodies.append(request.body);
            return jsonReply(verdict.verified() ? 200 : 400, {});
        }));

    Delivery delivery() const
    {
        const auto event = invoiceEvent(QStringLiteral("evt_1"), QStringLiteral("invoice.due"),
            QStringLiteral("inv_42"), contract::SystemHostClock().wall());
        return {server->url() + QStringLiteral("/webhooks/stripe"), secret, QJsonDocument(event).toJson(), false,
            Seconds{0}};
    }
};

} // namespace

class tst_sender : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldSignSoThatTheEdgeVerifies()
    {
        Edge edge;
        const auto report = delivered({edge.delivery()}, 1, false);
        QVERIFY(report.allAccepted());
        QVERIFY(!edge.verdicts.first());
        const auto event = QJsonDocument::fromJson(edge.bodies.first()).object();
        QCOMPARE(event.value(QLatin1String("id")).toString(), QStringLiteral("evt_1"));
        QVERIFY(event.value(QLatin1String("livemode")).isBool());
        QVERIFY(!event.value(QLatin1String("livemode")).toBool());
    }

    void shouldSendDuplicatesAtOnce()
    {
        Edge edge;
        const auto report = delivered({edge.delivery()}, 40, true);
        QCOMPARE(report.answers, (QMap<int, int>{{200, 40}}));
        QCOMPARE(QSet<QByteArray>(edge.bodies.begin(), edge.bodies.end()).size(), 1);
    }

    void shouldForgeAndSkew_data()
    {
        QTest::addColumn<bool>("isForged");
        QTest::addColumn<int>("skew");
        QTest::addColumn<FailureReason>("reason");
        QTest::newRow("forged") << true << 0 << FailureReason::Mismatch;
        QTest::newRow("old") << false << -400 << FailureReason::TooOld;
        QTest::newRow("new") << false << 400 << FailureReason::TooNew;
    }

    void shouldForgeAndSkew()
    {
        QFETCH(bool, isForged);
        QFETCH(int, skew);
        QFETCH(FailureReason, reason);
        Edge edge;
        auto delivery = edge.delivery();
        delivery.isForged = isForged;
        delivery.skew = Seconds{skew};
        const auto report = delivered({delivery}, 2, false);
        QVERIFY(!report.allAccepted());
        QCOMPARE(report.answers, (QMap<int, int>{{400, 2}}));
        QCOMPARE(edge.verdicts.first(), std::optional(reason));
    }

    void shouldTellWhereNobodyAnswered()
    {
        auto delivery = Edge().delivery(); // its edge is gone
        const auto report = delivered({delivery}, 2, true);
        QCOMPARE(report.unanswered, 2);
        QVERIFY(!report.allAccepted());
    }

    void shouldMakeEventIdsOfTheirOwn()
    {
        QVERIFY(freshEventId() != freshEventId());
        QCOMPARE(freshEventId().size(), 28);
    }

    void shouldReadDurations_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("ms"); // 0: refused
        QTest::newRow("20min") << "20min" << qint64{1'200'000};
        QTest::newRow("20 m") << "20 m" << qint64{1'200'000};
        QTest::newRow("25h") << "25h" << qint64{90'000'000};
        QTest::newRow("1d 2h30min") << "1d 2h30min" << qint64{95'400'000};
        QTest::newRow("500ms") << "500ms" << qint64{500};
        QTest::newRow("-2h") << "-2h" << qint64{-7'200'000};
        QTest::newRow("20") << "20" << qint64{0};
        QTest::newRow("empty") << "" << qint64{0};
        QTest::newRow("20 parsecs") << "20 parsecs" << qint64{0};
        QTest::newRow("99999999999h") << "99999999999h" << qint64{0};
    }

    void shouldReadDurations()
    {
        QFETCH(QString, text);
        QFETCH(qint64, ms);
        const auto read = durationOf(text);
        QCOMPARE(read.has_value(), ms != 0);
        if (read)
            QCOMPARE(read->count(), ms);
    }

    void shouldQuoteWhatTheConfigurationHolds()
    {
        ServiceConfig config;
        config.store = QStringLiteral("sqlite:///tmp/a \"b\"\\c.db");
        config.account = QStringLiteral("acct_1");
        const auto toml = tomlOf(config);
        QVERIFY(toml.contains("url = \"sqlite:///tmp/a \\\"b\\\"\\\\c.db\"\n"));
        QVERIFY(toml.contains("max_attempts = 1\n"));
        QVERIFY(toml.contains("backend = \"/invoices/{invoice_id}\"\n"));
    }
};

QTEST_GUILESS_MAIN(tst_sender)
#include "tst_sender.moc"
