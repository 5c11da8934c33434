// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/stripeevent.h"

#include <rapidcheck.h>

#include <QtTest>

using namespace unavez::contract;
using namespace unavez::providers;

namespace {

const QByteArray snapshot
    = R"({"id":"evt_1","object":"event","type":"payment_intent.succeeded","created":1700000000,"livemode":false,)"
      R"("account":"acct_1","request":{"id":"req_1","idempotency_key":"charge:inv_42:a1:confirm"},)"
      R"("data":{"object":{"id":"pi_1","object":"payment_intent","status":"succeeded","amount":1200,"currency":"eur",)"
      R"("customer":"cus_1","metadata":{"intent_key":"charge:inv_42"},"created":1699999999}}})";

QByteArray with(QByteArray body, const QByteArray& what, const QByteArray& by)
{
    if (!body.contains(what))
        qFatal("nothing to replace");
    return body.replace(what, by);
}

std::optional<CausedByUs> caused(const QByteArray& body)
{
    return StripeEventReader().read(QStringLiteral("stripe"), body);
}

} // namespace

class tst_stripeevent : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldReadASnapshotEvent()
    {
        const auto d = readStripeDelivery(snapshot);
        QVERIFY(d.has_value());
        QCOMPARE(d->eventId, QStringLiteral("evt_1"));
        QCOMPARE(d->type, QStringLiteral("payment_intent.succeeded"));
        QCOMPARE(*d->objectId, QStringLiteral("pi_1"));
        QCOMPARE(*d->account, QStringLiteral("acct_1"));
        QCOMPARE(*d->live, false);
        QCOMPARE(d->createdAt->ms, 1'700'000'000'000LL);
        QVERIFY(!d->snapshotId);
    }

    void shouldReadAThinEventWithItsSnapshotsId()
    {
        const auto d = readStripeDelivery(
            R"({"id":"evt_thin","object":"v2.core.event","type":"v1.charge.succeeded","created":"2026-11-30T03:00:00.000Z",)"
            R"("livemode":true,"snapshot_event":"evt_1","related_object":{"id":"ch_1","type":"charge"}})");
        QVERIFY(d.has_value());
        QCOMPARE(*d->snapshotId, QStringLiteral("evt_1"));
        QCOMPARE(*d->objectId, QStringLiteral("ch_1"));
        QCOMPARE(d->createdAt->ms, 1'796'007'600'000LL);
    }

    void shouldTellNoJsonFromNoId_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<bool>("notJson");
        QTest::newRow("empty") << QByteArray() << true;
        QTest::newRow("truncated") << snapshot.left(40) << true;
        QTest::newRow("array") << QByteArray("[1]") << true;
        QTest::newRow("wrong utf-8") << QByteArray("{\"id\":\"\xff\xfe\"}") << true;
        QTest::newRow("too deep") << QByteArray(3000, '[') << true;
        QTest::newRow("no id") << QByteArray("{}") << false;
        QTest::newRow("empty id") << QByteArray(R"({"id":""})") << false;
        QTest::newRow("NUL in the id") << QByteArray(R"({"id":"evt\u0000x"})") << false;
        QTest::newRow("number") << QByteArray(R"({"id":7})") << false;
        QTest::newRow("256 bytes") << QByteArray("{\"id\":\"") + QByteArray(256, 'e') + "\"}" << false;
    }
    void shouldTellNoJsonFromNoId()
    {
        QFETCH(QByteArray, body);
        QFETCH(bool, notJson);
        const auto d = readStripeDelivery(body);
        QVERIFY(!d.has_value());
        QCOMPARE(d.error().notJson, notJson);
    }

    void shouldFindWhatAKeyOfOursCaused()
    {
        const auto c = caused(snapshot);
        QVERIFY(c.has_value());
        QCOMPARE(c->sentKey, QStringLiteral("charge:inv_42:a1:confirm"));
        QCOMPARE(c->object.id, QStringLiteral("pi_1"));
        QVERIFY(c->object.paid);
        QCOMPARE(*c->object.amount, (Money{1200, QStringLiteral("eur")}));
        QCOMPARE(*c->object.intentKey, QStringLiteral("charge:inv_42"));
        QCOMPARE(*c->object.live, false);
        QCOMPARE(c->at.ms, 1'700'000'000'000LL);
    }

    // A charge is a try of its PaymentIntent; the reservation holds the intent.
    void shouldNameAChargesIntent()
    {
        const QByteArray charge
            = R"({"id":"evt_2","type":"charge.failed","created":1700000000,"request":{"idempotency_key":"k"},"data":)"
              R"({"object":{"id":"ch_1","object":"charge","payment_intent":"pi_1","status":"failed","paid":false,)"
              R"("failure_code":"card_declined","amount":5,"currency":"jpy"}}})";
        QCOMPARE(caused(charge)->object.id, QStringLiteral("pi_1"));
        QCOMPARE(caused(charge)->errorCode, QStringLiteral("card_declined"));
        QVERIFY(!caused(charge)->object.paid);
        QCOMPARE(caused(with(charge, R"("pi_1")", R"({"id":"pi_9"})"))->object.id, QStringLiteral("pi_9"));
        QCOMPARE(caused(with(charge, R"("pi_1")", "null"))->object.id, QStringLiteral("ch_1"));
    }

    void shouldTakeNothingElseForEvidence()
    {
        // A fresh intent stands in requires_payment_method: its creation proves no failure.
        QVERIFY(!caused(with(snapshot, "payment_intent.succeeded", "payment_intent.created")));
        QVERIFY(!caused(with(snapshot, "payment_intent.succeeded", "payment_intent.requires_action")));
        QVERIFY(!caused(with(snapshot, "payment_intent.succeeded", "payment_intent.processing")));
        QVERIFY(!caused(with(snapshot, "payment_intent.succeeded", "customer.updated")));
        QVERIFY(!caused(with(snapshot, R"("charge:inv_42:a1:confirm")", "null")));
        QVERIFY(!caused(with(snapshot, R"("created":1700000000)", R"("created":"x")")));
        QVERIFY(!caused({}) && !caused("[]"));
        QVERIFY(!StripeEventReader().read(QStringLiteral("github"), snapshot));
    }

    void shouldSurviveAnyBytes()
    {
        QVERIFY(rc::check("any bytes, and any cut of a real event", [](const std::string& bytes) {
            const auto raw = QByteArray::fromStdString(bytes);
            static_cast<void>(readStripeDelivery(raw));
            static_cast<void>(caused(raw));
            const auto cut = *rc::gen::inRange(0, static_cast<int>(snapshot.size()));
            auto damaged = snapshot;
            damaged[cut] = static_cast<char>(*rc::gen::inRange(0, 255));
            const auto d = readStripeDelivery(damaged);
            if (d)
                RC_ASSERT(!d->eventId.isEmpty() && d->eventId.toUtf8().size() <= 255);
            static_cast<void>(caused(damaged));
            RC_ASSERT(!readStripeDelivery(snapshot.left(cut)));
        }));
    }
};

QTEST_GUILESS_MAIN(tst_stripeevent)
#include "tst_stripeevent.moc"
