// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/highwater.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <thread>

using namespace unavez;
using namespace unavez::service;

class tst_highwater : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldTellARewoundStoreFromAWholeOne_data()
    {
        QTest::addColumn<qint64>("epoch");
        QTest::addColumn<qint64>("lastCall");
        QTest::addColumn<bool>("rewound");
        QTest::newRow("as it was") << qint64{2} << qint64{100} << false;
        QTest::newRow("further") << qint64{2} << qint64{101} << false;
        QTest::newRow("one call less") << qint64{2} << qint64{99} << true;
        QTest::newRow("nothing left") << qint64{2} << qint64{0} << true;
        QTest::newRow("epoch before") << qint64{1} << qint64{500} << true;
        QTest::newRow("quarantine lifted since") << qint64{3} << qint64{40} << false;
    }
    void shouldTellARewoundStoreFromAWholeOne()
    {
        QFETCH(qint64, epoch);
        QFETCH(qint64, lastCall);
        const HighWater seen{QStringLiteral("a"), 2, 100};
        QTEST(isRewound(seen, {QStringLiteral("a"), epoch, lastCall}), "rewound");
        QVERIFY(!isRewound(seen, {QStringLiteral("b"), epoch, lastCall}));
    }

    void shouldRememberWhatWasShown()
    {
        QTemporaryDir folder;
        HighWaterFile file(folder.path(), QStringLiteral("a"));
        const auto none = file.read();
        QVERIFY(none && !*none);
        QVERIFY(file.raise({QStringLiteral("a"), 1, 7}));
        const auto again = HighWaterFile(folder.path(), QStringLiteral("a")).read();
        QVERIFY(again && *again == (HighWater{QStringLiteral("a"), 1, 7}));
    }

    void shouldNeverLowerItsMark()
    {
        QTemporaryDir folder;
        HighWaterFile file(folder.path(), QStringLiteral("a"));
        QVERIFY(file.raise({QStringLiteral("a"), 2, 7}));
        QVERIFY(file.raise({QStringLiteral("a"), 2, 3}));
        QVERIFY(file.raise({QStringLiteral("a"), 1, 90}));
        QCOMPARE((*file.read())->lastCall, 7);
        QVERIFY(file.raise({QStringLiteral("a"), 3, 1}));
        QCOMPARE((*file.read())->lastCall, 1);
    }

    void shouldKeepStoresApart()
    {
        QTemporaryDir folder;
        QVERIFY(HighWaterFile(folder.path(), QStringLiteral("a")).raise({QStringLiteral("a"), 1, 7}));
        const auto other = HighWaterFile(folder.path(), QStringLiteral("../b/c")).read();
        QVERIFY(other && !*other);
        QVERIFY(HighWaterFile(folder.path(), QStringLiteral("../b/c")).raise({QStringLiteral("../b/c"), 1, 1}));
        QCOMPARE(QDir(folder.path()).entryList({QStringLiteral("*.json")}).size(), 2);
    }

    void shouldSayThatAFileIsNone_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut") << QByteArray("{\"store\":\"a\",\"epo");
        QTest::newRow("no call") << QByteArray("{\"store\":\"a\",\"epoch\":1}");
        QTest::newRow("negative") << QByteArray("{\"store\":\"a\",\"epoch\":1,\"last_call\":-1}");
        QTest::newRow("endless") << QByteArray(100000, '[');
    }
    void shouldSayThatAFileIsNone()
    {
        QFETCH(QByteArray, bytes);
        QTemporaryDir folder;
        HighWaterFile high(folder.path(), QStringLiteral("a"));
        QFile file(high.path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        const auto read = high.read();
        QVERIFY(!read && read.error().kind == contract::Error::Kind::Corrupt);
        // What cannot be read is not written over: it may be the only witness.
        QVERIFY(!high.raise({QStringLiteral("a"), 1, 1}));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), bytes);
    }

    void shouldSayThatTheFolderIsGone()
    {
        HighWaterFile file(QStringLiteral("/nonexistent/folder"), QStringLiteral("a"));
        const auto raised = file.raise({QStringLiteral("a"), 1, 1});
        QVERIFY(!raised && !raised.error().detail.isEmpty());
    }

    void shouldHoldTheHighestMarkOfManyWriters()
    {
        QTemporaryDir folder;
        std::atomic<qint64> next{0};
        std::atomic<int> lowered{0};
        {
            std::vector<std::jthread> writers;
            for (int w = 0; w < 4; ++w)
                writers.emplace_back([&] {
                    HighWaterFile file(folder.path(), QStringLiteral("a"));
                    for (qint64 call = ++next; call <= 400; call = ++next) {
                        if (!file.raise({QStringLiteral("a"), 1, call}))
                            qFatal("cannot raise");
                        if ((*file.read())->lastCall < call)
                            ++lowered;
                    }
                });
        }
        QCOMPARE((*HighWaterFile(folder.path(), QStringLiteral("a")).read())->lastCall, 400);
        QCOMPARE(lowered.load(), 0);
    }
};

QTEST_GUILESS_MAIN(tst_highwater)
#include "tst_highwater.moc"
