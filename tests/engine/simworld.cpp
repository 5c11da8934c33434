// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/simworld.h"

#include "models/async/crashpoint.h"
#include "models/engine/intake.h"
#include "models/engine/reaper.h"
#include "tests/engine/siminvariants.h"

#include <algorithm>

// What the service does in a schedule; the operator stands in simoperator.cpp.
namespace unavez::tests {

using namespace contract;
using namespace engine;

namespace {

constexpr Seconds grace{10};

GateSettings gateSettings(int process)
{
    GateSettings settings;
    settings.owner = QStringLiteral("gate-%1").arg(process);
    settings.grace = grace;
    return settings;
}

WorkerSettings workerSettings(int process)
{
    WorkerSettings settings;
    settings.owner = QStringLiteral("worker-%1").arg(process);
    settings.grace = grace;
    return settings;
}

} // namespace

SimWorld::Process::Process(MemoryStore& store, SimOutside& outside, const SimClock& clock, const QString& credentialOf,
    int number, int release)
    : tool(outside, clock, credentialOf, release)
    , gate(store.reservations(), clock, gateSettings(number), {&tool})
    , agent(gate)
    , evidence(store.evidence(), store.reservations(), reader, StoreMode::Practice)
    , worker(store.jobs(), store.reservations(), gate, agent, &evidence, nullptr, workerSettings(number))
{
}

SimWorld::SimWorld(SimTrust trust)
    : m_trust(trust)
{
    m_outside.onePaymentIntent = trust != SimTrust::PlainCharges;
    m_outside.dropsIdle = trust != SimTrust::OnlyOnePaymentIntent;
    m_outside.isMarked = [this](qint64 call, const QString& sentKey) {
        const auto calls = m_store.rows().calls;
        const auto found = calls.constFind(call);
        return found != calls.constEnd() && found->sentKey == sentKey && !found->endedAt;
    };
    const auto synced = m_store.service().syncSources(
        {{1, QStringLiteral("stripe:acct_1"), QStringLiteral("stripe"), QStringLiteral("acct_1")}},
        {{QStringLiteral("k1"), 1, QStringLiteral("/webhooks/stripe"), QStringLiteral("file:/x"),
            QStringLiteral("0123456789ab"), Instant{0}, Instant::never()}});
    m_source = synced->first();
    for (int i = 0; i < processes; ++i)
        restart(i);
}

SimWorld::~SimWorld() = default;

void SimWorld::restart(int process)
{
    auto& slot = m_processes[std::size_t(process)];
    slot.reset(); // first: two of one name never run at once
    slot = std::make_unique<Process>(
        m_store, m_outside, m_hostClocks[std::size_t(process)], m_credentialOf, process, ++m_releases);
}

void SimWorld::start(int process, const Halt& halt, std::function<void(Process&)> work)
{
    auto& slot = *m_processes[std::size_t(process)];
    if (slot.work)
        return; // it lies somewhere: only going on helps
    slot.work = std::make_unique<Fiber>([&slot, work = std::move(work)] { work(slot); });
    advance(process, halt);
}

void SimWorld::advance(int process, const Halt& halt)
{
    auto& slot = *m_processes[std::size_t(process)];
    if (!slot.work)
        return;
    switch (slot.work->run(halt)) {
    case Fiber::State::Lying:
        m_seen.insert(QStringLiteral("pause at ") + QString::fromStdString(slot.work->point()));
        break;
    case Fiber::State::Finished: slot.work.reset(); break;
    case Fiber::State::Dead:
        m_seen.insert(QStringLiteral("death at ") + QString::fromStdString(slot.work->point()));
        restart(process);
        break;
    }
}

Delivery SimWorld::event(int index) const
{
    Delivery delivery;
    delivery.sourceId = m_source.id;
    delivery.eventId = QStringLiteral("evt_%1").arg(index);
    delivery.eventType = QStringLiteral("invoice.due");
    delivery.objectId = QStringLiteral("inv_%1").arg(index % invoices);
    delivery.signingKeyId = QStringLiteral("k1");
    delivery.body = "{}";
    delivery.bodySha256 = sha256(delivery.body);
    return delivery;
}

std::optional<Delivery> SimWorld::notice(int index) const
{
    const auto& notices = m_outside.provider.notices();
    if (notices.isEmpty())
        return std::nullopt;
    const auto number = index % notices.size();
    const auto& notice = notices.at(number);
    Delivery delivery;
    delivery.sourceId = m_source.id;
    delivery.eventId = QStringLiteral("evt_p%1").arg(number);
    delivery.eventType = QStringLiteral("%1.%2").arg(
        notice.object.type, notice.object.paid ? QStringLiteral("succeeded") : QStringLiteral("payment_failed"));
    delivery.signingKeyId = QStringLiteral("k1");
    delivery.body = SimEventReader::written(notice);
    delivery.bodySha256 = sha256(delivery.body);
    return delivery;
}

void SimWorld::deliver(const Delivery& delivery, int times, const Halt& halt)
{
    ranToItsEnd(halt, [&] {
        const auto answers = Intake(m_store.intake()).record(QList<Delivery>(times, delivery));
        UNAVEZ_CRASH_POINT("edge.after_commit_before_200");
        for (const auto& answer : answers) {
            if (answer.http == 200)
                m_acknowledged.append(delivery.eventId);
        }
    });
}

void SimWorld::work(int process, int manners, const Halt& halt)
{
    start(process, halt, [this, manners](Process& slot) {
        slot.agent.careless = manners == 3;
        slot.agent.calls = manners == 1 ? 2 : 1;
        static_cast<void>(slot.worker.step({m_source}));
    });
}

QString SimWorld::run(const SimStep& step)
{
    using Kind = SimStep::Kind;
    const auto before = m_store.rows();
    const int process = step.a % processes;
    switch (step.kind) {
    case Kind::Deliver: deliver(event(step.a % events), step.b % 3 + 1, step.halt); break;
    case Kind::Notify:
        if (const auto found = notice(step.a))
            deliver(*found, 1, step.halt);
        break;
    case Kind::Work: work(process, step.b % 4, step.halt); break;
    case Kind::Round:
        m_outside.time.pass(durationOf(step.a));
        static_cast<void>(Reaper(m_store.reaper(), grace).step());
        work(step.b % processes, 0, step.halt);
        break;
    case Kind::Oncall: seeTo(step.b, step.halt); break;
    case Kind::Chat:
        start(process, step.halt, [invoice = QStringLiteral("inv_%1").arg(step.b % invoices)](Process& slot) {
            slot.gate.call(QStringLiteral("charge_customer"), {{QStringLiteral("invoice_id"), invoice}});
        });
        break;
    case Kind::GoOn: advance(process, step.halt); break;
    case Kind::Kill: restart(process); break;
    case Kind::Pass: m_outside.time.pass(durationOf(step.a)); break;
    case Kind::StepClock: {
        const bool unbounded = m_trust == SimTrust::OnlyOnePaymentIntent;
        const Millis farthest = Seconds{(unbounded ? 12 : 2) * 3600}; // two hours is what the margin is for
        const auto by = clockStepOf(step.b) * (unbounded ? 6 : 1);
        const int which = step.a % 4;
        if (which == 0 || which == 3)
            m_databaseClock.step(by, farthest);
        if (which == 1 || which == 3)
            m_hostClocks[0].step(by, farthest);
        if (which == 2 || which == 3)
            m_hostClocks[1].step(by, farthest);
        break;
    }
    case Kind::Break: m_outside.provider.willFail(Fault(step.a % faults)); break;
    case Kind::Reap: ranToItsEnd(step.halt, [&] { static_cast<void>(Reaper(m_store.reaper(), grace).step()); }); break;
    case Kind::Act: act(step.a, step.b, step.halt); break;
    case Kind::StoreAway:
        m_isAway = !m_isAway;
        m_store.setAway(m_isAway);
        break;
    case Kind::Credential:
        m_credentialOf
            = m_credentialOf == QLatin1String("acct_1") ? QStringLiteral("acct_2") : QStringLiteral("acct_1");
        restart(process);
        break;
    }
    m_outside.provider.settleLate();
    return compared(before);
}

QString SimWorld::compared(const MemoryRows& before)
{
    const auto after = m_store.rows();
    look(after);
    for (const auto& broken : {m_broken, brokenBetween(before, after, m_databaseClock.wall()), brokenIn(after),
             brokenAtProvider(m_outside.provider)}) {
        if (!broken.isEmpty())
            return broken;
    }
    if (!m_outside.unmarked.isEmpty())
        return QStringLiteral("N8: %1 was sent without its mark").arg(m_outside.unmarked.first());
    for (const auto& id : std::as_const(m_acknowledged)) {
        const bool kept = std::any_of(
            after.events.begin(), after.events.end(), [&](const Event& event) { return event.eventId == id; });
        if (!kept)
            return QStringLiteral("N11: %1 was acknowledged and is not here").arg(id);
    }
    return {};
}

void SimWorld::look(const MemoryRows& rows)
{
    for (const auto& made : rows.reservations) {
        m_seen.insert(QStringLiteral("%1 a%2").arg(wordOf(made.row.status)).arg(made.row.attempt));
        if (made.row.sends > 2)
            m_seen.insert(QStringLiteral("sent thrice"));
    }
    for (const auto& call : rows.calls) {
        if (call.replayed == true)
            m_seen.insert(QStringLiteral("replayed"));
        if (call.outcome)
            m_seen.insert(QStringLiteral("call ") + wordOf(*call.outcome));
    }
    for (const auto& incident : rows.incidents)
        m_seen.insert(QStringLiteral("incident ") + wordOf(incident.kind));
    for (const auto& entry : rows.log)
        m_seen.insert(
            QStringLiteral("%1 %2").arg(wordOf(entry.action), entry.refused.value_or(QStringLiteral("applied"))));
    for (const auto& job : rows.jobs)
        m_seen.insert(QStringLiteral("job %1 %2").arg(wordOf(job.state), job.errorClass.value_or(QString())));
}

void SimWorld::workUntilIdle()
{
    constexpr int enough = 60;
    for (int i = 0; i < enough; ++i) {
        const auto version = [&] {
            qint64 sum = 0;
            const auto rows = m_store.rows();
            for (const auto& job : rows.jobs)
                sum += job.rowVersion;
            return sum;
        };
        const auto before = version();
        for (int process = 0; process < processes; ++process) {
            work(process, 0, {});
        }
        if (version() == before)
            return;
    }
}

QString SimWorld::rest()
{
    const auto begun = m_store.rows();
    m_store.setAway(false);
    m_databaseClock.set(Millis{0});
    for (auto& clock : m_hostClocks)
        clock.set(Millis{0});
    m_outside.provider.forgetFaults();
    m_credentialOf = QStringLiteral("acct_1");
    for (int process = 0; process < processes; ++process) {
        advance(process, {});
        restart(process);
    }
    m_outside.provider.settleLate();
    if (const auto broken = compared(begun); !broken.isEmpty())
        return broken;
    constexpr int rounds = 12;
    for (int round = 0; round < rounds; ++round) {
        const auto before = m_store.rows();
        m_outside.time.pass(round % 4 == 3 ? Millis{Seconds{25 * 3600}} : Millis{Seconds{3900}});
        m_outside.provider.settleLate();
        for (int i = 0; i < m_outside.provider.notices().size(); ++i)
            deliver(*notice(i), 1, {});
        static_cast<void>(Reaper(m_store.reaper(), grace).step());
        workUntilIdle();
        if (round >= 4) // the service alone first, then with somebody on call
            settleByTruth();
        if (const auto broken = compared(before); !broken.isEmpty())
            return broken;
        if (round == 3 || round == rounds - 1) {
            if (const auto broken = brokenAtRest(m_store.rows(), m_outside.provider); !broken.isEmpty())
                return broken;
        }
    }
    return unsettledIn(m_store.rows());
}

} // namespace unavez::tests
