// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/leaserenewer.h"
#include "tests/service/fakesession.h"
#include "tests/service/logpipe.h"

#include <QtTest>

using namespace unavez;
using namespace unavez::contract;
using namespace unavez::service;

namespace {

// A store whose leases are renewed as the test says.
struct Bench
{
    std::atomic<int> renewals{0};
    std::atomic<int> opens{0};
    std::atomic<bool> isAway{false};
    std::atomic<bool> isLost{false};
    tests::LogPipe pipe;
    StoreHealth health{pipe.log()};

    OpenStore opener()
    {
        return [this]() -> Result<std::unique_ptr<StoreSession>> {
            ++opens;
            if (isAway)
                return fail(Error::Kind::Offline);
            tests::FakeJobs jobs;
            jobs.onRenew = [this](const JobLease&, Millis) -> Result<bool> {
                if (isAway)
                    return fail(Error::Kind::Offline);
                ++renewals;
                return !isLost;
            };
            return std::unique_ptr<StoreSession>(std::make_unique<tests::FakeSession>(jobs));
        };
    }
};

} // namespace

class tst_leaserenewer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldRenewUntilTheJobEnds()
    {
        Bench bench;
        LeaseRenewer renewer(bench.opener(), bench.health, bench.pipe.log(), Millis{20}, Millis{600});
        std::stop_source lost;
        renewer.begin({1, 1}, lost);
        QTRY_VERIFY(bench.renewals >= 5);
        renewer.end({1, 1});
        // One may have been under way; after that none.
        QTest::qWait(40);
        const int after = bench.renewals;
        QTest::qWait(150);
        QCOMPARE(bench.renewals.load(), after);
        QVERIFY(!lost.stop_requested());
        QCOMPARE(bench.opens.load(), 1);
    }

    void shouldStopTheJobWhoseLeaseIsLost()
    {
        Bench bench;
        LeaseRenewer renewer(bench.opener(), bench.health, bench.pipe.log(), Millis{20}, Millis{600});
        std::stop_source lost;
        renewer.begin({7, 3}, lost);
        QTRY_VERIFY(bench.renewals >= 1);
        bench.isLost = true;
        QTRY_VERIFY(lost.stop_requested());
        QCOMPARE(bench.pipe.count(QStringLiteral("lease_lost")), 1);
        const int after = bench.renewals;
        QTest::qWait(100);
        QCOMPARE(bench.renewals.load(), after); // and is not asked for again
    }

    void shouldKeepTheOthersWhenOneIsLost()
    {
        Bench bench;
        LeaseRenewer renewer(bench.opener(), bench.health, bench.pipe.log(), Millis{20}, Millis{10000});
        std::stop_source first, second;
        // The stop callback calls end() at once, as a step does that ends itself.
        const std::stop_callback ends(first.get_token(), [&] { renewer.end({1, 1}); });
        bench.isLost = true;
        renewer.begin({1, 1}, first);
        QTRY_VERIFY(first.stop_requested());
        bench.isLost = false;
        renewer.begin({2, 1}, second);
        const int before = bench.renewals;
        QTRY_VERIFY(bench.renewals >= before + 3);
        QVERIFY(!second.stop_requested());
    }

    void shouldOutliveAStoreThatIsAwayForAMoment()
    {
        Bench bench;
        LeaseRenewer renewer(bench.opener(), bench.health, bench.pipe.log(), Millis{20}, Millis{5000});
        std::stop_source lost;
        renewer.begin({1, 1}, lost);
        QTRY_VERIFY(bench.renewals >= 1);
        bench.isAway = true;
        QTRY_VERIFY(bench.health.isAway());
        bench.isAway = false;
        const int before = bench.renewals;
        QTRY_VERIFY(bench.renewals > before);
        QTRY_VERIFY(!bench.health.isAway());
        QVERIFY(!lost.stop_requested());
        QVERIFY(bench.opens >= 2);
        QCOMPARE(bench.pipe.count(QStringLiteral("store_away")), 1); // once per change
        QCOMPARE(bench.pipe.count(QStringLiteral("store_back")), 1);
    }

    void shouldGiveUpALeaseThatMustBeOver()
    {
        Bench bench;
        LeaseRenewer renewer(bench.opener(), bench.health, bench.pipe.log(), Millis{20}, Millis{300});
        std::stop_source lost;
        bench.isAway = true;
        renewer.begin({1, 1}, lost);
        QTRY_VERIFY(lost.stop_requested());
    }

    void shouldEndWhileLeasesAreHeld()
    {
        Bench bench;
        std::stop_source lost;
        {
            LeaseRenewer renewer(bench.opener(), bench.health, bench.pipe.log(), Millis{20000}, Millis{60000});
            renewer.begin({1, 1}, lost);
        }
        QVERIFY(!lost.stop_requested());
    }
};

QTEST_GUILESS_MAIN(tst_leaserenewer)
#include "tst_leaserenewer.moc"
