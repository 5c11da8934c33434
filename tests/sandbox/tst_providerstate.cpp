// SPDX-License-Identifier: GPL-3.0-or-later
// The documented idempotency behaviour (contract.md §1.3) and one success per intent (§0 K10), without a socket.
#include "app/sandbox/providerstate.h"

#include <QJsonDocument>
#include <QtTest>

using namespace unavez::sandbox;
using unavez::contract::Instant;
using unavez::contract::Millis;

namespace {

const Instant start{1'700'000'000'000};
constexpr Millis day{24LL * 60 * 60 * 1000};
const auto account = QStringLiteral("acct_1");

ApiRequest post(const QString& path, const QByteArray& body, const char* key, const QString& of = account)
{
    return {"POST", path, {}, body, of, key ? std::optional(QString::fromLatin1(key)) : std::nullopt};
}

ApiRequest reading(const QString& path, const QByteArray& query = {})
{
    return {"GET", path, query, {}, account, std::nullopt};
}

QJsonObject bodyOf(const ServedAnswer& answer) { return QJsonDocument::fromJson(answer.body).object(); }

QString errorField(const ServedAnswer& answer, const char* name)
{
    return bodyOf(answer).value(QLatin1String("error")).toObject().value(QLatin1String(name)).toString();
}

// A provider with one paying customer, and the calls a client makes on it.
struct Bench
{
    ProviderState state{{account, QStringLiteral("acct_2")}, QStringLiteral("t")};
    Instant now = start;
    Customer payer = state.replaceCard(account, QStringLiteral("cus_1"), {});

    ServedAnswer ask(const ApiRequest& request, const Twist& twist = {})
    {
        auto begun = state.begin(request, now);
        if (const auto* answer = std::get_if<ServedAnswer>(&begun))
            return *answer;
        return state.finish(std::get<Ticket>(begun), twist);
    }
    QString createIntent(const char* key = "charge:inv_1:a1:create")
    {
        return ask(post(QStringLiteral("/v1/payment_intents"),
                       "amount=1200&currency=eur&customer=cus_1&metadata[intent_key]=charge%3Ainv_1", key))
            .objectId;
    }
    ApiRequest confirming(const QString& intent, const char* key) const
    {
        return post(QStringLiteral("/v1/payment_intents/%1/confirm").arg(intent),
            "payment_method=" + payer.method.id.toUtf8(), key);
    }
};

} // namespace

class tst_providerstate : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldReplayTheFirstAnswerUnderItsKey()
    {
        // GIVEN a confirmed intent
        Bench bench;
        const auto intent = bench.createIntent();
        const auto first = bench.ask(bench.confirming(intent, "k"));
        QCOMPARE(first.status, 200);
        QVERIFY(first.isEffect);
        QVERIFY(!first.isReplayed);
        // WHEN the same request comes again
        const auto again = bench.ask(bench.confirming(intent, "k"));
        // THEN it is answered from the shelf
        QCOMPARE(again.status, 200);
        QCOMPARE(again.body, first.body);
        QVERIFY(again.isReplayed);
        QVERIFY(!again.isEffect);
        QCOMPARE(again.originalRequestId, std::optional(first.requestId));
        QVERIFY(again.requestId != first.requestId);
    }

    void shouldReplayWhateverOrderTheParametersCome()
    {
        Bench bench;
        const auto path = QStringLiteral("/v1/payment_intents");
        const auto first = bench.ask(post(path, "amount=5&currency=eur&customer=cus_1", "k"));
        const auto again = bench.ask(post(path, "customer=cus_1&currency=eur&amount=5", "k"));
        QVERIFY(again.isReplayed);
        QCOMPARE(again.objectId, first.objectId);
    }

    void shouldRefuseAKeyWithOtherParameters()
    {
        Bench bench;
        const auto path = QStringLiteral("/v1/payment_intents");
        QCOMPARE(bench.ask(post(path, "amount=5&currency=eur", "k")).status, 200);
        const auto other = bench.ask(post(path, "amount=6&currency=eur", "k"));
        QCOMPARE(other.status, 400);
        QCOMPARE(errorField(other, "type"), QStringLiteral("idempotency_error"));
        QVERIFY(!other.isReplayed);
    }

    void shouldRefuseAKeyThatIsInUse()
    {
        // GIVEN a request that still executes
        Bench bench;
        const auto request = post(QStringLiteral("/v1/payment_intents"), "amount=5&currency=eur", "k");
        const auto running = bench.state.begin(request, bench.now);
        QVERIFY(std::holds_alternative<Ticket>(running));
        // WHEN its key comes again
        const auto second = bench.ask(request);
        // THEN it is a conflict, which is not kept
        QCOMPARE(second.status, 409);
        QCOMPARE(errorField(second, "code"), QStringLiteral("idempotency_key_in_use"));
        const auto first = bench.state.finish(std::get<Ticket>(running), {});
        const auto third = bench.ask(request);
        QVERIFY(third.isReplayed);
        QCOMPARE(third.objectId, first.objectId);
    }

    void shouldKeepKeysByAccount()
    {
        Bench bench;
        const auto path = QStringLiteral("/v1/payment_intents");
        const auto one = bench.ask(post(path, "amount=5&currency=eur", "k"));
        const auto two = bench.ask(post(path, "amount=6&currency=eur", "k", QStringLiteral("acct_2")));
        QCOMPARE(two.status, 200);
        QVERIFY(!two.isReplayed);
        QVERIFY(one.objectId != two.objectId);
    }

    void shouldForgetAKeyAtExactlyADay_data()
    {
        QTest::addColumn<qint64>("age");
        QTest::addColumn<bool>("isReplayed");
        QTest::newRow("a millisecond before") << qint64{day.count() - 1} << true;
        QTest::newRow("exactly") << qint64{day.count()} << false;
        QTest::newRow("after") << qint64{day.count() + 1} << false;
    }

    void shouldForgetAKeyAtExactlyADay()
    {
        QFETCH(qint64, age);
        QFETCH(bool, isReplayed);
        const auto request = post(QStringLiteral("/v1/payment_intents"), "amount=5&currency=eur", "k");
        // by waiting
        Bench waited;
        waited.ask(request);
        waited.now = start + Millis{age};
        QCOMPARE(waited.ask(request).isReplayed, isReplayed);
        // and by ageing
        Bench aged;
        aged.ask(request);
        aged.state.shift(Millis{-age});
        QCOMPARE(aged.ask(request).isReplayed, isReplayed);
    }

    void shouldChargeAnIntentOnce()
    {
        // GIVEN a paid intent
        Bench bench;
        const auto intent = bench.createIntent();
        QVERIFY(bench.ask(bench.confirming(intent, "a1")).isEffect);
        // WHEN another key confirms it
        const auto other = bench.ask(bench.confirming(intent, "a2"));
        // THEN nothing moves and the paid intent is embedded
        QCOMPARE(other.status, 400);
        QVERIFY(!other.isEffect);
        QCOMPARE(errorField(other, "code"), QStringLiteral("payment_intent_unexpected_state"));
        const auto embedded
            = bodyOf(other).value(QLatin1String("error")).toObject().value(QLatin1String("payment_intent")).toObject();
        QCOMPARE(embedded.value(QLatin1String("status")).toString(), QStringLiteral("succeeded"));
        // and the refusal is kept: execution had begun
        QVERIFY(bench.ask(bench.confirming(intent, "a2")).isReplayed);
    }

    void shouldChargeOnceEvenWhereAKeyIsPruned()
    {
        Bench bench;
        const auto intent = bench.createIntent();
        QVERIFY(bench.ask(bench.confirming(intent, "a1")).isEffect);
        bench.state.dropKey(account, QStringLiteral("a1"));
        const auto again = bench.ask(bench.confirming(intent, "a1"));
        QVERIFY(!again.isReplayed);
        QVERIFY(!again.isEffect);
        QCOMPARE(again.status, 400);
    }

    void shouldReplayADeclineAndChargeAReplacedCard()
    {
        // GIVEN a card that is declined
        Bench bench;
        const auto intent = bench.createIntent();
        bench.payer = bench.state.replaceCard(
            account, QStringLiteral("cus_1"), {{}, false, QStringLiteral("insufficient_funds"), {}});
        const auto declined = bench.ask(bench.confirming(intent, "a1"));
        QCOMPARE(declined.status, 402);
        QCOMPARE(errorField(declined, "decline_code"), QStringLiteral("insufficient_funds"));
        QVERIFY(!declined.isEffect);
        QCOMPARE(bodyOf(bench.ask(reading(QStringLiteral("/v1/payment_intents/") + intent)))
                     .value(QLatin1String("status"))
                     .toString(),
            QStringLiteral("requires_payment_method"));
        // WHEN the card is replaced
        const auto old = bench.confirming(intent, "a1");
        bench.payer = bench.state.replaceCard(account, QStringLiteral("cus_1"), {});
        // THEN the old key still declines, and a new one pays
        const auto replayed = bench.ask(old);
        QVERIFY(replayed.isReplayed);
        QCOMPARE(replayed.status, 402);
        QVERIFY(bench.ask(bench.confirming(intent, "a2")).isEffect);
    }

    void shouldKeepA500AndItsEffect_data()
    {
        QTest::addColumn<bool>("charged");
        QTest::newRow("charged") << true;
        QTest::newRow("not charged") << false;
    }

    void shouldKeepA500AndItsEffect()
    {
        QFETCH(bool, charged);
        Bench bench;
        const auto intent = bench.createIntent();
        const auto broken = bench.ask(bench.confirming(intent, "a1"), {{}, charged});
        QCOMPARE(broken.status, 500);
        QCOMPARE(broken.isEffect, charged);
        QCOMPARE(broken.shouldRetry, std::optional(false));
        const auto again = bench.ask(bench.confirming(intent, "a1"));
        QVERIFY(again.isReplayed);
        QCOMPARE(again.status, 500);
        QVERIFY(!again.isEffect);
        const auto status = bodyOf(bench.ask(reading(QStringLiteral("/v1/payment_intents/") + intent)))
                                .value(QLatin1String("status"))
                                .toString();
        QCOMPARE(status == QLatin1String("succeeded"), charged);
        // and the events tell what happened, under our key
        QCOMPARE(bench.state.events(QStringLiteral("a1"), QStringLiteral("charge.succeeded")).size(), charged ? 1 : 0);
    }

    void shouldNotKeepWhatNeverBegan_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("param");
        QTest::newRow("no amount") << QByteArray("currency=eur") << QStringLiteral("amount");
        QTest::newRow("no number") << QByteArray("amount=1x&currency=eur") << QStringLiteral("amount");
        QTest::newRow("nothing") << QByteArray("amount=0&currency=eur") << QStringLiteral("amount");
        QTest::newRow("currency") << QByteArray("amount=1&currency=EURO") << QStringLiteral("currency");
        QTest::newRow("unknown") << QByteArray("amount=1&currency=eur&colour=red") << QStringLiteral("colour");
        QTest::newRow("customer") << QByteArray("amount=1&currency=eur&customer=cus_9") << QStringLiteral("customer");
    }

    void shouldNotKeepWhatNeverBegan()
    {
        QFETCH(QByteArray, body);
        QFETCH(QString, param);
        Bench bench;
        const auto path = QStringLiteral("/v1/payment_intents");
        const auto refused = bench.ask(post(path, body, "k"));
        QCOMPARE(refused.status, 400);
        QCOMPARE(errorField(refused, "param"), param);
        // the key is free: the mended request takes it
        const auto mended = bench.ask(post(path, "amount=1&currency=eur", "k"));
        QCOMPARE(mended.status, 200);
        QVERIFY(!mended.isReplayed);
    }

    void shouldNotKeepWhatTheRateLimiterRefused()
    {
        Bench bench;
        const auto refused = bench.state.refuse(429, {});
        QCOMPARE(refused.status, 429);
        QVERIFY(refused.retryAfter);
        QVERIFY(!bench.ask(post(QStringLiteral("/v1/payment_intents"), "amount=1&currency=eur", "k")).isReplayed);
    }

    void shouldRefuseAMissingMethodWithoutKeepingIt()
    {
        Bench bench;
        const auto intent = bench.createIntent();
        const auto path = QStringLiteral("/v1/payment_intents/%1/confirm").arg(intent);
        QCOMPARE(bench.ask(post(path, "payment_method=pm_gone", "a1")).status, 400);
        QVERIFY(bench.ask(bench.confirming(intent, "a1")).isEffect);
    }

    void shouldListNewestFirstInPages()
    {
        Bench bench;
        QStringList made;
        for (int i = 0; i < 5; ++i) {
            bench.now = bench.now + Millis{i % 2}; // two share a millisecond
            made.prepend(bench.createIntent(nullptr));
        }
        const auto path = QStringLiteral("/v1/payment_intents");
        QStringList listed;
        QByteArray query = "customer=cus_1&limit=2";
        for (int page = 0; page < 3; ++page) {
            const auto body = bodyOf(bench.ask(reading(path, query)));
            for (const auto& row : body.value(QLatin1String("data")).toArray())
                listed.append(row.toObject().value(QLatin1String("id")).toString());
            QCOMPARE(body.value(QLatin1String("has_more")).toBool(), page < 2);
            query = "customer=cus_1&limit=2&starting_after=" + listed.last().toUtf8();
        }
        QCOMPARE(listed, made);
        QCOMPARE(bodyOf(bench.ask(reading(path, "customer=cus_2"))).value(QLatin1String("data")).toArray().size(), 0);
        QCOMPARE(bench.ask(reading(path, "limit=1000")).status, 400);
    }

    void shouldShowTheCardACustomerHasNow()
    {
        Bench bench;
        const auto path = QStringLiteral("/v1/customers/cus_1/payment_methods");
        const auto shown = [&] {
            return bodyOf(bench.ask(reading(path)))
                .value(QLatin1String("data"))
                .toArray()
                .first()
                .toObject()
                .value(QLatin1String("id"))
                .toString();
        };
        QCOMPARE(shown(), bench.payer.method.id);
        const auto replaced = bench.state.replaceCard(account, QStringLiteral("cus_1"), {});
        QVERIFY(replaced.method.id != bench.payer.method.id);
        QCOMPARE(shown(), replaced.method.id);
        QCOMPARE(bench.ask(reading(QStringLiteral("/v1/customers/cus_9/payment_methods"))).status, 404);
    }

    void shouldTellWhoseCredentialItIs()
    {
        const Bench bench;
        QCOMPARE(bench.state.accountOf("Bearer " + ProviderState::credentialOf(QStringLiteral("acct_2"))),
            std::optional(QStringLiteral("acct_2")));
        QVERIFY(!bench.state.accountOf("Bearer sk_practice_acct_3"));
        QVERIFY(!bench.state.accountOf({}));
    }

    void shouldComeBackFromItsRecords()
    {
        // GIVEN a provider whose changes were kept one by one
        Bench bench;
        QList<QJsonObject> journal{bench.state.snapshot(bench.now)};
        static_cast<void>(bench.state.takeChanges());
        const auto intent = bench.createIntent();
        journal.append(bench.state.takeChanges());
        QVERIFY(bench.ask(bench.confirming(intent, "a1")).isEffect);
        bench.state.note({bench.now, account, QStringLiteral("a1"), QStringLiteral("POST"), QStringLiteral("/v1/x"), {},
            false, 200, intent, true});
        journal.append(bench.state.takeChanges());
        QCOMPARE(journal.last().value(QLatin1String("ledger")).toArray().size(), 1);
        bench.state.shift(Millis{-1000});
        journal.append(bench.state.takeChanges());
        QVERIFY(bench.state.takeChanges().isEmpty());
        // WHEN another takes them
        ProviderState other({account}, QStringLiteral("u"));
        for (const auto& record : journal)
            other.apply(record);
        // THEN it is the same provider
        QCOMPARE(other.snapshot(bench.now), bench.state.snapshot(bench.now));
        QVERIFY(other.takeChanges().isEmpty());
        const auto again = other.begin(bench.confirming(intent, "a1"), bench.now);
        QVERIFY(std::get<ServedAnswer>(again).isReplayed);
    }

    void shouldReadFormsOfAnyKind()
    {
        QCOMPARE(Form::parsed("a=%C3%A1+b&c")->value(QStringLiteral("a")), std::optional(QStringLiteral("á b")));
        QCOMPARE(Form::parsed("a[x]=1&a[y]=2")->under(QStringLiteral("a")).size(), 2);
        QVERIFY(!Form::parsed("a=%G1"));
        QVERIFY(!Form::parsed("a=%C3"));
        QVERIFY(!Form::parsed("=1"));
        QVERIFY(!Form::parsed(QByteArray("a=1&").repeated(300)));
    }
};

QTEST_GUILESS_MAIN(tst_providerstate)
#include "tst_providerstate.moc"
