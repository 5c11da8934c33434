// SPDX-License-Identifier: GPL-3.0-or-later
// contract.md §1.4, line by line.
#include "models/contract/outcome.h"

#include <QtTest>

using namespace unavez::contract;

Q_DECLARE_METATYPE(unavez::contract::ProviderAnswer)
Q_DECLARE_METATYPE(unavez::contract::OutcomeContext)

namespace {

ProviderAnswer withObject(int status, const char* type, const char* state, bool paid = false)
{
    ProviderAnswer answer;
    answer.httpStatus = status;
    answer.object
        = ProviderObject{QStringLiteral("obj_1"), QLatin1String(type), QLatin1String(state), paid, {}, {}, {}, {}, {}};
    return answer;
}

ProviderAnswer withError(int status, const char* type, const char* code = nullptr)
{
    ProviderAnswer answer;
    answer.httpStatus = status;
    answer.errorType = QLatin1String(type);
    if (code)
        answer.errorCode = QLatin1String(code);
    return answer;
}

ProviderAnswer replayed(ProviderAnswer answer)
{
    answer.replayed = true;
    return answer;
}

ProviderAnswer retryable(ProviderAnswer answer)
{
    answer.shouldRetry = true;
    return answer;
}

OutcomeContext at(const char* verb, const char* step, bool unanswered = false)
{
    return {QLatin1String(verb), QLatin1String(step), unanswered};
}

} // namespace

class tst_outcome : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldClassifyEveryLine_data()
    {
        QTest::addColumn<ProviderAnswer>("answer");
        QTest::addColumn<OutcomeContext>("context");
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<QString>("becomes"); // "" stays in_progress
        QTest::addColumn<QString>("flag");
        QTest::addColumn<QString>("incident");

        const auto confirm = at("charge", "confirm");
        const auto confirmAfterSilence = at("charge", "confirm", true);
        const auto row = [](const char* name, const ProviderAnswer& answer, const OutcomeContext& context,
                             const char* outcome, const char* becomes, const char* flag = "",
                             const char* incident = "") {
            QTest::newRow(name) << answer << context << QString::fromLatin1(outcome) << QString::fromLatin1(becomes)
                                << QString::fromLatin1(flag) << QString::fromLatin1(incident);
        };
        row("intent succeeded", withObject(200, "payment_intent", "succeeded"), confirm, "success", "done");
        row("charge paid", withObject(200, "charge", "succeeded", true), at("charge", "send"), "success", "done");
        row("charge succeeded, not paid", withObject(200, "charge", "succeeded"), at("charge", "send"), "unknown",
            "unknown");
        row("refund succeeded", withObject(200, "refund", "succeeded"), at("refund", "send"), "success", "done");
        row("refund pending", withObject(200, "refund", "pending"), at("refund", "send"), "unknown", "unknown",
            "awaiting_provider");
        row("refund failed", withObject(200, "refund", "failed"), at("refund", "send"), "definitive_failure", "failed");
        row("created", withObject(200, "payment_intent", "requires_confirmation"), at("charge", "create"), "step", "");
        row("created, no method yet", withObject(200, "payment_intent", "requires_payment_method"),
            at("charge", "create"), "step", "");
        row("capture, authorise", withObject(200, "payment_intent", "requires_capture"), at("authorise", "confirm"),
            "success", "done");
        row("capture, charge", withObject(200, "payment_intent", "requires_capture"), confirm, "unknown", "unknown",
            "awaiting_capture");
        row("3DS", withObject(200, "payment_intent", "requires_action"), confirm, "unknown", "unknown",
            "awaiting_customer");
        row("processing", withObject(200, "payment_intent", "processing"), confirm, "unknown", "unknown",
            "awaiting_provider");
        row("no method after confirm", withObject(200, "payment_intent", "requires_payment_method"), confirm,
            "definitive_failure", "failed");
        row("cancelled", withObject(200, "payment_intent", "canceled"), confirm, "definitive_failure", "failed");
        row("2xx we cannot read", withError(200, ""), confirm, "unknown", "unknown");
        row("card error", withError(402, "card_error", "card_declined"), confirm, "definitive_failure", "failed");
        row("validation", withError(400, "invalid_request_error"), confirm, "definitive_failure", "failed");
        row("404", withError(404, "invalid_request_error"), confirm, "definitive_failure", "failed");
        row("validation after silence", withError(400, "invalid_request_error"), confirmAfterSilence, "unanswered", "");
        row("replayed validation after silence", replayed(withError(400, "invalid_request_error")), confirmAfterSilence,
            "definitive_failure", "failed");
        row("bare 402 after silence", withError(402, "card_error"), confirmAfterSilence, "unanswered", "");
        auto declined = withObject(402, "payment_intent", "requires_payment_method");
        declined.errorType = QStringLiteral("card_error");
        row("402 with its object after silence", declined, confirmAfterSilence, "definitive_failure", "failed");
        auto trap = withObject(400, "payment_intent", "succeeded");
        trap.errorType = QStringLiteral("invalid_request_error");
        trap.errorCode = QStringLiteral("payment_intent_unexpected_state");
        row("T3: paid earlier", trap, confirm, "success", "done");
        row("T3 after silence", trap, confirmAfterSilence, "success", "done");
        trap.object->status = QStringLiteral("canceled");
        row("unexpected state, not paid", trap, confirm, "definitive_failure", "failed");
        row("other body", withError(400, "idempotency_error"), confirm, "mismatch", "", "", "mismatch");
        row("in use", withError(409, "invalid_request_error", "idempotency_key_in_use"), confirm, "retryable_same_key",
            "");
        row("rate limit", withError(429, "invalid_request_error"), confirm, "retryable_same_key", "");
        row("lock time-out", withError(400, "invalid_request_error", "lock_timeout"), confirm, "retryable_same_key",
            "");
        row("credential", withError(401, "invalid_request_error"), confirm, "retryable_same_key", "", "", "credential");
        row("credential after silence", withError(403, "invalid_request_error"), confirmAfterSilence, "unanswered", "",
            "", "credential");
        row("cached 500", withError(500, "api_error"), confirm, "unknown", "unknown");
        row("500, retry", retryable(withError(500, "api_error")), confirm, "unanswered", "");
        row("503", withError(503, "api_error"), confirm, "unanswered", "");
        row("redirect", withError(307, ""), confirm, "unknown", "unknown");
    }
    void shouldClassifyEveryLine()
    {
        QFETCH(ProviderAnswer, answer);
        QFETCH(OutcomeContext, context);
        const auto outcome = classified(answer, context);
        QTEST(wordOf(outcome.outcome), "outcome");
        QTEST(outcome.becomes ? wordOf(*outcome.becomes) : QString(), "becomes");
        QTEST(outcome.flag ? wordOf(*outcome.flag) : QString(), "flag");
        QTEST(outcome.incident ? wordOf(*outcome.incident) : QString(), "incident");
        if (outcome.becomes == ReservationStatus::Done)
            QVERIFY(outcome.objectId.has_value()); // done needs an object
    }

    void shouldTakeOnlyTerminalObjectsAsEvidence()
    {
        const auto seen = [](const char* type, const char* status) {
            return classifiedObject(*withObject(200, type, status, true).object, QStringLiteral("charge"));
        };
        QCOMPARE(seen("charge", "succeeded")->outcome, OutcomeClass::Success);
        QCOMPARE(seen("charge", "failed")->outcome, OutcomeClass::DefinitiveFailure);
        QVERIFY(!seen("payment_intent", "requires_action"));
        QVERIFY(!seen("payment_intent", "requires_confirmation"));
        QVERIFY(!seen("charge", "pending"));
    }
};

QTEST_GUILESS_MAIN(tst_outcome)
#include "tst_outcome.moc"
