// SPDX-License-Identifier: GPL-3.0-or-later
// The table of contract.md §10.3, line by line: what happened → what becomes of the job.
#include "models/engine/workerrules.h"

#include <QtTest>

using namespace unavez::contract;
using namespace unavez::engine;

namespace {

constexpr Seconds grace{10};
constexpr Millis backoff{30000};
const Instant now{1'800'000'000'000};
using Kind = JobDecision::Kind;

Settled settled(Settled::Kind kind, std::optional<Reason> reason = {}, std::optional<Instant> until = {})
{
    return {kind, until, reason ? std::optional(Because{*reason, {}}) : std::nullopt};
}

Reservation opened()
{
    Reservation row;
    row.status = ReservationStatus::Opened;
    return row;
}

Reservation inProgress(Millis leaseLeft, int sends = 1, Millis cutoffIn = Seconds{3600}, Millis sentAgo = Seconds{60})
{
    Reservation row;
    row.status = ReservationStatus::InProgress;
    row.leaseExpiresAt = now + leaseLeft;
    row.sends = sends;
    if (sends > 0) {
        row.firstSentAt = now - sentAgo;
        row.resumeUntil = now + cutoffIn;
    }
    return row;
}

Reservation unknownRow()
{
    Reservation row;
    row.status = ReservationStatus::Unknown;
    row.sends = 1;
    return row;
}

} // namespace

Q_DECLARE_METATYPE(std::optional<JobDecision>)

class tst_workerrules : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldDecideAfterSettling_data()
    {
        QTest::addColumn<QList<Settled>>("effects");
        QTest::addColumn<std::optional<JobDecision>>("expected");
        const auto row = [](const char* name, const QList<Settled>& effects, std::optional<JobDecision> expected) {
            QTest::newRow(name) << effects << std::move(expected);
        };
        using S = Settled::Kind;
        const auto text = [](const char* word) { return QString::fromLatin1(word); };
        row("no effect: on to the handler", {}, std::nullopt);
        row("all closed: on to the handler", {settled(S::Closed), settled(S::Closed)}, std::nullopt);
        row("unknown: dead at once", {settled(S::Unknown)},
            JobDecision{Kind::Dead, Millis{0}, true, text("unknown_outcome"), {}});
        row("live: after its lease, no try", {settled(S::Live, {}, now + Seconds{7})},
            JobDecision{Kind::Later, Seconds{7}, false, text("open_effect"), {}});
        row("no answer: a try", {settled(S::Unanswered)},
            JobDecision{Kind::Later, backoff, true, text("provider_unanswered"), {}});
        row("no answer, told to wait longer", {settled(S::Unanswered, {}, now + Seconds{90})},
            JobDecision{Kind::Later, Seconds{90}, true, text("provider_unanswered"), {}});
        row("no connection: a try", {settled(S::Away)},
            JobDecision{Kind::Later, backoff, true, text("provider_away"), {}});
        row("mismatch: a try", {settled(S::Mismatch)}, JobDecision{Kind::Later, backoff, true, text("mismatch"), {}});
        row("held: no try of ours mends it", {settled(S::Refused, Reason::Held)},
            JobDecision{Kind::Later, Seconds{30}, false, text("open_effect"), text("held")});
        row("damaged bytes: a try, so that it dies and alerts", {settled(S::Refused, Reason::Unmapped)},
            JobDecision{Kind::Later, backoff, true, text("open_effect"), text("unmapped")});
        row("lease lost: nothing is ours to write", {settled(S::Unknown), settled(S::LeaseLost)},
            JobDecision{Kind::LeaseLost, Millis{0}, true, {}, {}});
        row("the worst decides",
            {settled(S::Closed), settled(S::Live, {}, now + Seconds{7}), settled(S::Unknown), settled(S::Away)},
            JobDecision{Kind::Dead, Millis{0}, true, text("unknown_outcome"), {}});
    }
    void shouldDecideAfterSettling()
    {
        QFETCH(QList<Settled>, effects);
        QFETCH(std::optional<JobDecision>, expected);
        QVERIFY(afterSettling(effects, now, backoff) == expected);
    }

    void shouldDecideAfterTheHandler_data()
    {
        QTest::addColumn<HandlerAnswer>("answer");
        QTest::addColumn<QList<Reservation>>("open");
        QTest::addColumn<std::optional<JobDecision>>("expected");
        const auto row
            = [](const char* name, HandlerAnswer answer, const QList<Reservation>& open, JobDecision expected) {
                  QTest::newRow(name) << std::move(answer) << open << std::optional(std::move(expected));
              };
        using H = HandlerAnswer::Kind;
        const auto text = [](const char* word) { return QString::fromLatin1(word); };
        const auto dead = [&](const char* why, const char* status = "") {
            return JobDecision{Kind::Dead, Millis{0}, true, text(why), text(status)};
        };
        row("2xx, no open effect: done", {H::Done, 200, {}}, {}, {Kind::Done, Millis{0}, true, {}, {}});
        row("2xx over a live effect: when its lease ends", {H::Done, 200, {}}, {inProgress(Seconds{20})},
            {Kind::Later, Seconds{30}, false, text("open_effect"), {}});
        row("2xx over an opened effect: now", {H::Done, 200, {}}, {opened(), inProgress(Seconds{20})},
            {Kind::Later, Millis{0}, false, text("open_effect"), {}});
        row("2xx over a resumable effect: now", {H::Done, 200, {}}, {inProgress(-Seconds{60})},
            {Kind::Later, Millis{0}, false, text("open_effect"), {}});
        row("2xx over an unknown effect: dead", {H::Done, 200, {}}, {unknownRow()}, dead("unknown_outcome"));
        row("2xx over one past its cutoff: dead", {H::Done, 200, {}}, {inProgress(-Seconds{60}, 1, Millis{0})},
            dead("unknown_outcome"));
        row("2xx over one first sent in the future: dead", {H::Done, 200, {}},
            {inProgress(-Seconds{60}, 1, Seconds{3600}, -Seconds{60})}, dead("unknown_outcome"));
        row("409 over an unknown effect: dead too", {H::Later, 409, Seconds{5}}, {unknownRow()},
            dead("unknown_outcome"));
        row("409 + Retry-After: later, no try", {H::Later, 409, Seconds{5}}, {},
            {Kind::Later, Seconds{5}, false, text("later"), text("HTTP 409")});
        row("409 + a day: an hour at most", {H::Later, 409, Seconds{86400}}, {},
            {Kind::Later, Seconds{3600}, false, text("later"), text("HTTP 409")});
        row("422: dead, rejected", {H::Rejected, 422, {}}, {}, dead("rejected", "HTTP 422"));
        row("500: backoff, a try", {H::Failed, 500, {}}, {},
            {Kind::Later, backoff, true, text("handler_failed"), text("HTTP 500")});
        row("500 over an open effect: backoff", {H::Failed, 500, {}}, {opened()},
            {Kind::Later, backoff, true, text("handler_failed"), text("HTTP 500")});
        row("time-out: backoff, a try", {H::TimedOut, 0, {}}, {},
            {Kind::Later, backoff, true, text("handler_failed"), text("timed out")});
        row("unreachable: backoff, a try", {H::Unreachable, 0, {}}, {},
            {Kind::Later, backoff, true, text("handler_failed"), text("unreachable")});
    }
    void shouldDecideAfterTheHandler()
    {
        QFETCH(HandlerAnswer, answer);
        QFETCH(QList<Reservation>, open);
        QFETCH(std::optional<JobDecision>, expected);
        QVERIFY(afterHandler(answer, open, now, grace, backoff) == *expected);
    }

    void shouldGrowTheBackoffAndStayWithinTwentyPercent()
    {
        const Backoff steps;
        const QList<Seconds> expected{Seconds{10}, Seconds{30}, Seconds{120}, Seconds{600}, Seconds{1800},
            Seconds{7200}, Seconds{10800}, Seconds{10800}};
        for (int attempt = 1; attempt <= expected.size(); ++attempt) {
            const Millis base = expected[attempt - 1];
            QCOMPARE(steps.after(attempt, 0.5), base);
            QCOMPARE(steps.after(attempt, 0.0), base * 8 / 10);
            QVERIFY(steps.after(attempt, 0.999) <= base * 12 / 10);
            QVERIFY(steps.after(attempt, 0.999) > base * 119 / 100);
        }
        QCOMPARE(steps.after(0, 0.5), Millis(Seconds{10}));
        QCOMPARE(steps.after(1, 7.0), Millis{12000}); // a generator out of its range changes nothing
        QCOMPARE(Backoff{{}}.after(3, 0.5), Millis(Seconds{10}));
    }
};

QTEST_GUILESS_MAIN(tst_workerrules)
#include "tst_workerrules.moc"
