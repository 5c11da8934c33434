// SPDX-License-Identifier: GPL-3.0-or-later
// Calling the gate, on both real stores over a scripted provider (contract.md §13.2): scenarios 19, 20, 34, 35, 43, 57.
#include "tests/engine/gatebench.h"

#include <QtTest>

using namespace unavez::contract;
using namespace unavez::engine;
using namespace unavez::stores;
using namespace unavez::tests;

namespace {

constexpr Millis leaseAndGrace{56000};

QString text(const char* word) { return QString::fromLatin1(word); }
const QString a1 = QStringLiteral("charge:inv_42:a1");

} // namespace

class tst_gate : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Scenario 19.
    BOTH_STORES(shouldChargeOnceAndReplayTheResult)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        const auto first = process.chargeInvoice();
        QCOMPARE(first.status, isDone);
        QVERIFY(!first.replayed);
        QCOMPARE(first.key, a1);
        QCOMPARE(first.result->value(text("id")).toString(), text("pi_1"));
        for (int i = 0; i < 2; ++i) {
            const auto again = process.chargeInvoice();
            QCOMPARE(again.status, isDone);
            QVERIFY(again.replayed);
            QCOMPARE(again.result, first.result);
        }
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.provider.ledger().size(), 2); // create, confirm
        QCOMPARE(world.count("SELECT count(*) FROM idempotency_keys"), 1);
        QCOMPARE(world.row(a1).providerObjectId, std::optional(text("pi_1")));
        QCOMPARE(world.count("SELECT count(*) FROM provider_calls WHERE ended_at IS NULL"), 0);
    }

    // Scenario 19, while the first call is still out.
    BOTH_STORES(shouldSayInProgressWhileAnotherHandSends)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        GateProcess other(world, text("gate-2"));
        GateAnswer meanwhile;
        process.charge.written = [&] { meanwhile = other.chargeInvoice(); };
        QCOMPARE(process.chargeInvoice().status, isDone);
        QCOMPARE(meanwhile.status, isInProgress);
        QVERIFY(*meanwhile.retryAfter > Millis{1000} && *meanwhile.retryAfter <= Millis{55000});
        QCOMPARE(world.provider.effects(), 1);
    }

    BOTH_STORES(shouldRefuseWhatCannotBeMeant)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        const QJsonObject withAmount{{text("invoice_id"), text("inv_42")}, {text("amount"), 1}};
        const auto refused = process.gate.call(text("charge_customer"), withAmount);
        QCOMPARE(refused.http, 400);
        QCOMPARE(reasonOf(refused), std::optional(Reason::BadArguments));
        QCOMPARE(refused.because->facts.value(text("field")).toString(), text("amount"));
        QCOMPARE(process.chargeInvoice(text("in_1")).http, 400); // the backend has no such invoice (scenario 43)
        const auto unknown = process.gate.call(text("transfer"), {});
        QCOMPARE(unknown.http, 404);
        QCOMPARE(reasonOf(unknown), std::optional(Reason::UnknownTool));
        world.backend.invoices[text("inv_43")].open = false;
        QCOMPARE(reasonOf(process.chargeInvoice(text("inv_43"))), std::optional(Reason::NotDue));
        QCOMPARE(world.provider.ledger().size(), 0);
        QCOMPARE(world.count("SELECT count(*) FROM intents"), 0);
    }

    // Scenario 35, and §13.2 for a backend that is away.
    BOTH_STORES(shouldKnowOneInvoiceByEverySpelling)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        for (const char* spelling : {"inv_42", "INV_42", "inv_42 ", "2026-0042"}) {
            const auto answer = process.chargeInvoice(text(spelling));
            QCOMPARE(answer.status, isDone);
            QCOMPARE(answer.intent, text("charge:inv_42"));
        }
        world.backend.invoices[text("inv_42")].minor = 100; // a credit note
        world.backend.invoices[text("inv_42")].open = false;
        QCOMPARE(process.chargeInvoice().status, isDone);
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.count("SELECT amount_minor FROM intents"), 125000);

        world.backend.away = true;
        QVERIFY(process.chargeInvoice().replayed); // as spelled
        const auto fresh = process.chargeInvoice(text("inv_43"));
        QCOMPARE(fresh.http, 503);
        QCOMPARE(reasonOf(fresh), std::optional(Reason::BackendUnreachable));
        world.backend.away = false;
        world.backend.invoices.remove(text("inv_42")); // 404 now
        QVERIFY(process.chargeInvoice().replayed);
    }

    // Scenario 20.
    BOTH_STORES(shouldTellTwinRefundsFromRepeats)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        QCOMPARE(process.refundRequest(text("req_1"), 500).status, isDone);
        QCOMPARE(process.refundRequest(text("req_2"), 500).status, isDone);
        QVERIFY(process.refundRequest(text("req_1"), 500).replayed);
        QCOMPARE(world.provider.effects(), 2);
        const auto mismatch = process.refundRequest(text("req_1"), 700);
        QCOMPARE(mismatch.http, 422);
        QCOMPARE(reasonOf(mismatch), std::optional(Reason::PlanMismatch));
        const QVariantMap stored{{text("request_id"), text("req_1")}, {text("amount_minor"), 500}};
        // The stored arguments and nothing else of the plan.
        QCOMPARE(QJsonObject::fromVariantMap(mismatch.because->facts.value(text("arguments")).toMap()),
            QJsonObject::fromVariantMap(stored));
        QCOMPARE(world.provider.ledger().size(), 2);
    }

    // The same, where the other call reserves between our look and our reservation.
    BOTH_STORES(shouldMindOtherArgumentsOfAFasterCaller)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        ReserveRequest theirs;
        theirs.intent = {text("stripe"), text("acct_1"), text("refund:req_1")};
        theirs.tool = text("refund");
        theirs.plan = R"({"amount_minor":900,"customer":"cus_secret","request_id":"req_1"})";
        theirs.argsSha256 = sha256("others");
        theirs.request = "bytes";
        theirs.owner = text("gate-2");
        QVERIFY(world.owner->reservations().reserve(theirs)->held.has_value());
        const auto answer = process.refundRequest(text("req_1"), 500);
        QCOMPARE(reasonOf(answer), std::optional(Reason::PlanMismatch));
        QVERIFY(!answer.because->facts.contains(text("plan")));
        QVERIFY(!answer.because->facts.value(text("arguments")).toMap().contains(text("customer")));
    }

    // Scenario 34 (M7).
    BOTH_STORES(shouldKeepTwoAccountsApart)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess one(world, text("gate-1"), text("acct_1"));
        GateProcess two(world, text("gate-2"), text("acct_2"));
        // Each account has a provider's keys of its own; the simulator keeps one set, so their steps differ by object.
        const auto first = one.chargeInvoice(text("inv_1001"));
        QCOMPARE(first.status, isDone);
        QCOMPARE(world.count("SELECT count(*) FROM intents WHERE provider_account = 'acct_2'"), 0);
        const auto state = world.owner->reservations().find({text("stripe"), text("acct_2"), text("charge:inv_1001")});
        QVERIFY(state && !*state);
        two.charge.unreachable = true;
        QCOMPARE(two.chargeInvoice(text("inv_1001")).status, isInProgress); // an intent of its own, not a replay
        QCOMPARE(world.row(text("charge:inv_1001:a1"), text("acct_2")).sends, 0);
        QCOMPARE(world.row(text("charge:inv_1001:a1"), text("acct_1")).status, ReservationStatus::Done);
    }

    // Scenario 57.
    BOTH_STORES(shouldSendNothingWhileHeldAndReplayThroughout)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        QCOMPARE(process.chargeInvoice(text("inv_43")).status, isDone);
        world.hold(HoldKind::Tool, text("charge_customer"));
        const auto held = process.chargeInvoice();
        QCOMPARE(held.http, 503);
        QCOMPARE(reasonOf(held), std::optional(Reason::Held));
        QCOMPARE(process.chargeInvoice(text("inv_43")).status, isDone);
        QCOMPARE(process.refundRequest(text("req_1"), 100).status, isDone); // another tool
        QCOMPARE(world.row(a1).sends, 0);
        world.hold(HoldKind::Tool, text("charge_customer"), true);
        QCOMPARE(process.chargeInvoice().status, isDone);
        world.hold(HoldKind::Sends, {});
        QCOMPARE(reasonOf(process.refundRequest(text("req_2"), 100)), std::optional(Reason::Held));
        QCOMPARE(process.chargeInvoice().status, isDone);
    }

    BOTH_STORES(shouldSendNothingInQuarantine)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        QCOMPARE(process.chargeInvoice(text("inv_43")).status, isDone);
        world.provider.next(text("confirm"), Fault::Unavailable);
        process.chargeInvoice();
        const auto calls = world.provider.ledger().size();
        QVERIFY(world.owner->service().quarantine(SystemHostClock().wall()).has_value());
        QCOMPARE(reasonOf(process.chargeInvoice()), std::optional(Reason::Quarantine)); // a mark
        QCOMPARE(reasonOf(process.chargeInvoice(text("inv_1001"))), std::optional(Reason::Quarantine)); // a reservation
        QVERIFY(process.chargeInvoice(text("inv_43")).replayed);
        QCOMPARE(world.provider.ledger().size(), calls);
    }

    // Only what the row is held for: a job that lost its lease sends nothing, a row in another hand is told as such.
    BOTH_STORES(shouldTellALostJobFromALostRow)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        const auto gone = process.chargeInvoice(text("inv_42"), JobLease{7, 1});
        QCOMPARE(gone.http, 422);
        QCOMPARE(reasonOf(gone), std::optional(Reason::LeaseLost));
        QCOMPARE(world.count("SELECT count(*) FROM intents"), 0);
        GateProcess other(world, text("gate-2"));
        bool slow = true;
        process.charge.connected = [&] { // slow to connect: its lease ran out, and another took over and finished
            if (!std::exchange(slow, false))
                return;
            world.pass(leaseAndGrace);
            QCOMPARE(other.chargeInvoice().status, isDone);
        };
        QCOMPARE(process.chargeInvoice().status, isDone);
        QCOMPARE(world.provider.ledger().size(), 2);
        QCOMPARE(world.provider.effects(), 1);
    }
};

QTEST_GUILESS_MAIN(tst_gate)
#include "tst_gate.moc"
