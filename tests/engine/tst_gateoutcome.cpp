// SPDX-License-Identifier: GPL-3.0-or-later
// What each of a provider's answers does to a reservation (contract.md §1.4, §10.5.5), on both real stores: scenarios
// 15–18, 32, 48, 54.
#include "tests/engine/gatebench.h"

#include <QtTest>

using namespace unavez::contract;
using namespace unavez::engine;
using namespace unavez::stores;
using namespace unavez::tests;

namespace {

constexpr std::chrono::hours hour{1};

QString text(const char* word) { return QString::fromLatin1(word); }
const QString a1 = QStringLiteral("charge:inv_42:a1");

} // namespace

class tst_gateoutcome : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Scenario 15.
    BOTH_STORES(shouldReplayADeclineUntilAnAttemptIsOpened)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::Decline);
        const auto declined = process.chargeInvoice();
        QCOMPARE(declined.status, isFailed);
        QVERIFY(!declined.replayed && declined.canOpenNewAttempt);
        QCOMPARE(
            declined.error, std::optional(GateError{text("card"), text("card_declined"), text("insufficient_funds")}));
        const auto calls = world.provider.ledger().size();
        const auto again = process.chargeInvoice();
        QVERIFY(again.replayed);
        QCOMPARE(again.error, declined.error);
        QCOMPARE(world.provider.ledger().size(), calls);

        world.pass(Seconds{61});
        const auto opened = world.openAttempt(text("charge:inv_42"));
        QVERIFY2(
            opened.result == ActionResult::Applied, opened.because ? qPrintable(wordOf(opened.because->reason)) : "");
        process.charge.card = text("pm_2"); // the customer changed it
        const auto second = process.chargeInvoice();
        QCOMPARE(second.status, isDone);
        QCOMPARE(second.key, text("charge:inv_42:a2"));
        QCOMPARE(second.result->value(text("id")).toString(), text("pi_1")); // the same PaymentIntent
        const auto confirms = world.provider.ledger(text("confirm"));
        QCOMPARE(confirms.last().sentKey, text("charge:inv_42:a2:confirm"));
        QVERIFY(confirms.last().bytes.contains("pm_2"));
        QCOMPARE(world.provider.ledger(text("create")).size(), 1);
        QCOMPARE(world.provider.effects(), 1);
    }

    // Scenario 54: an opened attempt waits for as long as it takes, and two operators open one.
    BOTH_STORES(shouldKeepAnOpenedAttemptUntilSomebodySendsIt)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::Decline);
        process.chargeInvoice();
        world.pass(Seconds{61});
        QCOMPARE(world.openAttempt(text("charge:inv_42")).result, ActionResult::Applied);
        QCOMPARE(world.openAttempt(text("charge:inv_42")).because->reason, Reason::AttemptOpen);
        world.pass(24 * hour);
        QVERIFY(world.expired().isEmpty());
        QCOMPARE(world.row(text("charge:inv_42:a2")).status, ReservationStatus::Opened);
        // The customer's card cannot be looked up just now: it stays open.
        process.charge.cardLookUpAway = true;
        QCOMPARE(process.chargeInvoice().status, isInProgress);
        QCOMPARE(world.row(text("charge:inv_42:a2")).status, ReservationStatus::Opened);
        process.charge.cardLookUpAway = false;
        QCOMPARE(process.chargeInvoice().status, isDone);
        QCOMPARE(world.count("SELECT count(*) FROM idempotency_keys"), 2);
    }

    // Scenario 16, first half (M5).
    BOTH_STORES(shouldCallACached500Unknown)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::CachedErrorAfter);
        QCOMPARE(process.chargeInvoice().status, isUnknown);
        QCOMPARE(world.row(a1).status, ReservationStatus::Unknown);
        const auto calls = world.provider.ledger().size();
        QCOMPARE(process.chargeInvoice().status, isUnknown);
        QCOMPARE(world.provider.ledger().size(), calls);
        QCOMPARE(world.openAttempt(text("charge:inv_42")).because->reason, Reason::OutcomeUnknown);
        // Nor by hand: a second open attempt has no place in the store.
        const auto planted = world.owner->connection().run(QStringLiteral(
            "INSERT INTO idempotency_keys(provider, provider_account, key, intent_key, attempt, status, window_s, "
            "margin_s) VALUES ('stripe', 'acct_1', 'charge:inv_42:a2', 'charge:inv_42', 2, 'opened', 86400, 14400)"));
        QVERIFY(!planted);
    }

    // Scenarios 16 (503) and 17: the same key, later.
    void shouldTryTheSameKeyAgain_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<int>("fault");
        QTest::addColumn<QString>("lastClass");
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            const QByteArray store = kind == StoreUrl::Kind::Sqlite ? "sqlite " : "postgresql ";
            const auto row = [&](const char* name, Fault fault, const char* lastClass) {
                QTest::newRow(store + name) << kind << int(fault) << text(lastClass);
            };
            row("503", Fault::Unavailable, "unanswered");
            row("reset", Fault::ResetBefore, "unanswered");
            row("409", Fault::InUse, "retryable_same_key");
            row("429", Fault::TooMany, "retryable_same_key");
            row("lock_timeout", Fault::LockTimeout, "retryable_same_key");
        }
    }
    void shouldTryTheSameKeyAgain()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(int, fault);
        QFETCH(QString, lastClass);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), static_cast<Fault>(fault));
        const auto first = process.chargeInvoice();
        QCOMPARE(first.status, isInProgress);
        QVERIFY(!first.replayed);
        if (static_cast<Fault>(fault) == Fault::TooMany)
            QCOMPARE(first.retryAfter, std::optional(Millis{40000})); // the provider's Retry-After
        QCOMPARE(world.row(a1).status, ReservationStatus::InProgress);
        QCOMPARE(world.word("SELECT class FROM provider_calls ORDER BY id DESC LIMIT 1"), lastClass);
        QCOMPARE(process.chargeInvoice().status, isDone); // the lease was given up: no wait for it
        const auto confirms = world.provider.ledger(text("confirm"));
        QCOMPARE(confirms.size(), 2);
        QCOMPARE(confirms.last().sentKey, confirms.first().sentKey);
        QCOMPARE(confirms.last().bytes, confirms.first().bytes);
        QCOMPARE(world.count("SELECT count(*) FROM idempotency_keys"), 1);
        QCOMPARE(world.provider.effects(), 1);
    }

    // Scenario 18: the trap T3.
    BOTH_STORES(shouldBelieveThePaidObjectInAnError)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::Decline);
        QCOMPARE(process.chargeInvoice().status, isFailed);
        world.pass(Seconds{61});
        QCOMPARE(world.openAttempt(text("charge:inv_42")).result, ActionResult::Applied);
        world.provider.succeed(text("pi_1")); // a late success of a1
        const auto answer = process.chargeInvoice();
        QCOMPARE(world.provider.ledger().last().status, 400);
        QCOMPARE(answer.status, isDone);
        QCOMPARE(answer.result->value(text("id")).toString(), text("pi_1"));
        QCOMPARE(world.row(text("charge:inv_42:a2")).status, ReservationStatus::Done);
        QCOMPARE(world.provider.effects(), 1);
    }

    BOTH_STORES(shouldWaitForTheCustomerAndTheProvider)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::RequiresAction);
        world.provider.next(text("confirm"), Fault::Processing);
        QCOMPARE(process.chargeInvoice().status, isUnknown);
        QCOMPARE(world.row(a1).flag, std::optional(ReservationFlag::AwaitingCustomer));
        QCOMPARE(process.chargeInvoice(text("inv_43")).status, isUnknown);
        QCOMPARE(world.row(text("charge:inv_43:a1")).flag, std::optional(ReservationFlag::AwaitingProvider));
    }

    BOTH_STORES(shouldCallAValidationErrorARequestFailure)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("create"), Fault::Invalid);
        const auto answer = process.chargeInvoice();
        QCOMPARE(answer.status, isFailed);
        QCOMPARE(answer.error->errorClass, text("request"));
        world.pass(Seconds{61});
        QCOMPARE(world.openAttempt(text("charge:inv_42")).because->reason, Reason::SecondPersonNeeded);
    }

    // §1.4: the provider saw the key with another body. Never a new key.
    BOTH_STORES(shouldRaiseAMismatchAndStay)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::OtherBody);
        QCOMPARE(process.chargeInvoice().status, isInProgress);
        QCOMPARE(world.row(a1).status, ReservationStatus::InProgress);
        QCOMPARE(world.count("SELECT count(*) FROM incidents WHERE kind = 'mismatch'"), 1);
        QCOMPARE(world.openAttempt(text("charge:inv_42")).because->reason, Reason::Resumable);
    }

    // Scenario 32 (M3).
    BOTH_STORES(shouldNotTakeAnErrorForAnAnswerToAnEarlierSend)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("confirm"), Fault::ResetAfter);
        QCOMPARE(process.chargeInvoice().status, isInProgress);
        const auto calls = world.provider.ledger().size();

        process.charge.credentialOf = text("acct_9");
        const auto wrong = process.chargeInvoice();
        QCOMPARE(wrong.http, 503);
        QCOMPARE(reasonOf(wrong), std::optional(Reason::WrongAccount));
        QCOMPARE(world.provider.ledger().size(), calls);
        QCOMPARE(world.count("SELECT count(*) FROM incidents WHERE kind = 'credential'"), 1);

        process.charge.credentialOf.clear(); // the same account, another API version: 400, unreplayed
        world.provider.next(text("confirm"), Fault::Invalid);
        QCOMPARE(process.chargeInvoice().status, isInProgress);
        QCOMPARE(world.row(a1).status, ReservationStatus::InProgress);
        QCOMPARE(world.openAttempt(text("charge:inv_42")).because->reason, Reason::Resumable);
        world.pass(21 * hour);
        QCOMPARE(world.expired().size(), 1);
        QCOMPARE(world.openAttempt(text("charge:inv_42")).because->reason, Reason::OutcomeUnknown);
        QCOMPARE(world.provider.effects(), 1);
    }

    BOTH_STORES(shouldSendNothingUntilTheCredentialIsMended)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        world.provider.next(text("create"), Fault::Unauthorized);
        process.charge.credentialOk = true;
        QCOMPARE(process.chargeInvoice().status, isInProgress);
        QCOMPARE(world.count("SELECT count(*) FROM incidents WHERE kind = 'credential'"), 1);
        process.charge.credentialOk = false;
        const auto calls = world.provider.ledger().size();
        QCOMPARE(reasonOf(process.chargeInvoice()), std::optional(Reason::WrongAccount));
        QCOMPARE(reasonOf(process.chargeInvoice(text("inv_43"))), std::optional(Reason::WrongAccount));
        QCOMPARE(world.provider.ledger().size(), calls);
        process.charge.credentialOk = true;
        QCOMPARE(process.chargeInvoice().status, isDone);
        QCOMPARE(world.provider.effects(), 1);
    }

    // §10.5.5: no send under a credential whose account is not known, and no row left behind by it.
    BOTH_STORES(shouldSendNothingWhileTheAccountCannotBeAsked)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        process.charge.accountAway = true;
        const auto first = process.chargeInvoice();
        QCOMPARE(first.http, 503);
        QCOMPARE(reasonOf(first), std::optional(Reason::BackendUnreachable));
        QCOMPARE(world.count("SELECT count(*) FROM intents"), 0);
        process.charge.accountAway = false;
        QCOMPARE(process.gate.checkAccount(process.charge, text("acct_1"), true), std::nullopt); // as at boot
        process.charge.accountAway = true;
        world.provider.next(text("confirm"), Fault::ResetBefore);
        QCOMPARE(process.chargeInvoice().status, isInProgress); // checked within ten minutes
        const auto calls = world.provider.ledger().size();
        QCOMPARE(process.chargeInvoice().status, isInProgress); // before a resume it is asked again
        QCOMPARE(world.provider.ledger().size(), calls);
        world.clock.suspended += Seconds{601};
        QCOMPARE(reasonOf(process.chargeInvoice(text("inv_43"))), std::optional(Reason::BackendUnreachable));
        process.charge.accountAway = false;
        QCOMPARE(process.chargeInvoice().status, isDone);
        QCOMPARE(world.provider.effects(), 1);
    }

    BOTH_STORES(shouldKeepTheReservationWhenTheProviderIsAway)
    {
        QFETCH(StoreUrl::Kind, kind);
        GateWorld world(kind);
        GateProcess process(world);
        process.charge.unreachable = true;
        QCOMPARE(process.chargeInvoice().status, isInProgress);
        QCOMPARE(world.row(a1).sends, 0);
        QVERIFY(world.row(a1).resumeUntil.isNever());
        world.pass(72 * hour); // scenario 48: however long it takes, it was never sent
        QVERIFY(world.expired().isEmpty());
        process.charge.unreachable = false;
        QCOMPARE(process.chargeInvoice().status, isDone);
        QCOMPARE(world.count("SELECT count(*) FROM idempotency_keys"), 1);
    }
};

QTEST_GUILESS_MAIN(tst_gateoutcome)
#include "tst_gateoutcome.moc"
