// SPDX-License-Identifier: GPL-3.0-or-later
// What an allowed action says it will do, and when that plan dies (contract.md §11.10).
#include "tests/contract/guardfacts.h"

#include <QtTest>

#include <rapidcheck.h>

using namespace unavez::contract;
using namespace unavez::contract::testing;
using Status = ReservationStatus;

class tst_plan : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldSayWhatEachEffectWillDo()
    {
        const auto requeue = jobRequest(Action::RequeueJob);
        const auto resumed = planned(requeue, deadCase());
        QCOMPARE(resumed.effects,
            (QList<PlannedEffect>{{theKey().key, Will::Resume, now - Seconds{3600} + Seconds{20 * 3600}}}));
        QCOMPARE(planned(requeue, deadCase(Status::Done)).effects.first().will, Will::Replay);
        QCOMPARE(planned(requeue, deadCase(Status::Opened)).effects.first().will, Will::Send);
        const auto declined = planned(requeue, deadCase(Status::Failed));
        QCOMPARE(declined.effects.first().will, Will::ReplayFailure);
        QCOMPARE(declined.notes.first().reason, Reason::NeedsNewAttempt);
        auto bare = deadCase();
        bare.intents.clear();
        bare.attempts.clear();
        QCOMPARE(planned(requeue, bare).effects.first().will, Will::Run);
    }

    void shouldNameTheNewKeyAndRequeueTheDeadJob()
    {
        const auto plan = planned(attemptRequest(), deadCase(Status::Failed));
        QCOMPARE(plan.newKey, std::optional(QStringLiteral("charge:inv_42:a2")));
        QCOMPARE(plan.requeueJob, std::optional<qint64>(48211));
        QVERIFY(!plan.insertsResumeJob);
        QCOMPARE(plan.rows.size(), 2);
    }

    void shouldInsertAResumeJobWhereNoneWillSettle()
    {
        auto facts = deadCase(Status::Failed);
        facts.uses.first().jobState = JobState::Done;
        QVERIFY(planned(attemptRequest(), facts).insertsResumeJob);
        facts.uses.first().jobState = JobState::RetryWait;
        const auto waiting = planned(attemptRequest(), facts);
        QVERIFY(!waiting.insertsResumeJob && !waiting.requeueJob);
    }

    // Scenario 38: recording an outcome must not leave the job dead.
    void shouldRequeueWhatWaitsOnARecordedOutcome()
    {
        auto facts = deadCase(Status::Unknown);
        QCOMPARE(planned(recordRequest(), facts).requeueJob, std::optional<qint64>(48211));
        auto request = recordRequest();
        request.requeueAfterRecord = false;
        QVERIFY(!planned(request, facts).requeueJob);
        auto other = attemptWith(Status::Unknown);
        other.intentKey = QStringLiteral("email:evt_1");
        other.id.key = QStringLiteral("email:evt_1:a1");
        facts.attempts.append(other);
        QVERIFY(!planned(recordRequest(), facts).requeueJob);
    }

    void shouldDieWhenARowItSawMoves()
    {
        const auto facts = deadCase();
        const auto plan = planned(jobRequest(Action::RequeueJob), facts);
        QVERIFY(stillAsSeen(plan, facts).allowed());
        auto moved = facts;
        moved.attempts[0].rowVersion++;
        QCOMPARE(stillAsSeen(plan, moved).refused->reason, Reason::Changed);
        moved = facts;
        moved.job->rowVersion++;
        moved.uses.clear();
        QCOMPARE(stillAsSeen(plan, moved).refused->reason, Reason::Changed);
    }

    void shouldWriteNoPayloadIntoTheAuditsPlan()
    {
        const auto json = planJson(planned(attemptRequest(), deadCase(Status::Failed)));
        QVERIFY(json.contains("charge:inv_42:a2"));
        QVERIFY(!json.contains("cus_9"));
    }

    void shouldNameTheVerdictAndTheFirstBrokenLink()
    {
        QCOMPARE(verdictOf(deadCase()), CaseVerdict::SafeToRequeue);
        QCOMPARE(brokenLink(deadCase()), std::optional(QStringLiteral("provider_call")));
        QCOMPARE(verdictOf(deadCase(Status::Unknown)), CaseVerdict::RecordFirst);
        QCOMPARE(verdictOf(deadCase(Status::Failed)), CaseVerdict::NewAttempt);
        auto lost = deadCase();
        lost.job.reset();
        lost.attempts.clear();
        lost.event->hasJob = false;
        QCOMPARE(verdictOf(lost), CaseVerdict::Lost);
        QCOMPARE(brokenLink(lost), std::optional(QStringLiteral("job")));
    }

    // No state of job, reservation, lease and clock makes both requeue-resumes and a new attempt possible: one of the
    // two would be the second effect.
    void shouldNeverOfferResumeAndNewAttemptTogether()
    {
        QVERIFY(rc::check("resume and new attempt exclude each other", [] {
            const auto status = static_cast<Status>(*rc::gen::inRange(0, 6));
            auto facts = deadCase(status);
            facts.job->state = static_cast<JobState>(*rc::gen::inRange(0, 6));
            auto& attempt = facts.attempts.first();
            attempt.sends = *rc::gen::inRange(0, 3);
            if (attempt.leaseExpiresAt)
                attempt.leaseExpiresAt = now + Seconds{*rc::gen::inRange(-4000, 4000)};
            if (attempt.firstSentAt) {
                attempt.firstSentAt = now + Seconds{*rc::gen::inRange(-100000, 1000)};
                attempt.resumeUntil = *attempt.firstSentAt + Seconds{72000};
            }
            auto requeue = jobRequest(Action::RequeueJob);
            const auto plan = planned(requeue, facts);
            const bool mayEffect = std::any_of(plan.effects.begin(), plan.effects.end(),
                [](const PlannedEffect& effect) { return effect.will == Will::Resume || effect.will == Will::Send; });
            RC_ASSERT(!(mayEffect && judge(attemptRequest(), facts).allowed()));
            // And nothing resumes past its cutoff.
            for (const auto& effect : plan.effects)
                RC_ASSERT(effect.will != Will::Resume || *effect.until > now);
        }));
    }
};

QTEST_GUILESS_MAIN(tst_plan)
#include "tst_plan.moc"
