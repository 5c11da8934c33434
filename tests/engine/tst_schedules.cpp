// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario 22: random schedules of crashes, pauses, repeats, faults, clock steps and operators, in simulated time, over
// the real engine. The invariants of contract.md §10.9 hold after every step. A counterexample shrinks to a schedule a
// person can read; RC_PARAMS="seed=… max_success=10000" repeats or widens a run.
#include "tests/engine/simworld.h"

#include <QtTest>

#include <rapidcheck.h>

#include <iostream>

namespace unavez::tests {

void showValue(const SimStep& step, std::ostream& out) { out << step; }

} // namespace unavez::tests

namespace rc {

template <> struct Arbitrary<unavez::tests::Halt>
{
    static Gen<unavez::tests::Halt> arbitrary()
    {
        using unavez::tests::Halt;
        const auto any = gen::build<Halt>(gen::set(&Halt::kind,
                                              gen::weightedElement<Halt::Kind>({{6, Halt::Kind::Never},
                                                  {2, Halt::Kind::Crash}, {2, Halt::Kind::Pause}})),
            gen::set(&Halt::atPoint, gen::resize(kNominalSize, gen::inRange(1, 9))));
        return gen::shrink(
            any, [](const Halt& halt) { return halt.kind == Halt::Kind::Never ? Seq<Halt>() : seq::just(Halt{}); });
    }
};

template <> struct Arbitrary<unavez::tests::SimStep>
{
    static Gen<unavez::tests::SimStep> arbitrary()
    {
        using unavez::tests::SimStep;
        using Kind = SimStep::Kind;
        return gen::build<SimStep>(
            gen::set(&SimStep::kind,
                gen::weightedElement<Kind>({{10, Kind::Deliver}, {6, Kind::Notify}, {30, Kind::Work}, {6, Kind::Chat},
                    {12, Kind::GoOn}, {2, Kind::Kill}, {24, Kind::Pass}, {4, Kind::StepClock}, {16, Kind::Break},
                    {6, Kind::Reap}, {12, Kind::Act}, {16, Kind::Round}, {14, Kind::Oncall}, {1, Kind::StoreAway},
                    {1, Kind::Credential}})),
            gen::set(&SimStep::a, gen::resize(kNominalSize, gen::inRange(0, 60))),
            gen::set(&SimStep::b, gen::resize(kNominalSize, gen::inRange(0, 60))), gen::set(&SimStep::halt));
    }
};

} // namespace rc

using namespace unavez::tests;

namespace {

constexpr int longest = 100; // steps

// Two faults in a row and somebody who sees to it: what chance alone seldom brings together.
SimSchedule incident(int first, int second, int wait)
{
    using Kind = SimStep::Kind;
    return {{Kind::Deliver, 0, 0, {}}, {Kind::Break, first, 0, {}}, {Kind::Break, second, 0, {}},
        {Kind::Work, 0, 0, {}}, {Kind::Round, wait, 1, {}}, {Kind::Round, wait, 0, {}}, {Kind::Pass, wait, 0, {}},
        {Kind::Oncall, 0, 0, {}}, {Kind::Round, wait, 1, {}}};
}

rc::Gen<SimSchedule> schedules()
{
    using namespace rc;
    const auto any = [](int end) { return gen::resize(kNominalSize, gen::inRange(0, end)); };
    return gen::map(gen::tuple(any(3), any(faults), any(faults), any(durations),
                        gen::resize(longest, gen::arbitrary<SimSchedule>())),
        [](const std::tuple<int, int, int, int, SimSchedule>& parts) {
            const auto& [opening, first, second, wait, rest] = parts;
            auto schedule = opening == 0 ? SimSchedule() : incident(first, second, wait);
            schedule.insert(schedule.end(), rest.begin(), rest.end());
            return schedule;
        });
}

}

class tst_schedules : public QObject
{
    Q_OBJECT
private:
    bool holds(const char* name, SimTrust trust)
    {
        return rc::check(name, [this, trust] {
            const auto schedule = *schedules();
            SimWorld world(trust);
            for (const auto& step : schedule) {
                if (const auto broken = world.run(step); !broken.isEmpty())
                    RC_FAIL(broken.toStdString());
            }
            if (const auto broken = world.rest(); !broken.isEmpty())
                RC_FAIL("at rest: " + broken.toStdString());
            for (const auto& place : world.seen())
                ++m_seen[place];
        });
    }

    QHash<QString, int> m_seen; // in how many schedules

private Q_SLOTS:
    void initTestCase()
    {
        if (qEnvironmentVariableIsEmpty("RC_PARAMS"))
            qputenv("RC_PARAMS", "max_success=1000");
    }

    void shouldHoldWithOnePaymentIntent()
    {
        QVERIFY(holds("one PaymentIntent per intent", SimTrust::OnePaymentIntent));
    }
    // Without the provider's second guard, the keys alone must do.
    void shouldHoldWithPlainCharges() { QVERIFY(holds("plain charges", SimTrust::PlainCharges)); }

    // And without two of the assumptions, the one PaymentIntent alone (contract.md §10.8).
    void shouldHoldWithOnlyOnePaymentIntent()
    {
        QVERIFY(holds("one PaymentIntent, and little else", SimTrust::OnlyOnePaymentIntent));
    }

    // A run that never came to what it is about would hold too.
    void shouldHaveBeenEverywhere()
    {
        const QStringList needed{QStringLiteral("death at worker.after_claim"),
            QStringLiteral("death at gate.after_mark_before_write"),
            QStringLiteral("death at gate.after_write_before_answer"),
            QStringLiteral("death at gate.after_answer_before_finish"),
            QStringLiteral("death at gate.after_finish_before_reply"),
            QStringLiteral("death at worker.after_handler_before_finish"),
            QStringLiteral("pause at tool.after_check_before_write"),
            QStringLiteral("pause at gate.after_write_before_answer"), QStringLiteral("replayed"),
            QStringLiteral("unknown a1"), QStringLiteral("failed a1"), QStringLiteral("done a2"),
            QStringLiteral("incident clock_skew"), QStringLiteral("incident credential"),
            QStringLiteral("job dead unknown_outcome"), QStringLiteral("expire_reservation applied"),
            QStringLiteral("open_attempt applied"), QStringLiteral("record_outcome applied"),
            QStringLiteral("requeue_job applied"), QStringLiteral("release_lease applied")};
        for (const auto& place : needed)
            QVERIFY2(m_seen.contains(place), qPrintable(place));
    }
};

QTEST_GUILESS_MAIN(tst_schedules)
#include "tst_schedules.moc"
