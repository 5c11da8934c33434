// SPDX-License-Identifier: GPL-3.0-or-later
// Dying, stopping, waiting and clocks (contract.md §10.4–10.6), on both real stores: scenarios 12–14, 21, 39, 41, 48,
// 58, 61.
#include "tests/engine/awaystore.h"
#include "tests/engine/gatebench.h"

#include <QtTest>

#include <thread>

using namespace unavez::contract;
using namespace unavez::engine;
using namespace unavez::stores;
using namespace unavez::tests;

namespace {

constexpr Millis leaseAndGrace{56000};
constexpr std::chrono::hours hour{1};

QString text(const char* word) { return QString::fromLatin1(word); }
const QString a1 = QStringLiteral("charge:inv_42:a1");

} // namespace

class tst_gatecrash : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Scenarios 13 and 48, and the other places a gate can die in: always one effect, never a second attempt.
    void shouldChargeOnceWhereverItDies_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<QByteArray>("point");
        QTest::addColumn<int>("effectsThen");
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            const QByteArray store = kind == StoreUrl::Kind::Sqlite ? "sqlite " : "postgresql ";
            const auto row = [&](const char* point, int effects) {
                QTest::newRow(store + point) << kind << QByteArray(point) << effects;
            };
            row("gate.after_reserve_before_connect", 0);
            row("gate.after_connect_before_mark", 0);
            row("gate.after_mark_before_write", 0);
            row("gate.between_create_and_confirm", 0);
            row("gate.after_finish_before_reply", 1);
        }
    }
    void shouldChargeOnceWhereverItDies()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(QByteArray, point);
        QFETCH(int, effectsThen);
        GateWorld world(kind);
        {
            GateProcess dying(world);
            QVERIFY(diesAt(point.constData(), [&] { dying.chargeInvoice(); }));
        }
        QCOMPARE(world.provider.effects(), effectsThen);
        GateProcess process(world, text("gate-2"));
        const auto early = process.chargeInvoice();
        QCOMPARE(early.status, effectsThen ? isDone : isInProgress); // its lease is not over
        world.pass(leaseAndGrace);
        const auto answer = process.chargeInvoice();
        QCOMPARE(answer.status, isDone);
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.count("SELECT count(*) FROM idempotency_keys"), 1);
        QCOMPARE(world.row(a1).providerObjectId, std::optional(text("pi_1")));
        QCOMPARE(world.provider.ledger(text("create")).size(), 1);
    }

    // Scenario 13: the provider did it, we did not hear of it or did not write it down.
    void shouldReplayWhatTheProviderDidAlready_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<QByteArray>("point");
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            for (const char* point : {"gate.after_write_before_answer", "gate.after_answer_before_finish"})
                QTest::newRow(
                    (kind == StoreUrl::Kind::Sqlite ? QByteArray("sqlite ") : QByteArray("postgresql ")) + point)
                    << kind << QByteArray(point);
        }
    }
    void shouldReplayWhatTheProviderDidAlready()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(QByteArray, point);
        GateWorld world(kind);
        {
            GateProcess dying(world);
            // In the confirm step: the create step passes the same points before it.
            int passed = 0;
            unavez::async::setCrashObserver([&](const char* name) {
                if (point == name && ++passed == 2)
                    throw Died();
            });
            bool died = false;
            try {
                dying.chargeInvoice();
            } catch (const Died&) {
                died = true;
            }
            unavez::async::setCrashObserver(nullptr);
            QVERIFY(died);
        }
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.row(a1).status, ReservationStatus::InProgress);
        world.pass(leaseAndGrace);
        // The reaper leaves alone what can be resumed (M10).
        QVERIFY(world.expired().isEmpty());
        GateProcess process(world, text("gate-2"));
        QCOMPARE(process.chargeInvoice().status, isDone);
        const auto confirms = world.provider.ledger(text("confirm"));
        QCOMPARE(confirms.size(), 2);
        QVERIFY(confirms.last().replayed);
        QCOMPARE(confirms.last().bytes, confirms.first().bytes);
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.row(a1).providerObjectId, std::optional(text("pi_1")));
        QCOMPARE(world.row(a1).sends, 3);
    }

    // Scenario 12 (M1): the first sender was stopped past its lease; a second took over; the first's finish is nothing.
    BOTH_STORES(shouldFenceTheFirstOfTwoSenders)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world, text("gate-2"));
        std::stop_source written;
        std::stop_source goOn;
        GateAnswer stopped;
        const auto waited = [](const std::stop_source& source) {
            return QTest::qWaitFor([&] { return source.stop_requested(); }, 10000);
        };
        std::thread first([&] {
            GateProcess early(world, text("gate-1"));
            int writes = 0;
            early.charge.written = [&] {
                if (++writes < 2) // the create step
                    return;
                written.request_stop();
                while (!goOn.stop_requested())
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
            };
            stopped = early.chargeInvoice();
        });
        const bool wasWritten = waited(written);
        if (!wasWritten)
            goOn.request_stop();
        world.pass(leaseAndGrace);
        Reservation between;
        process.charge.written = [&] {
            goOn.request_stop();
            first.join();
            between = world.row(a1);
        };
        const auto second = process.chargeInvoice();
        if (first.joinable()) {
            goOn.request_stop();
            first.join();
        }
        QVERIFY(wasWritten);
        // While the second held it, the first's answer changed nothing.
        QCOMPARE(between.status, ReservationStatus::InProgress);
        QCOMPARE(between.fence, 2);
        QCOMPARE(between.owner, std::optional(text("gate-2")));
        QCOMPARE(stopped.status, isInProgress);
        QCOMPARE(second.status, isDone);
        QCOMPARE(world.provider.ledger(text("confirm")).size(), 2);
        QCOMPARE(world.provider.effects(), 1);
        QCOMPARE(world.count("SELECT count(*) FROM provider_calls WHERE ended_at IS NULL"), 0);
        QCOMPARE(world.count("SELECT count(*) FROM incidents"), 0); // both heard the same
    }

    // The late answer meets a row that says otherwise: nothing is changed, and somebody is told.
    BOTH_STORES(shouldRaiseAConflictWhenALateAnswerDiffers)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        int writes = 0;
        process.charge.written = [&] {
            if (++writes < 2)
                return;
            world.pass(21 * hour);
            QCOMPARE(world.expired().size(), 1);
        };
        QCOMPARE(process.chargeInvoice().status, isUnknown);
        QCOMPARE(world.row(a1).status, ReservationStatus::Unknown);
        QCOMPARE(world.count("SELECT count(*) FROM incidents WHERE kind = 'outcome_conflict'"), 1);
        QCOMPARE(world.word("SELECT subject FROM incidents"), text("key:stripe/acct_1/charge:inv_42:a1"));
        // What was heard is kept with the call, for whoever records the outcome.
        QCOMPARE(world.word("SELECT object_id FROM provider_calls WHERE class = 'success'"), text("pi_1"));
    }

    // Scenarios 14 and 61 (M2): nothing leaves past the cutoff; the reaper says unknown; no second attempt.
    BOTH_STORES(shouldSendNothingPastTheCutoff)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::ResetAfter);
        QCOMPARE(process.chargeInvoice().status, isInProgress);
        world.pass(20 * hour + Seconds{1}); // window 24 h less margin 4 h
        const auto before = world.provider.ledger().size();
        const auto asked = process.charge.accountAsked;
        const auto told = process.chargeInvoice();
        QCOMPARE(told.status, isUnknown);
        QCOMPARE(reasonOf(told), std::optional(Reason::PastCutoff));
        QCOMPARE(process.charge.accountAsked, asked);
        // The store says so itself, whatever a gate believes.
        const auto row = world.row(a1);
        const auto resumed = world.owner->reservations().resume(row.id, row.fence, text("g"), Seconds{45}, Seconds{10});
        QVERIFY2(resumed, qPrintable(resumed ? QString() : resumed.error().detail));
        QVERIFY(!*resumed);
        QCOMPARE(world.expired(), QList<KeyId>{row.id});
        QCOMPARE(process.chargeInvoice().status, isUnknown);
        QCOMPARE(world.provider.ledger().size(), before);
        QCOMPARE(world.openAttempt(text("charge:inv_42")).because->reason, Reason::OutcomeUnknown);
    }

    BOTH_STORES(shouldResumeUntilTheCutoff)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::ResetAfter);
        QCOMPARE(process.chargeInvoice().status, isInProgress);
        world.pass(20 * hour - Seconds{60});
        QVERIFY(world.expired().isEmpty());
        QCOMPARE(process.chargeInvoice().status, isDone);
        QCOMPARE(world.provider.effects(), 1);
    }

    // Scenario 21: suspended for a day between mark and write.
    BOTH_STORES(shouldWriteNothingAfterASuspend)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        int marks = 0;
        process.charge.marked = [&] {
            if (++marks < 2)
                return;
            world.clock.suspended += 25 * hour;
            world.pass(25 * hour);
        };
        const auto answer = process.chargeInvoice();
        QCOMPARE(answer.status, isUnknown);
        QCOMPARE(reasonOf(answer), std::optional(Reason::PastCutoff));
        QCOMPARE(world.provider.ledger(text("confirm")).size(), 0);
        QCOMPARE(world.expired().size(), 1);
        QCOMPARE(world.row(a1).status, ReservationStatus::Unknown);
        QCOMPARE(world.count("SELECT count(*) FROM provider_calls WHERE ended_at IS NULL"), 0);
    }

    // Not one byte left: the call is closed as such, and the key may be used again at once.
    BOTH_STORES(shouldSendAgainWhatWasNeverWritten)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        int marks = 0;
        process.charge.marked = [&] {
            if (++marks == 2)
                world.clock.suspended += Seconds{10};
        };
        QCOMPARE(process.chargeInvoice().status, isInProgress);
        QCOMPARE(world.provider.ledger(text("confirm")).size(), 0);
        world.provider.next(text("confirm"), Fault::Decline);
        QCOMPARE(process.chargeInvoice().status, isFailed); // no unanswered send stands against it
    }

    // Scenario 39.
    BOTH_STORES(shouldSendNothingWhileTheClocksDiffer)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.clock.wallAhead = Seconds{90};
        const auto ahead = process.chargeInvoice();
        QCOMPARE(ahead.http, 503);
        QCOMPARE(reasonOf(ahead), std::optional(Reason::ClockSkew));
        QCOMPARE(world.count("SELECT count(*) FROM incidents WHERE kind = 'clock_skew'"), 1);
        world.clock.wallAhead = Millis{0};
        process.charge.providerAhead = Seconds{-90}; // both hosts ahead of the provider
        const auto provider = process.chargeInvoice();
        QCOMPARE(reasonOf(provider), std::optional(Reason::ClockSkew));
        QCOMPARE(provider.because->facts.value(text("which")).toString(), text("provider"));
        QCOMPARE(world.provider.ledger().size(), 0);
        process.charge.providerAhead = Millis{0};
        QCOMPARE(process.chargeInvoice().status, isDone);
    }

    // Scenario 39, second half: the clock went back behind the mark. No resume, ever; expire is offered.
    BOTH_STORES(shouldNeverResumeAMarkOfTheFuture)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::ResetAfter);
        process.chargeInvoice();
        needed(ageStore(world.owner->connection(), Seconds{-7200}));
        // Its lease lies in the future with it; as if it had been given up after the step.
        QVERIFY(
            world.owner->reservations().giveUpLease(world.row(a1).id, world.row(a1).fence, Seconds{10}).has_value());
        const auto answer = process.chargeInvoice();
        QCOMPARE(answer.status, isUnknown);
        QCOMPARE(reasonOf(answer), std::optional(Reason::ClockWentBack));
        QCOMPARE(world.provider.ledger(text("confirm")).size(), 1);
        ActionRequest expire;
        expire.action = Action::ExpireReservation;
        expire.key = world.row(a1).id;
        QCOMPARE(world.act(expire).result, ActionResult::Applied);
        QCOMPARE(world.row(a1).status, ReservationStatus::Unknown);
    }

    // Scenario 41 (M4): the bytes are those of the first send, whatever the program would make today.
    BOTH_STORES(shouldResumeWithTheStoredBytes)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        {
            GateProcess old(world);
            world.provider.next(text("confirm"), Fault::ResetAfter);
            old.chargeInvoice();
        }
        GateProcess upgraded(world, text("gate-2"));
        upgraded.charge.encoder = text("2");
        upgraded.charge.card = text("pm_9");
        QCOMPARE(upgraded.chargeInvoice().status, isDone);
        const auto confirms = world.provider.ledger(text("confirm"));
        QCOMPARE(confirms.size(), 2);
        QCOMPARE(confirms.last().bytes, confirms.first().bytes);
        QVERIFY(confirms.last().replayed);
        QCOMPARE(world.provider.effects(), 1);
    }

    // Damage is no outage: it says so, sends nothing, and does not read as store_away.
    void shouldSendNothingFromDamagedBytes_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<bool>("hashToo");
        for (const bool hashToo : {false, true}) {
            const QByteArray what = hashToo ? " bytes and hash" : " bytes";
            QTest::newRow("sqlite" + what) << StoreUrl::Kind::Sqlite << hashToo;
            QTest::newRow("postgresql" + what) << StoreUrl::Kind::PostgreSql << hashToo;
        }
    }
    void shouldSendNothingFromDamagedBytes()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(bool, hashToo);
        GateWorld world(kind);
        GateProcess process(world);
        process.charge.unreachable = true;
        process.chargeInvoice();
        process.charge.unreachable = false;
        auto& connection = world.owner->connection();
        needed(connection.runScript(kind == StoreUrl::Kind::Sqlite
                ? QByteArray("DROP TRIGGER key_update")
                : QByteArray("ALTER TABLE idempotency_keys DISABLE TRIGGER USER")));
        const QByteArray damage = "{\"v\":1,\"steps\":[{}]}";
        needed(connection.run(
            QStringLiteral("UPDATE idempotency_keys SET request = ?, request_sha256 = COALESCE(?, request_sha256)"),
            {damage, hashToo ? QVariant(sha256(damage)) : QVariant(QMetaType(QMetaType::QByteArray))}));
        if (kind == StoreUrl::Kind::PostgreSql)
            needed(connection.runScript("ALTER TABLE idempotency_keys ENABLE TRIGGER USER"));
        const auto answer = process.chargeInvoice();
        QCOMPARE(answer.http, 503);
        QCOMPARE(reasonOf(answer), std::optional(Reason::Unmapped));
        QCOMPARE(world.provider.ledger().size(), 0);
    }

    // Scenario 58.
    BOTH_STORES(shouldCallWhatAHoldOutlastedUnknown)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::Unavailable);
        process.chargeInvoice();
        world.hold(HoldKind::Sends, {});
        QCOMPARE(reasonOf(process.chargeInvoice()), std::optional(Reason::Held));
        world.pass(21 * hour);
        QCOMPARE(process.chargeInvoice().status, isUnknown);
        QCOMPARE(world.expired().size(), 1);
        world.hold(HoldKind::Sends, {}, true);
        QCOMPARE(process.chargeInvoice().status, isUnknown);
        QCOMPARE(world.provider.ledger(text("confirm")).size(), 1);
    }

    // The store goes away at any moment: nothing is sent twice, and what was answered is not told as an error.
    BOTH_STORES(shouldSayWhenTheStoreIsAway)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        AwayStore store(process.ports->reservations());
        Gate gate(store, world.clock, {text("gate-1"), Millis{45000}, Seconds{10}, {}}, {&process.charge});
        const auto call = [&](const char* id) {
            return gate.call(text("charge_customer"), {{text("invoice_id"), text(id)}});
        };
        store.away = true;
        QCOMPARE(reasonOf(call("inv_42")), std::optional(Reason::StoreAway));
        QCOMPARE(world.provider.ledger().size(), 0);
        store.away = false;
        process.charge.connected = [&] { store.away = true; }; // before the mark: nothing leaves
        const auto unmarked = call("inv_42");
        QCOMPARE(unmarked.http, 503);
        QCOMPARE(reasonOf(unmarked), std::optional(Reason::StoreAway));
        QCOMPARE(world.provider.ledger().size(), 0);
        process.charge.connected = nullptr;
        store.away = false;
        world.pass(leaseAndGrace);
        int writes = 0;
        process.charge.written = [&] { store.away = ++writes == 2; }; // after the effect, before the finish
        QCOMPARE(reasonOf(call("inv_42")), std::optional(Reason::StoreAway));
        QCOMPARE(world.provider.effects(), 1);
        store.away = false;
        world.pass(leaseAndGrace);
        process.charge.written = nullptr;
        QCOMPARE(call("inv_42").status, isDone);
        QVERIFY(world.provider.ledger().last().replayed);
        QCOMPARE(world.provider.effects(), 1);
    }
};

QTEST_GUILESS_MAIN(tst_gatecrash)
#include "tst_gatecrash.moc"
