// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/sentences.h"
#include "ui/text/toolsentences.h"

#include <QtTest>

using namespace unavez;
using namespace unavez::text;
using contract::Seconds;

class tst_toolsentences : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { installLanguage(QStringLiteral("en")); }

    void shouldSayEveryOutcomeInBothLanguages()
    {
        for (int outcome = 0; outcome <= static_cast<int>(ToolOutcome::Abandoned); ++outcome) {
            const ToolAnswer answer{static_cast<ToolOutcome>(outcome), Seconds{75}, QStringLiteral("card")};
            installLanguage(QStringLiteral("en"));
            const auto english = sentence(answer);
            installLanguage(QStringLiteral("es"));
            const auto spanish = sentence(answer);
            QVERIFY(!english.isEmpty() && !english.contains(QLatin1Char('{')));
            QVERIFY2(!spanish.contains(QLatin1Char('{')) && spanish != english, qPrintable(spanish));
        }
        for (int fault = 0; fault <= static_cast<int>(CallFault::HeaderNoNumber); ++fault) {
            installLanguage(QStringLiteral("en"));
            const auto english = sentence(static_cast<CallFault>(fault));
            installLanguage(QStringLiteral("es"));
            QVERIFY(!english.isEmpty() && sentence(static_cast<CallFault>(fault)) != english);
        }
    }

    // What a model must not do next stands in the sentence itself.
    void shouldTellAModelWhatNotToDo()
    {
        QVERIFY(sentence(ToolAnswer{ToolOutcome::UnknownOutcome, {}, {}}).contains(QLatin1String("Do not retry")));
        const auto running = sentence(ToolAnswer{ToolOutcome::InProgress, Seconds{75}, {}});
        QVERIFY2(running.contains(QLatin1String("in 1 min")) && running.contains(QLatin1String("same arguments")),
            qPrintable(running));
    }
};

QTEST_GUILESS_MAIN(tst_toolsentences)
#include "tst_toolsentences.moc"
