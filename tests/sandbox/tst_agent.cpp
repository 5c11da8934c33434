// SPDX-License-Identifier: GPL-3.0-or-later
// The agent against a scripted gate, and the backend it charges for.
#include "app/sandbox/agent.h"
#include "app/sandbox/backend.h"
#include "app/sandbox/webrequest.h"

#include <QJsonDocument>
#include <QtTest>

#include <mutex>

using namespace unavez::sandbox;
using unavez::contract::Millis;

namespace {

QJsonObject job(const QString& invoice)
{
    return {{QStringLiteral("job"), 7}, {QStringLiteral("event_id"), QStringLiteral("evt_1")},
        {QStringLiteral("payload"),
            QJsonObject{{QStringLiteral("data"),
                QJsonObject{{QStringLiteral("object"), QJsonObject{{QStringLiteral("id"), invoice}}}}}}}};
}

// A gate that always says the same, and remembers what it was asked.
struct Gate
{
    ServedReply reply;
    std::mutex mutex;
    QList<ServedRequest> asked;
    std::unique_ptr<HttpServer> server = std::move(*HttpServer::listen(
        QStringLiteral("127.0.0.1:0"), [this](const ServedRequest& request, const std::stop_token&) {
            const std::scoped_lock lock(mutex);
            asked.append(request);
            return reply;
        }));
};

ServedRequest run(const QJsonObject& body)
{
    return {
        "POST", QStringLiteral("/run"), {}, {{"Unavez-Job", "7"}, {"Unavez-Lease", "3"}}, QJsonDocument(body).toJson()};
}

} // namespace

class tst_agent : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldAskTheGateUnderItsJob()
    {
        // GIVEN a gate that has done it
        Gate gate;
        gate.reply = jsonReply(200, {{QStringLiteral("status"), QStringLiteral("done")}});
        Agent agent({[&] { return gate.server->url(); }, "secret-token", 3, Millis{0}});
        // WHEN the worker hands a job over
        const auto answer = agent.respond(run(job(QStringLiteral("inv_42"))), {});
        // THEN it asked as often as it is forgetful, with the worker's headers
        QCOMPARE(answer.status, 200);
        QCOMPARE(gate.asked.size(), 3);
        const auto& asked = gate.asked.first();
        QCOMPARE(asked.path, QStringLiteral("/tools/charge_customer"));
        QCOMPARE(asked.header("unavez-job"), std::optional(QByteArray("7")));
        QCOMPARE(asked.header("Unavez-Lease"), std::optional(QByteArray("3")));
        QCOMPARE(asked.header("Authorization"), std::optional(QByteArray("Bearer secret-token")));
        QCOMPARE(QJsonDocument::fromJson(asked.body).object(),
            (QJsonObject{{QStringLiteral("invoice_id"), QStringLiteral("inv_42")}}));
    }

    void shouldAnswerTheWorkerByWhatTheGateSaid_data()
    {
        QTest::addColumn<int>("gate");
        QTest::addColumn<QString>("word"); // status, or an error's reason
        QTest::addColumn<int>("worker");
        QTest::newRow("done") << 200 << "done" << 200;
        QTest::newRow("in progress") << 200 << "in_progress" << 409;
        QTest::newRow("failed") << 200 << "failed" << 422;
        QTest::newRow("unknown") << 200 << "unknown_outcome" << 422;
        QTest::newRow("a word it does not know") << 200 << "perhaps" << 500;
        QTest::newRow("bad arguments") << 400 << "bad_arguments" << 422;
        QTest::newRow("token") << 401 << "" << 500;
        QTest::newRow("no such tool") << 404 << "unknown_tool" << 500;
        QTest::newRow("not due") << 422 << "not_due" << 422;
        QTest::newRow("lease lost") << 422 << "lease_lost" << 500;
        QTest::newRow("held") << 503 << "held" << 409;
    }

    void shouldAnswerTheWorkerByWhatTheGateSaid()
    {
        QFETCH(int, gate);
        QFETCH(QString, word);
        QFETCH(int, worker);
        const QJsonObject body = gate == 200
            ? QJsonObject{{QStringLiteral("status"), word}, {QStringLiteral("retry_after_ms"), 2100}}
            : QJsonObject{{QStringLiteral("error"), QJsonObject{{QStringLiteral("reason"), word}}}};
        const auto answer = answerFor(gate, body, gate == 503 ? std::optional(9) : std::nullopt);
        QCOMPARE(answer.status, worker);
        const bool isLater = worker == 409;
        QCOMPARE(answer.headers.size(), isLater ? 1 : 0);
        if (isLater)
            QCOMPARE(answer.headers.first().second, gate == 503 ? QByteArray("9") : QByteArray("3"));
    }

    void shouldFailWhereTheGateIsAway()
    {
        QString url;
        {
            const Gate gate;
            url = gate.server->url();
        }
        Agent agent({[&] { return url; }, "t", 1, Millis{0}});
        QCOMPARE(agent.respond(run(job(QStringLiteral("inv_1"))), {}).status, 500);
    }

    void shouldRejectAJobThatNamesNoInvoice()
    {
        Agent agent({[] { return QString(); }, "t", 1, Millis{0}});
        QCOMPARE(agent.respond(run({}), {}).status, 422);
        QCOMPARE(invoiceOf({{QStringLiteral("payload"), QJsonValue()},
                     {QStringLiteral("object_id"), QStringLiteral("inv_9")}}),
            QStringLiteral("inv_9"));
    }

    void shouldKnowAnInvoiceByCarelessSpellings_data()
    {
        QTest::addColumn<QString>("spelled");
        for (const auto* const spelled : {"inv_42", "INV_42", "inv_42 ", "42"})
            QTest::newRow(spelled) << QString::fromLatin1(spelled);
    }

    void shouldKnowAnInvoiceByCarelessSpellings()
    {
        QFETCH(QString, spelled);
        Backend backend(practiceInvoices());
        const auto reply = backend.respond({"GET", QStringLiteral("/invoices/") + spelled, {}, {}, {}});
        QCOMPARE(reply.status, 200);
        const auto invoice = QJsonDocument::fromJson(reply.body).object();
        QCOMPARE(invoice.value(QLatin1String("id")).toString(), QStringLiteral("inv_42"));
        QCOMPARE(invoice.keys(),
            QStringList({QStringLiteral("amount_minor"), QStringLiteral("currency"), QStringLiteral("customer"),
                QStringLiteral("id"), QStringLiteral("open")}));
    }

    void shouldChangeAndMakeInvoices()
    {
        Backend backend(practiceInvoices());
        const auto put = [&](const QString& id, const QByteArray& body) {
            return backend.respond({"PUT", QStringLiteral("/invoices/") + id, {}, {}, body});
        };
        QCOMPARE(put(QStringLiteral("inv_42"), R"({"open":false})").status, 200);
        const auto read = backend.respond({"GET", QStringLiteral("/invoices/inv_42"), {}, {}, {}});
        QVERIFY(!QJsonDocument::fromJson(read.body).object().value(QLatin1String("open")).toBool());
        QCOMPARE(put(QStringLiteral("inv_77"), R"({"customer":"cus_77"})").status, 400);
        QCOMPARE(
            put(QStringLiteral("inv_77"), R"({"customer":"cus_77","amount_minor":5,"currency":"eur"})").status, 200);
        QCOMPARE(put(QStringLiteral("in/v"), "{}").status, 404);
        QCOMPARE(put(QStringLiteral("bill_7"), "{}").status, 400);
        QCOMPARE(backend.respond({"GET", QStringLiteral("/invoices/inv_404"), {}, {}, {}}).status, 404);
    }
};

QTEST_GUILESS_MAIN(tst_agent)
#include "tst_agent.moc"
