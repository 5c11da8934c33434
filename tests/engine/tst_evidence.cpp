// SPDX-License-Identifier: GPL-3.0-or-later
// The provider's own events as evidence (contract.md §10.4, actor E), on both real stores: scenarios 16, 44, 56.
#include "tests/engine/workerbench.h"

#include <QtTest>

using namespace unavez::contract;
using namespace unavez::engine;
using namespace unavez::stores;
using namespace unavez::tests;

namespace {

QString text(const char* word) { return QString::fromLatin1(word); }
const QString a1 = QStringLiteral("charge:inv_42:a1");
const QByteArray paid
    = R"({"key":"charge:inv_42:a1:confirm","id":"pi_1","type":"payment_intent","status":"succeeded","minor":125000})";

// A world whose charge of inv_42 ended in `fault`, and a way to observe an event of the provider's.
struct Bench
{
    explicit Bench(StoreUrl::Kind kind, std::optional<Fault> fault = Fault::CachedErrorAfter)
        : world(kind)
        , process(world)
    {
        if (fault)
            world.provider.next(text("confirm"), *fault);
        process.chargeInvoice();
    }

    std::optional<EvidenceEffect> observe(
        const QByteArray& body, const char* type = "payment_intent.succeeded", const char* id = "evt_p")
    {
        const auto recorded = deliver(world, text(id), body, text(type));
        Event event;
        event.pk = recorded.eventPk;
        event.eventId = text(id);
        event.eventType = text(type);
        return needed(process.evidence.observe(event, world.source, body));
    }
    int rows() { return world.count("SELECT count(*) FROM reconciliations"); }
    int incidents() { return world.count("SELECT count(*) FROM incidents WHERE kind NOT IN ('body_changed')"); }

    GateWorld world;
    WorkerProcess process;
};

} // namespace

class tst_evidence : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Scenario 16, second half.
    BOTH_STORES(shouldSettleTheUnknown)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        QCOMPARE(bench.world.row(a1).status, ReservationStatus::Unknown);
        QCOMPARE(bench.observe(paid), std::optional(EvidenceEffect::Settled));
        const auto row = bench.world.row(a1);
        QCOMPARE(row.status, ReservationStatus::Done);
        QCOMPARE(row.providerObjectId, std::optional(text("pi_1")));
        QCOMPARE(bench.rows(), 1);
        const auto told = bench.process.chargeInvoice();
        QCOMPARE(told.status, isDone);
        QCOMPARE(told.result->value(text("id")).toString(), text("pi_1"));
        QCOMPARE(bench.incidents(), 0);
    }

    BOTH_STORES(shouldBelieveAFailureThatEnds)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind, Fault::CachedError);
        const QByteArray declined
            = R"({"key":"charge:inv_42:a1:confirm","id":"pi_1","type":"payment_intent",)"
              R"("status":"requires_payment_method","decline":"insufficient_funds","minor":125000})";
        QCOMPARE(bench.observe(declined, "payment_intent.payment_failed"), std::optional(EvidenceEffect::Settled));
        const auto told = bench.process.chargeInvoice();
        QCOMPARE(told.status, isFailed);
        QCOMPARE(told.error->declineCode, std::optional(text("insufficient_funds")));
        QVERIFY(told.canOpenNewAttempt);
    }

    // What is not an end, not ours, or not of this effect proves nothing.
    void shouldProveNothing_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("type");
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            const QByteArray store = kind == StoreUrl::Kind::Sqlite ? "sqlite " : "postgresql ";
            const auto row = [&](const char* name, const char* body, const char* type) {
                QTest::newRow(store + name) << kind << QByteArray(body) << QByteArray(type);
            };
            row("a fresh PaymentIntent",
                R"({"key":"charge:inv_42:a1:create","id":"pi_1","type":"payment_intent","status":"requires_payment_method"})",
                "payment_intent.created");
            row("its create step",
                R"({"key":"charge:inv_42:a1:create","id":"pi_1","type":"payment_intent","status":"requires_payment_method"})",
                "payment_intent.updated");
            row("still processing",
                R"({"key":"charge:inv_42:a1:confirm","id":"pi_1","type":"payment_intent","status":"processing"})",
                "payment_intent.processing");
            row("somebody else's key",
                R"({"key":"charge:inv_77:a1:confirm","id":"pi_7","type":"payment_intent","status":"succeeded"})",
                "payment_intent.succeeded");
            row("no key", R"({"id":"pi_1","type":"payment_intent","status":"succeeded"})", "payment_intent.succeeded");
            row("no object", R"({"key":"charge:inv_42:a1:confirm","type":"payment_intent","status":"succeeded"})",
                "payment_intent.succeeded");
            row("another kind of object",
                R"({"key":"charge:inv_42:a1:confirm","id":"po_1","type":"payout","status":"failed"})", "payout.failed");
            row("not JSON", "\xff\xfe", "payment_intent.succeeded");
        }
    }
    void shouldProveNothing()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, type);
        Bench bench(kind);
        QCOMPARE(bench.observe(body, type.constData()), std::nullopt);
        QCOMPARE(bench.world.row(a1).status, ReservationStatus::Unknown);
        QCOMPARE(bench.rows(), 0);
        QCOMPARE(bench.incidents(), 0);
    }

    // Equal key, another thing: an incident, no change of state (contract.md §8.3).
    void shouldRaiseWhatDiffers_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("differs");
        const QByteArray begin
            = R"({"key":"charge:inv_42:a1:confirm","id":"pi_1","type":"payment_intent","status":"succeeded",)";
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            const QByteArray store = kind == StoreUrl::Kind::Sqlite ? "sqlite " : "postgresql ";
            const auto row = [&](const char* differs, const char* rest) {
                QTest::newRow(store + differs) << kind << begin + rest << text(differs);
            };
            row("amount", R"("minor":1})");
            row("currency", R"("minor":125000,"currency":"usd"})");
            row("mode", R"("minor":125000,"live":true})");
            row("intent", R"("minor":125000,"intent":"charge:inv_43"})");
        }
    }
    void shouldRaiseWhatDiffers()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(QByteArray, body);
        QFETCH(QString, differs);
        Bench bench(kind);
        QCOMPARE(bench.observe(body), std::nullopt);
        QCOMPARE(bench.world.row(a1).status, ReservationStatus::Unknown);
        QCOMPARE(bench.world.word("SELECT kind FROM incidents"), text("outcome_conflict"));
        QVERIFY(bench.world.word("SELECT detail FROM incidents").contains(differs));
    }

    BOTH_STORES(shouldLeaveALiveRowToItsHolder)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        WorkerProcess process(world);
        WorkerProcess other(world, text("worker-2"));
        int writes = 0;
        std::optional<EvidenceEffect> effect;
        process.charge.written = [&] { // the event is faster than the answer
            if (++writes < 2)
                return;
            const auto recorded = deliver(world, text("evt_p"), paid, text("payment_intent.succeeded"));
            Event event;
            event.pk = recorded.eventPk;
            event.eventType = text("payment_intent.succeeded");
            effect = needed(other.evidence.observe(event, world.source, paid));
        };
        QCOMPARE(process.chargeInvoice().status, isDone);
        QCOMPARE(effect, std::optional(EvidenceEffect::Recorded));
        QCOMPARE(world.count("SELECT count(*) FROM reconciliations"), 1);
        QCOMPARE(world.count("SELECT count(*) FROM incidents"), 0);
    }

    BOTH_STORES(shouldSettleWhatItsHolderLeft)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind, Fault::ResetAfter); // in progress, its lease given up
        QCOMPARE(bench.world.row(a1).status, ReservationStatus::InProgress);
        QCOMPARE(bench.observe(paid), std::optional(EvidenceEffect::Settled));
        const auto calls = bench.world.provider.ledger().size();
        QCOMPARE(bench.process.chargeInvoice().status, isDone);
        QCOMPARE(bench.world.provider.ledger().size(), calls); // nothing is left to resume
    }

    // The events of a plain success: each shows it by another object, none contradicts it.
    BOTH_STORES(shouldAgreeWithWhatIsDone)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind, std::nullopt);
        QCOMPARE(bench.observe(paid), std::optional(EvidenceEffect::Recorded));
        QCOMPARE(bench.observe(R"({"key":"charge:inv_42:a1:confirm","id":"ch_1","type":"charge","status":"succeeded",)"
                               R"("minor":125000})",
                     "charge.succeeded", "evt_c"),
            std::optional(EvidenceEffect::Recorded));
        QCOMPARE(bench.incidents(), 0);
        QCOMPARE(bench.world.row(a1).status, ReservationStatus::Done);
    }

    BOTH_STORES(shouldCloseByThePaymentIntentWhicheverEventComesFirst)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind);
        QCOMPARE(bench.observe(R"({"key":"charge:inv_42:a1:confirm","id":"ch_1","type":"charge","status":"succeeded",)"
                               R"("minor":125000})",
                     "charge.succeeded", "evt_c"),
            std::optional(EvidenceEffect::Settled));
        QCOMPARE(bench.world.row(a1).providerObjectId, std::optional(text("pi_1")));
        QCOMPARE(bench.observe(paid), std::optional(EvidenceEffect::Recorded));
        QCOMPARE(bench.incidents(), 0);
    }

    // charge.refunded names the refund's key and shows a charge: it says nothing of the refund.
    BOTH_STORES(shouldNotTakeTheChargeForItsRefund)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind, std::nullopt);
        QCOMPARE(bench.process.refundRequest(text("req_1"), 500).status, isDone);
        QCOMPARE(
            bench.observe(
                R"({"key":"refund:req_1:a1:send","id":"ch_1","type":"charge","status":"succeeded","minor":125000})",
                "charge.refunded"),
            std::nullopt);
        QCOMPARE(bench.incidents(), 0);
    }

    // Scenario 44, last part.
    BOTH_STORES(shouldCallARefundThatCameBackReversed)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind, std::nullopt);
        QCOMPARE(bench.process.refundRequest(text("req_1"), 500).status, isDone);
        QCOMPARE(
            bench.observe(R"({"key":"refund:req_1:a1:send","id":"re_2","type":"refund","status":"failed","minor":500})",
                "refund.failed"),
            std::optional(EvidenceEffect::Conflict));
        QCOMPARE(bench.world.word("SELECT kind FROM incidents"), text("reversed"));
        QCOMPARE(bench.world.count("SELECT n FROM incidents"), 1);
        QCOMPARE(bench.world.row(text("refund:req_1:a1")).status, ReservationStatus::Done);
    }

    BOTH_STORES(shouldRaiseAConflictWithWhatIsDone)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind, std::nullopt);
        QCOMPARE(bench.observe(R"({"key":"charge:inv_42:a1:confirm","id":"pi_9","type":"payment_intent",)"
                               R"("status":"succeeded","minor":125000})"),
            std::optional(EvidenceEffect::Conflict));
        QCOMPARE(bench.world.word("SELECT kind FROM incidents"), text("outcome_conflict"));
        QCOMPARE(bench.world.count("SELECT n FROM incidents"), 1);
    }

    BOTH_STORES(shouldAcceptALateSuccess)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind, Fault::Decline);
        QCOMPARE(bench.world.row(a1).status, ReservationStatus::Failed);
        QCOMPARE(bench.observe(paid), std::optional(EvidenceEffect::Settled));
        QCOMPARE(bench.world.row(a1).status, ReservationStatus::Done);
        QVERIFY(bench.world.openAttempt(text("charge:inv_42")).because.has_value()); // no second charge any more
    }

    // Scenario 56.
    BOTH_STORES(shouldRaiseADoubleChargeOnlyForAnotherObject)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind, Fault::Decline);
        bench.world.pass(Seconds{61});
        QCOMPARE(bench.world.openAttempt(text("charge:inv_42")).result, ActionResult::Applied);
        // a1's late success while a2 is opened: a2 might still charge.
        QCOMPARE(bench.observe(paid), std::optional(EvidenceEffect::DoubleCharge));
        QCOMPARE(bench.world.row(a1).status, ReservationStatus::Failed);
        QCOMPARE(bench.world.word("SELECT kind FROM incidents"), text("double_charge"));
        QCOMPARE(bench.world.count("SELECT n FROM incidents"), 1);
        // a2 is done by the same PaymentIntent: one effect, seen twice.
        QCOMPARE(bench.process.chargeInvoice().status, isDone);
        QCOMPARE(bench.observe(paid, "payment_intent.succeeded", "evt_again"), std::optional(EvidenceEffect::Recorded));
        QCOMPARE(bench.world.count("SELECT n FROM incidents"), 1);
        // By another object it would be two.
        QCOMPARE(bench.observe(R"({"key":"charge:inv_42:a1:confirm","id":"pi_9","type":"payment_intent",)"
                               R"("status":"succeeded","minor":125000})",
                     "payment_intent.succeeded", "evt_other"),
            std::optional(EvidenceEffect::DoubleCharge));
    }

    // X14: between the reconciliation row and the status nothing is left behind.
    BOTH_STORES(shouldLeaveBothOrNothing)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        world.provider.next(text("confirm"), Fault::CachedErrorAfter);
        {
            WorkerProcess dying(world);
            dying.chargeInvoice();
            deliver(world, text("evt_p"), paid, text("payment_intent.succeeded"));
            QVERIFY(diesAt("evidence.after_row_before_status", [&] { dying.step(); }));
        }
        QCOMPARE(world.count("SELECT count(*) FROM reconciliations"), 0);
        QCOMPARE(world.row(a1).status, ReservationStatus::Unknown);
        world.pass(Seconds{71});
        QCOMPARE(world.freed().waiting.size(), 1);
        WorkerProcess process(world, text("worker-2"));
        const auto report = process.step();
        QCOMPARE(report.evidence, std::optional(EvidenceEffect::Settled));
        QCOMPARE(report.finish, JobFinish::Done);
        QCOMPARE(world.row(a1).status, ReservationStatus::Done);
    }

    // The event's own job may run more than once; its evidence is one row.
    BOTH_STORES(shouldRecordAnEventOnce)
    {
        QFETCH(StoreUrl::Kind, kind);
        Bench bench(kind, std::nullopt);
        deliver(bench.world, text("evt_p"), paid, text("payment_intent.succeeded"));
        int runs = 0;
        bench.process.handler.script = [&](const HandlerRequest&, std::stop_token) {
            const bool fails = ++runs < 3;
            return ScriptedHandler::answer(
                fails ? HandlerAnswer::Kind::Failed : HandlerAnswer::Kind::Done, fails ? 500 : 200);
        };
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(bench.process.step().evidence, std::optional(EvidenceEffect::Recorded));
            bench.world.pass(Seconds{60});
        }
        QCOMPARE(bench.rows(), 1);
    }
};

QTEST_GUILESS_MAIN(tst_evidence)
#include "tst_evidence.moc"
