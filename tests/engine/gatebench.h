// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/async/crashpoint.h"
#include "models/engine/gate.h"
#include "models/stores/sql/sqlactionstore.h"
#include "tests/engine/bothstores.h"
#include "tests/engine/scriptedtool.h"

namespace unavez::tests {

// What a gate's answer says, as tests compare it.
using Status = std::optional<engine::GateStatus>;
constexpr Status isDone = engine::GateStatus::Done;
constexpr Status isFailed = engine::GateStatus::Failed;
constexpr Status isInProgress = engine::GateStatus::InProgress;
constexpr Status isUnknown = engine::GateStatus::UnknownOutcome;

inline std::optional<contract::Reason> reasonOf(const engine::GateAnswer& answer)
{
    return answer.because ? std::optional(answer.because->reason) : std::nullopt;
}

struct Died
{
};

// Runs `work` as a process that dies at the named crash point: true when it did. What it held is left as it was.
template <typename Work> bool diesAt(const char* point, Work work)
{
    async::setCrashObserver([point](const char* passed) {
        if (qstrcmp(passed, point) == 0)
            throw Died();
    });
    bool died = false;
    try {
        work();
    } catch (const Died&) {
        died = true;
    }
    async::setCrashObserver(nullptr);
    return died;
}

// One store, one provider, one backend, and time that can pass.
struct GateWorld
{
    explicit GateWorld(stores::StoreUrl::Kind kind)
        : store(kind)
        , owner(portsOf(store))
        , source(syncedSource(*owner))
    {
        for (const char* id : {"inv_42", "inv_43", "inv_1001"})
            backend.invoices.insert(QString::fromLatin1(id), {QString::fromLatin1(id), 125000, true});
        backend.aliases.insert(QStringLiteral("2026-0042"), QStringLiteral("inv_42"));
    }

    void pass(contract::Millis by)
    {
        needed(stores::ageStore(owner->connection(), by));
        provider.age(by);
    }
    // One chunk of the reaper's.
    QList<contract::KeyId> expired() { return needed(owner->reaper().expireReservations(contract::Seconds{10}, 50)); }
    contract::ReapedJobs freed() { return needed(owner->reaper().freeJobs(contract::Seconds{10}, 50)); }
    int count(const char* sql) { return numberIn(*owner, sql); }
    QString word(const char* sql)
    {
        const auto rows = needed(owner->connection().run(QString::fromLatin1(sql)));
        return rows.isEmpty() ? QString() : rows.first().at(0).toString();
    }
    contract::Reservation row(const QString& key, const QString& account = QStringLiteral("acct_1"))
    {
        const auto found = needed(owner->reservations().findKey({QStringLiteral("stripe"), account, key}));
        if (!found)
            qFatal("no reservation %s", qPrintable(key));
        return found->last;
    }
    // An operator's action: asks the guard, plans and applies as ctl does.
    contract::ActionOutcome act(contract::ActionRequest request)
    {
        stores::SqlActionStore actions(owner->connection());
        request.confirmedMode = contract::StoreMode::Practice;
        const auto facts = needed(actions.facts(request));
        if (const auto verdict = contract::judge(request, facts); !verdict.allowed())
            return {contract::ActionResult::Refused, verdict.refused, 0, {}, {}, {}};
        return needed(actions.apply(contract::planned(request, facts), QStringLiteral("asked for by a test")));
    }
    contract::ActionOutcome openAttempt(const QString& intentKey)
    {
        contract::ActionRequest request;
        request.action = contract::Action::OpenAttempt;
        request.intent = contract::IntentId{QStringLiteral("stripe"), QStringLiteral("acct_1"), intentKey};
        contract::BackendFact fact;
        fact.reachable = true;
        fact.id = QStringLiteral("inv_42");
        fact.customer = QStringLiteral("cus_1");
        fact.amount = {125000, QStringLiteral("eur")};
        fact.open = true;
        fact.state = QStringLiteral("open");
        request.backend = fact;
        return act(request);
    }
    void hold(contract::HoldKind kind, const QString& target, bool release = false)
    {
        contract::ActionRequest request;
        request.action = contract::Action::Hold;
        request.hold = contract::HoldRequest{kind, target, release};
        if (act(request).result != contract::ActionResult::Applied)
            qFatal("the hold was not placed or released");
    }

    TestStore store;
    std::unique_ptr<stores::SqlStore> owner;
    contract::Source source;
    MovedClock clock;
    ScriptedProvider provider;
    ScriptedBackend backend;
};

// One process of the service: its own connection, tools and gate.
struct GateProcess
{
    explicit GateProcess(GateWorld& world, const QString& name = QStringLiteral("gate-1"),
        const QString& account = QStringLiteral("acct_1"))
        : ports(portsOf(world.store))
        , charge(ScriptedTool::Kind::Charge, account, world.provider, world.backend, world.clock)
        , refund(ScriptedTool::Kind::Refund, account, world.provider, world.backend, world.clock)
        , gate(ports->reservations(), world.clock, {name, contract::Millis{45000}, contract::Seconds{10}, {}},
              {&charge, &refund})
    {
    }

    engine::GateAnswer chargeInvoice(
        const QString& invoice = QStringLiteral("inv_42"), const std::optional<contract::JobLease>& job = {})
    {
        return gate.call(charge.name(), {{QStringLiteral("invoice_id"), invoice}}, job);
    }
    engine::GateAnswer refundRequest(const QString& request, int minor)
    {
        return gate.call(
            refund.name(), {{QStringLiteral("request_id"), request}, {QStringLiteral("amount_minor"), minor}});
    }

    std::unique_ptr<stores::SqlStore> ports;
    ScriptedTool charge;
    ScriptedTool refund;
    engine::Gate gate;
};

} // namespace unavez::tests
