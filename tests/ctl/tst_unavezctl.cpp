// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/agestore.h"
#include "models/stores/sql/migrator.h"
#include "tests/stores/operatorbench.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>

using namespace unavez;
using namespace unavez::contract;
using namespace unavez::tests;

namespace {

// One run of the real program.
struct Run
{
    int exit = -1;
    QByteArray out;
    QByteArray err;

    QJsonObject answer() const { return QJsonDocument::fromJson(out).object(); }
    QJsonObject row() const { return answer().value(QLatin1String("rows")).toArray().first().toObject(); }
    QJsonObject error() const { return QJsonDocument::fromJson(err).object().value(QLatin1String("error")).toObject(); }
};

QString urlOf(const stores::StoreUrl& url)
{
    if (url.kind == stores::StoreUrl::Kind::Sqlite)
        return QStringLiteral("sqlite://") + url.path;
    return QStringLiteral("postgresql://%1@%2:%3/%4").arg(url.user, url.host, QString::number(url.port), url.database);
}

Run ctl(const QString& store, const QStringList& words, const QString& environmentStore = {})
{
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("UNAVEZ_STORE"));
    if (!environmentStore.isEmpty())
        environment.insert(QStringLiteral("UNAVEZ_STORE"), environmentStore);
    process.setProcessEnvironment(environment);
    auto arguments = words;
    if (!store.isEmpty())
        arguments += {QStringLiteral("--store"), store};
    process.start(QStringLiteral(UNAVEZ_BIN "/unavezctl"), arguments);
    if (!process.waitForFinished(60'000))
        qFatal("unavezctl did not end");
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

QStringList line(const char* text) { return QString::fromUtf8(text).split(QLatin1Char(' ')); }
QStringList acting(const char* text)
{
    return line(text)
        + QStringList{QStringLiteral("--json"), QStringLiteral("--reason"), QStringLiteral("on call, ticket 42")};
}

// A worker that died between the charge and its record, twenty minutes ago; its job dead.
qint64 diedMidCharge(OperatorBench& bench)
{
    const auto job = bench.claimed(QStringLiteral("evt_1"));
    const auto held = bench.reserved(QStringLiteral("inv_1"), job.lease());
    bench.sent(held, job.lease());
    must(bench.jobs.finishDead(job.lease(), QStringLiteral("lease_over"), {}));
    must(stores::ageStore(*bench.connection, Seconds{1200}));
    return job.job.id;
}

} // namespace

class tst_unavezctl : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldMakeAStoreAndRefuseToGuessItsMode()
    {
        QTemporaryDir folder;
        const auto store = QStringLiteral("sqlite://") + folder.filePath(QStringLiteral("new.db"));
        QCOMPARE(ctl(store, line("status")).exit, 3);
        QCOMPARE(ctl(store, line("migrate")).exit, 2);
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("new.db"))));
        const auto made = ctl(store, line("migrate --mode practice --json"));
        QCOMPARE(made.exit, 0);
        QCOMPARE(made.answer().value(QLatin1String("from")).toInt(), 0);
        QVERIFY(made.answer().value(QLatin1String("to")).toInteger() >= 202611300000);
        QCOMPARE(ctl(store, line("migrate --json")).exit, 0);
        QCOMPARE(ctl(store, line("migrate --mode live")).exit, 2);
        QCOMPARE(ctl(store, line("status --check")).exit, 0);
    }

    void shouldRefuseAStoreItDoesNotKnow()
    {
        QTemporaryDir folder;
        const auto path = folder.filePath(QStringLiteral("other.db"));
        {
            // somebody else's file
            stores::StoreUrl url;
            url.path = path;
            const auto connection = stores::SqlConnection::open(url, stores::SqlConnection::Access::ReadWrite, true);
            QVERIFY((*connection)->runScript("CREATE TABLE theirs(x)").has_value());
        }
        const auto run = ctl(QStringLiteral("sqlite://") + path, line("status --json"));
        QCOMPARE(run.exit, 3);
        QCOMPARE(run.error().value(QLatin1String("kind")).toString(), QStringLiteral("schema_missing"));
        QCOMPARE(ctl(QStringLiteral("mysql://x/y"), line("status")).exit, 2);
        QFile text(folder.filePath(QStringLiteral("text.db")));
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write(QByteArray(5000, 'x')) == 5000);
        text.close();
        QCOMPARE(ctl(QStringLiteral("sqlite://") + text.fileName(), line("status")).exit, 3);
    }

    void shouldRefuseANewerSchema()
    {
        const TestStore store(stores::StoreUrl::Kind::Sqlite);
        QVERIFY(
            store.connect()->run(QStringLiteral("UPDATE store_info SET schema_version = '209901010000'")).has_value());
        const auto run = ctl(urlOf(store.url()), line("list dead --json"));
        QCOMPARE(run.exit, 3);
        QCOMPARE(run.error().value(QLatin1String("kind")).toString(), QStringLiteral("schema_newer"));
    }

    void shouldSolveDiedMidCharge_data() { bothStores(); }
    void shouldSolveDiedMidCharge()
    {
        QFETCH(stores::StoreUrl::Kind, kind);
        OperatorBench bench(kind);
        const auto job = diedMidCharge(bench);
        const auto store = urlOf(bench.store.url());
        const auto target = QStringLiteral("job:%1").arg(job);

        // status names it, --check says so
        const auto status = ctl(store, line("status --json --check"));
        QCOMPARE(status.exit, 4);
        const auto problems = status.answer().value(QLatin1String("problems")).toObject();
        QCOMPARE(problems.value(QLatin1String("dead")).toObject().value(QLatin1String("count")).toInt(), 1);
        QCOMPARE(problems.value(QLatin1String("stuck")).toObject().value(QLatin1String("count")).toInt(), 1);
        const auto dead = ctl(store, line("list dead --json"));
        QCOMPARE(dead.row().value(QLatin1String("job")).toInteger(), job);
        QCOMPARE(dead.row().value(QLatin1String("verdict")).toString(), QStringLiteral("safe_to_requeue"));

        // the case offers the requeue and refuses the new attempt
        const auto file = ctl(store, line("case evt_1 --json"));
        QCOMPARE(file.exit, 0);
        QHash<QString, QString> offers;
        for (const auto offer : file.answer().value(QLatin1String("offers")).toArray())
            offers.insert(offer.toObject().value(QLatin1String("action")).toString(),
                offer.toObject().value(QLatin1String("reason")).toString(QStringLiteral("allowed")));
        QCOMPARE(offers.value(QStringLiteral("requeue_job")), QStringLiteral("allowed"));
        QCOMPARE(offers.value(QStringLiteral("open_attempt")), QStringLiteral("resumable"));
        const auto attempt = ctl(store, acting("attempt charge:inv_1"));
        QCOMPARE(attempt.exit, 1);
        QCOMPARE(attempt.row().value(QLatin1String("reason")).toString(), QStringLiteral("resumable"));

        // a dry run changes nothing
        const auto dry
            = ctl(store, {QStringLiteral("requeue"), target, QStringLiteral("--json"), QStringLiteral("--dry-run")});
        QCOMPARE(dry.exit, 0);
        QCOMPARE(dry.answer().value(QLatin1String("applied")).toInt(), 0);
        QVERIFY(dry.answer().value(QLatin1String("dry_run")).toBool());
        QCOMPARE(bench.stateOf(job), QStringLiteral("dead"));
        // without a reason nothing happens
        const auto mute = ctl(store, {QStringLiteral("requeue"), target, QStringLiteral("--json")});
        QCOMPARE(mute.exit, 1);
        QCOMPARE(mute.row().value(QLatin1String("reason")).toString(), QStringLiteral("reason_too_short"));

        // the requeue, once
        const auto done = ctl(store, acting("requeue evt_1"));
        QCOMPARE(done.exit, 0);
        QCOMPARE(done.answer().value(QLatin1String("applied")).toInt(), 1);
        const auto effect = done.row().value(QLatin1String("effects")).toArray().first().toObject();
        QCOMPARE(effect.value(QLatin1String("key")).toString(), QStringLiteral("charge:inv_1:a1"));
        QCOMPARE(effect.value(QLatin1String("will")).toString(), QStringLiteral("resume"));
        QVERIFY(fromRfc3339(effect.value(QLatin1String("until")).toString()).has_value());
        QVERIFY(done.row().value(QLatin1String("log")).toInteger() > 0);
        QCOMPARE(bench.stateOf(job), QStringLiteral("queued"));
        const auto again = ctl(store, acting("requeue evt_1"));
        QCOMPARE(again.exit, 1);
        QCOMPARE(again.row().value(QLatin1String("reason")).toString(), QStringLiteral("already_queued"));

        // and its entry in a log that is whole
        const auto log = ctl(store, line("log --json"));
        QCOMPARE(log.row().value(QLatin1String("action")).toString(), QStringLiteral("requeue_job"));
        QCOMPARE(log.row().value(QLatin1String("reason")).toString(), QStringLiteral("on call, ticket 42"));
        QCOMPARE(ctl(store, line("log verify")).exit, 0);
        // People read the same in text.
        const auto text = ctl(store, line("case evt_1"));
        QVERIFY(text.out.contains("charge:inv_1:a1") && text.out.contains("ticket 42"));
    }

    void shouldRefuseWhatWouldBeWrong_data() { bothStores(); }
    void shouldRefuseWhatWouldBeWrong()
    {
        QFETCH(stores::StoreUrl::Kind, kind);
        OperatorBench bench(kind);
        const auto store = urlOf(bench.store.url());
        const auto reasonOf = [&store](const QStringList& words) {
            const auto run = ctl(store, words);
            return run.exit == 1 ? run.row().value(QLatin1String("reason")).toString()
                                 : QString::fromUtf8(run.out + run.err);
        };
        const auto live = bench.claimed(QStringLiteral("evt_2"));
        const auto held = bench.reserved(QStringLiteral("inv_2"), live.lease());
        QCOMPARE(reasonOf(acting("release evt_2")), QStringLiteral("lease_live"));
        QCOMPARE(reasonOf(acting("requeue evt_2")), QStringLiteral("lease_live"));
        QCOMPARE(reasonOf(acting("expire charge:inv_2:a1")), QStringLiteral("reservation_live"));
        bench.sent(held, live.lease());
        bench.finished(held, ReservationStatus::Failed, QStringLiteral("stolen_card"));
        QCOMPARE(reasonOf(acting("expire charge:inv_2:a1")), QStringLiteral("not_in_progress"));
        QCOMPARE(reasonOf(acting("attempt charge:inv_2")), QStringLiteral("decline_hard"));
        must(bench.jobs.finishDead(live.lease(), QStringLiteral("rejected"), {}));
        QCOMPARE(reasonOf(acting("release evt_2")), QStringLiteral("not_leased"));
    }

    void shouldExpireOnlyPastTheCutoff_data() { bothStores(); }
    void shouldExpireOnlyPastTheCutoff()
    {
        QFETCH(stores::StoreUrl::Kind, kind);
        OperatorBench bench(kind);
        const auto store = urlOf(bench.store.url());
        diedMidCharge(bench);
        QCOMPARE(ctl(store, acting("expire charge:inv_1:a1")).row().value(QLatin1String("reason")).toString(),
            QStringLiteral("resumable"));
        must(stores::ageStore(*bench.connection, Seconds{90'000}));
        QCOMPARE(ctl(store, acting("requeue evt_1")).row().value(QLatin1String("reason")).toString(),
            QStringLiteral("past_cutoff"));
        QCOMPARE(ctl(store, acting("expire charge:inv_1:a1")).exit, 0);
        QCOMPARE(bench.statusOf(QStringLiteral("inv_1")), QStringLiteral("unknown"));
        QCOMPARE(ctl(store, acting("requeue evt_1")).row().value(QLatin1String("reason")).toString(),
            QStringLiteral("outcome_unknown"));
    }

    void shouldHoldAndReleaseByName_data() { bothStores(); }
    void shouldHoldAndReleaseByName()
    {
        QFETCH(stores::StoreUrl::Kind, kind);
        OperatorBench bench(kind);
        const auto store = urlOf(bench.store.url());
        QCOMPARE(ctl(store, acting("hold source stripe:acct_1")).exit, 0);
        QCOMPARE(ctl(store, acting("hold source stripe:acct_1")).row().value(QLatin1String("reason")).toString(),
            QStringLiteral("already_held"));
        must(bench.intake.record({bench.delivery(QStringLiteral("evt_3"))}));
        QVERIFY(!must(bench.jobs.claim(bench.source, QStringLiteral("w"), Seconds{60})));
        QCOMPARE(ctl(store, acting("hold source stripe:acct_1 --release")).exit, 0);
        QVERIFY(must(bench.jobs.claim(bench.source, QStringLiteral("w"), Seconds{60})));
        QCOMPARE(ctl(store, acting("hold source nobody")).exit, 1);
        QCOMPARE(ctl(store, acting("hold everything")).exit, 2);
        QCOMPARE(ctl(store, acting("hold sends now")).exit, 2);
    }

    void shouldAskTwiceOnALiveStore()
    {
        const TestStore live(stores::StoreUrl::Kind::Sqlite, StoreMode::Live);
        const auto store = urlOf(live.url());
        const auto unconfirmed = ctl(store, acting("hold sends"));
        QCOMPARE(unconfirmed.exit, 1);
        QVERIFY(unconfirmed.error().value(QLatin1String("message")).toString().contains(QLatin1String("LIVE")));
        const auto yes = acting("hold sends --yes");
        QCOMPARE(ctl({}, yes, store).exit, 1); // named by the environment alone
        QCOMPARE(ctl(store, yes).exit, 0);
        QCOMPARE(ctl({}, line("status"), store).exit, 0); // reading is free
    }

    void shouldNotTakeHostileIds_data()
    {
        QTest::addColumn<QString>("id");
        QTest::newRow("empty") << QString();
        QTest::newRow("quote") << QStringLiteral("' OR 1=1 --x");
        QTest::newRow("percent") << QStringLiteral("%");
        QTest::newRow("huge") << QString(100'000, QLatin1Char('9'));
        QTest::newRow("job of no number") << QStringLiteral("job:x");
        QTest::newRow("job past 64 bit") << QStringLiteral("job:99999999999999999999999");
        QTest::newRow("negative") << QStringLiteral("job:-1");
        QTest::newRow("emoji") << QStringLiteral("evt_\U0001F4B3");
        QTest::newRow("escape") << QStringLiteral("evt_\x1b[2J");
    }
    void shouldNotTakeHostileIds()
    {
        QFETCH(QString, id);
        const TestStore store(stores::StoreUrl::Kind::Sqlite);
        const auto run = ctl(urlOf(store.url()), {QStringLiteral("case"), id});
        QVERIFY2(run.exit == 1 || run.exit == 2, run.err);
        QVERIFY(!run.err.isEmpty() && !run.err.contains('\x1b'));
        QVERIFY(run.out.isEmpty());
    }

    void shouldReadButNotActOnAReadOnlyFile()
    {
        OperatorBench bench(stores::StoreUrl::Kind::PostgreSql);
        const auto job = bench.dead(QStringLiteral("evt_9"));
        const auto viewer = bench.store.connectAs(QStringLiteral("viewer"));
        const auto store = urlOf(viewer->url());
        QCOMPARE(ctl(store, line("list dead --json")).row().value(QLatin1String("job")).toInteger(), job);
        const auto refused = ctl(store, acting("requeue evt_9"));
        QCOMPARE(refused.exit, 1);
        QCOMPARE(refused.row().value(QLatin1String("reason")).toString(), QStringLiteral("not_permitted"));
    }

    void shouldPageThroughAList()
    {
        OperatorBench bench(stores::StoreUrl::Kind::Sqlite);
        for (int i = 0; i < 5; ++i)
            bench.dead(QStringLiteral("evt_%1").arg(i));
        const auto store = urlOf(bench.store.url());
        QSet<QString> seen;
        QStringList words = line("list dead --json --limit 2");
        for (int pages = 0; pages < 9; ++pages) {
            const auto run = ctl(store, words);
            QCOMPARE(run.exit, 0);
            for (const auto row : run.answer().value(QLatin1String("rows")).toArray())
                seen.insert(row.toObject().value(QLatin1String("event_id")).toString());
            const auto next = run.answer().value(QLatin1String("next"));
            if (next.isNull())
                break;
            words = line("list dead --json --limit 2") + QStringList{QStringLiteral("--cursor"), next.toString()};
        }
        QCOMPARE(seen.size(), 5);
        QCOMPARE(ctl(store, line("list dead --cursor bm9uc2Vuc2U")).exit, 2);
        QCOMPARE(ctl(store, line("list dead --source nobody")).exit, 2);
    }
};

QTEST_GUILESS_MAIN(tst_unavezctl)
#include "tst_unavezctl.moc"
