// SPDX-License-Identifier: GPL-3.0-or-later
// The operator's writes on every store: exactly the planned rows, one audit row, one winner.
#include "tests/stores/operatorbench.h"

#include <mutex>
#include <thread>

using namespace unavez::contract;
using namespace unavez::stores;
using namespace unavez::tests;

class tst_actions : public QObject
{
    Q_OBJECT
private:
    static QString refusedOf(const ActionOutcome& outcome)
    {
        return outcome.because ? wordOf(outcome.because->reason) : QString();
    }

private Q_SLOTS:
    void shouldRequeueADeadJob_data() { everyStore(); }
    void shouldRequeueADeadJob()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto job = bench.dead(QStringLiteral("evt_1"));
        const auto request = PortsBench::onJob(Action::RequeueJob, job);
        const auto plan = bench.planOf(request);
        QCOMPARE(plan.rows.size(), 1);
        const auto outcome = must(bench.actions.apply(plan, QStringLiteral("on call, ticket 42")));
        QCOMPARE(refusedOf(outcome), QString());
        QCOMPARE(outcome.result, ActionResult::Applied);
        QCOMPARE(outcome.rowsChanged, 1);
        QCOMPARE(bench.stateOf(job), QStringLiteral("queued"));
        const auto log = bench.backend->log();
        QCOMPARE(log.size(), 1);
        QCOMPARE(log.first().id, *outcome.logId);
        QCOMPARE(log.first().reason, QStringLiteral("on call, ticket 42"));
        // A plan is single-use: the same one again finds its row moved, and that is audited too.
        const auto again = must(bench.actions.apply(plan, QStringLiteral("on call, ticket 42")));
        QCOMPARE(again.result, ActionResult::Changed);
        QCOMPARE(bench.backend->log().first().refused, std::optional(QStringLiteral("changed")));
        QCOMPARE(bench.backend->brokenLog(), std::optional<qint64>());
    }

    // Scenario 24.
    void shouldLetOneOfTwoOperatorsWin_data() { everyStore(); }
    void shouldLetOneOfTwoOperatorsWin()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto job = bench.dead(QStringLiteral("evt_1"));
        const auto plan = bench.planOf(PortsBench::onJob(Action::RequeueJob, job));
        std::mutex mutex;
        QList<ActionResult> results;
        const auto work = [&] {
            const auto ports = bench.backend->connect();
            const auto outcome = must(ports->actions().apply(plan, QStringLiteral("two at once")));
            const std::lock_guard lock(mutex);
            results.append(outcome.result);
        };
        std::thread one(work);
        std::thread two(work);
        one.join();
        two.join();
        QCOMPARE(results.count(ActionResult::Applied), 1);
        QCOMPARE(results.count(ActionResult::Changed), 1);
        QCOMPARE(bench.backend->log().size(), 2);
    }

    void shouldChainParallelActions_data() { everyStore(); }
    void shouldChainParallelActions()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        QList<Plan> plans;
        for (int i = 0; i < 8; ++i) {
            const auto job = bench.dead(QStringLiteral("evt_%1").arg(i));
            plans.append(bench.planOf(PortsBench::onJob(Action::RequeueJob, job)));
        }
        std::vector<std::thread> threads;
        for (const auto& plan : plans) {
            threads.emplace_back([&bench, plan] {
                const auto ports = bench.backend->connect();
                const auto outcome = must(ports->actions().apply(plan, QStringLiteral("eight at once")));
                if (outcome.result != ActionResult::Applied)
                    qFatal("not applied");
            });
        }
        for (auto& thread : threads)
            thread.join();
        QCOMPARE(bench.backend->log().size(), 8);
        QCOMPARE(bench.backend->brokenLog(), std::optional<qint64>());
    }

    // Scenario 51.
    void shouldFindOneChangedByte_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<QString>("damage");
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            const auto name = kind == StoreUrl::Kind::Sqlite ? "sqlite" : "postgresql";
            QTest::addRow("%s reason", name) << kind << QStringLiteral("reason = reason || '.'");
            QTest::addRow("%s canonical", name) << kind << QStringLiteral("canonical = canonical || ' '");
            QTest::addRow("%s rows", name) << kind << QStringLiteral("rows_changed = 2");
            QTest::addRow("%s operator", name) << kind << QStringLiteral("operator = 'eve'");
        }
    }
    void shouldFindOneChangedByte()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(QString, damage);
        OperatorBench bench(kind);
        QList<qint64> dead;
        for (int i = 0; i < 3; ++i)
            dead.append(bench.dead(QStringLiteral("evt_%1").arg(i)));
        QList<qint64> logged;
        for (const auto job : dead)
            logged.append(*bench.done(OperatorBench::onJob(Action::RequeueJob, job)).logId);
        QCOMPARE(must(bench.queries.verifyLog()), std::optional<qint64>());
        // Only the owner can, and only after taking the guard away.
        must(bench.connection->runScript(kind == StoreUrl::Kind::Sqlite
                ? "DROP TRIGGER operator_actions_append_only"
                : "DROP TRIGGER append_only ON operator_actions"));
        must(bench.connection->run(
            QStringLiteral("UPDATE operator_actions SET %1 WHERE id = ?").arg(damage), {logged.at(1)}));
        QCOMPARE(must(bench.queries.verifyLog()), std::optional(logged.at(1)));
    }

    void shouldReleaseALeaseThatIsOver_data() { everyStore(); }
    void shouldReleaseALeaseThatIsOver()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        const auto request = PortsBench::onJob(Action::ReleaseLease, job.job.id);
        QCOMPARE(refusedOf(bench.done(request)), QStringLiteral("lease_live"));
        bench.actions.setPolicy(PortsBench::hasty());
        QVERIFY(must(bench.jobs.renew(job.lease(), Millis{1})));
        ActionOutcome last; // QTRY asks again after a success
        QTRY_VERIFY(
            last.result == ActionResult::Applied || (last = bench.done(request)).result == ActionResult::Applied);
        QCOMPARE(bench.stateOf(job.job.id), QStringLiteral("retry_wait"));
        QCOMPARE(must(bench.jobs.finishDone(job.lease())), JobFinish::LeaseLost);
    }

    // Expire, then record what the provider shows, which requeues the dead job: the whole way of an unknown outcome.
    void shouldExpireAndRecord_data() { everyStore(); }
    void shouldExpireAndRecord()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        auto policy = PortsBench::hasty();
        bench.actions.setPolicy(policy);
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        const auto held = bench.reserved(QStringLiteral("inv_1"), job.lease(), Seconds{1});
        bench.sent(held, job.lease());
        must(bench.reservations.giveUpLease(held.key, held.fence, Seconds{0}));
        must(bench.jobs.finishDead(job.lease(), QStringLiteral("permanent"), {}));
        const auto expire = PortsBench::onKey(Action::ExpireReservation, held.key);
        QCOMPARE(refusedOf(bench.done(expire)), QStringLiteral("resumable"));
        ActionOutcome last; // QTRY asks again after a success
        QTRY_VERIFY(
            last.result == ActionResult::Applied || (last = bench.done(expire)).result == ActionResult::Applied);
        QCOMPARE(bench.statusOf(QStringLiteral("inv_1")), QStringLiteral("unknown"));
        QCOMPARE(refusedOf(bench.done(PortsBench::onJob(Action::RequeueJob, job.job.id))),
            QStringLiteral("outcome_unknown"));

        auto record = PortsBench::onKey(Action::RecordOutcome, held.key);
        QCOMPARE(refusedOf(bench.done(record)), QStringLiteral("evidence_missing"));
        Evidence evidence;
        evidence.verdict = EvidenceVerdict::Charged;
        evidence.source = EvidenceSource::Api;
        evidence.provider = QStringLiteral("stripe");
        evidence.account = QStringLiteral("acct_1");
        evidence.mode = StoreMode::Practice;
        evidence.sha256 = sha256("list");
        ProviderObject object;
        object.id = QStringLiteral("pi_9");
        object.type = QStringLiteral("payment_intent");
        object.status = QStringLiteral("succeeded");
        object.paid = true;
        object.amount = Money{1200, QStringLiteral("eur")};
        evidence.objects = {object};
        evidence.until = must(bench.reservations.now());
        evidence.from = evidence.until - Seconds{3600};
        evidence.complete = true;
        record.evidence = evidence;
        const auto plan = bench.planOf(record);
        QCOMPARE(plan.rows.size(), 3); // verdict, status, job
        const auto outcome = must(bench.actions.apply(plan, QStringLiteral("seen in the list")));
        QCOMPARE(refusedOf(outcome), QString());
        QCOMPARE(outcome.rowsChanged, 3);
        QCOMPARE(bench.statusOf(QStringLiteral("inv_1")), QStringLiteral("done"));
        QCOMPARE(bench.stateOf(job.job.id), QStringLiteral("queued"));
        QCOMPARE(bench.backend->brokenLog(), std::optional<qint64>());
    }

    void shouldOpenOneMoreAttempt_data() { everyStore(); }
    void shouldOpenOneMoreAttempt()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        bench.actions.setPolicy(PortsBench::hasty());
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        const auto held = bench.reserved(QStringLiteral("inv_1"), job.lease());
        const auto request = PortsBench::attemptOf(QStringLiteral("inv_1"));
        QCOMPARE(refusedOf(bench.done(request)), QStringLiteral("reservation_live"));
        bench.sent(held, job.lease());
        bench.finished(held, ReservationStatus::Failed, QStringLiteral("insufficient_funds"));
        must(bench.jobs.finishDone(job.lease()));
        const auto outcome = bench.done(request);
        QCOMPARE(refusedOf(outcome), QString());
        QCOMPARE(outcome.newKey, std::optional(QStringLiteral("charge:inv_1:a2")));
        QVERIFY(outcome.resumeJob); // its job was done: a resume job settles the new attempt
        QCOMPARE(bench.stateOf(*outcome.resumeJob), QStringLiteral("queued"));
        QCOMPARE(refusedOf(bench.done(request)), QStringLiteral("attempt_open"));
    }

    void shouldRequeueTheDeadJobWithItsNewAttempt_data() { everyStore(); }
    void shouldRequeueTheDeadJobWithItsNewAttempt()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        bench.actions.setPolicy(PortsBench::hasty());
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        const auto held = bench.reserved(QStringLiteral("inv_1"), job.lease());
        bench.sent(held, job.lease());
        bench.finished(held, ReservationStatus::Failed, QStringLiteral("stolen_card"));
        must(bench.jobs.finishDead(job.lease(), QStringLiteral("permanent"), {}));
        auto request = PortsBench::attemptOf(QStringLiteral("inv_1"));
        QCOMPARE(refusedOf(bench.done(request)), QStringLiteral("decline_hard"));
        auto policy = PortsBench::hasty();
        policy.hardDeclines.clear();
        bench.actions.setPolicy(policy);
        auto away = request;
        away.backend->reachable = false;
        QCOMPARE(refusedOf(bench.done(away)), QStringLiteral("backend_unreachable"));
        const auto outcome = bench.done(request);
        QCOMPARE(refusedOf(outcome), QString());
        QCOMPARE(outcome.rowsChanged, 2);
        QCOMPARE(bench.stateOf(job.job.id), QStringLiteral("queued"));
    }

    void shouldDiscardAndAbandonWhatWasNeverSent_data() { everyStore(); }
    void shouldDiscardAndAbandonWhatWasNeverSent()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        bench.actions.setPolicy(PortsBench::hasty());
        auto delivery = bench.delivery(QStringLiteral("evt_1"));
        delivery.delivery.eventType = QStringLiteral("customer.updated"); // no money: one person may
        must(bench.intake.record({delivery}));
        const auto job = bench.claimedNext();
        auto wanted = PortsBench::request(QStringLiteral("inv_1"), job.lease());
        wanted.amount.reset();
        const auto held = *must(bench.reservations.reserve(wanted)).held;
        const auto discard = PortsBench::onJob(Action::DiscardJob, job.job.id);
        QCOMPARE(refusedOf(bench.done(discard)), QStringLiteral("not_dead"));
        must(bench.jobs.finishDead(job.lease(), QStringLiteral("rejected"), {}));
        QCOMPARE(refusedOf(bench.done(discard)), QStringLiteral("reservation_live"));
        must(bench.reservations.giveUpLease(held.key, held.fence, Seconds{0}));
        ActionOutcome last; // QTRY asks again after a success
        QTRY_VERIFY(
            last.result == ActionResult::Applied || (last = bench.done(discard)).result == ActionResult::Applied);
        QCOMPARE(last.rowsChanged, 2);
        QCOMPARE(bench.stateOf(job.job.id), QStringLiteral("discarded"));
        QCOMPARE(bench.statusOf(QStringLiteral("inv_1")), QStringLiteral("abandoned"));
        QVERIFY(
            !must(bench.reservations.resume(held.key, held.fence, QStringLiteral("gate-2"), Seconds{45}, Seconds{0})));
        QCOMPARE(
            refusedOf(bench.done(PortsBench::onJob(Action::RequeueJob, job.job.id))), QStringLiteral("job_discarded"));
    }

    void shouldRefuseWhatMovedWhileThePersonRead_data() { everyStore(); }
    void shouldRefuseWhatMovedWhileThePersonRead()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        bench.actions.setPolicy(PortsBench::hasty());
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        const auto held = bench.reserved(QStringLiteral("inv_1"), job.lease());
        must(bench.reservations.giveUpLease(held.key, held.fence, Seconds{0}));
        must(bench.jobs.finishDead(job.lease(), QStringLiteral("permanent"), {}));
        Plan plan;
        QTRY_VERIFY(!(plan = bench.planOf(PortsBench::onJob(Action::RequeueJob, job.job.id))).rows.isEmpty());
        must(bench.reservations.giveUpLease(held.key, held.fence, Seconds{0})); // the row moves, the job does not
        const auto outcome = must(bench.actions.apply(plan, QStringLiteral("read too long")));
        QCOMPARE(outcome.result, ActionResult::Changed);
        QCOMPARE(bench.stateOf(job.job.id), QStringLiteral("dead"));
        QCOMPARE(bench.backend->log().first().rowsChanged, 0);
    }

    void shouldHoldAndRelease_data() { everyStore(); }
    void shouldHoldAndRelease()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        for (const auto& [holdKind, target] :
            {std::pair{HoldKind::Sends, QString()}, std::pair{HoldKind::Tool, QStringLiteral("charge_customer")}}) {
            ActionRequest request;
            request.action = Action::Hold;
            request.hold = HoldRequest{holdKind, target, false};
            QCOMPARE(refusedOf(bench.done(request)), QString());
            QCOMPARE(refusedOf(bench.done(request)), QStringLiteral("already_held"));
            QCOMPARE(must(bench.service.holds()).size(), 1);
            request.hold->release = true;
            QCOMPARE(refusedOf(bench.done(request)), QString());
            QCOMPARE(refusedOf(bench.done(request)), QStringLiteral("not_held"));
        }
        QCOMPARE(bench.backend->log().size(), 8);
        QCOMPARE(bench.backend->brokenLog(), std::optional<qint64>());
    }

    void shouldSayWhatIsMissingOrTooShort_data() { everyStore(); }
    void shouldSayWhatIsMissingOrTooShort()
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto missing = bench.done(PortsBench::onJob(Action::RequeueJob, 999));
        QCOMPARE(missing.result, ActionResult::Missing);
        const auto job = bench.dead(QStringLiteral("evt_1"));
        auto request = PortsBench::onJob(Action::RequeueJob, job);
        const auto shortReason = must(bench.actions.apply(bench.planOf(request), QStringLiteral("short")));
        QCOMPARE(refusedOf(shortReason), QStringLiteral("reason_too_short"));
        request.confirmedMode = StoreMode::Live;
        QCOMPARE(refusedOf(bench.done(request)), QStringLiteral("wrong_mode"));
        QCOMPARE(bench.stateOf(job), QStringLiteral("dead"));
    }

    void shouldNeedTheOperatorRoleAndNoMore()
    {
        OperatorBench bench(StoreUrl::Kind::PostgreSql);
        const auto job = bench.dead(QStringLiteral("evt_1"));
        const auto request = OperatorBench::onJob(Action::RequeueJob, job);
        const auto plan = bench.planOf(request);
        {
            const auto viewer = bench.store.connectAs(QStringLiteral("viewer"));
            SqlStoreQueries queries(*viewer);
            QCOMPARE(must(queries.facts()).roles, QStringList{QStringLiteral("viewer")});
            QCOMPARE(must(queries.dead({})).rows.size(), 1);
            QVERIFY(must(queries.dead({})).rows.first().hasPayload);
            SqlActionStore actions(*viewer);
            const auto outcome = must(actions.apply(plan, QStringLiteral("a viewer tries")));
            QCOMPARE(refusedOf(outcome), QStringLiteral("not_permitted"));
            QCOMPARE(viewer->run(QStringLiteral("SELECT body FROM event_payloads")).error().kind, Error::Kind::Denied);
            QCOMPARE(
                viewer->run(QStringLiteral("SELECT request FROM idempotency_keys")).error().kind, Error::Kind::Denied);
            QCOMPARE(viewer->run(QStringLiteral("SELECT record_refusal('hold', 'sends', 'long enough', '{}', 'x')"))
                         .error()
                         .kind,
                Error::Kind::Denied);
        }
        const auto login = bench.store.connectAs(QStringLiteral("operator"));
        SqlActionStore actions(*login);
        const auto applied = must(actions.apply(plan, QStringLiteral("an operator may")));
        QCOMPARE(refusedOf(applied), QString());
        const auto again = must(actions.apply(plan, QStringLiteral("an operator may")));
        QCOMPARE(again.result, ActionResult::Changed);
        QVERIFY(again.logId);
        SqlStoreQueries queries(*login);
        QCOMPARE(must(queries.log({})).rows.size(), 2);
        QVERIFY(must(queries.log({})).rows.first().by.startsWith(QStringLiteral("login_operator")));
        QCOMPARE(must(queries.verifyLog()), std::optional<qint64>());
        const auto files = must(queries.find(QStringLiteral("evt_1")));
        QCOMPARE(files.size(), 1);
        QCOMPARE(must(queries.caseOf(files.first())).actions.size(), 2);
    }
};

QTEST_GUILESS_MAIN(tst_actions)
#include "tst_actions.moc"
