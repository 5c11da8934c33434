// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/stripeanswer.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QtTest>

#include <rapidcheck.h>

using namespace unavez::contract;
using namespace unavez::providers;

namespace {

HttpReply reply(int status, const QByteArray& body, const HeaderList& headers = {})
{
    return {status, headers, body, true};
}

// Written with single quotes: what moc makes of raw strings is not to be relied on.
QByteArray json(QByteArray text) { return text.replace('\'', '"'); }

QByteArray intent(const QByteArray& status, const QByteArray& more = {})
{
    const QByteArray fixed = json("{'id':'pi_1','object':'payment_intent','amount':1200,'currency':'eur',"
                                  "'customer':'cus_1','created':1700000000,'livemode':false,"
                                  "'metadata':{'intent_key':'charge:inv_42'}");
    return fixed + ",\"status\":\"" + status + '"' + more + '}';
}

QByteArray failure(const QByteArray& fields) { return "{\"error\":{" + fields + "}}"; }

OutcomeContext confirming(bool unanswered = false)
{
    return {QStringLiteral("charge"), QStringLiteral("confirm"), unanswered};
}

const std::optional<QString> pi1 = QStringLiteral("pi_1");

} // namespace

class tst_stripeanswer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldReadAPaidIntent()
    {
        const auto answer = readStripeAnswer(
            reply(200, intent("succeeded", json(",'latest_charge':'ch_1','last_payment_error':null")),
                {{"Request-Id", "req_1"}, {"Date", "Tue, 14 Nov 2023 22:13:20 GMT"}}),
            pi1);
        QVERIFY(answer);
        QCOMPARE(answer->httpStatus, 200);
        QCOMPARE(answer->requestId, QStringLiteral("req_1"));
        QCOMPARE(answer->date, Instant{1700000000000});
        QVERIFY(!answer->replayed);
        QVERIFY(!answer->shouldRetry);
        QVERIFY(!answer->errorType && !answer->errorCode && !answer->declineCode);
        ProviderObject object;
        object.id = QStringLiteral("pi_1");
        object.type = QStringLiteral("payment_intent");
        object.status = QStringLiteral("succeeded");
        object.paid = true;
        object.amount = Money{1200, QStringLiteral("eur")};
        object.customer = QStringLiteral("cus_1");
        object.intentKey = QStringLiteral("charge:inv_42");
        object.live = false;
        object.createdAt = Instant{1700000000000};
        QCOMPARE(answer->object, object);
        QCOMPARE(classified(*answer, confirming(true)).becomes, ReservationStatus::Done);
    }

    void shouldReadTheHeadersOfAReplay()
    {
        const auto answer = readStripeAnswer(reply(200, intent("succeeded"),
            {{"idempotent-replayed", "true"}, {"Original-Request", "req_0"}, {"request-id", "req_1"},
                {"Stripe-Should-Retry", "false"}, {"Retry-After", "7"}}));
        QVERIFY(answer);
        QVERIFY(answer->replayed);
        QCOMPARE(answer->originalRequestId, QStringLiteral("req_0"));
        QCOMPARE(answer->shouldRetry, false);
        QCOMPARE(answer->retryAfter, Seconds{7});
    }

    void shouldReadNothingFromOddHeaders()
    {
        const auto answer = readStripeAnswer(reply(200, intent("succeeded"),
            {{"Idempotent-Replayed", "perhaps"}, {"Stripe-Should-Retry", "1"}, {"Retry-After", "-1"},
                {"Request-Id", "req 1\x01"}, {"Original-Request", QByteArray(300, 'r')}, {"Date", "yesterday"}}));
        QVERIFY(answer);
        QVERIFY(!answer->replayed);
        QVERIFY(!answer->shouldRetry && !answer->retryAfter && !answer->requestId && !answer->originalRequestId);
        QVERIFY(!answer->date);
        for (const auto* text : {"1e3", "9999999999999999999", "86401", "3.5", ""})
            QVERIFY2(
                !readStripeAnswer(reply(429, failure(json("'type':'x'")), {{"Retry-After", text}}))->retryAfter, text);
    }

    void shouldReadDates_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("ms");
        QTest::newRow("fixdate") << QByteArray("Sun, 06 Nov 1994 08:49:37 GMT") << qint64(784111777000);
        QTest::newRow("leap day") << QByteArray("Thu, 29 Feb 2024 23:59:59 GMT") << qint64(1709251199000);
        QTest::newRow("in the hour New York skips")
            << QByteArray("Sun, 10 Mar 2024 02:30:00 GMT") << qint64(1710037800000);
        QTest::newRow("no leap day") << QByteArray("Wed, 29 Feb 2023 00:00:00 GMT") << qint64(-1);
        QTest::newRow("local") << QByteArray("Sun, 06 Nov 1994 08:49:37 EST") << qint64(-1);
        QTest::newRow("obsolete") << QByteArray("Sunday, 06-Nov-94 08:49:37 GMT") << qint64(-1);
        QTest::newRow("nothing") << QByteArray() << qint64(-1);
    }
    void shouldReadDates()
    {
        QFETCH(QByteArray, text);
        QFETCH(qint64, ms);
        const auto date = readHttpDate(text);
        QCOMPARE(date ? date->ms : -1, ms);
    }

    void shouldReadADecline()
    {
        const auto body = failure(
            json("'type':'card_error','code':'card_declined','decline_code':'insufficient_funds',"
                 "'advice_code':'try_again_later','charge':'ch_1','message':'Your card 4242424242424242 was declined.',"
                 "'payment_intent':")
            + intent("requires_payment_method"));
        const auto answer = readStripeAnswer(reply(402, body), pi1);
        QVERIFY(answer);
        QCOMPARE(answer->errorType, QStringLiteral("card_error"));
        QCOMPARE(answer->errorCode, QStringLiteral("card_declined"));
        QCOMPARE(answer->declineCode, QStringLiteral("insufficient_funds"));
        QCOMPARE(answer->adviceCode, QStringLiteral("try_again_later"));
        QCOMPARE(answer->object->id, QStringLiteral("pi_1"));
        const auto outcome = classified(*answer, confirming());
        QCOMPARE(outcome.outcome, OutcomeClass::DefinitiveFailure);
        QCOMPARE(outcome.objectId, pi1);
        // §1.4: 402 with an object id closes it over an unanswered earlier send, too.
        QCOMPARE(classified(*answer, confirming(true)).becomes, ReservationStatus::Failed);
    }

    void shouldReadADeclineThatComesAsASuccess()
    {
        const auto answer = readStripeAnswer(reply(200,
            intent("requires_payment_method",
                json(",'last_payment_error':{'type':'card_error','code':'card_declined','decline_code':'lost_card',"
                     "'advice_code':'do_not_try_again'}"))));
        QVERIFY(answer);
        QCOMPARE(answer->declineCode, QStringLiteral("lost_card"));
        QCOMPARE(answer->adviceCode, QStringLiteral("do_not_try_again"));
        QCOMPARE(classified(*answer, confirming()).outcome, OutcomeClass::DefinitiveFailure);
    }

    // Some declines carry the network's advice on the charge alone.
    void shouldFindTheAdviceOnTheCharge()
    {
        const auto body = failure(json("'type':'card_error','code':'card_declined','payment_intent':")
            + intent("requires_payment_method",
                json(",'latest_charge':{'id':'ch_1','object':'charge','outcome':{'advice_code':'do_not_try_again'}}")));
        const auto answer = readStripeAnswer(reply(402, body));
        QVERIFY(answer);
        QCOMPARE(answer->adviceCode, QStringLiteral("do_not_try_again"));
    }

    // Trap T3: the words are an error, the object says paid.
    void shouldReadThePaidIntentInsideAnError()
    {
        const auto body = failure(json("'type':'invalid_request_error','code':'payment_intent_unexpected_state',"
                                       "'payment_intent':")
            + intent("succeeded"));
        const auto answer = readStripeAnswer(reply(400, body), pi1);
        QVERIFY(answer);
        const auto outcome = classified(*answer, confirming(true));
        QCOMPARE(outcome.outcome, OutcomeClass::Success);
        QCOMPARE(outcome.objectId, pi1);
    }

    void shouldTellTheErrorsApart_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("fields");
        QTest::addColumn<OutcomeClass>("outcome");
        const auto row = [](const char* name, int status, const QByteArray& fields, OutcomeClass outcome) {
            QTest::newRow(name) << status << fields << outcome;
        };
        row("parameters", 400, json("'type':'invalid_request_error','code':'parameter_missing'"),
            OutcomeClass::DefinitiveFailure);
        row("gone", 404, json("'type':'invalid_request_error','code':'resource_missing'"),
            OutcomeClass::DefinitiveFailure);
        row("other body", 400, json("'type':'idempotency_error'"), OutcomeClass::Mismatch);
        row("in use", 409, json("'type':'invalid_request_error','code':'idempotency_key_in_use'"),
            OutcomeClass::RetryableSameKey);
        row("lock", 400, json("'type':'invalid_request_error','code':'lock_timeout'"), OutcomeClass::RetryableSameKey);
        row("too many", 429, json("'type':'invalid_request_error','code':'rate_limit'"),
            OutcomeClass::RetryableSameKey);
        row("key gone", 401, json("'type':'invalid_request_error'"), OutcomeClass::RetryableSameKey);
        row("cached 500", 500, json("'type':'api_error'"), OutcomeClass::Unknown);
    }
    void shouldTellTheErrorsApart()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, fields);
        QFETCH(OutcomeClass, outcome);
        const auto answer = readStripeAnswer(reply(status, failure(fields)));
        QVERIFY(answer);
        QCOMPARE(classified(*answer, confirming()).outcome, outcome);
    }

    void shouldBelieveTheStatusOfAGateway()
    {
        for (const int status : {501, 502, 503, 504}) {
            const auto answer = readStripeAnswer(reply(status, "<html>Bad gateway</html>", {{"Retry-After", "3"}}));
            QVERIFY(answer);
            QCOMPARE(classified(*answer, confirming()).outcome, OutcomeClass::Unanswered);
            QCOMPARE(answer->retryAfter, Seconds{3});
        }
    }

    void shouldNotTakeARedirectForAnOutcome()
    {
        const auto answer = readStripeAnswer(reply(307, {}, {{"Location", "https://elsewhere.example/"}}));
        QVERIFY(!answer || classified(*answer, confirming()).outcome == OutcomeClass::Unknown);
    }

    // What no reader may turn into an outcome.
    void shouldTakeForeignWordsForNoAnswer_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("a page") << QByteArray("<html><body>403 Forbidden</body></html>");
        QTest::newRow("half") << intent("succeeded").chopped(1);
        QTest::newRow("null") << QByteArray("null");
        QTest::newRow("a list") << QByteArray("[" + intent("succeeded") + "]");
        QTest::newRow("a text") << QByteArray("\"error\"");
        QTest::newRow("an empty object") << QByteArray("{}");
        QTest::newRow("an error that is a text") << QByteArray(json("{'error':'blocked'}"));
        QTest::newRow("an error without a type") << QByteArray(json("{'error':{'message':'blocked'}}"));
        QTest::newRow("a type of another type") << QByteArray(json("{'error':{'type':{'type':'card_error'}}}"));
        QTest::newRow("a type with a NUL") << QByteArray("{\"error\":{\"type\":\"card\\u0000error\"}}");
        QTest::newRow("an empty type") << QByteArray(json("{'error':{'type':''}}"));
        QTest::newRow("a raw NUL") << QByteArray("{\"error\":{\"type\":\"a\0b\"}}", 24);
        QTest::newRow("wrong UTF-8") << QByteArray("{\"error\":{\"type\":\"card_error\",\"code\":\"\xff\xfe\"}}");
        QTest::newRow("deep") << QByteArray(QByteArray("{\"error\":").repeated(5000) + QByteArray("}").repeated(5000));
        QTest::newRow("deep list") << QByteArray(100000, '[');
        QTest::newRow("more after it") << QByteArray(intent("succeeded") + "HTTP/1.1 200 OK");
        QTest::newRow("other object") << QByteArray(json("{'id':'cus_1','object':'customer','status':'succeeded'}"));
        QTest::newRow("setup") << QByteArray(json("{'id':'seti_1','object':'setup_intent','status':'succeeded'}"));
        QTest::newRow("no id") << QByteArray(json("{'object':'payment_intent','status':'succeeded'}"));
        QTest::newRow("no status") << QByteArray(json("{'id':'pi_1','object':'payment_intent'}"));
        QTest::newRow("an id that climbs")
            << QByteArray(json("{'id':'../../v1/refunds','object':'payment_intent','status':'succeeded'}"));
        QTest::newRow("an id of dots") << QByteArray(
            json("{'id':'..','object':'payment_intent','status':'succeeded'}"));
        QTest::newRow("an id with a NUL")
            << QByteArray("{\"id\":\"pi_1\\u0000\",\"object\":\"payment_intent\",\"status\":\"succeeded\"}");
        QTest::newRow("an id that is a number")
            << QByteArray(json("{'id':7,'object':'payment_intent','status':'succeeded'}"));
        QTest::newRow("a very long id") << QByteArray(
            "{\"id\":\"pi_" + QByteArray(100000, '1') + json("','object':'payment_intent','status':'succeeded'}"));
    }
    void shouldTakeForeignWordsForNoAnswer()
    {
        QFETCH(QByteArray, body);
        for (const int status : {200, 201, 400, 401, 402, 403, 404, 409, 429, 451})
            QVERIFY2(!readStripeAnswer(reply(status, body)), QByteArray::number(status).constData());
    }

    // An answer about another object answers another request.
    void shouldTakeAnotherObjectForNoAnswer()
    {
        const auto pi2 = std::optional(QStringLiteral("pi_2"));
        QVERIFY(!readStripeAnswer(reply(200, intent("succeeded")), pi2));
        QVERIFY(!readStripeAnswer(
            reply(400,
                failure(json("'type':'invalid_request_error','code':'payment_intent_unexpected_state',"
                             "'payment_intent':")
                    + intent("succeeded"))),
            pi2));
        QVERIFY(readStripeAnswer(reply(200, intent("succeeded")), pi1));
        QVERIFY(readStripeAnswer(reply(200, intent("requires_confirmation"))));
    }

    void shouldTellACallerOnlyWhatIsAllowed()
    {
        const auto body = intent("succeeded",
            json(",'client_secret':'pi_1_secret_x','latest_charge':'ch_1','receipt_email':'ana@example.com',"
                 "'description':'4242424242424242','payment_method':'pm_1','shipping':{'name':'Ana'},"
                 "'charges':{'data':[{'id':'ch_1'}]}"));
        const auto answer = readStripeAnswer(reply(200, body));
        QVERIFY(answer);
        QCOMPARE(answer->result.keys(),
            (QStringList{QStringLiteral("amount"), QStringLiteral("created"), QStringLiteral("currency"),
                QStringLiteral("id"), QStringLiteral("latest_charge"), QStringLiteral("object"),
                QStringLiteral("status")}));
        // AND nothing but tokens and numbers in them, whatever the provider put there
        const auto odd = readStripeAnswer(reply(200,
            json("{'id':'pi_1','object':'payment_intent','status':'succeeded','latest_charge':{'billing':'Ana'},"
                 "'amount':'1200','currency':'e u r','created':[1]}")));
        QVERIFY(odd);
        QCOMPARE(odd->result.keys(),
            (QStringList{QStringLiteral("id"), QStringLiteral("object"), QStringLiteral("status")}));
        QVERIFY(!odd->object->amount);
    }

    void shouldReadOnlyWholeAmounts()
    {
        for (const auto* amount : {"1200.5", "-1", "\"1200\"", "1e300", "null", "true", "[]"}) {
            const auto answer = readStripeAnswer(reply(200,
                QByteArray(
                    json("{'id':'pi_1','object':'payment_intent','status':'succeeded','currency':'eur','amount':"))
                    + amount + '}'));
            QVERIFY(answer);
            QVERIFY2(!answer->object->amount, amount);
        }
    }

    // Whatever comes: it is read or it is no answer, and nothing unpaid is ever called paid.
    void shouldSurviveRandomBytes()
    {
        QVERIFY(rc::check("random bytes", [](const std::string& bytes) {
            const auto status = *rc::gen::element(200, 307, 400, 402, 409, 500, 503);
            const auto answer = readStripeAnswer(reply(status, QByteArray::fromStdString(bytes)));
            RC_ASSERT(!answer || !answer->object);
        }));
    }

    void shouldSurviveDamagedAnswers()
    {
        const auto whole = failure(json("'type':'invalid_request_error','code':'payment_intent_unexpected_state',"
                                        "'payment_intent':")
            + intent("requires_payment_method"));
        QVERIFY(rc::check("a damaged error", [&whole] {
            auto body = whole;
            const auto hits = *rc::gen::inRange(1, 6);
            for (int i = 0; i < hits; ++i)
                body[*rc::gen::inRange<qsizetype>(0, body.size())] = *rc::gen::arbitrary<char>();
            body.truncate(*rc::gen::inRange<qsizetype>(0, body.size() + 1));
            const auto answer = readStripeAnswer(reply(400, body), pi1);
            if (!answer)
                return;
            RC_ASSERT(classified(*answer, confirming()).outcome != OutcomeClass::Success);
            RC_ASSERT(answer->errorType.has_value());
            RC_ASSERT(!answer->object || answer->object->id == pi1);
        }));
    }
};

QTEST_GUILESS_MAIN(tst_stripeanswer)
#include "tst_stripeanswer.moc"
