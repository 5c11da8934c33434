// SPDX-License-Identifier: GPL-3.0-or-later
// The inequalities of contract.md §10.6: the defaults hold, and each one alone stops the boot.
#include "models/engine/timing.h"

#include <QtTest>

#include <functional>

using namespace unavez::contract;
using namespace unavez::engine;

using Change = std::function<void(Timing&)>;
Q_DECLARE_METATYPE(Change)

class tst_timing : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldHoldForTheDefaults()
    {
        QCOMPARE(brokenTiming({}, false), std::nullopt);
        QCOMPARE(brokenTiming({}, true), std::nullopt);
    }

    void shouldNameWhatIsBroken_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<Inequality>("expected");
        const auto row = [](const char* name, Change change, Inequality expected) {
            QTest::newRow(name) << std::move(change) << expected;
        };
        row(
            "no total", [](Timing& t) { t.providerTotal = Millis{0}; }, Inequality::NotPositive);
        row(
            "no renewal", [](Timing& t) { t.workerRenew = Millis{0}; }, Inequality::NotPositive);
        row(
            "negative grace", [](Timing& t) { t.grace = Millis{-1}; }, Inequality::NotPositive);
        row(
            "no backoff", [](Timing& t) { t.backoff.clear(); }, Inequality::NotPositive);
        row(
            "a backoff of zero",
            [](Timing& t) {
                t.backoff = {Seconds{10}, Seconds{0}};
            },
            Inequality::NotPositive);
        row(
            "connect as long as total", [](Timing& t) { t.providerConnect = t.providerTotal; },
            Inequality::ConnectBelowTotal);
        row(
            "gate lease = total + 10", [](Timing& t) { t.gateLease = Millis{40000}; }, Inequality::GateLeaseAboveTotal);
        row(
            "worker lease = gate lease", [](Timing& t) { t.workerLease = t.gateLease; },
            Inequality::WorkerLeaseAboveGateLease);
        row(
            "renew above a third", [](Timing& t) { t.workerRenew = Millis{20001}; }, Inequality::RenewWithinThird);
        // 3 h + 20 % + 30 s + 10 s = 13 000 s
        row(
            "margin a second short", [](Timing& t) { t.margin = Seconds{12999}; }, Inequality::MarginCoversBackoff);
        row(
            "backoff above the window",
            [](Timing& t) {
                t.window = Seconds{35999}; // less the margin: a second short of 6 h
                t.backoff = {Seconds{10800}, Seconds{10800}};
            },
            Inequality::BackoffWithinWindow);
        row(
            "29 days of events", [](Timing& t) { t.eventDays = 29; }, Inequality::EventsKeptThirtyDays);
    }
    void shouldNameWhatIsBroken()
    {
        QFETCH(Change, change);
        QFETCH(Inequality, expected);
        Timing timing;
        change(timing);
        QCOMPARE(brokenTiming(timing, false), std::optional(expected));
        QVERIFY(!unavez::engine::wordOf(expected).isEmpty());
    }

    void shouldAllowTheEdgeOfEachInequality()
    {
        Timing timing;
        timing.gateLease = Millis{40001};
        timing.margin = Seconds{13000};
        timing.window = timing.margin + Seconds{20560}; // + the whole backoff
        timing.eventDays = 30;
        QCOMPARE(brokenTiming(timing, false), std::nullopt);
    }

    void shouldNotAskForAMarginWhereTheProviderKeepsNoKeys()
    {
        Timing timing;
        timing.window = Seconds{0};
        timing.margin = Seconds{0};
        QCOMPARE(brokenTiming(timing, false), std::nullopt);
    }

    void shouldRelaxOnlyTheGateLeaseForPractice()
    {
        Timing timing;
        timing.providerTotal = Millis{1000};
        timing.providerConnect = Millis{300};
        timing.gateLease = Millis{1500};
        timing.workerLease = Millis{3000};
        timing.workerRenew = Millis{1000};
        QCOMPARE(brokenTiming(timing, true), std::nullopt);
        QCOMPARE(brokenTiming(timing, false), std::optional(Inequality::GateLeaseAboveTotal));
        timing.gateLease = timing.providerTotal;
        QCOMPARE(brokenTiming(timing, true), std::optional(Inequality::GateLeaseAboveTotal));
    }

    void shouldLeaveTenSecondsToWrite()
    {
        QCOMPARE(sendWithin({}), Millis{10000});
        Timing shorter;
        shorter.gateLease = Millis{42000};
        QCOMPARE(sendWithin(shorter), Millis{7000});
        shorter.gateLease = Millis{3000};
        shorter.providerTotal = Millis{1000};
        QCOMPARE(sendWithin(shorter), Millis{1000});
    }
};

QTEST_GUILESS_MAIN(tst_timing)
#include "tst_timing.moc"
