// SPDX-License-Identifier: GPL-3.0-or-later
// Every line of contract.md §13.2's table that a row answers by itself, and the HTTP code of every refusal.
#include "models/engine/gateanswer.h"

#include <QtTest>

using namespace unavez::contract;
using namespace unavez::engine;

namespace {

constexpr Seconds grace{10};
const Instant now{1'800'000'000'000};

QString text(const char* word) { return QString::fromLatin1(word); }

IntentState state(ReservationStatus status)
{
    IntentState state;
    state.now = now;
    state.intent.id = {text("stripe"), text("acct_1"), text("charge:inv_42")};
    state.last.id = {text("stripe"), text("acct_1"), text("charge:inv_42:a1")};
    state.last.intentKey = text("charge:inv_42");
    state.last.status = status;
    return state;
}

IntentState inProgress(Millis leaseLeft, int sends = 1, Millis cutoffIn = Seconds{3600})
{
    auto s = state(ReservationStatus::InProgress);
    s.last.leaseExpiresAt = now + leaseLeft;
    s.last.sends = sends;
    if (sends > 0) {
        s.last.firstSentAt = now - Seconds{60};
        s.last.resumeUntil = now + cutoffIn;
    }
    return s;
}

IntentState failed(const char* error, const char* outcome = "definitive_failure")
{
    auto s = state(ReservationStatus::Failed);
    s.last.error = QByteArray(error);
    s.last.outcomeClass = text(outcome);
    return s;
}

GateAnswer answer(const IntentState& s, const GuardPolicy& policy = {}) { return answerOf(s, grace, policy); }

} // namespace

class tst_gateanswer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldReplayWhatIsDone()
    {
        auto s = state(ReservationStatus::Done);
        s.last.result = R"({"id":"pi_1"})";
        auto told = answer(s);
        QCOMPARE(told.http, 200);
        QCOMPARE(told.status, std::optional(GateStatus::Done));
        QVERIFY(told.replayed);
        QCOMPARE(told.intent, text("charge:inv_42"));
        QCOMPARE(told.key, text("charge:inv_42:a1"));
        QCOMPARE(told.result, std::optional(QJsonObject{{text("id"), text("pi_1")}}));
        s.last.result.reset(); // emptied
        s.last.emptiedAt = now;
        told = answer(s);
        QCOMPARE(told.status, std::optional(GateStatus::Done));
        QVERIFY(!told.result);
    }

    void shouldSayHowLongALiveRowMayTake()
    {
        const auto told = answer(inProgress(Seconds{20}));
        QCOMPARE(told.status, std::optional(GateStatus::InProgress));
        QCOMPARE(told.retryAfter, std::optional(Millis{30000})); // lease left and grace
        QCOMPARE(answer(inProgress(-Seconds{10})).retryAfter, std::optional(Millis{1000})); // never "at once"
    }

    void shouldHoldRows_data()
    {
        QTest::addColumn<int>("leaseLeftMs");
        QTest::addColumn<int>("sends");
        QTest::addColumn<int>("cutoffInMs");
        QTest::addColumn<int>("expected");
        const auto row = [](const char* name, int lease, int sends, int cutoff, RowHold expected) {
            QTest::newRow(name) << lease << sends << cutoff << int(expected);
        };
        row("lease running", 1, 1, 1000, RowHold::Live);
        row("within the grace", -10000, 1, 1000, RowHold::Live);
        row("a millisecond past the grace", -10001, 1, 1000, RowHold::Resumable);
        row("past the grace, at the cutoff", -10001, 1, 0, RowHold::PastCutoff);
        row("past the grace, a millisecond before the cutoff", -10001, 1, 1, RowHold::Resumable);
        row("never sent: no cutoff", -10001, 0, 0, RowHold::Resumable);
        row("live beats the cutoff", 1, 1, -1000, RowHold::Live);
    }
    void shouldHoldRows()
    {
        QFETCH(int, leaseLeftMs);
        QFETCH(int, sends);
        QFETCH(int, cutoffInMs);
        QFETCH(int, expected);
        const auto s = inProgress(Millis{leaseLeftMs}, sends, Millis{cutoffInMs});
        QCOMPARE(int(holdOf(s.last, now, grace)), expected);
    }

    void shouldNeverResumeWhatWasSentInTheFuture()
    {
        auto s = inProgress(-Seconds{60});
        s.last.firstSentAt = now + Millis{1};
        QCOMPARE(holdOf(s.last, now, grace), RowHold::ClockWentBack);
        const auto told = answer(s);
        QCOMPARE(told.status, std::optional(GateStatus::UnknownOutcome));
        QCOMPARE(told.because->reason, Reason::ClockWentBack);
        s.last.firstSentAt = now;
        QCOMPARE(holdOf(s.last, now, grace), RowHold::Resumable);
    }

    void shouldNotCallTheUnknownFailed()
    {
        const auto told = answer(state(ReservationStatus::Unknown));
        QCOMPARE(told.http, 200);
        QCOMPARE(told.status, std::optional(GateStatus::UnknownOutcome));
        QVERIFY(!told.canOpenNewAttempt);
        const auto past = answer(inProgress(-Seconds{60}, 1, Millis{0}));
        QCOMPARE(past.status, std::optional(GateStatus::UnknownOutcome));
        QCOMPARE(past.because->reason, Reason::PastCutoff);
    }

    void shouldTellAStoredFailure()
    {
        const auto told
            = answer(failed(R"({"class":"card","code":"card_declined","decline_code":"insufficient_funds"})"));
        QCOMPARE(told.status, std::optional(GateStatus::Failed));
        QVERIFY(told.replayed && told.canOpenNewAttempt);
        QCOMPARE(told.error, std::optional(GateError{text("card"), text("card_declined"), text("insufficient_funds")}));
    }

    void shouldTellAbandoned()
    {
        const auto told = answer(state(ReservationStatus::Abandoned));
        QCOMPARE(told.status, std::optional(GateStatus::Failed));
        QCOMPARE(told.error, std::optional(GateError{text("abandoned"), {}, {}}));
        QVERIFY(told.canOpenNewAttempt);
    }

    void shouldOfferNoAttemptThatTheGuardWouldRefuse_data()
    {
        QTest::addColumn<QByteArray>("error");
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<int>("attempt");
        const QByteArray declined = R"({"class":"card"})";
        QTest::newRow("advice") << QByteArray(R"({"class":"card","advice_code":"do_not_try_again"})")
                                << text("definitive_failure") << 1;
        QTest::newRow("stolen card") << QByteArray(R"({"class":"card","decline_code":"stolen_card"})")
                                     << text("definitive_failure") << 1;
        QTest::newRow("not definitive") << declined << text("unknown") << 1;
        QTest::newRow("used up") << declined << text("definitive_failure") << 4;
    }
    void shouldOfferNoAttemptThatTheGuardWouldRefuse()
    {
        QFETCH(QByteArray, error);
        QFETCH(QString, outcome);
        QFETCH(int, attempt);
        auto s = failed(error.constData());
        s.last.outcomeClass = outcome;
        s.last.attempt = attempt;
        QVERIFY(!answer(s).canOpenNewAttempt);
    }

    void shouldSurviveDamagedErrors()
    {
        const auto told = answer(failed("not json"));
        QCOMPARE(told.error, std::optional(GateError{text("definitive_failure"), {}, {}}));
    }

    void shouldMapEveryReasonToItsCode()
    {
        const QMap<Reason, int> expected{{Reason::BadArguments, 400}, {Reason::UnknownTool, 404},
            {Reason::PlanMismatch, 422}, {Reason::LeaseLost, 422}, {Reason::NotDue, 422}};
        for (const auto reason : allReasons()) {
            const auto told = refusal(reason);
            QCOMPARE(told.http, expected.value(reason, 503));
            QVERIFY(!told.status && told.because->reason == reason);
            QCOMPARE(told.retryAfter.has_value(), told.http == 503); // 503 always says when to come back
        }
        QCOMPARE(refusal(Reason::StoreAway).retryAfter, std::optional(Millis{1000}));
    }

    void shouldSpellItsStates()
    {
        QCOMPARE(wordOf(GateStatus::Done), text("done"));
        QCOMPARE(wordOf(GateStatus::InProgress), text("in_progress"));
        QCOMPARE(wordOf(GateStatus::UnknownOutcome), text("unknown_outcome"));
        QCOMPARE(wordOf(GateStatus::Failed), text("failed"));
    }
};

QTEST_GUILESS_MAIN(tst_gateanswer)
#include "tst_gateanswer.moc"
