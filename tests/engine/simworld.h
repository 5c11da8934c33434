// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/engine/worker.h"
#include "tests/engine/simschedule.h"
#include "tests/engine/simtool.h"
#include "tests/support/memorystore.h"

namespace unavez::tests {

// What a run may rely on (contract.md §10.8).
enum class SimTrust {
    OnePaymentIntent, // the provider's second guard, and every assumption
    PlainCharges, // every assumption, and nothing but the keys
    OnlyOnePaymentIntent, // connections that outlive a pause (not A2) and clocks that step half a day (not A5)
};

// Two processes of the service, a store, a provider, an agent and an operator in simulated time.
class SimWorld
{
public:
    explicit SimWorld(SimTrust trust);
    ~SimWorld();

    // Empty: every invariant holds after the step.
    QString run(const SimStep& step);
    // Faults end, clocks are set right, whoever lies goes on; then service and operator work until nothing moves.
    QString rest();

    // What this schedule came across, so that a run can tell whether it tried what it is about.
    const QSet<QString>& seen() const { return m_seen; }

private:
    // One process: what dies with it. Its clock does not.
    struct Process
    {
        Process(MemoryStore& store, SimOutside& outside, const SimClock& clock, const QString& credentialOf, int number,
            int release);
        SimTool tool;
        engine::Gate gate;
        SimAgent agent;
        SimEventReader reader;
        engine::Evidence evidence;
        engine::Worker worker;
        std::unique_ptr<Fiber> work; // last: it dies before what it uses
    };

    void deliver(const contract::Delivery& delivery, int times, const Halt& halt);
    contract::Delivery event(int index) const;
    std::optional<contract::Delivery> notice(int index) const;
    void start(int process, const Halt& halt, std::function<void(Process&)> work);
    void advance(int process, const Halt& halt);
    void restart(int process);
    void work(int process, int manners, const Halt& halt);
    void act(int action, int target, const Halt& halt);
    void seeTo(int target, const Halt& halt);
    void seeToJobs();
    std::optional<contract::ActionRequest> request(int action, int target) const;
    std::optional<contract::ActionRequest> onReservation(int action, int target) const;
    contract::Evidence evidenceFor(const contract::Reservation& row, const contract::Intent& intent) const;
    void apply(const contract::ActionRequest& request, const Halt& halt);
    QString compared(const MemoryRows& before);
    void look(const MemoryRows& rows);
    void workUntilIdle();
    void settleByTruth();

    SimTrust m_trust;
    SimOutside m_outside;
    SimClock m_databaseClock{m_outside.time};
    std::array<SimClock, processes> m_hostClocks{SimClock(m_outside.time), SimClock(m_outside.time)};
    MemoryStore m_store{m_databaseClock};
    std::array<std::unique_ptr<Process>, processes> m_processes;
    contract::Source m_source;
    QString m_credentialOf = QStringLiteral("acct_1"); // of the next process
    int m_releases = 0;
    bool m_isAway = false;
    QStringList m_acknowledged; // event ids that were answered 200
    QString m_broken; // found while a step ran
    QSet<QString> m_seen;
};

} // namespace unavez::tests
