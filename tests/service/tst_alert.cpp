// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/alert.h"
#include "tests/service/logpipe.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

using namespace unavez;
using namespace unavez::service;

namespace {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

const DeadJob dead{17, QStringLiteral("evt_1"), QStringLiteral("stripe:acct_1"), QStringLiteral("handler_failed")};

} // namespace

class tst_alert : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldRunTheCommandOnceWithTheJobsWordsOnly()
    {
        QTemporaryDir folder;
        tests::LogPipe pipe;
        const auto out = folder.filePath(QStringLiteral("out"));
        qputenv("UNAVEZ_TEST_SECRET", "whsec_never");
        {
            Alert alert({QStringLiteral("/bin/sh"), QStringLiteral("-c"),
                            QStringLiteral("echo \"$@\" >> %1; env >> %1").arg(out), QStringLiteral("sh")},
                pipe.log());
            alert.died(dead);
        }
        const auto said = contentOf(out);
        QVERIFY2(said.startsWith("job=17 event=evt_1 source=stripe:acct_1 class=handler_failed\n"), said);
        QCOMPARE(said.count("UNAVEZ_JOB=17\n"), 1);
        QVERIFY(said.contains("UNAVEZ_EVENT=evt_1\n") && said.contains("UNAVEZ_CLASS=handler_failed\n"));
        QVERIFY(!said.contains("whsec_never"));
        QCOMPARE(pipe.count(QStringLiteral("alert_sent")), 1);
    }

    void shouldHandAHostileIdOverAsOneWord()
    {
        QTemporaryDir folder;
        tests::LogPipe pipe;
        const auto out = folder.filePath(QStringLiteral("out"));
        const auto hostile = QStringLiteral("--; rm -rf $HOME\n`id`");
        {
            Alert alert({QStringLiteral("/bin/sh"), QStringLiteral("-c"),
                            QStringLiteral("printf '%s|' \"$#\" \"$2\" > ") + out, QStringLiteral("sh")},
                pipe.log());
            alert.died({1, hostile, {}, {}});
        }
        QCOMPARE(contentOf(out), "4|event=" + hostile.toUtf8() + '|');
    }

    void shouldLeakNoFileOfTheService()
    {
        QTemporaryDir folder;
        tests::LogPipe pipe;
        const auto out = folder.filePath(QStringLiteral("out"));
        QTemporaryFile held;
        QVERIFY(held.open());
        {
            Alert alert({QStringLiteral("/bin/sh"), QStringLiteral("-c"), QStringLiteral("ls -l /proc/$$/fd > ") + out,
                            QStringLiteral("sh")},
                pipe.log());
            alert.died(dead);
        }
        const auto said = contentOf(out);
        QVERIFY2(said.contains("/dev/null") && !said.contains(held.fileName().toUtf8()), said);
    }

    void shouldLetItsChildHearSignalsTheServiceBlocks()
    {
        QTemporaryDir folder;
        tests::LogPipe pipe;
        const auto out = folder.filePath(QStringLiteral("out"));
        std::signal(SIGPIPE, SIG_IGN);
        sigset_t stopping, before;
        sigemptyset(&stopping);
        sigaddset(&stopping, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &stopping, &before);
        {
            Alert alert({QStringLiteral("/bin/sh"), QStringLiteral("-c"),
                            QStringLiteral("exec grep -E 'Sig(Blk|Ign)' /proc/self/status > ") + out, QStringLiteral("sh")},
                pipe.log());
            alert.died(dead);
        }
        std::signal(SIGPIPE, SIG_DFL);
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        const auto masks = contentOf(out).simplified().split(' '); // SigBlk: hex SigIgn: hex
        QCOMPARE(masks.size(), 4);
        QCOMPARE(masks.at(1).toULongLong(nullptr, 16), 0ULL);
        QCOMPARE(masks.at(3).toULongLong(nullptr, 16) & 0x7fffffffULL, 0ULL); // beyond: the C library's own
    }

    void shouldLogAFailureAndTryNoSecondTime()
    {
        QTemporaryDir folder;
        tests::LogPipe pipe;
        const auto out = folder.filePath(QStringLiteral("out"));
        {
            Alert alert(
                {QStringLiteral("/bin/sh"), QStringLiteral("-c"), QStringLiteral("echo x >> %1; exit 3").arg(out)},
                pipe.log());
            alert.died(dead);
        }
        QCOMPARE(contentOf(out), QByteArray("x\n"));
        QCOMPARE(pipe.count(QStringLiteral("alert_failed")), 1);
        QCOMPARE(pipe.lines().first().value(QLatin1String("exit")).toInt(), 3);
    }

    void shouldLogAProgramThatIsGone()
    {
        tests::LogPipe pipe;
        {
            Alert alert({QStringLiteral("/nonexistent/page-me")}, pipe.log());
            alert.died(dead);
        }
        QCOMPARE(pipe.count(QStringLiteral("alert_failed")), 1);
    }

    void shouldKillACommandThatHangsWithWhatItStarted()
    {
        QTemporaryDir folder;
        tests::LogPipe pipe;
        const auto out = folder.filePath(QStringLiteral("pid"));
        QElapsedTimer clock;
        clock.start();
        Alert alert(
            {QStringLiteral("/bin/sh"), QStringLiteral("-c"), QStringLiteral("sleep 60 & echo $! > %1; wait").arg(out)},
            pipe.log(), contract::Millis{1500});
        alert.died(dead);
        QTRY_COMPARE(pipe.count(QStringLiteral("alert_timed_out")), 1);
        QVERIFY(clock.elapsed() < 20000);
        const auto pid = contentOf(out).trimmed().toInt();
        QVERIFY(pid > 0);
        // Gone, or a zombie of init's.
        QTRY_VERIFY(kill(pid, 0) != 0 || contentOf(QStringLiteral("/proc/%1/stat").arg(pid)).contains(") Z "));
    }

    void shouldNotMakeAWorkerWait()
    {
        tests::LogPipe pipe;
        Alert alert({QStringLiteral("/bin/sleep")}, pipe.log(), contract::Millis{200});
        QElapsedTimer clock;
        clock.start();
        for (int i = 0; i < 1500; ++i)
            alert.died({i, {}, {}, {}});
        QVERIFY(clock.elapsed() < 5000);
        QVERIFY(pipe.count(QStringLiteral("alert_dropped")) > 0);
    }

    void shouldRunNothingWithoutACommand()
    {
        tests::LogPipe pipe;
        {
            Alert alert({}, pipe.log());
            alert.died(dead);
        }
        QVERIFY(pipe.lines().isEmpty());
    }
};

QTEST_GUILESS_MAIN(tst_alert)
#include "tst_alert.moc"
