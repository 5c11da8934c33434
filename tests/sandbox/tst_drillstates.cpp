// SPDX-License-Identifier: GPL-3.0-or-later
// Every drill on both stores, by the programs themselves: the state it leaves, its ready file, what the judge says of
// it, and the right ending.
#include "app/sandbox/jsonfile.h"
#include "app/sandbox/ledger.h"
#include "app/sandbox/readyfile.h"
#include "tests/sandbox/program.h"
#include "tests/support/teststores.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QtTest>

#include <csignal>

using namespace unavez;
using namespace unavez::tests;
using sandbox::LedgerLine;
using stores::StoreUrl;

namespace {

QString urlOf(const StoreUrl& url)
{
    if (url.kind == StoreUrl::Kind::Sqlite)
        return QStringLiteral("sqlite://") + url.path;
    return QStringLiteral("postgresql://%1@%2:%3/%4").arg(url.user, url.host).arg(url.port).arg(url.database);
}

QJsonObject jsonOf(const QByteArray& text) { return QJsonDocument::fromJson(text).object(); }

// A running drill.
struct Drill
{
    Drill(const QString& drill, StoreUrl::Kind kind)
        : name(drill)
        , store(kind)
        , readyPath(folder.filePath(QStringLiteral("ready.json")))
        , process(begun(QStringLiteral("unavez-sandbox"),
              {QStringLiteral("drill"), drill, QStringLiteral("--store"), urlOf(store.url()),
                  QStringLiteral("--ready-file"), readyPath, QStringLiteral("--slow"), QStringLiteral("8s")}))
    {
    }
    ~Drill()
    {
        if (process->state() != QProcess::NotRunning)
            stopped(*process);
        if (!ready.providerLedger.isEmpty())
            QDir(QFileInfo(ready.providerLedger).path()).removeRecursively();
    }
    bool stands()
    {
        QDeadlineTimer deadline(90000);
        while (!QFile::exists(readyPath) && !deadline.hasExpired() && process->state() != QProcess::NotRunning)
            process->waitForFinished(50);
        const auto read = sandbox::readJsonFile(readyPath);
        if (!read)
            return false;
        json = *read;
        ready = *sandbox::readyFileOf(json);
        return true;
    }
    Ended judge() const
    {
        return ran(QStringLiteral("unavez-sandbox"),
            {QStringLiteral("judge"), name, QStringLiteral("--ready-file"), readyPath});
    }
    Ended ctl(const QStringList& arguments) const
    {
        return ran(QStringLiteral("unavezctl"),
            arguments
                + QStringList{QStringLiteral("--store"), urlOf(store.url()), QStringLiteral("--json"),
                    QStringLiteral("--reason"), QStringLiteral("practice makes sure")});
    }
    QString job() const { return QStringLiteral("job:%1").arg(*ready.job); }
    QString jobField(const QString& column) const
    {
        return store.connect()
            ->run(QStringLiteral("SELECT %1 FROM jobs WHERE id = ?").arg(column), {*ready.job})
            ->first()
            .at(0)
            .toString();
    }
    QStringList attempts() const
    {
        const auto rows = store.connect()->run(QStringLiteral("SELECT status FROM idempotency_keys ORDER BY attempt"));
        QStringList statuses;
        for (const auto& row : rows->rows)
            statuses.append(row.at(0).toString());
        return statuses;
    }
    int effects() const
    {
        const auto lines = sandbox::readLedger(ready.providerLedger);
        return static_cast<int>(
            std::count_if(lines->begin(), lines->end(), [](const LedgerLine& line) { return line.effect; }));
    }
    // What the judge says at last.
    bool endsRight(int mostMs) const
    {
        QDeadlineTimer deadline(mostMs);
        while (!deadline.hasExpired()) {
            if (judge().exit == 0)
                return true;
            QThread::msleep(100);
        }
        return false;
    }

    QString name;
    TestStore store;
    QTemporaryDir folder;
    QString readyPath;
    std::unique_ptr<QProcess> process;
    QJsonObject json;
    sandbox::ReadyFile ready;
};

QString reasonOf(const Ended& ended)
{
    return jsonOf(ended.out)
        .value(QLatin1String("rows"))
        .toArray()
        .first()
        .toObject()
        .value(QLatin1String("reason"))
        .toString();
}

} // namespace

class tst_drillstates : public QObject
{
    Q_OBJECT
private:
    static void stores()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::newRow("SQLite") << StoreUrl::Kind::Sqlite;
        QTest::newRow("PostgreSQL") << StoreUrl::Kind::PostgreSql;
    }

private Q_SLOTS:
    void shouldEndADeclineWithANewAttempt_data() { stores(); }
    void shouldEndADeclineWithANewAttempt()
    {
        // GIVEN a declined charge, the customer's card replaced since
        QFETCH(StoreUrl::Kind, kind);
        Drill drill(QStringLiteral("declined"), kind);
        QVERIFY(drill.stands());
        QCOMPARE(drill.ready.invoice, std::optional(QStringLiteral("inv_1")));
        QCOMPARE(drill.ready.intent, std::optional(QStringLiteral("charge:inv_1")));
        QCOMPARE(drill.ready.key, std::optional(QStringLiteral("charge:inv_1:a1")));
        QCOMPARE(drill.jobField(QStringLiteral("state")), QStringLiteral("dead"));
        QCOMPARE(drill.attempts(), QStringList{QStringLiteral("failed")});
        QCOMPARE(drill.effects(), 0);
        QCOMPARE(drill.judge().exit, 1);
        // WHEN it is only requeued, it dies of the same decline
        QCOMPARE(drill.ctl({QStringLiteral("requeue"), drill.job()}).exit, 0);
        QTRY_COMPARE_WITH_TIMEOUT(drill.jobField(QStringLiteral("state")), QStringLiteral("dead"), 20000);
        QCOMPARE(drill.judge().exit, 1);
        QCOMPARE(drill.effects(), 0);
        // and WHEN a new attempt is opened, THEN it is paid once
        const auto opened = drill.ctl({QStringLiteral("attempt"), *drill.ready.intent});
        QVERIFY2(opened.exit == 0, opened.out + opened.err);
        QVERIFY(drill.endsRight(30000));
        QCOMPARE(drill.attempts(), QStringList({QStringLiteral("failed"), QStringLiteral("done")}));
        QCOMPARE(drill.effects(), 1);
    }

    void shouldEndADeathMidChargeWithARequeue_data() { stores(); }
    void shouldEndADeathMidChargeWithARequeue()
    {
        // GIVEN a service killed after the provider charged
        QFETCH(StoreUrl::Kind, kind);
        Drill drill(QStringLiteral("died-mid-charge"), kind);
        QVERIFY(drill.stands());
        QCOMPARE(drill.jobField(QStringLiteral("state")), QStringLiteral("dead"));
        QCOMPARE(drill.attempts(), QStringList{QStringLiteral("in_progress")});
        QCOMPARE(drill.effects(), 1);
        QCOMPARE(drill.judge().exit, 1);
        // THEN a new attempt is refused
        const auto attempt = drill.ctl({QStringLiteral("attempt"), *drill.ready.intent});
        QCOMPARE(attempt.exit, 1);
        QCOMPARE(reasonOf(attempt), QStringLiteral("resumable"));
        // and WHEN the job is requeued, the provider replays
        const auto requeued = drill.ctl({QStringLiteral("requeue"), drill.job()});
        QVERIFY2(requeued.exit == 0, requeued.out + requeued.err);
        QVERIFY(drill.endsRight(30000));
        QCOMPARE(drill.effects(), 1);
        const auto lines = sandbox::readLedger(drill.ready.providerLedger);
        QVERIFY(std::any_of(lines->begin(), lines->end(), [](const LedgerLine& line) { return line.replayed; }));
    }

    void shouldEndALiveLeaseByWaiting_data() { stores(); }
    void shouldEndALiveLeaseByWaiting()
    {
        // GIVEN a worker whose agent takes its time
        QFETCH(StoreUrl::Kind, kind);
        Drill drill(QStringLiteral("live-lease"), kind);
        QVERIFY(drill.stands());
        QCOMPARE(drill.jobField(QStringLiteral("state")), QStringLiteral("leased"));
        QVERIFY(!drill.ready.key);
        QCOMPARE(drill.judge().exit, 1);
        // THEN its lease cannot be taken
        const auto release = drill.ctl({QStringLiteral("release"), drill.job()});
        QCOMPARE(release.exit, 1);
        QCOMPARE(reasonOf(release), QStringLiteral("lease_live"));
        // and waiting ends it
        QVERIFY(drill.endsRight(40000));
        QCOMPARE(drill.effects(), 1);
        QCOMPARE(drill.jobField(QStringLiteral("lease_token")), QStringLiteral("1"));
    }

    void shouldTellExactlyWhatTheProtocolNames()
    {
        Drill drill(QStringLiteral("live-lease"), StoreUrl::Kind::Sqlite);
        QVERIFY(drill.stands());
        QCOMPARE(drill.json.keys(),
            QStringList({QStringLiteral("backend_url"), QStringLiteral("drill"), QStringLiteral("edge_url"),
                QStringLiteral("gate_url"), QStringLiteral("ids"), QStringLiteral("pids"),
                QStringLiteral("provider_ledger"), QStringLiteral("provider_url"), QStringLiteral("store")}));
        QCOMPARE(drill.json.value(QLatin1String("ids")).toObject().keys(),
            QStringList({QStringLiteral("event"), QStringLiteral("intent"), QStringLiteral("invoice"),
                QStringLiteral("job"), QStringLiteral("key")}));
        // GIVEN its programs run
        const QList<qint64> pids{drill.ready.servicePid, drill.ready.providerPid, drill.ready.agentPid};
        for (const auto pid : pids)
            QCOMPARE(kill(static_cast<pid_t>(pid), 0), 0);
        // WHEN it is told to end
        QCOMPARE(kill(static_cast<pid_t>(drill.process->processId()), SIGINT), 0);
        QVERIFY(drill.process->waitForFinished(20000));
        // THEN it ends well, nobody is left, and no secret
        QCOMPARE(drill.process->exitCode(), 0);
        for (const auto pid : pids)
            QVERIFY(kill(static_cast<pid_t>(pid), 0) != 0);
        const QFileInfo ledger(drill.ready.providerLedger);
        QCOMPARE(ledger.dir().entryList(QDir::Files), QStringList{QStringLiteral("ledger.jsonl")});
    }

    void shouldPlayTheSameDrillTwiceOnAStore()
    {
        Drill first(QStringLiteral("declined"), StoreUrl::Kind::Sqlite);
        QVERIFY(first.stands());
        QCOMPARE(stopped(*first.process), 0);
        const auto path = first.folder.filePath(QStringLiteral("again.json"));
        const auto again = begun(QStringLiteral("unavez-sandbox"),
            {QStringLiteral("drill"), QStringLiteral("declined"), QStringLiteral("--store"), urlOf(first.store.url()),
                QStringLiteral("--ready-file"), path});
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), 60000);
        const auto ready = sandbox::readyFileOf(*sandbox::readJsonFile(path));
        QVERIFY(ready->invoice != first.ready.invoice);
        QCOMPARE(stopped(*again), 0);
        QDir(QFileInfo(ready->providerLedger).path()).removeRecursively();
    }
};

QTEST_GUILESS_MAIN(tst_drillstates)
#include "tst_drillstates.moc"
