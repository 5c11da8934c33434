// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of the gate's ports, on every store: reservation, send mark, finish, evidence, cutoff.
#include "tests/stores/portsbench.h"

#include <mutex>
#include <thread>

using namespace unavez::contract;
using namespace unavez::tests;

class tst_reservationports : public QObject
{
    Q_OBJECT
private:
    static QString refusedOf(const MarkAnswer& answer)
    {
        return answer.refused ? wordOf(answer.refused->reason) : QStringLiteral("marked");
    }

    static ObservedOutcome observed(const KeyId& key, const QString& object, Instant until)
    {
        ObservedOutcome outcome;
        outcome.key = key;
        outcome.objectIds = {object};
        outcome.sha256 = sha256("event");
        outcome.until = until;
        outcome.outcomeClass = QStringLiteral("success");
        return outcome;
    }

private Q_SLOTS:
    EVERY_STORE(shouldReserveOnceSendUnderAMarkAndReplay)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        const auto wanted = PortsBench::request(QStringLiteral("inv_1"), job.lease());
        const auto reserved = must(bench.reservations.reserve(wanted));
        QVERIFY(reserved.held && reserved.held->request == "bytes");
        const auto again = must(bench.reservations.reserve(wanted));
        QVERIFY(!again.held && again.existing->last.status == ReservationStatus::InProgress);
        auto otherArguments = wanted;
        otherArguments.argsSha256 = sha256("other");
        QCOMPARE(must(bench.reservations.reserve(otherArguments)).refused->reason, Reason::PlanMismatch);
        auto stale = PortsBench::request(QStringLiteral("inv_2"), JobLease{job.job.id, 7});
        QCOMPARE(must(bench.reservations.reserve(stale)).refused->reason, Reason::LeaseLost);
        QVERIFY(!must(bench.reservations.find(stale.intent)));

        // A job is not done while an effect is open (M8).
        QCOMPARE(must(bench.jobs.finishDone(job.lease())), JobFinish::OpenEffect);
        QCOMPARE(must(bench.reservations.openEffects(job.job.id)).size(), 1);

        const auto marked = bench.mark(*reserved.held, job.lease());
        QVERIFY(marked.call);
        QCOMPARE(marked.sends, 1);
        const auto left = marked.resumeUntil - must(bench.reservations.now());
        QVERIFY(left > Seconds{71'990} && left <= Seconds{72'000}); // window less margin
        const auto key = reserved.held->key;
        QVERIFY(
            !must(bench.reservations.hasUnansweredSend(key, QStringLiteral("charge:inv_1:a1:confirm"), *marked.call)));
        QVERIFY(must(bench.reservations.hasUnansweredSend(key, QStringLiteral("charge:inv_1:a1:confirm"), 0)));
        QVERIFY(!must(bench.reservations.hasUnansweredSend(key, QStringLiteral("charge:inv_1:a1:create"), 0)));
        CallEnd end;
        end.call = *marked.call;
        end.answer.httpStatus = 200;
        end.outcome = OutcomeClass::Success;
        must(bench.reservations.completeCall(end));
        end.outcome = OutcomeClass::Unanswered;
        must(bench.reservations.completeCall(end)); // once: the first word stays
        QVERIFY(!must(bench.reservations.hasUnansweredSend(key, QStringLiteral("charge:inv_1:a1:confirm"), 0)));
        FinishRequest finish;
        finish.key = key;
        finish.objectId = QStringLiteral("pi_1");
        finish.result = R"({"status":"succeeded"})";
        finish.fence = 9;
        QVERIFY(!must(bench.reservations.finish(finish))); // fenced (M1)
        finish.fence = reserved.held->fence;
        QVERIFY(must(bench.reservations.finish(finish)));
        QVERIFY(!must(bench.reservations.finish(finish)));
        const auto found = must(bench.reservations.find(wanted.intent));
        QCOMPARE(found->last.status, ReservationStatus::Done);
        QCOMPARE(found->last.providerObjectId, std::optional(QStringLiteral("pi_1")));
        QCOMPARE(found->last.result, std::optional(QByteArray(R"({"status":"succeeded"})")));
        QCOMPARE(found->intent.lastStatus, std::optional(ReservationStatus::Done));
        QVERIFY(must(bench.reservations.openEffects(job.job.id)).isEmpty());
        QCOMPARE(must(bench.jobs.finishDone(job.lease())), JobFinish::Done);
    }

    EVERY_STORE(shouldKeepAccountsApart)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        auto other = PortsBench::request(QStringLiteral("inv_1"));
        other.intent.account = QStringLiteral("acct_2");
        other.argsSha256 = sha256("other");
        QVERIFY(must(bench.reservations.reserve(PortsBench::request(QStringLiteral("inv_1")))).held);
        const auto second = must(bench.reservations.reserve(other));
        QVERIFY(second.held);
        QCOMPARE(second.held->key.account, QStringLiteral("acct_2"));
        QVERIFY(bench.mark(*second.held).call);
        QCOMPARE(bench.row(keyOf(QStringLiteral("inv_1"))).sends, 0);
    }

    EVERY_STORE(shouldRefuseAMarkAndSayWhy)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        const auto held = bench.reserved(QStringLiteral("inv_1"), job.lease());
        QCOMPARE(refusedOf(bench.mark(held, job.lease(), Seconds{120})), QStringLiteral("clock_skew"));
        QCOMPARE(refusedOf(bench.mark(held, job.lease(), -Seconds{120})), QStringLiteral("clock_skew"));
        const auto now = must(bench.reservations.now());
        QCOMPARE(refusedOf(must(bench.reservations.mark({held.key, held.fence, QStringLiteral("confirm"),
                     QStringLiteral("charge_customer"), Seconds{45}, now, now + Seconds{120}, job.lease()}))),
            QStringLiteral("clock_skew"));
        // Each within a minute of the store, and eighty seconds from one another: any two of the three (§10.6).
        QCOMPARE(
            refusedOf(must(bench.reservations.mark({held.key, held.fence, QStringLiteral("confirm"),
                QStringLiteral("charge_customer"), Seconds{45}, now - Seconds{40}, now + Seconds{40}, job.lease()}))),
            QStringLiteral("clock_skew"));
        QCOMPARE(refusedOf(bench.mark(held, JobLease{job.job.id, 7})), QStringLiteral("lease_lost"));
        auto stale = held;
        stale.fence = 0;
        QCOMPARE(refusedOf(bench.mark(stale, job.lease())), QStringLiteral("lease_lost"));
        bench.done(PortsBench::onHold(HoldKind::Tool, QStringLiteral("other_tool")));
        bench.done(PortsBench::onHold(HoldKind::Tool, QStringLiteral("charge_customer")));
        QCOMPARE(refusedOf(bench.mark(held, job.lease())), QStringLiteral("held"));
        must(bench.service.quarantine(must(bench.service.now())));
        QCOMPARE(refusedOf(bench.mark(held, job.lease())), QStringLiteral("quarantine"));
        QCOMPARE(
            must(bench.reservations.reserve(PortsBench::request(QStringLiteral("inv_2"), job.lease()))).refused->reason,
            Reason::Quarantine);
        QCOMPARE(bench.row(held.key).sends, 0); // nothing was marked by any of them
    }

    EVERY_STORE(shouldResumeOnlyAfterTheLeaseWasGivenUp)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto held = bench.reserved(QStringLiteral("inv_1"));
        const auto resume = [&] {
            return must(
                bench.reservations.resume(held.key, held.fence, QStringLiteral("gate-2"), Seconds{45}, Seconds{10}));
        };
        QVERIFY(!resume());
        must(bench.reservations.giveUpLease(held.key, held.fence, Seconds{10}));
        std::optional<Held> resumed; // QTRY asks again after a success: resume only once
        QTRY_VERIFY(resumed || (resumed = resume()));
        QCOMPARE(resumed->request, QByteArray("bytes"));
        const auto row = bench.row(held.key);
        QCOMPARE(row.fence, held.fence + 1);
        QCOMPARE(row.owner, std::optional(QStringLiteral("gate-2")));
        QVERIFY(!must(bench.reservations.finish(
            {held.key, held.fence, ReservationStatus::Unknown, {}, OutcomeClass::Unknown, {}, {}, {}})));
        QCOMPARE(refusedOf(bench.mark(held)), QStringLiteral("lease_lost"));
        must(bench.reservations.giveUpLease(held.key, held.fence, Seconds{10})); // fenced: changes nothing
        QVERIFY(*bench.row(held.key).leaseExpiresAt > must(bench.reservations.now()));
    }

    EVERY_STORE(shouldNotResumePastItsCutoff)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto gone = bench.reserved(QStringLiteral("inv_gone"), {}, Seconds{0});
        const auto young = bench.reserved(QStringLiteral("inv_young"), {}, Seconds{3600});
        const auto unsent = bench.reserved(QStringLiteral("inv_unsent"), {}, Seconds{0});
        for (const auto& held : {gone, young}) {
            bench.sent(held);
            must(bench.reservations.giveUpLease(held.key, held.fence, Seconds{0}));
        }
        must(bench.reservations.giveUpLease(unsent.key, unsent.fence, Seconds{0}));
        const auto resume = [&](const Held& held) {
            return must(
                bench.reservations.resume(held.key, held.fence, QStringLiteral("gate-2"), Seconds{45}, Seconds{0}))
                .has_value();
        };
        QTest::qWait(5); // the leases given up end a millisecond ago: let the clock tick
        QVERIFY(!resume(gone));
        QCOMPARE(bench.row(gone.key).fence, gone.fence);
        QCOMPARE(must(bench.reaper.expireReservations(Seconds{0}, 50)), QList<KeyId>{gone.key});
        QCOMPARE(bench.statusOf(QStringLiteral("inv_gone")), QStringLiteral("unknown"));
        QCOMPARE(bench.statusOf(QStringLiteral("inv_young")), QStringLiteral("in_progress"));
        QVERIFY(!must(bench.reservations.finish({gone.key, gone.fence, ReservationStatus::Done, {},
            OutcomeClass::Success, QStringLiteral("pi_late"), {}, {}}))); // fenced
        QVERIFY(resume(young));
        QVERIFY(resume(unsent));
        QVERIFY(must(bench.reaper.expireReservations(Seconds{0}, 50)).isEmpty());
    }

    EVERY_STORE(shouldStoreAnObjectOnce)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        bench.reserved(QStringLiteral("inv_1"));
        const auto intent = intentOf(QStringLiteral("inv_1"));
        QVERIFY(must(bench.reservations.storeObject(intent, QStringLiteral("pi_1"))));
        QVERIFY(must(bench.reservations.storeObject(intent, QStringLiteral("pi_1"))));
        QVERIFY(!must(bench.reservations.storeObject(intent, QStringLiteral("pi_2"))));
        QCOMPARE(must(bench.reservations.find(intent))->intent.providerObjectId, std::optional(QStringLiteral("pi_1")));
    }

    EVERY_STORE(shouldLeaveUnknownOnlyOnEvidence)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto held = bench.reserved(QStringLiteral("inv_1"));
        bench.sent(held);
        bench.finished(held, ReservationStatus::Unknown);
        // M11: the store itself refuses to forget that it may have happened.
        for (const auto status : {ReservationStatus::Failed, ReservationStatus::Abandoned, ReservationStatus::Done})
            QCOMPARE(bench.backend->forced(held.key, status).error().kind, Error::Kind::Refused);
        QCOMPARE(must(bench.evidence.keyOfSentKey(
                     QStringLiteral("stripe"), QStringLiteral("acct_1"), QStringLiteral("charge:inv_1:a1:confirm"))),
            std::optional(held.key));
        QVERIFY(!must(bench.evidence.keyOfSentKey(
            QStringLiteral("stripe"), QStringLiteral("acct_2"), QStringLiteral("charge:inv_1:a1:confirm"))));
        const auto until = must(bench.service.now());
        QCOMPARE(
            must(bench.evidence.record(observed(held.key, QStringLiteral("pi_1"), until))), EvidenceEffect::Settled);
        QCOMPARE(bench.statusOf(QStringLiteral("inv_1")), QStringLiteral("done"));
        QCOMPARE(
            must(bench.evidence.record(observed(held.key, QStringLiteral("pi_1"), until))), EvidenceEffect::Recorded);
        QCOMPARE(
            must(bench.evidence.record(observed(held.key, QStringLiteral("pi_2"), until))), EvidenceEffect::Conflict);
        QCOMPARE(bench.backend->forced(held.key, ReservationStatus::Failed).error().kind, Error::Kind::Refused); // N4
    }

    EVERY_STORE(shouldLeaveALiveReservationToItsHolder)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto held = bench.reserved(QStringLiteral("inv_1"));
        bench.sent(held);
        const auto until = must(bench.service.now());
        QCOMPARE(must(bench.evidence.record(observed(held.key, QStringLiteral("pi_inv_1"), until))),
            EvidenceEffect::Recorded);
        QCOMPARE(bench.statusOf(QStringLiteral("inv_1")), QStringLiteral("in_progress"));
        bench.finished(held, ReservationStatus::Done);
    }

    EVERY_STORE(shouldKeepOneOpenOrDoneAttempt)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        bench.actions.setPolicy(PortsBench::hasty());
        const auto held = bench.reserved(QStringLiteral("inv_1"));
        bench.sent(held);
        bench.finished(held, ReservationStatus::Failed, QStringLiteral("insufficient_funds"));
        QCOMPARE(bench.done(PortsBench::attemptOf(QStringLiteral("inv_1"))).result, ActionResult::Applied);
        const auto until = must(bench.service.now());
        QCOMPARE(must(bench.evidence.record(observed(held.key, QStringLiteral("pi_late"), until))),
            EvidenceEffect::DoubleCharge);
        QCOMPARE(bench.statusOf(QStringLiteral("inv_1")), QStringLiteral("failed"));
        const auto forced = bench.backend->forced(held.key, ReservationStatus::Done);
        QVERIFY(!forced && forced.error().detail.contains(QLatin1String("one_open_or_done_attempt")));
    }

    // One object that already closes another intent's reservation closes no second one, and the evidence is kept.
    EVERY_STORE(shouldKeepTheEvidenceItCannotSettleBy)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto paid = bench.reserved(QStringLiteral("inv_1"));
        bench.sent(paid);
        bench.finished(paid, ReservationStatus::Done);
        const auto other = bench.reserved(QStringLiteral("inv_2"));
        bench.sent(other);
        bench.finished(other, ReservationStatus::Unknown);
        const auto until = must(bench.service.now());
        QCOMPARE(must(bench.evidence.record(observed(other.key, QStringLiteral("pi_inv_1"), until))),
            EvidenceEffect::Conflict);
        QCOMPARE(bench.statusOf(QStringLiteral("inv_2")), QStringLiteral("unknown"));
        QCOMPARE(bench.row(keyOf(QStringLiteral("inv_2"))).status, ReservationStatus::Unknown);
    }

    EVERY_STORE(shouldStartAnOpenedAttemptOnce)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        bench.actions.setPolicy(PortsBench::hasty());
        const auto held = bench.reserved(QStringLiteral("inv_1"));
        bench.sent(held);
        bench.finished(held, ReservationStatus::Failed, QStringLiteral("insufficient_funds"));
        const auto opened = bench.done(PortsBench::attemptOf(QStringLiteral("inv_1")));
        const auto last = must(bench.reservations.find(intentOf(QStringLiteral("inv_1"))))->last;
        QCOMPARE(last.id.key, *opened.newKey);
        QCOMPARE(last.fence, 0);
        const auto start = [&] {
            return must(bench.reservations.start(
                last.id, last.rowVersion, QStringLiteral("gate-1"), Seconds{45}, "other bytes"));
        };
        const auto ours = start();
        QVERIFY(ours && ours->fence == 1 && ours->request == "other bytes");
        QVERIFY(!start());
        const auto resume = must(bench.jobs.claim(0, QStringLiteral("w"), Seconds{60}));
        QCOMPARE(resume->job.id, *opened.resumeJob);
        QCOMPARE(resume->job.key, std::optional(last.id));
        QVERIFY(!resume->event);
        QCOMPARE(must(bench.jobs.finishDone(resume->lease())), JobFinish::OpenEffect);
        QCOMPARE(must(bench.reservations.openEffects(resume->job.id)).size(), 1);
    }

    EVERY_STORE(shouldTieAnIntentToAJob)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        bench.reserved(QStringLiteral("inv_1")); // by a chat turn
        const auto intent = intentOf(QStringLiteral("inv_1"));
        QVERIFY(must(bench.reservations.openEffects(job.job.id)).isEmpty());
        QVERIFY(!must(bench.reservations.use(intent, {job.job.id, 7})));
        QVERIFY(must(bench.reservations.use(intent, job.lease())));
        QVERIFY(must(bench.reservations.use(intent, job.lease())));
        QCOMPARE(must(bench.reservations.openEffects(job.job.id)).size(), 1);
    }

    EVERY_STORE(shouldReserveOnceOfTwoAtOnce)
    {
        QFETCH(Backend, backend);
        PortsBench bench(backend);
        std::mutex mutex;
        int held = 0;
        int existing = 0;
        const auto work = [&] {
            const auto ports = bench.backend->connect();
            for (int i = 0; i < 20; ++i) {
                const auto answer
                    = must(ports->reservations().reserve(PortsBench::request(QStringLiteral("inv_%1").arg(i))));
                const std::lock_guard lock(mutex);
                ++(answer.held ? held : existing);
            }
        };
        std::thread one(work);
        std::thread two(work);
        one.join();
        two.join();
        QCOMPARE(held, 20);
        QCOMPARE(existing, 20);
    }
};

QTEST_GUILESS_MAIN(tst_reservationports)
#include "tst_reservationports.moc"
