// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/signatures/stripe.h"

#include <QtTest>

#include <rapidcheck.h>

using namespace unavez::contract;
using namespace unavez::signatures;

namespace {

const QByteArray body = R"({"id":"evt_test_webhook","object":"event"})";
constexpr qint64 t = 1700000000;
const Instant now{t * 1000};
const QByteArray right = "d95c6b7477fbd7e9f90b1b0ef5f9c7ac25abca5382460e0d988c2b2a5b71b990"; // of whsec_test_secret
const QByteArray old = "e016b64cc4263f90e0336f3975e8d4ac9cc185935edc3ebdd405db64ad0bb1c5"; // of whsec_old_secret
const QByteArray wrong(64, '0');

SigningSecret secret(const QByteArray& value = "whsec_test_secret", const QString& id = QStringLiteral("k1"))
{
    return {id, value, {}, Instant::never()};
}

QByteArray header(const QByteArray& v1) { return "t=1700000000,v1=" + v1; }

Verdict verify(const QByteArray& value, const QList<SigningSecret>& secrets = {secret()}, Instant at = now)
{
    return verifyStripe({value}, body, secrets, at);
}

bool holds(const std::function<void()>& property) { return rc::check(property); }

} // namespace

class tst_stripe : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // The vectors of contract.md §1.1.
    void shouldVerifyTheVectors()
    {
        QVERIFY(verify(header(right)).verified());
        QVERIFY(verify(header(old), {secret("whsec_old_secret")}).verified());
        QCOMPARE(signedByStripe(body, {"whsec_test_secret", "whsec_old_secret"}, now),
            "t=1700000000,v1=" + right + ",v1=" + old);
    }

    void shouldSayWhichKeyVerified()
    {
        const QList<SigningSecret> both{
            secret("whsec_old_secret", QStringLiteral("old")), secret("whsec_test_secret", QStringLiteral("new"))};
        QCOMPARE(verify(header(right), both).keyId, QStringLiteral("new"));
        QCOMPARE(verify(header(old), both).keyId, QStringLiteral("old"));
        QCOMPARE(verify(header(right)).signedAt, std::optional(now));
    }

    // Scenario 4.
    void shouldPassARolledHeader()
    {
        QVERIFY(verify("t=1700000000,v1=" + wrong + ",v1=" + right + ",v0=00").verified());
    }

    void shouldRefuse_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<FailureReason>("reason");
        const auto row = [](const char* name, const QByteArray& value, FailureReason reason) {
            QTest::newRow(name) << value << reason;
        };
        row("empty", "", FailureReason::MissingHeader);
        row("blank", " \t ", FailureReason::MissingHeader);
        row("only v0", "t=1700000000,v0=" + right, FailureReason::NoSupportedScheme);
        row("no scheme", "t=1700000000", FailureReason::NoSupportedScheme);
        row("no t", "v1=" + right, FailureReason::MalformedHeader);
        row("two t", "t=1700000000,t=1700000000,v1=" + right, FailureReason::MalformedHeader);
        row("t empty", "t=,v1=" + right, FailureReason::MalformedHeader);
        row("t not a number", "t=17e8,v1=" + right, FailureReason::MalformedHeader);
        row("t negative", "t=-1,v1=" + right, FailureReason::MalformedHeader);
        row("t beyond all time", "t=99999999999999999999,v1=" + right, FailureReason::MalformedHeader);
        row("no equals sign", "t=1700000000,v1", FailureReason::MalformedHeader);
        row("a NUL in t", QByteArray("t=17000000\0,v1=", 15) + right, FailureReason::MalformedHeader);
        row("huge", "t=1700000000,v1=" + QByteArray(10 * 1024 * 1024, 'a'), FailureReason::MalformedHeader);
        row("too many signatures", "t=1700000000" + (",v1=" + right).repeated(33), FailureReason::MalformedHeader);
        row("wrong", header(wrong), FailureReason::Mismatch);
        row("not hex", header(QByteArray(64, 'z')), FailureReason::Mismatch);
        row("upper case", header(right.toUpper()), FailureReason::Mismatch);
        row("truncated", header(right.left(63)), FailureReason::Mismatch);
        row("empty signature", header(""), FailureReason::Mismatch);
        row("followed by a NUL", header(right + QByteArray(1, '\0')), FailureReason::Mismatch);
        row("other t", "t=1700000001,v1=" + right, FailureReason::Mismatch);
        row("t spelled otherwise", "t=01700000000,v1=" + right, FailureReason::Mismatch);
    }
    void shouldRefuse()
    {
        QFETCH(QByteArray, value);
        QFETCH(FailureReason, reason);
        const auto verdict = verify(value);
        QCOMPARE(verdict.failure, std::optional(reason));
        QVERIFY(verdict.keyId.isEmpty());
    }

    void shouldRefuseNoHeaderAndTwo()
    {
        QCOMPARE(verifyStripe({}, body, {secret()}, now).failure, std::optional(FailureReason::MissingHeader));
        QCOMPARE(verifyStripe({header(right), header(right)}, body, {secret()}, now).failure,
            std::optional(FailureReason::MalformedHeader));
    }

    void shouldRefuseAReserialisedBody()
    {
        const QByteArray reserialised = R"({"object":"event","id":"evt_test_webhook"})";
        QCOMPARE(verifyStripe({header(right)}, reserialised, {secret()}, now).failure,
            std::optional(FailureReason::Mismatch));
        QCOMPARE(verifyStripe({header(right)}, {}, {secret()}, now).failure, std::optional(FailureReason::Mismatch));
    }

    void shouldBoundTheSkewInBothDirections()
    {
        const auto at
            = [](qint64 seconds) { return verify(header(right), {secret()}, {(t + seconds) * 1000}).failure; };
        QCOMPARE(at(300), std::optional<FailureReason>());
        QCOMPARE(at(301), std::optional(FailureReason::TooOld));
        QCOMPARE(at(-300), std::optional<FailureReason>());
        QCOMPARE(at(-301), std::optional(FailureReason::TooNew));
        // THEN a forged header is a mismatch, whatever its age
        QCOMPARE(
            verify(header(wrong), {secret()}, {(t + 9999) * 1000}).failure, std::optional(FailureReason::Mismatch));
    }

    void shouldKeepTheKeyOfALateDelivery()
    {
        QCOMPARE(verify(header(right), {secret()}, {(t + 301) * 1000}).keyId, QStringLiteral("k1"));
    }

    void shouldHonourNotBeforeAndNotAfter()
    {
        auto key = secret();
        key.notBefore = now;
        key.notAfter = now + Seconds{60};
        QVERIFY(verify(header(right), {key}, now).verified());
        QVERIFY(verify(header(right), {key}, now + Millis{59999}).verified());
        const auto after = verify(header(right), {key}, now + Seconds{60});
        QCOMPARE(after.failure, std::optional(FailureReason::Mismatch));
        QCOMPARE(after.hint, std::optional(SecretHint::SecretExpired));
        QCOMPARE(after.hintKeyId, QStringLiteral("k1"));
        QCOMPARE(verify(header(right), {key}, now - Millis{1}).hint, std::optional(SecretHint::SecretNotYetValid));
    }

    void shouldHintAtTheCause()
    {
        QCOMPARE(verify(header(right), {secret("whsec_test_secret\n")}).hint,
            std::optional(SecretHint::WhitespaceAroundSecret));
        QCOMPARE(verify(header(right), {secret("sk_live_0123")}).hint, std::optional(SecretHint::ApiKeyAsSecret));
        QCOMPARE(verify(header(right), {secret("whsec_other")}).hint, std::optional<SecretHint>());
        QCOMPARE(verify(header(right), {secret(" whsec_other ")}).hint, std::optional<SecretHint>());
        QCOMPARE(verify(header(right)).hint, std::optional<SecretHint>());
    }

    void shouldRefuseWithoutAnySecret()
    {
        QCOMPARE(verify(header(right), {}).failure, std::optional(FailureReason::Mismatch));
    }

    void shouldNeverVerifyWithAnEmptySecret()
    {
        QVERIFY(!verify(signedByStripe(body, {""}, now), {secret("")}).verified());
        QVERIFY(!verify(signedByStripe(body, {" "}, now), {secret(" ")}).verified());
    }

    void shouldVerifyWhatItSigned()
    {
        QVERIFY(holds([] {
            const auto bytes = QByteArray::fromStdString(*rc::gen::arbitrary<std::string>());
            const auto key = QByteArray::fromStdString(*rc::gen::nonEmpty<std::string>());
            RC_PRE(!key.trimmed().isEmpty()); // a blank secret is no secret: it never verifies
            const auto signedValue = signedByStripe(bytes, {"other", key}, now);
            RC_ASSERT(verifyStripe({signedValue}, bytes, {secret(key)}, now).verified());
        }));
    }

    void shouldFailOnAnyFlippedByte()
    {
        QVERIFY(holds([] {
            const auto bytes = QByteArray::fromStdString(*rc::gen::nonEmpty<std::string>());
            auto flipped = bytes;
            const auto at = *rc::gen::inRange<qsizetype>(0, bytes.size());
            flipped[at] = static_cast<char>(flipped.at(at) ^ (1 << *rc::gen::inRange(0, 8)));
            const auto value = signedByStripe(bytes, {"whsec_test_secret"}, now);
            RC_ASSERT(!verifyStripe({value}, flipped, {secret()}, now).verified());
            auto header = value;
            const auto place = *rc::gen::inRange<qsizetype>(0, value.size());
            header[place] = static_cast<char>(header.at(place) ^ (1 << *rc::gen::inRange(0, 8)));
            RC_ASSERT(!verifyStripe({header}, bytes, {secret()}, now).verified());
        }));
    }
};

QTEST_GUILESS_MAIN(tst_stripe)
#include "tst_stripe.moc"
