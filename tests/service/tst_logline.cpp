// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/service/logpipe.h"

#include <QtTest>

#include <thread>

using namespace unavez;
using namespace unavez::service;

class tst_logline : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldBeginWithTimeLevelAndCode()
    {
        tests::LogPipe pipe;
        pipe.log().warning(QLatin1String("job_lost"), {{QStringLiteral("job"), 17}});
        const auto line = pipe.lines().value(0);
        QCOMPARE(line.value(QLatin1String("level")).toString(), QStringLiteral("warning"));
        QCOMPARE(line.value(QLatin1String("code")).toString(), QStringLiteral("job_lost"));
        QCOMPARE(line.value(QLatin1String("job")).toInt(), 17);
        QVERIFY(line.value(QLatin1String("ts")).toString().endsWith(QLatin1Char('Z')));
    }

    void shouldStayOneLineWhateverAnIdHolds()
    {
        tests::LogPipe pipe;
        const auto hostile = QStringLiteral("evt_\n{\"level\":\"error\"}\"\\\x01");
        pipe.log().info(QLatin1String("job_done"), {{QStringLiteral("event"), hostile}});
        QCOMPARE(pipe.lines().size(), 1);
        QCOMPARE(pipe.lines().first().value(QLatin1String("event")).toString(), hostile);
    }

    void shouldNotLetAFieldPoseAsTheLevel()
    {
        tests::LogPipe pipe;
        pipe.log().error(QLatin1String("x"), {{QStringLiteral("level"), QStringLiteral("info")}});
        QCOMPARE(pipe.lines().first().value(QLatin1String("level")).toString(), QStringLiteral("error"));
    }

    void shouldKeepLinesOfManyThreadsWhole()
    {
        tests::LogPipe pipe;
        {
            std::vector<std::jthread> writers;
            for (int w = 0; w < 8; ++w)
                writers.emplace_back([&pipe, w] {
                    for (int i = 0; i < 200; ++i)
                        pipe.log().info(QLatin1String("x"), {{QStringLiteral("job"), w * 1000 + i}});
                });
        }
        QSet<int> seen;
        for (const auto& line : pipe.lines()) // aborts on a line that is no object
            seen.insert(line.value(QLatin1String("job")).toInt());
        QCOMPARE(seen.size(), 1600);
    }

    void shouldCutAnErrorsDetail()
    {
        const auto fields = logged({contract::Error::Kind::Offline, QString(2000, QLatin1Char('x')), 111});
        QCOMPARE(fields.value(QLatin1String("detail")).toString().size(), 500);
        QCOMPARE(fields.value(QLatin1String("native")).toInt(), 111);
    }

    void shouldTakeQtsOwnWarnings()
    {
        tests::LogPipe pipe;
        logQtMessages(pipe.log());
        qWarning("something");
        logQtMessages();
        QCOMPARE(pipe.count(QStringLiteral("qt")), 1);
    }
};

QTEST_GUILESS_MAIN(tst_logline)
#include "tst_logline.moc"
