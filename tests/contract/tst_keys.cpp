// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/keys.h"
#include "models/contract/reason.h"

#include <QtTest>

#include <rapidcheck.h>

using namespace unavez::contract;

namespace {

QString spelled(const std::vector<std::string>& parts)
{
    QStringList list;
    for (const auto& part : parts)
        list.append(QString::fromLatin1(part.data(), static_cast<qsizetype>(part.size())));
    const auto key = intentKey(QStringLiteral("charge"), list);
    return key ? *key : QString();
}

rc::Gen<std::vector<std::string>> someParts()
{
    // The letters that matter: the separators, what an attempt suffix is made of, and what must be encoded.
    return rc::gen::resize(8,
        rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(rc::gen::nonEmpty(
            rc::gen::container<std::string>(rc::gen::element(':', '%', 'a', 'A', '1', '6', ' ', '_', '\xe9'))))));
}

} // namespace

class tst_keys : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldSpellAnIntentFromItsParts()
    {
        QCOMPARE(*intentKey(QStringLiteral("charge"), {QStringLiteral("inv_42")}), QStringLiteral("charge:inv_42"));
        QCOMPARE(*intentKey(QStringLiteral("refund"), {QStringLiteral("evt_1"), QStringLiteral("req_7")}),
            QStringLiteral("refund:evt_1:req_7"));
        QCOMPARE(attemptKey(QStringLiteral("charge:inv_42"), 1), QStringLiteral("charge:inv_42:a1"));
        QCOMPARE(sentKey(QStringLiteral("charge:inv_42:a1"), QStringLiteral("create")),
            QStringLiteral("charge:inv_42:a1:create"));
    }

    // Scenario 36: parts collide where ':' is left as it is.
    void shouldKeepPartsApart()
    {
        const auto left = intentKey(QStringLiteral("refund"), {QStringLiteral("a:b"), QStringLiteral("c")});
        const auto right = intentKey(QStringLiteral("refund"), {QStringLiteral("a"), QStringLiteral("b:c")});
        QCOMPARE(*left, QStringLiteral("refund:a%3Ab:c"));
        QVERIFY(*left != *right);
    }

    void shouldNotLetAPartPassForAnAttempt()
    {
        QCOMPARE(*intentKey(QStringLiteral("charge"), {QStringLiteral("a1")}), QStringLiteral("charge:%611"));
        QCOMPARE(*intentKey(QStringLiteral("charge"), {QStringLiteral("a1"), QStringLiteral("x")}),
            QStringLiteral("charge:a1:x"));
    }

    // Scenario 50: charged all the same, but no card number in a key.
    void shouldHideWhatLooksLikeACardNumber()
    {
        const auto key = *intentKey(QStringLiteral("charge"), {QStringLiteral("4242424242424242")});
        QVERIFY(key.startsWith(QLatin1String("charge:h:")));
        QCOMPARE(key.size(), QStringLiteral("charge:h:").size() + 32);
        QVERIFY(!key.contains(QLatin1String("4242424242424242")));
        QVERIFY(!looksLikeCardNumber(QStringLiteral("4242424242424243")));
        QVERIFY(looksLikeCardNumber(QStringLiteral("4242 4242-4242 4242")));
        QVERIFY(!looksLikeCardNumber(QStringLiteral("inv_42")));
    }

    void shouldRefuseWhatCannotBeAKey()
    {
        QVERIFY(!intentKey(QStringLiteral("charge"), {}));
        QVERIFY(!intentKey(QStringLiteral("charge"), {QString()}));
        QVERIFY(!intentKey(QStringLiteral("Charge"), {QStringLiteral("x")}));
        QVERIFY(!intentKey(QStringLiteral("charge"), {QString(194, QLatin1Char('x'))}));
        QVERIFY(intentKey(QStringLiteral("charge"), {QString(193, QLatin1Char('x'))}).has_value());
    }

    void shouldReadABareKeyAsTheFirstAttempt()
    {
        QCOMPARE(parsedKey(QStringLiteral("charge:inv_42")), (ParsedKey{QStringLiteral("charge:inv_42"), 1}));
        QCOMPARE(parsedKey(QStringLiteral("charge:inv_42:a12")), (ParsedKey{QStringLiteral("charge:inv_42"), 12}));
    }

    void shouldKnowAnEventIdFromNoise()
    {
        QVERIFY(isValidEventId(QStringLiteral("evt_1")));
        QVERIFY(!isValidEventId(QString()));
        QVERIFY(!isValidEventId(QStringLiteral("evt") + QChar(0) + QStringLiteral("1")));
        QVERIFY(!isValidEventId(QString(256, QLatin1Char('x'))));
        QVERIFY(isValidEventId(QString(255, QLatin1Char('x'))));
        QVERIFY(!isValidEventId(QString(128, QChar(0xe9)))); // 256 bytes of UTF-8
        QVERIFY(!isValidEventId(QString(QChar(0xD800))));
    }

    void shouldGiveDifferentPartsDifferentKeys()
    {
        QVERIFY(rc::check("intent keys are injective", [] {
            const auto left = *someParts();
            const auto right = *someParts();
            const auto one = spelled(left);
            RC_PRE(!one.isEmpty() && left != right);
            RC_ASSERT(one != spelled(right));
        }));
    }

    void shouldReadBackTheAttemptItWrote()
    {
        QVERIFY(rc::check("attempt keys round-trip", [] {
            const auto key = spelled(*someParts());
            RC_PRE(!key.isEmpty());
            const int attempt = *rc::gen::inRange(1, 100);
            RC_ASSERT((parsedKey(attemptKey(key, attempt)) == ParsedKey{key, attempt}));
            RC_ASSERT((parsedKey(key) == ParsedKey{key, 1}));
        }));
    }

    void shouldKnowItsOwnReasonCodes()
    {
        QCOMPARE(allReasons().size(), 65);
        for (const auto reason : allReasons())
            QCOMPARE(reasonFromString(wordOf(reason)), std::optional(reason));
    }
};

QTEST_GUILESS_MAIN(tst_keys)
#include "tst_keys.moc"
