// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/sentences.h"
#include "ui/text/settingsentences.h"

#include <QtTest>

using namespace unavez;

namespace {

// Every fact any of the sentences may name.
QVariantMap allFacts()
{
    QVariantMap facts;
    for (const auto* name : {"why", "known", "expected", "role", "other", "min", "max", "allowed", "value", "first",
             "placeholder", "path", "reference", "rule"})
        facts.insert(QLatin1String(name), QStringLiteral("<%1>").arg(QLatin1String(name)));
    return facts;
}

} // namespace

class tst_settingsentences : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { text::installLanguage(QStringLiteral("en")); }

    void shouldSayEveryProblemInBothLanguages()
    {
        for (int i = 0; i <= static_cast<int>(text::SettingFault::BrokenTiming); ++i) {
            const text::SettingProblem problem{QStringLiteral("a.toml"), 12, QStringLiteral("worker.lease_s"),
                static_cast<text::SettingFault>(i), allFacts()};
            text::installLanguage(QStringLiteral("en"));
            const auto english = text::sentence(problem);
            text::installLanguage(QStringLiteral("es"));
            const auto spanish = text::sentence(problem);
            QVERIFY2(
                english.startsWith(QLatin1String("a.toml")) && english.endsWith(QLatin1Char('.')), qPrintable(english));
            QVERIFY2(!english.contains(QLatin1Char('{')) && !english.contains(QLatin1String("–")), qPrintable(english));
            QVERIFY2(english != spanish && !spanish.contains(QLatin1Char('{')), qPrintable(spanish));
            // No fact of the English sentence is lost in the Spanish one.
            for (const auto& fact : allFacts())
                QVERIFY2(english.contains(fact.toString()) == spanish.contains(fact.toString()), qPrintable(spanish));
        }
    }

    void shouldNameEveryTypeAndBootFaultInBothLanguages()
    {
        const auto said = [] {
            QStringList all;
            for (int i = 0; i <= static_cast<int>(text::SettingType::Tables); ++i)
                all.append(text::sentence(static_cast<text::SettingType>(i)));
            for (int i = 0; i <= static_cast<int>(text::BootFault::SourcesRefused); ++i)
                all.append(text::sentence(static_cast<text::BootFault>(i), allFacts()));
            return all;
        };
        const auto english = said();
        text::installLanguage(QStringLiteral("es"));
        const auto spanish = said();
        for (int i = 0; i < english.size(); ++i) {
            QVERIFY(!english.at(i).isEmpty() && !english.at(i).contains(QLatin1Char('{')));
            QVERIFY2(english.at(i) == QLatin1String("true or false") || english.at(i) != spanish.at(i),
                qPrintable(english.at(i)));
        }
    }

    void shouldNotExpandBracesInsideAFact()
    {
        const text::SettingProblem problem{QStringLiteral("{line}.toml"), 3, QStringLiteral("a"),
            text::SettingFault::BadTemplate, {{QStringLiteral("placeholder"), QStringLiteral("{invoice_id}")}}};
        QCOMPARE(text::sentence(problem),
            QStringLiteral("{line}.toml:3: a must hold {invoice_id} exactly once and no other braces."));
    }
};

QTEST_GUILESS_MAIN(tst_settingsentences)
#include "tst_settingsentences.moc"
