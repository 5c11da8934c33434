// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/sentences.h"

#include <QFile>
#include <QRegularExpression>
#include <QtTest>

using namespace unavez;
using namespace unavez::contract;

namespace {

// Every fact any sentence may name.
QVariantMap allFacts()
{
    QVariantMap facts{{QStringLiteral("time"), qint64{1'700'000'000'000}}, {QStringLiteral("needed_time"), qint64{1'700'000'360'000}},
        {QStringLiteral("age"), 125}, {QStringLiteral("s"), 12}};
    for (const auto* name :
        {"why", "n", "m", "confirmed", "mode", "action", "role", "login", "roles", "value", "column", "target", "id",
            "owner", "provider", "key", "class", "what", "status", "object", "intent", "reason", "code", "state", "new",
            "old", "field", "a", "b", "event", "which", "credential", "account", "name"})
        facts.insert(QLatin1String(name), QStringLiteral("<%1>").arg(QLatin1String(name)));
    return facts;
}

} // namespace

class tst_sentences : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { text::installLanguage(QStringLiteral("en")); }

    void shouldHaveASentenceForEveryReasonInBothLanguages()
    {
        for (const auto reason : allReasons()) {
            text::installLanguage(QStringLiteral("en"));
            const auto english = text::sentence(Because{reason, allFacts()});
            text::installLanguage(QStringLiteral("es"));
            const auto spanish = text::sentence(Because{reason, allFacts()});
            QVERIFY2(!english.isEmpty() && !english.contains(QLatin1Char('{')), qPrintable(wordOf(reason) + english));
            QVERIFY2(!spanish.contains(QLatin1Char('{')), qPrintable(spanish));
            // "{field}: {why}." reads alike in both; everything else is written, not copied.
            QVERIFY2(reason == Reason::BadArguments || english != spanish, qPrintable(english));
            // No fact of the English sentence is lost in the Spanish one.
            static const QRegularExpression fact(QStringLiteral("<[a-z_]+>"));
            auto found = fact.globalMatch(english);
            while (found.hasNext()) {
                const auto named = found.next().captured();
                QVERIFY2(spanish.contains(named), qPrintable(wordOf(reason) + named));
            }
        }
    }

    void shouldSayTheContractsWords()
    {
        const Because because{Reason::LeaseLive,
            {{QStringLiteral("owner"), QStringLiteral("w-1")}, {QStringLiteral("id"), 48211},
                {QStringLiteral("time"), qint64{1'700'000'000'000}}}};
        QCOMPARE(text::sentence(because), QStringLiteral("w-1 holds job 48211 until 2023-11-14 22:13:20 UTC. Wait."));
    }

    void shouldNeverShowABraceForAMissingFact()
    {
        for (const auto reason : allReasons())
            QVERIFY(!text::sentence(Because{reason, {}}).contains(QLatin1Char('{')));
    }

    void shouldNotExpandBracesInsideAFact()
    {
        const Because because{Reason::NotFound, {{QStringLiteral("target"), QStringLiteral("{target}{id}")}}};
        QCOMPARE(text::sentence(because), QStringLiteral("{target}{id} is not in this store."));
    }

    void shouldNameANextStepForEveryError()
    {
        for (int kind = 0; kind <= static_cast<int>(Error::Kind::Cancelled); ++kind) {
            const Error error{static_cast<Error::Kind>(kind), QStringLiteral("SECRET detail"), 7};
            const auto english = text::sentence(error);
            QVERIFY(!english.isEmpty());
            QVERIFY(!english.contains(QLatin1String("SECRET")));
            text::installLanguage(QStringLiteral("es"));
            QVERIFY(text::sentence(error) != english);
            text::installLanguage(QStringLiteral("en"));
        }
    }

    void shouldCountAgesInTheirTwoLargestUnits_data()
    {
        QTest::addColumn<qint64>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("seconds") << qint64{33} << QStringLiteral("33 s");
        QTest::newRow("minutes") << qint64{41 * 60 + 59} << QStringLiteral("41 min");
        QTest::newRow("hours") << qint64{19 * 3600} << QStringLiteral("19 h");
        QTest::newRow("both") << qint64{19 * 3600 + 300} << QStringLiteral("19 h 5 min");
        QTest::newRow("days") << qint64{3 * 86400 + 3600} << QStringLiteral("3 d 1 h");
    }
    void shouldCountAgesInTheirTwoLargestUnits()
    {
        QFETCH(qint64, seconds);
        QTEST(text::duration(Seconds{seconds}), "text");
    }

    void shouldWriteMoneyWithTheCurrencysOwnDigits()
    {
        QCOMPARE(text::money({125000, QStringLiteral("eur")}), QStringLiteral("1250.00 EUR"));
        QCOMPARE(text::money({500, QStringLiteral("jpy")}), QStringLiteral("500 JPY"));
        QCOMPARE(text::money({1234, QStringLiteral("kwd")}), QStringLiteral("1.234 KWD"));
        QCOMPARE(text::money({-5, QStringLiteral("usd")}), QStringLiteral("-0.05 USD"));
        QCOMPARE(text::money({std::numeric_limits<qint64>::max(), QStringLiteral("usd")}),
            QStringLiteral("92233720368547758.07 USD"));
    }

    void shouldBeWhollyTranslated()
    {
        QFile file(QStringLiteral(UNAVEZ_SOURCE_DIR "/translations/unavez_es.ts"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto ts = QString::fromUtf8(file.readAll());
        QVERIFY(ts.count(QStringLiteral("<message>")) > 80);
        QVERIFY(!ts.contains(QLatin1String("unfinished")));
        QVERIFY(!ts.contains(QLatin1String("<translation></translation>")));
    }
};

QTEST_GUILESS_MAIN(tst_sentences)
#include "tst_sentences.moc"
