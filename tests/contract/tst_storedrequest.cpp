// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/storedrequest.h"

#include <QtTest>

using namespace unavez::contract;

namespace {

StoredRequest sample()
{
    return {{{QStringLiteral("create"), QStringLiteral("POST"), QStringLiteral("/v1/payment_intents"),
                 {{"Content-Type", "application/x-www-form-urlencoded"}}, "amount=1200&currency=eur"},
        {QStringLiteral("confirm"), QStringLiteral("POST"), QStringLiteral("/v1/payment_intents/{object}/confirm"), {},
            QByteArray("\0\xff", 2)}}};
}

} // namespace

class tst_storedrequest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Golden: what an older release stored must decode to the same bytes for ever (contract.md §10.5.2).
    void shouldKeepItsStoredForm()
    {
        const QByteArray golden
            = R"({"steps":[{"body":"YW1vdW50PTEyMDAmY3VycmVuY3k9ZXVy","headers":[["Content-Type","application/x-www-form-urlencoded"]],"method":"POST","path":"/v1/payment_intents","step":"create"},{"body":"AP8=","headers":[],"method":"POST","path":"/v1/payment_intents/{object}/confirm","step":"confirm"}],"v":1})";
        QCOMPARE(encoded(sample()), golden);
        QCOMPARE(*decodedRequest(golden), sample());
    }

    void shouldRefuseDamagedBytes_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const auto good = encoded(sample());
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("truncated") << good.left(good.size() / 2);
        QTest::newRow("other version") << QByteArray(good).replace("\"v\":1", "\"v\":2");
        QTest::newRow("no steps") << QByteArray(R"({"steps":[],"v":1})");
        QTest::newRow("not base64") << QByteArray(good).replace("AP8=", "A?8=");
    }
    void shouldRefuseDamagedBytes()
    {
        QFETCH(QByteArray, bytes);
        const auto decoded = decodedRequest(bytes);
        QVERIFY(!decoded);
        QCOMPARE(decoded.error().kind, Error::Kind::Corrupt);
    }

    void shouldSpellEqualObjectsAlike()
    {
        const QJsonObject one{{QStringLiteral("b"), 1}, {QStringLiteral("a"), 2}};
        const QJsonObject two{{QStringLiteral("a"), 2}, {QStringLiteral("b"), 1}};
        QCOMPARE(canonicalJson(one), QByteArray(R"({"a":2,"b":1})"));
        QCOMPARE(canonicalJson(one), canonicalJson(two));
    }
};

QTEST_GUILESS_MAIN(tst_storedrequest)
#include "tst_storedrequest.moc"
