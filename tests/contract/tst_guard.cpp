// SPDX-License-Identifier: GPL-3.0-or-later
// contract.md §11: one row per line of each table. Facts start from a case that is allowed and are bent by one line.
#include "tests/contract/guardfacts.h"

#include <QtTest>

#include <functional>

using namespace unavez::contract;
using namespace unavez::contract::testing;
using Status = ReservationStatus;

struct Line
{
    ActionRequest request;
    CaseFacts facts;
};
Q_DECLARE_METATYPE(Line)

namespace {

using Bend = std::function<void(ActionRequest&, CaseFacts&)>;

void row(const char* name, ActionRequest request, CaseFacts facts, const char* reason, const Bend& bend = {})
{
    if (bend)
        bend(request, facts);
    QTest::newRow(name) << Line{request, facts} << QString::fromLatin1(reason);
}

void columns()
{
    QTest::addColumn<Line>("line");
    QTest::addColumn<QString>("reason"); // "" = allowed
}

void check()
{
    QFETCH(Line, line);
    const auto verdict = judge(line.request, line.facts);
    QTEST(verdict.refused ? wordOf(verdict.refused->reason) : QString(), "reason");
    // A plan lists rows exactly when the action is allowed.
    QCOMPARE(planned(line.request, line.facts).rows.isEmpty(), !verdict.allowed());
}

} // namespace

class tst_guard : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldAskTheStoreAndThePersonFirst_data()
    {
        columns();
        const auto request = jobRequest(Action::RequeueJob);
        row("allowed", request, deadCase(), "");
        row("unreachable", request, deadCase(), "store_unreachable", [](auto&, auto& f) { f.store.reachable = false; });
        row("read-only", request, deadCase(), "store_read_only", [](auto&, auto& f) { f.store.readOnly = true; });
        row("newer", request, deadCase(), "schema_newer", [](auto&, auto& f) { f.store.schema = 1; });
        row("other mode", request, deadCase(), "wrong_mode", [](auto& r, auto&) { r.confirmedMode = StoreMode::Test; });
        row("viewer", request, deadCase(), "not_permitted",
            [](auto&, auto& f) { f.store.roles = {QStringLiteral("viewer")}; });
        row("finance may not requeue", request, deadCase(), "not_permitted",
            [](auto&, auto& f) { f.store.roles = {QStringLiteral("finance")}; });
        row("no such job", request, deadCase(), "not_found", [](auto&, auto& f) { f.job.reset(); });
        row("first line wins", request, deadCase(), "store_unreachable", [](auto&, auto& f) {
            f.store.reachable = false;
            f.store.readOnly = true;
            f.job.reset();
        });
    }
    void shouldAskTheStoreAndThePersonFirst() { check(); }

    void shouldJudgeRequeue_data()
    {
        columns();
        const auto request = jobRequest(Action::RequeueJob);
        const auto inState
            = [](JobState state) { return [state](ActionRequest&, CaseFacts& f) { f.job->state = state; }; };
        row("queued", request, deadCase(), "already_queued", inState(JobState::Queued));
        row("waiting", request, deadCase(), "already_queued", inState(JobState::RetryWait));
        row("done", request, deadCase(), "job_done", inState(JobState::Done));
        row("discarded", request, deadCase(), "job_discarded", inState(JobState::Discarded));
        row("leased", request, deadCase(), "lease_live", [](auto&, auto& f) {
            f.job->state = JobState::Leased;
            f.job->leaseExpiresAt = now + Seconds{5};
        });
        row("lease over", request, deadCase(), "lease_over", [](auto&, auto& f) {
            f.job->state = JobState::Leased;
            f.job->leaseExpiresAt = now - Seconds{5};
        });
        row("just requeued", request, deadCase(), "too_soon",
            [](auto&, auto& f) { f.job->requeuedAt = now - Seconds{59}; });
        row("a minute ago", request, deadCase(), "", [](auto&, auto& f) { f.job->requeuedAt = now - Seconds{60}; });
        row("payload emptied, still served", request, deadCase(), "",
            [](auto&, auto& f) { f.event->hasPayload = false; });
        row("payload gone", request, deadCase(), "payload_gone", [](auto&, auto& f) {
            f.event->hasPayload = false;
            f.event->receivedAt = now - Seconds{31 * 86400};
        });
        row("mismatch open", request, deadCase(), "mismatch_open", [](auto&, auto& f) {
            Incident incident;
            incident.subject = subjectOf(theKey());
            f.incidents = {incident};
        });
        row("unknown", request, deadCase(Status::Unknown), "outcome_unknown");
        row("live", request, deadCase(), "reservation_live",
            [](auto&, auto& f) { f.attempts[0].leaseExpiresAt = now - Seconds{10}; });
        row("grace over", request, deadCase(), "",
            [](auto&, auto& f) { f.attempts[0].leaseExpiresAt = now - Seconds{11}; });
        row("sent in the future", request, deadCase(), "clock_went_back",
            [](auto&, auto& f) { f.attempts[0].firstSentAt = now + Seconds{60}; });
        row("past cutoff", request, deadCase(), "past_cutoff", [](auto&, auto& f) { f.attempts[0].resumeUntil = now; });
        row("unsent past nothing", request, deadCase(), "", [](auto&, auto& f) {
            f.attempts[0].sends = 0;
            f.attempts[0].firstSentAt.reset();
            f.attempts[0].resumeUntil = now - Seconds{1};
        });
        for (const auto status : {Status::Done, Status::Failed, Status::Abandoned, Status::Opened})
            row(qPrintable(QStringLiteral("over ") + wordOf(status)), request, deadCase(status), "");
    }
    void shouldJudgeRequeue() { check(); }

    void shouldJudgeRelease_data()
    {
        columns();
        const auto request = jobRequest(Action::ReleaseLease);
        auto leased = deadCase();
        leased.job->state = JobState::Leased;
        leased.job->leaseOwner = QStringLiteral("w-1");
        leased.job->leaseExpiresAt = now - Seconds{11};
        row("over", request, leased, "");
        row("not leased", request, deadCase(), "not_leased");
        row("live", request, leased, "lease_live", [](auto&, auto& f) { f.job->leaseExpiresAt = now + Seconds{1}; });
        row("in grace", request, leased, "lease_live",
            [](auto&, auto& f) { f.job->leaseExpiresAt = now - Seconds{10}; });
        row("call running", request, leased, "call_running", [](auto&, auto& f) {
            ProviderCall call;
            call.jobId = 48211;
            call.sentAt = now - Seconds{29};
            f.calls = {call};
        });
        row("call long silent", request, leased, "", [](auto&, auto& f) {
            ProviderCall call;
            call.jobId = 48211;
            call.sentAt = now - Seconds{30};
            f.calls = {call};
        });
    }
    void shouldJudgeRelease() { check(); }

    void shouldJudgeExpire_data()
    {
        columns();
        const auto request = keyRequest(Action::ExpireReservation);
        row("not in progress", request, deadCase(Status::Unknown), "not_in_progress");
        row("live", request, deadCase(), "reservation_live",
            [](auto&, auto& f) { f.attempts[0].leaseExpiresAt = now; });
        row("never sent", request, deadCase(), "never_sent", [](auto&, auto& f) {
            f.attempts[0].sends = 0;
            f.attempts[0].firstSentAt.reset();
        });
        row("resumable", request, deadCase(), "resumable");
        row("past cutoff", request, deadCase(), "", [](auto&, auto& f) { f.attempts[0].resumeUntil = now; });
        row("clock went back", request, deadCase(), "",
            [](auto&, auto& f) { f.attempts[0].firstSentAt = now + Seconds{1}; });
    }
    void shouldJudgeExpire() { check(); }

    void shouldJudgeOpenAttempt_data()
    {
        columns();
        const auto request = attemptRequest();
        const auto failed = deadCase(Status::Failed);
        row("declined", request, failed, "");
        row("no attempt", request, failed, "not_found", [](auto&, auto& f) { f.attempts.clear(); });
        row("opened", request, deadCase(Status::Opened), "attempt_open");
        row("unknown", request, deadCase(Status::Unknown), "outcome_unknown");
        row("done", request, deadCase(Status::Done), "already_done");
        row("live", request, deadCase(), "reservation_live",
            [](auto&, auto& f) { f.attempts[0].leaseExpiresAt = now; });
        row("resumable", request, deadCase(), "resumable");
        row("past cutoff", request, deadCase(), "past_cutoff", [](auto&, auto& f) { f.attempts[0].resumeUntil = now; });
        row("not definitive", request, failed, "not_definitive",
            [](auto&, auto& f) { f.attempts[0].outcomeClass = QStringLiteral("unknown"); });
        row("abandoned unproven", request, deadCase(Status::Abandoned), "evidence_short");
        row("abandoned unsent", request, deadCase(Status::Abandoned), "",
            [](auto&, auto& f) { f.attempts[0].sends = 0; });
        row("used up", request, failed, "attempts_used_up", [](auto&, auto& f) { f.intents[0].maxAttempts = 1; });
        row("held", request, failed, "held", [](auto&, auto& f) {
            f.holds = {{HoldKind::Tool, QStringLiteral("charge_customer"), {}, {}, now}};
        });
        row("other tool held", request, failed, "", [](auto&, auto& f) {
            f.holds = {{HoldKind::Tool, QStringLiteral("send_email"), {}, {}, now}};
        });
        row("all sends held", request, failed, "held", [](auto&, auto& f) {
            f.holds = {{HoldKind::Sends, {}, {}, {}, now}};
        });
        row("network says no", request, failed, "advice_do_not_retry",
            [](auto&, auto& f) { f.attempts[0].error = R"({"advice_code":"do_not_try_again"})"; });
        row("hard decline", request, failed, "decline_hard",
            [](auto&, auto& f) { f.attempts[0].error = R"({"decline_code":"lost_card"})"; });
        row("soft decline", request, failed, "",
            [](auto&, auto& f) { f.attempts[0].error = R"({"decline_code":"insufficient_funds"})"; });
        row("too soon", request, failed, "too_soon",
            [](auto&, auto& f) { f.attempts[0].completedAt = now - Seconds{59}; });
        row("backend not asked", request, failed, "backend_unreachable", [](auto& r, auto&) { r.backend.reset(); });
        row("backend away", request, failed, "backend_unreachable",
            [](auto& r, auto&) { r.backend->reachable = false; });
        row("paid elsewhere", request, failed, "not_due", [](auto& r, auto&) { r.backend->open = false; });
        row("other amount", request, failed, "plan_changed", [](auto& r, auto&) { r.backend->amount.minor = 1; });
        row("other customer", request, failed, "plan_changed",
            [](auto& r, auto&) { r.backend->customer = QStringLiteral("cus_1"); });
        row("plan emptied", request, failed, "plan_gone", [](auto&, auto& f) { f.intents[0].plan.reset(); });
        row("request error", request, failed, "second_person_needed",
            [](auto&, auto& f) { f.attempts[0].error = R"({"class":"request"})"; });
        row("large amount", request, failed, "second_person_needed",
            [](auto&, auto& f) { f.policy.fourEyesMinor = 125000; });
        row("just under", request, failed, "", [](auto&, auto& f) { f.policy.fourEyesMinor = 125001; });
        const auto proposed = [](bool approved, const char* by, Seconds age) {
            return [=](ActionRequest& r, CaseFacts& f) {
                f.policy.fourEyesMinor = 1;
                Proposal proposal;
                proposal.id = 5;
                proposal.target = targetOf(r);
                proposal.proposedBy = QLatin1String(by);
                proposal.proposedAt = now - age;
                if (approved)
                    proposal.approved = true;
                f.proposal = proposal;
                r.proposal = 5;
            };
        };
        row("approved by two", request, failed, "", proposed(true, "ana", Seconds{60}));
        row("own proposal", request, failed, "same_person", proposed(false, "ana", Seconds{60}));
        row("proposal of yesterday", request, failed, "proposal_expired", proposed(true, "bo", Seconds{24 * 3600 + 1}));
    }
    void shouldJudgeOpenAttempt() { check(); }

    void shouldJudgeRecordOutcome_data()
    {
        columns();
        const auto request = recordRequest();
        const auto unknown = deadCase(Status::Unknown);
        const auto verdict
            = [](EvidenceVerdict v) { return [v](ActionRequest& r, CaseFacts&) { r.evidence->verdict = v; }; };
        row("charged", request, unknown, "");
        row("done already", request, deadCase(Status::Done), "already_done");
        row("opened", request, deadCase(Status::Opened), "never_sent");
        row("live", request, deadCase(), "reservation_live",
            [](auto&, auto& f) { f.attempts[0].leaseExpiresAt = now; });
        row("resumable, no object", request, deadCase(), "resumable",
            [](auto& r, auto&) { r.evidence->objects.clear(); });
        row("resumable, object shown", request, deadCase(), "");
        row("past cutoff, not charged", request, deadCase(), "expire_first", [](auto& r, auto& f) {
            f.attempts[0].resumeUntil = now;
            r.evidence->verdict = EvidenceVerdict::NotCharged;
        });
        row("closed", request, deadCase(Status::Failed), "already_closed", verdict(EvidenceVerdict::NotCharged));
        row("late success", request, deadCase(Status::Failed), "");
        row("nothing attached", request, unknown, "evidence_missing", [](auto& r, auto&) { r.evidence.reset(); });
        row("search", request, unknown, "evidence_weak", [](auto& r, auto&) { r.evidence->fromSearch = true; });
        row("other provider", request, unknown, "evidence_mismatch",
            [](auto& r, auto&) { r.evidence->provider = QStringLiteral("x"); });
        row("other account", request, unknown, "evidence_mismatch",
            [](auto& r, auto&) { r.evidence->account = QStringLiteral("acct_2"); });
        row("other mode", request, unknown, "evidence_mismatch",
            [](auto& r, auto&) { r.evidence->mode = StoreMode::Test; });
        row("other amount", request, unknown, "evidence_mismatch",
            [](auto& r, auto&) { r.evidence->objects[0].amount->minor = 1; });
        row("object used", request, unknown, "object_used", [](auto&, auto& f) { f.objectUsedBy = theKey(9); });
        row("other attempt open", request, deadCase(Status::Failed), "double_charge",
            [](auto&, auto& f) { f.attempts.append(attemptWith(Status::Opened, 2)); });
        row("other attempt done by it", request, deadCase(Status::Failed), "already_done",
            [](auto&, auto& f) { f.attempts.append(attemptWith(Status::Done, 2)); });
        row("not paid", recordRequest(paidEvidence("requires_action")), unknown, "evidence_mismatch");
        row("failed, but paid", request, unknown, "evidence_mismatch", verdict(EvidenceVerdict::Failed));
        row("failed", recordRequest(paidEvidence("canceled")), unknown, "", verdict(EvidenceVerdict::Failed));
        row("not charged, but paid", request, unknown, "evidence_mismatch", verdict(EvidenceVerdict::NotCharged));
        const auto nothingFound = [](ActionRequest& r, CaseFacts&) {
            r.evidence->verdict = EvidenceVerdict::NotCharged;
            r.evidence->objects.clear();
        };
        row("not charged needs two", request, unknown, "second_person_needed", nothingFound);
        row("not charged, short", request, unknown, "evidence_short", [&](auto& r, auto& f) {
            nothingFound(r, f);
            r.evidence->until = now - Seconds{1};
        });
        row("not charged, half read", request, unknown, "evidence_short", [&](auto& r, auto& f) {
            nothingFound(r, f);
            r.evidence->complete = false;
        });
        row("typed by hand", request, unknown, "second_person_needed",
            [](auto& r, auto&) { r.evidence->source = EvidenceSource::Person; });
        row("finance may record", request, unknown, "",
            [](auto&, auto& f) { f.store.roles = {QStringLiteral("finance")}; });
    }
    void shouldJudgeRecordOutcome() { check(); }

    void shouldJudgeDiscardEnqueueAndHold_data()
    {
        columns();
        const auto discard = jobRequest(Action::DiscardJob);
        auto plain = deadCase();
        plain.intents.clear();
        plain.attempts.clear();
        row("discard", discard, plain, "");
        row("discard a running job", discard, plain, "not_dead",
            [](auto&, auto& f) { f.job->state = JobState::Queued; });
        row("discard over unknown", discard, deadCase(Status::Unknown), "outcome_unknown");
        row("discard over a sent effect", discard, deadCase(), "effect_open");
        row("discard an unpaid charge", discard, deadCase(Status::Failed), "second_person_needed");
        row("discard a money event", discard, plain, "second_person_needed",
            [](auto&, auto& f) { f.event->eventType = QStringLiteral("invoice.due"); });

        ActionRequest enqueue;
        enqueue.action = Action::EnqueueEvent;
        enqueue.event = 7;
        auto lost = plain;
        lost.job.reset();
        lost.event->hasJob = false;
        row("enqueue", enqueue, lost, "");
        row("enqueue with a job", enqueue, plain, "has_job");
        row("enqueue too young", enqueue, lost, "too_young",
            [](auto&, auto& f) { f.event->receivedAt = now - Seconds{59}; });
        row("enqueue without payload", enqueue, lost, "payload_gone", [](auto&, auto& f) {
            f.event->hasPayload = false;
            f.event->receivedAt = now - Seconds{31 * 86400};
        });

        ActionRequest hold;
        hold.action = Action::Hold;
        hold.hold = HoldRequest{HoldKind::Sends, {}, false};
        row("hold", hold, plain, "");
        row("hold twice", hold, plain, "already_held", [](auto&, auto& f) {
            f.holds = {{HoldKind::Sends, {}, {}, {}, now}};
        });
        hold.hold->release = true;
        row("release nothing", hold, plain, "not_held");
        row("release", hold, plain, "", [](auto&, auto& f) { f.holds = {{HoldKind::Sends, {}, {}, {}, now}}; });
    }
    void shouldJudgeDiscardEnqueueAndHold() { check(); }

    void shouldAskForAReasonOnlyAtConfirm()
    {
        const auto request = jobRequest(Action::RequeueJob);
        QVERIFY(judge(request, deadCase()).allowed());
        QCOMPARE(judge(request, deadCase(), QStringLiteral("  short  ")).refused->reason, Reason::ReasonTooShort);
        QVERIFY(judge(request, deadCase(), QStringLiteral("long enough")).allowed());
    }
};

QTEST_GUILESS_MAIN(tst_guard)
#include "tst_guard.moc"
