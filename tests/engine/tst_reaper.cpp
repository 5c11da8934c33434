// SPDX-License-Identifier: GPL-3.0-or-later
// The reaper on both real stores (contract.md §10.4): it moves what its time has run out for, once, and nothing else.
// Scenarios 54, 60.
#include "models/engine/reaper.h"
#include "tests/engine/workerbench.h"

#include <QtTest>

#include <mutex>
#include <thread>

using namespace unavez::contract;
using namespace unavez::engine;
using namespace unavez::stores;
using namespace unavez::tests;

namespace {

constexpr Seconds grace{10};
constexpr std::chrono::hours hour{1};

QString text(const char* word) { return QString::fromLatin1(word); }

Reaped step(GateWorld& world, int chunk = 50) { return needed(Reaper(world.owner->reaper(), grace, chunk).step()); }

// `count` refunds whose request was read and never answered.
void leaveUnanswered(GateWorld& world, int count)
{
    GateProcess process(world);
    world.provider.next(text("send"), Fault::ResetBefore, count);
    for (int i = 0; i < count; ++i)
        QCOMPARE(process.refundRequest(text("req_%1").arg(i), 100).status, isInProgress);
}

} // namespace

class tst_reaper : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // M10: the cutoff decides, not the lease's end.
    BOTH_STORES(shouldExpireOnlyPastTheCutoff)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        leaveUnanswered(world, 1);
        world.pass(20 * hour - Seconds{30});
        QVERIFY(step(world).unknown.isEmpty());
        world.pass(Seconds{31});
        const auto reaped = step(world);
        QCOMPARE(reaped.unknown, (QList<KeyId>{{text("stripe"), text("acct_1"), text("refund:req_0:a1")}}));
        QVERIFY(!reaped.more);
        QVERIFY(step(world).unknown.isEmpty());
        const auto row = world.row(text("refund:req_0:a1"));
        QCOMPARE(row.status, ReservationStatus::Unknown);
        QVERIFY(!row.owner && !row.leaseExpiresAt);
    }

    BOTH_STORES(shouldLeaveALiveLeaseThoughPastItsCutoff)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        process.refund.written = [&] { // a request that is out while a day passes under its fresh lease
            needed(world.owner->connection().runScript(kind == StoreUrl::Kind::Sqlite
                    ? QByteArray("DROP TRIGGER key_update")
                    : QByteArray("ALTER TABLE idempotency_keys DISABLE TRIGGER USER")));
            needed(world.owner->connection().runScript(kind == StoreUrl::Kind::Sqlite
                    ? QByteArray("UPDATE idempotency_keys SET resume_until = first_sent_at")
                    : QByteArray("UPDATE idempotency_keys SET resume_until = first_sent_at; ALTER TABLE "
                                 "idempotency_keys ENABLE TRIGGER USER")));
            QVERIFY(step(world).unknown.isEmpty());
        };
        QCOMPARE(process.refundRequest(text("req_1"), 100).status, isDone);
    }

    // It never abandons, never resumes, never opens, and never touches what was not sent.
    BOTH_STORES(shouldTouchNothingElse)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        QCOMPARE(process.chargeInvoice(text("inv_43")).status, isDone);
        world.provider.next(text("confirm"), Fault::Decline);
        QCOMPARE(process.chargeInvoice().status, isFailed);
        world.pass(Seconds{61});
        QCOMPARE(world.openAttempt(text("charge:inv_42")).result, ActionResult::Applied);
        process.refund.unreachable = true;
        QCOMPARE(process.refundRequest(text("req_1"), 100).status, isInProgress);
        world.pass(72 * hour);
        const auto reaped = step(world);
        QVERIFY(reaped.unknown.isEmpty() && reaped.waiting.isEmpty() && reaped.dead.isEmpty());
        QCOMPARE(world.row(text("charge:inv_43:a1")).status, ReservationStatus::Done);
        QCOMPARE(world.row(text("charge:inv_42:a1")).status, ReservationStatus::Failed);
        QCOMPARE(world.row(text("charge:inv_42:a2")).status, ReservationStatus::Opened);
        QCOMPARE(world.row(text("refund:req_1:a1")).status, ReservationStatus::InProgress);
    }

    BOTH_STORES(shouldFreeJobsWhoseLeaseIsOver)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        deliver(world, text("evt_1"));
        auto last = deliveryOf(world.source.id, text("evt_2"));
        last.maxAttempts = 1;
        needed(world.owner->intake().record({{last, 1}}));
        for (int i = 0; i < 2; ++i)
            QVERIFY(needed(world.owner->jobs().claim(world.source.id, text("w"), Seconds{60})).has_value());
        world.pass(Seconds{65}); // over, within the grace
        auto reaped = step(world);
        QVERIFY(reaped.waiting.isEmpty() && reaped.dead.isEmpty());
        world.pass(Seconds{6});
        reaped = step(world);
        QCOMPARE(reaped.waiting, QList<qint64>{1});
        QCOMPARE(reaped.dead, QList<qint64>{2}); // its budget is used
        QCOMPARE(jobRow(world, 1).errorClass, text("lease_over"));
        QCOMPARE(jobRow(world, 2).state, text("dead"));
        QCOMPARE(world.count("SELECT count(*) FROM dead_letters WHERE left_at IS NULL"), 1);
    }

    BOTH_STORES(shouldWorkInChunks)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        leaveUnanswered(world, 5);
        world.pass(21 * hour);
        auto reaped = step(world, 3);
        QCOMPARE(reaped.unknown.size(), 3);
        QVERIFY(reaped.more);
        reaped = step(world, 3);
        QCOMPARE(reaped.unknown.size(), 2);
        QVERIFY(!reaped.more);
    }

    // Scenario 60: two at once.
    BOTH_STORES(shouldMoveEachRowOnceThoughTwoReap)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        constexpr int rows = 24;
        leaveUnanswered(world, rows);
        world.pass(21 * hour);
        std::mutex mutex;
        QList<KeyId> moved;
        const auto reap = [&] {
            const auto ports = portsOf(world.store);
            Reaper reaper(ports->reaper(), grace, 2);
            for (;;) {
                const auto reaped = needed(reaper.step());
                if (reaped.unknown.isEmpty())
                    return;
                const std::lock_guard lock(mutex);
                moved += reaped.unknown;
            }
        };
        std::thread one(reap);
        std::thread two(reap);
        one.join();
        two.join();
        // SKIP LOCKED may leave the last rows to whoever comes next.
        moved += step(world).unknown;
        QCOMPARE(moved.size(), rows);
        std::sort(moved.begin(), moved.end());
        QVERIFY(std::adjacent_find(moved.begin(), moved.end()) == moved.end());
        QCOMPARE(world.count("SELECT count(*) FROM idempotency_keys WHERE status = 'unknown' AND fence = 2"), rows);
    }

    // Scenario 60: killed in the middle (X13).
    BOTH_STORES(shouldMoveNothingHalfWay)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        leaveUnanswered(world, 3);
        world.pass(21 * hour);
        {
            const auto ports = portsOf(world.store);
            QVERIFY(diesAt("reaper.mid_run", [&] { needed(Reaper(ports->reaper(), grace).step()); }));
        }
        QCOMPARE(world.count("SELECT count(*) FROM idempotency_keys WHERE status = 'unknown'"), 0);
        QCOMPARE(step(world).unknown.size(), 3);
    }

    BOTH_STORES(shouldSayWhenTheStoreRefuses)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        const auto ports = portsOf(world.store);
        needed(ports->connection().runScript("ALTER TABLE jobs RENAME TO jobs_gone"));
        QVERIFY(!Reaper(ports->reaper(), grace).step());
    }
};

QTEST_GUILESS_MAIN(tst_reaper)
#include "tst_reaper.moc"
