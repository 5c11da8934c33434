// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/storeurl.h"

#include <QtTest>

using namespace unavez::stores;

class tst_storeurl : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldReadAddresses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("display"); // "" = refused
        QTest::newRow("sqlite") << QStringLiteral("sqlite:///var/x.db") << QStringLiteral("sqlite:///var/x.db");
        QTest::newRow("sqlite relative") << QStringLiteral("sqlite:x.db") << QStringLiteral("sqlite://x.db");
        QTest::newRow("pg") << QStringLiteral("postgresql://ana@db:5433/shop")
                            << QStringLiteral("postgresql://ana@db:5433/shop");
        QTest::newRow("default port") << QStringLiteral("postgresql://db/shop")
                                      << QStringLiteral("postgresql://db:5432/shop");
        QTest::newRow("socket") << QStringLiteral("postgresql:///shop?host=/run/pg&port=5433&user=ana")
                                << QStringLiteral("postgresql://ana@/shop?host=/run/pg&port=5433");
        QTest::newRow("no password shown")
            << QStringLiteral("postgresql://ana:secret@db/shop") << QStringLiteral("postgresql://ana@db:5432/shop");
        QTest::newRow("empty") << QString() << QString();
        QTest::newRow("no path") << QStringLiteral("sqlite:") << QString();
        QTest::newRow("other") << QStringLiteral("mysql://db/shop") << QString();
        QTest::newRow("no database") << QStringLiteral("postgresql://db") << QString();
        QTest::newRow("bad port") << QStringLiteral("postgresql:///shop?host=/x&port=99999") << QString();
    }
    void shouldReadAddresses()
    {
        QFETCH(QString, text);
        const auto url = parsedStoreUrl(text);
        QTEST(url ? url->display() : QString(), "display");
        if (!url)
            QVERIFY(!url.error().detail.isEmpty());
    }
};

QTEST_GUILESS_MAIN(tst_storeurl)
#include "tst_storeurl.moc"
