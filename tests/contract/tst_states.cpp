// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/error.h"
#include "models/contract/states.h"
#include "models/contract/time.h"

#include <QtTest>

using namespace unavez::contract;

class tst_states : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldSpeakTheStoresWords()
    {
        QCOMPARE(wordOf(ReservationStatus::InProgress), QStringLiteral("in_progress"));
        QCOMPARE(wordOf(JobState::RetryWait), QStringLiteral("retry_wait"));
        QCOMPARE(wordOf(IncidentKind::LiveEventOnTest), QStringLiteral("live_event_on_test"));
        QCOMPARE(wordOf(OutcomeClass::RetryableSameKey), QStringLiteral("retryable_same_key"));
        QCOMPARE(fromString<Action>(QStringLiteral("open_attempt")), Action::OpenAttempt);
        QVERIFY(!fromString<JobState>(QStringLiteral("Queued")));
    }

    void shouldWriteTimesInUtcWithMilliseconds()
    {
        QCOMPARE(toRfc3339(Instant{1'700'000'000'123}), QStringLiteral("2023-11-14T22:13:20.123Z"));
        QCOMPARE(fromRfc3339(QStringLiteral("2023-11-14T22:13:20.123Z")), Instant{1'700'000'000'123});
        QCOMPARE(fromRfc3339(QStringLiteral("2023-11-14T23:13:20.123+01:00")), Instant{1'700'000'000'123});
        QCOMPARE(toRfc3339(Instant::never()), QStringLiteral("never"));
    }

    void shouldNotReadATimeWithoutItsZone() { QVERIFY(!fromRfc3339(QStringLiteral("2023-11-14T22:13:20.123"))); }

    void shouldKeepNeverThroughArithmetic() { QVERIFY((Instant::never() + Seconds{5}).isNever()); }
};

QTEST_GUILESS_MAIN(tst_states)
#include "tst_states.moc"
