// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/judge.h"

#include <QJsonArray>
#include <QtTest>

using namespace unavez::sandbox;
using namespace unavez::contract;

namespace {

const auto intentKeyText = QStringLiteral("charge:inv_1");

LedgerLine charge(const QString& sentKey, bool effect = true, const QString& object = QStringLiteral("pi_1"))
{
    return {Instant{1}, QStringLiteral("acct_1"), sentKey, QStringLiteral("POST"), QStringLiteral("/v1/x"), {}, false,
        200, object, effect};
}

Reservation attempt(int number, ReservationStatus status)
{
    Reservation row;
    row.id = {QStringLiteral("stripe"), QStringLiteral("acct_1"), attemptKey(intentKeyText, number)};
    row.intentKey = intentKeyText;
    row.attempt = number;
    row.status = status;
    if (status == ReservationStatus::Done)
        row.providerObjectId = QStringLiteral("pi_1");
    return row;
}

JudgedFacts facts(const char* drill, JobState job)
{
    JudgedFacts facts;
    facts.drill = QLatin1String(drill);
    facts.intent = {QStringLiteral("stripe"), QStringLiteral("acct_1"), intentKeyText};
    facts.job = Job{};
    facts.job->state = job;
    return facts;
}

LogEntry released(int rows)
{
    LogEntry entry;
    entry.action = Action::ReleaseLease;
    entry.rowsChanged = rows;
    return entry;
}

JudgedFacts declinedRight()
{
    auto right = facts("declined", JobState::Done);
    right.attempts = {attempt(1, ReservationStatus::Failed), attempt(2, ReservationStatus::Done)};
    right.ledger
        = {charge(QStringLiteral("charge:inv_1:a1:confirm"), false), charge(QStringLiteral("charge:inv_1:a2:confirm"))};
    return right;
}

JudgedFacts paidAtOnce(const char* drill)
{
    auto right = facts(drill, JobState::Done);
    right.attempts = {attempt(1, ReservationStatus::Done)};
    right.ledger = {charge(QStringLiteral("charge:inv_1:a1:confirm"))};
    return right;
}

} // namespace

class tst_judge : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldKnowRightFromNotYetFromWrong_data()
    {
        QTest::addColumn<JudgedFacts>("facts");
        QTest::addColumn<int>("exit");

        auto dead = facts("declined", JobState::Dead);
        dead.attempts = {attempt(1, ReservationStatus::Failed)};
        dead.ledger = {charge(QStringLiteral("charge:inv_1:a1:confirm"), false)};
        QTest::newRow("declined, as it begins") << dead << 1;
        QTest::newRow("declined, a2 paid") << declinedRight() << 0;
        auto running = declinedRight();
        running.job->state = JobState::Queued;
        QTest::newRow("declined, job still queued") << running << 1;
        auto twice = declinedRight();
        twice.ledger.append(charge(QStringLiteral("charge:inv_1:a3:confirm"), true, QStringLiteral("pi_2")));
        QTest::newRow("declined, charged twice") << twice << 4;
        auto discarded = dead;
        discarded.job->state = JobState::Discarded;
        QTest::newRow("declined, job discarded") << discarded << 4;
        auto past = declinedRight();
        past.ledger.append(charge({}, true, QStringLiteral("pi_9")));
        QTest::newRow("declined, charged past the gate") << past << 4;
        auto lie = declinedRight();
        lie.ledger.clear();
        QTest::newRow("declined, paid in the store alone") << lie << 4;
        QTest::newRow("declined, paid by the first attempt") << paidAtOnce("declined") << 1;
        auto otherInvoice = declinedRight();
        otherInvoice.ledger.append(charge(QStringLiteral("charge:inv_10:a1:confirm"), true, QStringLiteral("pi_3")));
        QTest::newRow("declined, another invoice is no business of this one") << otherInvoice << 0;

        auto died = facts("died-mid-charge", JobState::Dead);
        died.attempts = {attempt(1, ReservationStatus::InProgress)};
        died.ledger = {charge(QStringLiteral("charge:inv_1:a1:confirm"))};
        QTest::newRow("died, as it begins") << died << 1;
        QTest::newRow("died, resumed") << paidAtOnce("died-mid-charge") << 0;
        auto reopened = paidAtOnce("died-mid-charge");
        reopened.attempts.append(attempt(2, ReservationStatus::Opened));
        QTest::newRow("died, a second attempt") << reopened << 4;

        QTest::newRow("lease, as it begins") << facts("live-lease", JobState::Leased) << 1;
        QTest::newRow("lease, waited") << paidAtOnce("live-lease") << 0;
        auto taken = paidAtOnce("live-lease");
        taken.actions = {released(1)};
        QTest::newRow("lease, released") << taken << 4;
        auto refused = paidAtOnce("live-lease");
        refused.actions = {released(0)};
        QTest::newRow("lease, release refused") << refused << 0;
    }

    void shouldKnowRightFromNotYetFromWrong()
    {
        QFETCH(JudgedFacts, facts);
        QFETCH(int, exit);
        const auto judgement = judged(facts);
        QCOMPARE(judgement.exitCode(), exit);
        QVERIFY(judgement.why.endsWith(QLatin1Char('.')));
        const auto all = std::all_of(
            judgement.checks.begin(), judgement.checks.end(), [](const Judgement::Check& check) { return check.ok; });
        QCOMPARE(all, exit == 0);
        const auto json = jsonOf(judgement, facts.drill);
        QCOMPARE(json.value(QLatin1String("verdict")).toString(),
            exit == 0       ? QStringLiteral("right")
                : exit == 1 ? QStringLiteral("not_yet")
                            : QStringLiteral("wrong"));
        QVERIFY(!json.value(QLatin1String("checks")).toArray().isEmpty());
    }

    void shouldKeepTheReadyFileWhole()
    {
        ReadyFile ready;
        ready.drill = QStringLiteral("live-lease");
        ready.store = QStringLiteral("sqlite:///x.db");
        ready.event = QStringLiteral("evt_1");
        ready.job = 48211;
        ready.invoice = QStringLiteral("inv_7");
        ready.servicePid = 1;
        const auto json = jsonOf(ready);
        QVERIFY(json.value(QLatin1String("ids")).toObject().value(QLatin1String("key")).isNull());
        QCOMPARE(*readyFileOf(json), ready);
        auto broken = json;
        broken.remove(QStringLiteral("provider_ledger"));
        QVERIFY(!readyFileOf(broken));
        QVERIFY(readyFileOf(broken).error().detail.contains(QLatin1String("provider_ledger")));
    }
};

QTEST_GUILESS_MAIN(tst_judge)
#include "tst_judge.moc"
