// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/arguments.h"
#include "app/ctl/terminal.h"

#include <QtTest>

using namespace unavez::ctl;
using unavez::contract::StoreMode;

class tst_arguments : public QObject
{
    Q_OBJECT
    static QStringList words(const char* line)
    {
        return QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    }

private Q_SLOTS:
    void shouldReadWhatWasWritten()
    {
        const auto a = parsed(
            words("requeue job:48211 --store sqlite:///s.db --reason=because-it-died --json --yes --dry-run"), {});
        QVERIFY(a.has_value());
        QCOMPARE(a->verb, QStringLiteral("requeue"));
        QCOMPARE(a->words, QStringList{QStringLiteral("job:48211")});
        QCOMPARE(a->store, QStringLiteral("sqlite:///s.db"));
        QCOMPARE(a->reason, QStringLiteral("because-it-died"));
        QVERIFY(a->json && a->yes && a->dryRun && !a->release && !a->check && !a->storeFromEnvironment);
    }

    void shouldKnowAStoreThatOnlyTheEnvironmentNames()
    {
        QVERIFY(parsed(words("status"), QStringLiteral("sqlite:///s.db"))->storeFromEnvironment);
        QVERIFY(
            !parsed(words("status --store sqlite:///o.db"), QStringLiteral("sqlite:///s.db"))->storeFromEnvironment);
    }

    void shouldReadAgesAndTimes()
    {
        const auto at = parsed(words("list log --store s --since 2026-11-30T03:00:00Z"), {});
        QCOMPARE(*at->sinceMs, 1796007600000LL);
        const auto ago = parsed(words("list log --store s --since 2h"), {});
        const auto now = QDateTime::currentMSecsSinceEpoch();
        QVERIFY(std::abs(now - 7'200'000 - *ago->sinceMs) < 60'000);
        QCOMPARE(*parsed(words("migrate --store s --mode live"), {})->mode, StoreMode::Live);
    }

    void shouldRefuseWithWhatToWriteInstead_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* line, const char* says) {
            QTest::newRow(line) << QString::fromUtf8(line) << QString::fromUtf8(says);
        };
        row("explode --store s", "no verb explode");
        row("list --store s", "unavezctl list stuck");
        row("list stuck dead --store s", "unavezctl list stuck");
        row("case --store s", "unavezctl case evt_1A2b");
        row("status", "Which store?");
        row("status --store", "--store needs a value");
        row("status --store s --colour red", "no option --colour");
        row("list dead --store s --limit 0", "--limit takes");
        row("list dead --store s --limit 501", "--limit takes");
        row("list dead --store s --limit many", "--limit takes");
        row("list dead --store s --since yesterday", "--since takes");
        row("migrate --store s --mode prod", "--mode takes");
    }
    void shouldRefuseWithWhatToWriteInstead()
    {
        QFETCH(QString, line);
        QFETCH(QString, says);
        const auto a = parsed(line.split(QLatin1Char(' ')), {});
        QVERIFY(!a.has_value());
        QVERIFY2(a.error().message.contains(says), qPrintable(a.error().message));
    }

    void shouldKeepControlCharactersOffTheTerminal()
    {
        const auto hostile = QStringLiteral("evt\x1b[2J\x07\r\nx");
        const auto shown = printable(hostile);
        QVERIFY(!shown.contains(QChar(0x1b)) && !shown.contains(QChar(7)) && !shown.contains(QLatin1Char('\n'))
            && !shown.contains(QLatin1Char('\r')));
    }

    void shouldAlignColumns()
    {
        const QList<QStringList> rows{
            {QStringLiteral("a"), QStringLiteral("b")}, {QStringLiteral("ccc"), QStringLiteral("d")}};
        QCOMPARE(aligned(rows, 0), QStringLiteral("a    b\nccc  d\n"));
    }
};

QTEST_GUILESS_MAIN(tst_arguments)
#include "tst_arguments.moc"
