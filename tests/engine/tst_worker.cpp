// SPDX-License-Identifier: GPL-3.0-or-later
// The worker on both real stores (contract.md §10.3): claiming, the handler's answers, stopping. Scenarios 11, 57.
#include "tests/engine/workerbench.h"

#include <QtTest>

#include <mutex>
#include <thread>

using namespace unavez::contract;
using namespace unavez::engine;
using namespace unavez::stores;
using namespace unavez::tests;

namespace {

constexpr std::chrono::hours hour{1};
constexpr Millis jobLeaseAndGrace{71000};

QString text(const char* word) { return QString::fromLatin1(word); }

HandlerAnswer answer(HandlerAnswer::Kind kind, int status = 0) { return ScriptedHandler::answer(kind, status); }

} // namespace

class tst_worker : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    BOTH_STORES(shouldRunAJobOnce)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"), R"({"id":"evt_1"})");
        const auto report = process.step();
        QCOMPARE(report.finish, JobFinish::Done);
        QVERIFY(report.errorClass.isEmpty() && !report.evidence);
        QCOMPARE(process.handler.requests.size(), 1);
        const auto& request = process.handler.requests.first();
        QCOMPARE(request.attempt, 1);
        QCOMPARE(request.lease.token, 1);
        QCOMPARE(request.event.eventId, text("evt_1"));
        QCOMPARE(request.payload, std::optional(QByteArray(R"({"id":"evt_1"})")));
        QVERIFY(request.deadline > SystemHostClock().wall() + Seconds{590});
        QCOMPARE(process.told.first().status, isDone);
        QVERIFY(process.isIdle());
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.count("SELECT count(*) FROM intent_uses"), 1);
    }

    BOTH_STORES(shouldKeepThePayloadFromAHandlerThatWantsNone)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        auto settings = WorkerProcess::settings(text("w"));
        settings.payload = false;
        Worker worker(process.ports->jobs(), process.ports->reservations(), process.gate, process.handler, nullptr,
            nullptr, settings);
        deliver(world, text("evt_1"), R"({"id":"evt_1"})");
        QVERIFY(needed(worker.step(process.sources)).has_value());
        QVERIFY(!process.handler.requests.first().payload);
    }

    // Scenario 11.
    BOTH_STORES(shouldLeaseEveryJobOncePerToken)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        constexpr int jobs = 1000;
        QList<MergedDelivery> batch;
        for (int i = 0; i < jobs; ++i)
            batch.append({deliveryOf(world.source.id, text("evt_%1").arg(i, 4, 10, QLatin1Char('0'))), 1});
        needed(world.owner->intake().record(batch));
        std::mutex mutex;
        QList<std::pair<qint64, qint64>> leases;
        QList<JobFinish> finishes;
        const auto work = [&](const QString& name) {
            WorkerProcess process(world, name);
            process.handler.script = [&](const HandlerRequest& request, std::stop_token) {
                const std::lock_guard lock(mutex);
                leases.append({request.lease.job, request.lease.token});
                return answer(HandlerAnswer::Kind::Done, 200);
            };
            while (const auto report = needed(process.worker.step(process.sources))) {
                const std::lock_guard lock(mutex);
                finishes.append(report->finish);
            }
        };
        std::thread one(work, text("worker-1"));
        std::thread two(work, text("worker-2"));
        one.join();
        two.join();
        QCOMPARE(leases.size(), jobs);
        std::sort(leases.begin(), leases.end());
        QVERIFY(std::adjacent_find(leases.begin(), leases.end()) == leases.end());
        QCOMPARE(finishes.count(JobFinish::Done), jobs);
        QCOMPARE(world.count("SELECT count(*) FROM jobs WHERE state = 'done' AND attempts = 1"), jobs);
    }

    // §10.3, the handler's lines, as they land in the store.
    void shouldFollowTheHandlersAnswer_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<HandlerAnswer>("given");
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("errorClass");
        QTest::addColumn<int>("attempts");
        QTest::addColumn<int>("runInS");
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            const QByteArray store = kind == StoreUrl::Kind::Sqlite ? "sqlite " : "postgresql ";
            const auto row = [&](const char* name, const HandlerAnswer& given, const char* state,
                                 const char* errorClass, int attempts, int runInS) {
                QTest::newRow(store + name) << kind << given << text(state) << text(errorClass) << attempts << runInS;
            };
            using K = HandlerAnswer::Kind;
            row("409", {K::Later, 409, Seconds{300}}, "retry_wait", "later", 0, 300);
            row("409 for a day", {K::Later, 409, Seconds{86400}}, "retry_wait", "later", 0, 3600);
            row("422", {K::Rejected, 422, {}}, "dead", "rejected", 1, 0);
            row("500", {K::Failed, 500, {}}, "retry_wait", "handler_failed", 1, 10);
            row("time-out", {K::TimedOut, 0, {}}, "retry_wait", "handler_failed", 1, 10);
            row("unreachable", {K::Unreachable, 0, {}}, "retry_wait", "handler_failed", 1, 10);
        }
    }
    void shouldFollowTheHandlersAnswer()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(HandlerAnswer, given);
        QFETCH(QString, state);
        QFETCH(QString, errorClass);
        QFETCH(int, attempts);
        QFETCH(int, runInS);
        GateWorld world(kind);
        WorkerProcess process(world);
        process.handler.script = [&](const HandlerRequest&, std::stop_token) { return given; };
        deliver(world, text("evt_1"));
        QCOMPARE(process.step().errorClass, errorClass);
        const auto row = jobRow(world);
        QCOMPARE(row.state, state);
        QCOMPARE(row.attempts, attempts);
        if (runInS > 0)
            QVERIFY(row.runInMs <= runInS * 1000 && row.runInMs > runInS * 1000 - 5000);
        QVERIFY(process.isIdle()); // nothing is due before its time
    }

    BOTH_STORES(shouldDieWhenTheBudgetIsUsed)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        process.handler.script
            = [](const HandlerRequest&, std::stop_token) { return answer(HandlerAnswer::Kind::Failed, 500); };
        deliver(world, text("evt_1"));
        for (int attempt = 1; attempt <= 7; ++attempt) {
            QCOMPARE(process.step().finish, JobFinish::Later);
            world.pass(4 * hour);
        }
        const auto report = process.step();
        QCOMPARE(report.finish, JobFinish::Dead);
        QCOMPARE(report.errorClass, text("handler_failed"));
        QCOMPARE(process.handler.requests.last().attempt, 8);
        QCOMPARE(world.count("SELECT count(*) FROM dead_letters"), 1);
    }

    // Scenario 57: a hold in the middle of fifty jobs. No mark after it; release, and all of them finish.
    BOTH_STORES(shouldBeginNoMarkAfterAHold)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        constexpr int jobs = 50;
        QList<MergedDelivery> batch;
        for (int i = 0; i < jobs; ++i) {
            const auto id = text("inv_h%1").arg(i);
            world.backend.invoices.insert(id, {id, 100, true});
            auto delivery = deliveryOf(world.source.id, text("evt_%1").arg(i));
            delivery.objectId = id;
            batch.append({delivery, 1});
        }
        needed(world.owner->intake().record(batch));
        process.handler.script = [&](const HandlerRequest& request, std::stop_token) {
            process.told.append(process.chargeInvoice(*request.event.objectId, request.lease));
            return process.told.last().http == 200 ? answer(HandlerAnswer::Kind::Done, 200)
                                                   : answer(HandlerAnswer::Kind::Failed, 503);
        };
        int connected = 0;
        process.charge.connected = [&] {
            if (++connected == 11) // between connecting and marking of the sixth
                world.hold(HoldKind::Sends, {});
        };
        for (int i = 0; i < 6; ++i)
            process.step();
        QCOMPARE(process.told.last().because->reason, Reason::Held);
        QVERIFY(process.isIdle()); // no claim while all sends are held
        QCOMPARE(world.count("SELECT count(*) FROM provider_calls"), 10);
        QCOMPARE(process.chargeInvoice(text("inv_h0")).status, isDone); // finished intents replay throughout
        world.hold(HoldKind::Sends, {}, true);
        world.pass(Seconds{15});
        int done = 0;
        for (int i = 0; i < jobs - 5; ++i)
            done += process.step().finish == JobFinish::Done ? 1 : 0;
        QCOMPARE(done, jobs - 5);
        QCOMPARE(world.provider.effects(), jobs);
        QCOMPARE(world.count("SELECT count(*) FROM jobs WHERE state = 'done'"), jobs);
    }

    BOTH_STORES(shouldServeItsSourcesInTurn)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        const auto synced
            = needed(world.owner->service().syncSources({{0, text("stripe:acct_2"), text("stripe"), text("acct_2")}},
                {{text("k2"), 0, text("/webhooks/two"), text("file:/y"), text("0123456789cd"), Instant{0},
                    Instant::never()}}));
        const auto second
            = std::find_if(synced.begin(), synced.end(), [](const Source& s) { return s.account == text("acct_2"); });
        QVERIFY(second != synced.end());
        WorkerProcess process(world);
        process.sources.append(*second);
        process.handler.script
            = [](const HandlerRequest&, std::stop_token) { return answer(HandlerAnswer::Kind::Done, 200); };
        for (int i = 0; i < 3; ++i)
            deliver(world, text("evt_%1").arg(i));
        auto quiet = deliveryOf(second->id, text("evt_quiet"));
        quiet.signingKeyId = text("k2");
        needed(world.owner->intake().record({{quiet, 1}}));
        process.step();
        process.step();
        QStringList served;
        for (const auto& request : process.handler.requests)
            served.append(request.event.source);
        QVERIFY(served.contains(text("stripe:acct_2"))); // a busy source does not starve it
    }

    // Our own end is not the job's fault.
    BOTH_STORES(shouldGiveTheTryBackWhenTheServiceStops)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"));
        std::stop_source stop;
        bool heard = false;
        process.handler.script = [&](const HandlerRequest&, std::stop_token cancelled) {
            stop.request_stop();
            heard = cancelled.stop_requested();
            return answer(HandlerAnswer::Kind::Failed, 0);
        };
        QCOMPARE(process.step(stop.get_token()).finish, JobFinish::Later);
        QVERIFY(heard);
        QCOMPARE(jobRow(world).attempts, 0);
        QVERIFY(!needed(process.worker.step(process.sources, stop.get_token()))); // stopped: nothing is claimed
    }

    // The lease keeper sees every job begin and end, and may end a step whose lease is lost.
    BOTH_STORES(shouldStopTheHandlerWhenTheLeaseIsLost)
    {
        QFETCH(StoreUrl::Kind, kind);
        struct Keeper final : LeaseKeeper
        {
            void begin(const JobLease& lease, std::stop_source source) override
            {
                begun.append(lease);
                lost = std::move(source);
            }
            void end(const JobLease& lease) override { ended.append(lease); }
            QList<JobLease> begun;
            QList<JobLease> ended;
            std::stop_source lost{std::nostopstate};
        } keeper;
        GateWorld world(kind);
        WorkerProcess process(world);
        Worker worker(process.ports->jobs(), process.ports->reservations(), process.gate, process.handler, nullptr,
            &keeper, WorkerProcess::settings(text("w")));
        deliver(world, text("evt_1"));
        bool heard = false;
        process.handler.script = [&](const HandlerRequest&, std::stop_token cancelled) {
            world.pass(jobLeaseAndGrace);
            world.freed();
            keeper.lost.request_stop();
            heard = cancelled.stop_requested();
            return answer(HandlerAnswer::Kind::Done, 200);
        };
        const auto report = needed(worker.step(process.sources));
        QVERIFY(heard);
        QCOMPARE(report->finish, JobFinish::LeaseLost);
        QCOMPARE(keeper.begun, (QList<JobLease>{{1, 1}}));
        QCOMPARE(keeper.ended, keeper.begun);
        QCOMPARE(jobRow(world).state, text("retry_wait"));
    }
};

QTEST_GUILESS_MAIN(tst_worker)
#include "tst_worker.moc"
