// SPDX-License-Identifier: GPL-3.0-or-later
// The service settles, not the agent (contract.md §10.3), on both real stores: scenarios 12, 15, 16, 41, 48, 54, 55.
#include "tests/engine/workerbench.h"

#include <QtTest>

using namespace unavez::contract;
using namespace unavez::engine;
using namespace unavez::stores;
using namespace unavez::tests;

namespace {

constexpr std::chrono::hours hour{1};
constexpr Millis jobLeaseAndGrace{71000};

QString text(const char* word) { return QString::fromLatin1(word); }
const QString a1 = QStringLiteral("charge:inv_42:a1");
const QString a2 = QStringLiteral("charge:inv_42:a2");

HandlerAnswer answer(HandlerAnswer::Kind kind, int status = 0) { return ScriptedHandler::answer(kind, status); }

ActionOutcome requeue(GateWorld& world, qint64 job = 1)
{
    ActionRequest request;
    request.action = Action::RequeueJob;
    request.job = job;
    return world.act(request);
}

} // namespace

class tst_workersettling : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Scenario 12: a worker stopped past its lease; the second one finishes, the first one's finish is nothing.
    BOTH_STORES(shouldFenceAStoppedWorker)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess first(world, text("worker-1"));
        WorkerProcess second(world, text("worker-2"));
        deliver(world, text("evt_1"));
        int writes = 0;
        JobReport ofSecond;
        first.charge.written = [&] {
            if (++writes < 2)
                return;
            world.pass(jobLeaseAndGrace);
            QCOMPARE(world.freed().waiting, QList<qint64>{1});
            ofSecond = second.step();
        };
        const auto ofFirst = first.step();
        QCOMPARE(ofSecond.finish, JobFinish::Done);
        QCOMPARE(ofFirst.finish, JobFinish::LeaseLost);
        QCOMPARE(world.provider.ledger(text("confirm")).size(), 2);
        QVERIFY(world.provider.ledger().last().replayed);
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(jobRow(world).state, text("done"));
        QCOMPARE(world.row(a1).status, ReservationStatus::Done);
        QCOMPARE(world.count("SELECT count(*) FROM incidents"), 0);
    }

    // A call with the lease of a job that went to another hand sends nothing (N8, H5).
    BOTH_STORES(shouldSendNothingForAJobThatIsLost)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"));
        process.charge.connected = [&] {
            world.pass(jobLeaseAndGrace);
            QCOMPARE(world.freed().waiting.size(), 1);
        };
        QCOMPARE(process.step().finish, JobFinish::LeaseLost);
        QCOMPARE(process.told.first().status, isInProgress); // told from the row: its lease is over as well
        QCOMPARE(world.provider.ledger().size(), 0);
        process.charge.connected = nullptr;
        QCOMPARE(process.step().finish, JobFinish::Done);
        QCOMPARE(world.provider.effects(), 1);
    }

    // Scenario 15: the stored failure, then the opened attempt, sent by the service before the handler runs.
    BOTH_STORES(shouldSettleAnOpenedAttemptBeforeTheHandler)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"));
        process.handler.script = [&](const HandlerRequest& request, std::stop_token) {
            process.told.append(process.chargeInvoice(text("inv_42"), request.lease));
            return process.told.last().status == isFailed ? answer(HandlerAnswer::Kind::Rejected, 422)
                                                          : answer(HandlerAnswer::Kind::Done, 200);
        };
        world.provider.next(text("confirm"), Fault::Decline);
        auto report = process.step();
        QCOMPARE(report.finish, JobFinish::Dead);
        QCOMPARE(report.errorClass, text("rejected"));
        const auto calls = world.provider.ledger().size();
        world.pass(Seconds{61});
        QCOMPARE(requeue(world).result, ActionResult::Applied);
        QCOMPARE(process.step().finish, JobFinish::Dead); // the same stored failure, no provider call
        QCOMPARE(process.told.last().status, isFailed);
        QCOMPARE(world.provider.ledger().size(), calls);

        world.pass(Seconds{61});
        const auto opened = world.openAttempt(text("charge:inv_42"));
        QCOMPARE(opened.result, ActionResult::Applied);
        QCOMPARE(opened.newKey, std::optional(a2));
        // Scenario 54: a day with nobody sending.
        world.pass(24 * hour);
        QVERIFY(world.expired().isEmpty());
        bool settledFirst = false;
        const auto script = process.handler.script;
        process.handler.script = [&](const HandlerRequest& request, std::stop_token stop) {
            settledFirst = world.row(a2).status == ReservationStatus::Done;
            return script(request, stop);
        };
        QCOMPARE(process.step().finish, JobFinish::Done);
        QVERIFY(settledFirst);
        QVERIFY(process.told.last().replayed);
        QCOMPARE(process.told.last().key, a2);
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.provider.ledger(text("create")).size(), 1);
    }

    // A job that is done cannot run again: its opened attempt gets a resume job, which has no handler.
    BOTH_STORES(shouldSettleAResumeJobWithoutAHandler)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"));
        world.provider.next(text("confirm"), Fault::Decline);
        QCOMPARE(process.step().finish, JobFinish::Done); // this agent is content with a decline
        world.pass(Seconds{61});
        QVERIFY(world.openAttempt(text("charge:inv_42")).resumeJob.has_value());
        const auto report = process.step();
        QCOMPARE(report.job.kind, JobKind::Resume);
        QCOMPARE(report.finish, JobFinish::Done);
        QCOMPARE(process.handler.requests.size(), 1);
        QCOMPARE(world.row(a2).status, ReservationStatus::Done);
        QCOMPARE(world.provider.effects(), 1);
        QVERIFY(process.isIdle());
    }

    // Scenario 16.
    BOTH_STORES(shouldDieAtOnceOfAnUnknownOutcome)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"));
        world.provider.next(text("confirm"), Fault::CachedErrorAfter);
        const auto report = process.step();
        QCOMPARE(process.told.first().status, isUnknown);
        QCOMPARE(report.finish, JobFinish::Dead);
        QCOMPARE(report.errorClass, text("unknown_outcome"));
        QCOMPARE(jobRow(world).attempts, 1);
        world.pass(Seconds{61});
        QCOMPARE(requeue(world).because->reason, Reason::OutcomeUnknown);
        QCOMPARE(world.openAttempt(text("charge:inv_42")).because->reason, Reason::OutcomeUnknown);
        // The provider's event settles it; its own job reports so, and the dead one may be requeued now.
        deliver(world, text("evt_2"),
            R"({"key":"charge:inv_42:a1:confirm","id":"pi_1","type":"payment_intent","status":"succeeded",)"
            R"("minor":125000})",
            text("payment_intent.succeeded"));
        QCOMPARE(process.step().evidence, std::optional(EvidenceEffect::Settled));
        QCOMPARE(jobRow(world).state, text("dead")); // evidence never requeues
        QCOMPARE(requeue(world).result, ActionResult::Applied);
        QCOMPARE(process.step().finish, JobFinish::Done);
        QCOMPARE(world.provider.effects(), 1);
    }

    BOTH_STORES(shouldDieOfAnUnknownOutcomeBeforeTheHandler)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"));
        world.provider.next(text("confirm"), Fault::ResetAfter);
        QCOMPARE(process.step().errorClass, text("open_effect"));
        world.pass(21 * hour);
        const auto report = process.step(); // past its cutoff, and the reaper has not been there yet
        QCOMPARE(report.finish, JobFinish::Dead);
        QCOMPARE(report.errorClass, text("unknown_outcome"));
        QCOMPARE(process.handler.requests.size(), 1);
        QCOMPARE(world.provider.ledger(text("confirm")).size(), 1);
    }

    // Scenario 55 (M8).
    BOTH_STORES(shouldNotBeDoneOverAnOpenEffect)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"));
        world.provider.next(text("confirm"), Fault::Unavailable);
        auto report = process.step();
        QCOMPARE(report.finish, JobFinish::Later);
        QCOMPARE(report.errorClass, text("open_effect"));
        auto row = jobRow(world);
        QCOMPARE(row.state, text("retry_wait"));
        QCOMPARE(row.attempts, 0); // it does not count
        QCOMPARE(row.postponed, 1);
        bool settledFirst = false;
        const auto script = process.handler.script;
        process.handler.script = [&](const HandlerRequest& request, std::stop_token stop) {
            settledFirst = world.row(a1).status == ReservationStatus::Done;
            return script(request, stop);
        };
        QCOMPARE(process.step().finish, JobFinish::Done);
        QVERIFY(settledFirst);
        QVERIFY(process.told.last().replayed);
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.provider.ledger(text("confirm")).size(), 2);
    }

    // The store refuses it too, should an effect begin between our look and the finish.
    BOTH_STORES(shouldWaitForAnEffectBegunMeanwhile)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"));
        const auto job = needed(world.owner->jobs().claim(world.source.id, text("w"), Seconds{60}));
        GateProcess other(world, text("gate-2"));
        other.charge.unreachable = true;
        QCOMPARE(other.chargeInvoice(text("inv_42"), job->lease()).status, isInProgress);
        QCOMPARE(needed(world.owner->jobs().finishDone(job->lease())), JobFinish::OpenEffect);
        QCOMPARE(jobRow(world).state, text("leased"));
    }

    // §10.3: a reservation that is live in another hand: when its lease ends, and no try is used.
    BOTH_STORES(shouldWaitForAnotherHand)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"));
        {
            WorkerProcess dying(world, text("worker-0"));
            QVERIFY(diesAt("gate.after_connect_before_mark", [&] { dying.step(); }));
        }
        // Its job lease is given back early; the reservation's is not.
        needed(world.owner->connection().run(
            QStringLiteral("UPDATE jobs SET state = 'retry_wait', lease_owner = NULL, lease_expires_at = NULL, "
                           "row_version = row_version + 1")));
        const auto report = process.step();
        QCOMPARE(report.finish, JobFinish::Later);
        QCOMPARE(report.errorClass, text("open_effect"));
        const auto row = jobRow(world);
        QCOMPARE(row.attempts, 1); // the dead worker's
        QVERIFY(row.runInMs > 45000 && row.runInMs <= 55000); // lease left and grace
        QVERIFY(process.handler.requests.isEmpty());
        world.pass(Seconds{56});
        QCOMPARE(process.step().finish, JobFinish::Done);
        QCOMPARE(world.provider.effects(), 1);
    }

    // §10.3, the lines of settling that use up a try.
    BOTH_STORES(shouldCountATryThatSettledNothing)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        deliver(world, text("evt_1"));
        world.provider.next(text("confirm"), Fault::Unavailable, 2);
        QCOMPARE(process.step().errorClass, text("open_effect"));
        QCOMPARE(process.step().errorClass, text("provider_unanswered"));
        auto row = jobRow(world);
        QCOMPARE(row.attempts, 1);
        QVERIFY(row.runInMs > 8000 && row.runInMs <= 10000);
        world.pass(Seconds{11});
        process.charge.unreachable = true;
        QCOMPARE(process.step().errorClass, text("provider_away"));
        QCOMPARE(jobRow(world).attempts, 2);
        world.pass(Seconds{31});
        process.charge.unreachable = false;
        process.charge.accountAway = true;
        QCOMPARE(process.step().errorClass, text("provider_away"));
        world.pass(Seconds{121});
        process.charge.accountAway = false;
        world.provider.next(text("confirm"), Fault::TooMany);
        QCOMPARE(process.step().errorClass, text("provider_unanswered"));
        QVERIFY(jobRow(world).runInMs > 30000); // no sooner than the provider said
        QCOMPARE(process.handler.requests.size(), 1);
        world.pass(Seconds{601});
        QCOMPARE(process.step().finish, JobFinish::Done);
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.count("SELECT count(*) FROM idempotency_keys"), 1);
    }

    // Scenario 41: a second job over the same intent resumes the first one's bytes.
    BOTH_STORES(shouldResumeFromASecondJob)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        deliver(world, text("evt_1"));
        {
            WorkerProcess old(world, text("worker-1"));
            world.provider.next(text("confirm"), Fault::ResetAfter);
            QCOMPARE(old.step().finish, JobFinish::Later);
        }
        world.hold(HoldKind::Source, QString::number(world.source.id)); // the first job stays away
        GateProcess chat(world, text("gate-3"));
        chat.charge.encoder = text("2");
        QCOMPARE(chat.chargeInvoice().status, isDone); // asked for in a chat turn, without a job
        world.hold(HoldKind::Source, QString::number(world.source.id), true);
        WorkerProcess upgraded(world, text("worker-2"));
        deliver(world, text("evt_2"));
        QCOMPARE(upgraded.step().finish, JobFinish::Done);
        QCOMPARE(upgraded.step().finish, JobFinish::Done);
        const auto confirms = world.provider.ledger(text("confirm"));
        QCOMPARE(confirms.size(), 2);
        QCOMPARE(confirms.last().bytes, confirms.first().bytes);
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.count("SELECT count(*) FROM intent_uses"), 2);
    }

    // Scenario 48 and X3–X12: wherever the worker dies, the next claim ends it with one charge and one attempt.
    void shouldChargeOnceWhereverItDies_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<QByteArray>("point");
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            const QByteArray store = kind == StoreUrl::Kind::Sqlite ? "sqlite " : "postgresql ";
            for (const char* point :
                {"worker.after_claim", "worker.after_settle_before_handler", "gate.after_reserve_before_connect",
                    "gate.after_connect_before_mark", "gate.after_mark_before_write", "gate.after_write_before_answer",
                    "gate.after_answer_before_finish", "gate.between_create_and_confirm",
                    "gate.after_finish_before_reply", "worker.after_handler_before_finish"})
                QTest::newRow(store + point) << kind << QByteArray(point);
        }
    }
    void shouldChargeOnceWhereverItDies()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(QByteArray, point);
        GateWorld world(kind);
        deliver(world, text("evt_1"));
        {
            WorkerProcess dying(world, text("worker-1"));
            QVERIFY(diesAt(point.constData(), [&] { dying.step(); }));
        }
        const bool sent = world.count("SELECT count(*) FROM provider_calls") > 0;
        world.pass(sent ? Millis{10 * hour} : Millis{72 * hour});
        QCOMPARE(world.freed().waiting.size(), 1);
        QVERIFY(world.expired().isEmpty());
        WorkerProcess process(world, text("worker-2"));
        QCOMPARE(process.step().finish, JobFinish::Done);
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.count("SELECT count(*) FROM idempotency_keys"), 1);
        QCOMPARE(jobRow(world).state, text("done"));
        QVERIFY(process.isIdle());
    }
};

QTEST_GUILESS_MAIN(tst_workersettling)
#include "tst_workersettling.moc"
