// SPDX-License-Identifier: GPL-3.0-or-later
// unavez-sandbox as a program: what each subcommand does alone.
#include "app/sandbox/httpserver.h"
#include "app/sandbox/jsonfile.h"
#include "app/sandbox/providerstate.h"
#include "app/sandbox/readyfile.h"
#include "app/sandbox/webrequest.h"
#include "tests/sandbox/program.h"
#include "tests/support/teststores.h"

#include <QJsonDocument>
#include <QtTest>

using namespace unavez;
using namespace unavez::tests;
using sandbox::readJsonFile;
using stores::StoreUrl;

namespace {

const auto program = QStringLiteral("unavez-sandbox");

QString urlOf(const StoreUrl& url)
{
    if (url.kind == StoreUrl::Kind::Sqlite)
        return QStringLiteral("sqlite://") + url.path;
    return QStringLiteral("postgresql://%1@%2:%3/%4").arg(url.user, url.host).arg(url.port).arg(url.database);
}

// A provider program on files in a folder.
struct RunningProvider
{
    explicit RunningProvider(const QString& in)
        : folder(in)
        , process(begun(program,
              {QStringLiteral("provider"), QStringLiteral("--ledger"), in + QStringLiteral("/ledger"),
                  QStringLiteral("--state"), in + QStringLiteral("/state"), QStringLiteral("--ports-file"),
                  in + QStringLiteral("/ports")}))
    {
        process->waitForReadyRead(20000);
        url = readJsonFile(in + QStringLiteral("/ports"))
                  .value_or(QJsonObject())
                  .value(QLatin1String("url"))
                  .toString();
    }
    ~RunningProvider()
    {
        if (process->state() != QProcess::NotRunning)
            stopped(*process);
    }
    QJsonObject createIntent() const
    {
        const auto reply = sandbox::requested("POST", url + QStringLiteral("/v1/payment_intents"),
            {{"Authorization", "Bearer " + sandbox::ProviderState::credentialOf(QStringLiteral("acct_1"))},
                {"Idempotency-Key", "charge:inv_1:a1:create"}},
            "amount=5&currency=eur&customer=cus_1");
        return reply ? QJsonDocument::fromJson(reply->body).object() : QJsonObject();
    }
    QString folder;
    std::unique_ptr<QProcess> process;
    QString url;
};

qint64 createdAt(const TestStore& store)
{
    const auto connection = store.connect();
    const auto text = connection->isSqlite()
        ? QStringLiteral("SELECT created_at FROM store_info")
        : QStringLiteral("SELECT (extract(epoch FROM created_at) * 1000)::bigint FROM store_info");
    return connection->run(text)->first().at(0).toLongLong();
}

} // namespace

class tst_commands : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shouldTellWhatIsWrongWithAUsage_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("nothing") << QStringList();
        QTest::newRow("no such command") << QStringList{QStringLiteral("explode")};
        QTest::newRow("no store") << QStringList{QStringLiteral("age"), QStringLiteral("20min")};
        QTest::newRow("no duration") << QStringList{
            QStringLiteral("age"), QStringLiteral("--store"), QStringLiteral("sqlite:///x")};
        QTest::newRow("bad duration") << QStringList{
            QStringLiteral("age"), QStringLiteral("soon"), QStringLiteral("--store"), QStringLiteral("sqlite:///x")};
        QTest::newRow("no such drill") << QStringList{QStringLiteral("drill"), QStringLiteral("picnic"),
            QStringLiteral("--store"), QStringLiteral("sqlite:///x"), QStringLiteral("--ready-file"),
            QStringLiteral("r")};
        QTest::newRow("unknown option") << QStringList{QStringLiteral("backend"), QStringLiteral("--loud")};
        QTest::newRow("agent without a gate")
            << QStringList{QStringLiteral("agent"), QStringLiteral("--gate-token-file"), QStringLiteral("t")};
    }

    void shouldTellWhatIsWrongWithAUsage()
    {
        QFETCH(QStringList, arguments);
        const auto ended = ran(program, arguments);
        QCOMPARE(ended.exit, 2);
        QVERIFY(!ended.err.isEmpty());
        QVERIFY(ended.out.isEmpty());
    }

    void shouldNotListenWhereOthersCouldReachIt()
    {
        const auto ended
            = ran(program, {QStringLiteral("backend"), QStringLiteral("--listen"), QStringLiteral("0.0.0.0:0")});
        QCOMPARE(ended.exit, 1);
        QVERIFY(ended.err.contains("loopback"));
    }

    void shouldComeBackAfterAKillKnowingWhatItDid()
    {
        QTemporaryDir folder;
        QString intent;
        {
            RunningProvider provider(folder.path());
            intent = provider.createIntent().value(QLatin1String("id")).toString();
            QVERIFY(intent.startsWith(QLatin1String("pi_")));
            provider.process->kill();
            QVERIFY(provider.process->waitForFinished());
        }
        RunningProvider again(folder.path());
        QCOMPARE(again.createIntent().value(QLatin1String("id")).toString(), intent);
        QCOMPARE(stopped(*again.process), 0);
    }

    void shouldDeliverWhatTheProviderWouldOfOurRequest()
    {
        // GIVEN a request under our key, and an edge
        QTemporaryDir folder;
        RunningProvider provider(folder.path());
        const auto intent = provider.createIntent();
        QList<QByteArray> bodies;
        const auto edge = std::move(*sandbox::HttpServer::listen(
            QStringLiteral("127.0.0.1:0"), [&](const sandbox::ServedRequest& request, const std::stop_token&) {
                bodies.append(request.body);
                return sandbox::jsonReply(request.header("Stripe-Signature") ? 200 : 400, {});
            }));
        const auto secret = folder.filePath(QStringLiteral("secret"));
        QVERIFY(sandbox::writePrivateFile(secret, "whsec_practice_only\n"));
        const auto send = [&](const QString& key) {
            return ran(program,
                {QStringLiteral("send"), QStringLiteral("--edge"), edge->url() + QStringLiteral("/hook"),
                    QStringLiteral("--secret-file"), secret, QStringLiteral("--from-provider"), provider.url,
                    QStringLiteral("--sent-key"), key});
        };
        // WHEN its event is delivered
        const auto ended = send(QStringLiteral("charge:inv_1:a1:create"));
        // THEN it names the key and the object
        QVERIFY2(ended.exit == 0, ended.err.constData());
        QCOMPARE(bodies.size(), 1);
        const auto event = QJsonDocument::fromJson(bodies.first()).object();
        QCOMPARE(event.value(QLatin1String("type")).toString(), QStringLiteral("payment_intent.created"));
        QCOMPARE(event.value(QLatin1String("request")).toObject().value(QLatin1String("idempotency_key")).toString(),
            QStringLiteral("charge:inv_1:a1:create"));
        QCOMPARE(event.value(QLatin1String("data"))
                     .toObject()
                     .value(QLatin1String("object"))
                     .toObject()
                     .value(QLatin1String("id")),
            intent.value(QLatin1String("id")));
        QCOMPARE(send(QStringLiteral("charge:inv_9:a1:create")).exit, 1);
        QCOMPARE(bodies.size(), 1);
    }

    void shouldAgeStoreAndProviderTogether_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::newRow("SQLite") << StoreUrl::Kind::Sqlite;
        QTest::newRow("PostgreSQL") << StoreUrl::Kind::PostgreSql;
    }

    void shouldAgeStoreAndProviderTogether()
    {
        QFETCH(StoreUrl::Kind, kind);
        const TestStore store(kind);
        QTemporaryDir folder;
        RunningProvider provider(folder.path());
        const auto intent = provider.createIntent();
        const auto created = createdAt(store);
        // WHEN a day goes by
        const auto ended = ran(program,
            {QStringLiteral("age"), QStringLiteral("24h"), QStringLiteral("--store"), urlOf(store.url()),
                QStringLiteral("--provider-url"), provider.url});
        QVERIFY2(ended.exit == 0, ended.err.constData());
        // THEN the store is older, and the provider has forgotten the key
        QCOMPARE(createdAt(store), created - 86'400'000);
        QVERIFY(provider.createIntent().value(QLatin1String("id")) != intent.value(QLatin1String("id")));
    }

    void shouldNotAgeAStoreThatIsNotForPractice_data() { shouldAgeStoreAndProviderTogether_data(); }

    void shouldNotAgeAStoreThatIsNotForPractice()
    {
        QFETCH(StoreUrl::Kind, kind);
        const TestStore store(kind, contract::StoreMode::Test);
        QTemporaryDir folder;
        RunningProvider provider(folder.path());
        const auto intent = provider.createIntent();
        const auto created = createdAt(store);
        const auto ended = ran(program,
            {QStringLiteral("age"), QStringLiteral("24h"), QStringLiteral("--store"), urlOf(store.url()),
                QStringLiteral("--provider-url"), provider.url});
        QCOMPARE(ended.exit, 1);
        QVERIFY(ended.err.contains("practice"));
        QCOMPARE(createdAt(store), created);
        QCOMPARE(provider.createIntent().value(QLatin1String("id")), intent.value(QLatin1String("id")));
    }

    void shouldNotAgeAStoreWithoutItsProvider()
    {
        const TestStore store(StoreUrl::Kind::Sqlite);
        const auto created = createdAt(store);
        const auto ended = ran(program,
            {QStringLiteral("age"), QStringLiteral("24h"), QStringLiteral("--store"), urlOf(store.url()),
                QStringLiteral("--provider-url"), QStringLiteral("http://127.0.0.1:1")});
        QCOMPARE(ended.exit, 1);
        QCOMPARE(createdAt(store), created);
    }

    void shouldRefuseADrillOnAStoreThatIsNotForPractice_data() { shouldAgeStoreAndProviderTogether_data(); }

    void shouldRefuseADrillOnAStoreThatIsNotForPractice()
    {
        QFETCH(StoreUrl::Kind, kind);
        const TestStore store(kind, contract::StoreMode::Live);
        QTemporaryDir folder;
        const auto ready = folder.filePath(QStringLiteral("ready.json"));
        const auto ended = ran(program,
            {QStringLiteral("drill"), QStringLiteral("declined"), QStringLiteral("--store"), urlOf(store.url()),
                QStringLiteral("--ready-file"), ready});
        QCOMPARE(ended.exit, 1);
        QVERIFY(!ended.err.isEmpty());
        QVERIFY(!QFile::exists(ready));
    }

    void shouldNotJudgeByAnotherDrillsReadyFile()
    {
        QTemporaryDir folder;
        const auto path = folder.filePath(QStringLiteral("ready.json"));
        sandbox::ReadyFile ready;
        ready.drill = QStringLiteral("live-lease");
        QVERIFY(sandbox::writeJsonFile(path, jsonOf(ready)));
        const auto other
            = ran(program, {QStringLiteral("judge"), QStringLiteral("declined"), QStringLiteral("--ready-file"), path});
        QCOMPARE(other.exit, 2);
        const auto none = ran(program,
            {QStringLiteral("judge"), QStringLiteral("declined"), QStringLiteral("--ready-file"),
                folder.filePath(QStringLiteral("none"))});
        QCOMPARE(none.exit, 3);
    }
};

QTEST_GUILESS_MAIN(tst_commands)
#include "tst_commands.moc"
