// SPDX-License-Identifier: GPL-3.0-or-later
// Every reason not to start, each at the line it names: the line that ends in "#!" in the edited text.
#include "app/service/configreader.h"
#include "tests/service/wholeconfig.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace unavez;
using namespace unavez::service;
using Fault = text::SettingFault;

namespace {

const auto whole = tests::wholeConfig();

} // namespace

class tst_configreader : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void shouldReadEverySettingOfAWholeFile();
    void shouldStandOnItsDefaultsWhereAFileSaysLittle();
    void shouldRefuse_data();
    void shouldRefuse();
    void shouldRefuseWhatIsNoFile();
    void shouldRefuseAFilePastItsLimit();
    void shouldSayTheFileTheLineAndTheKeyInOneSentence();
    void shouldNeverRepeatASecretThatStandsInTheFile();
    void shouldWarnOfASecretEverybodyCanRead();
    void shouldTakeSecretsFromTheEnvironmentAndFromCredentials();
    void shouldFetchNoSecretOfARoleThatIsOff();
    void shouldLetAPracticeStoreAloneShortenTheTimes();
    void shouldReadAddresses_data();
    void shouldReadAddresses();

private:
    QString keep(const QString& name, const QByteArray& bytes, bool openToAll = false) const;
    tl::expected<ReadConfig, text::SettingProblem> read(const QString& text) const;

    QTemporaryDir m_folder;
};

QString tst_configreader::keep(const QString& name, const QByteArray& bytes, bool openToAll) const
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write %s", qPrintable(name));
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | (openToAll ? QFile::ReadOther : QFile::Permissions()));
    return file.fileName();
}

tl::expected<ReadConfig, text::SettingProblem> tst_configreader::read(const QString& text) const
{
    auto placed = text;
    placed.replace(QLatin1String("DIR"), m_folder.path());
    return readConfig(keep(QStringLiteral("unavez.toml"), placed.toUtf8()));
}

void tst_configreader::initTestCase()
{
    keep(QStringLiteral("k1"), "whsec_one\n");
    keep(QStringLiteral("k2"), "whsec_two");
    keep(QStringLiteral("token"), "gate-token\n");
    keep(QStringLiteral("key"), "sk_test_1");
    keep(QStringLiteral("empty"), "\n");
    keep(QStringLiteral("blank"), " whsec_one\n");
    keep(QStringLiteral("twolines"), "whsec_one\nwhsec_two\n");
    keep(QStringLiteral("long"), QByteArray(5000, 'x'));
    keep(QStringLiteral("open"), "whsec_open", true);
}

void tst_configreader::shouldReadEverySettingOfAWholeFile()
{
    const auto config = read(whole);
    QVERIFY2(config, qPrintable(config ? QString() : text::sentence(config.error())));
    const auto& s = config->settings;
    QCOMPARE(s.store, QStringLiteral("sqlite:///tmp/store.db"));
    QCOMPARE(s.instance, QStringLiteral("edge-1"));
    QCOMPARE(s.roles.size(), 4);
    QCOMPARE(s.stateDir, m_folder.path());
    QVERIFY(s.admin && s.admin->host == QLatin1String("127.0.0.1") && s.admin->port == 0);
    QCOMPARE(s.edge.listen.port, quint16{8080});
    QCOMPARE(s.edge.read, contract::Millis{10000});
    QCOMPARE(s.sources.size(), 1);
    QCOMPARE(s.sources.first().route, QStringLiteral("/webhooks/stripe"));
    QCOMPARE(s.sources.first().secrets.first().secret, QByteArray("whsec_one"));
    QCOMPARE(s.worker.handler, QStringLiteral("http://127.0.0.1:9000/run"));
    QCOMPARE(s.timing.backoff.size(), 7);
    QCOMPARE(s.timing.gateLease, contract::Millis{45000});
    QCOMPARE(s.gate.token, QByteArray("gate-token"));
    QCOMPARE(s.providers.first().credential, QByteArray("sk_test_1"));
    QCOMPARE(s.tools.first().minInterval, contract::Seconds{60});
    QCOMPARE(s.alertCommand.size(), 3);
    QCOMPARE(s.sha256.size(), 32);
    QCOMPARE(config->lines.value(QStringLiteral("worker.lease_s")), 33);
    QCOMPARE(config->lines.value(QStringLiteral("sources[0].secrets[0].id")), 27);
    QVERIFY(config->warnings.isEmpty());
}

void tst_configreader::shouldStandOnItsDefaultsWhereAFileSaysLittle()
{
    const auto config = read(QStringLiteral("store.url = \"sqlite:a.db\"\nservice.roles = [\"reaper\"]\n"));
    QVERIFY2(config, qPrintable(config ? QString() : text::sentence(config.error())));
    QCOMPARE(config->settings.stateDir, m_folder.path()); // beside the file
    QVERIFY(config->settings.instance.contains(QLatin1Char(':')));
    QVERIFY(!config->settings.admin);
    QCOMPARE(config->settings.timing.workerLease, contract::Millis{60000});
}

void tst_configreader::shouldRefuse_data()
{
    QTest::addColumn<QString>("line"); // of the whole file, to be replaced
    QTest::addColumn<QString>("with");
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("fault");
    const auto row = [](const char* name, const char* line, const char* with, const char* key, Fault fault) {
        QTest::newRow(name) << QString::fromUtf8(line) << QString::fromUtf8(with) << QString::fromUtf8(key)
                            << static_cast<int>(fault);
    };
    row("broken TOML", "poll_ms = 200", "poll_ms = = 1 #!", "", Fault::Syntax);
    row("a key twice", "poll_ms = 200", "poll_ms = 200\npoll_ms = 1 #!", "", Fault::Syntax);
    row("unknown table", "[alert]", "[alarm] #!", "alarm", Fault::UnknownKey);
    row("unknown key", "poll_ms = 200", "poll_s = 1 #!", "worker.poll_s", Fault::UnknownKey);
    row("unknown key of a source", "tolerance_s = 300", "tolerance = 300 #!", "sources[0].tolerance",
        Fault::UnknownKey);
    row("unknown key of a secret", "id = \"k1\"", "name = \"k1\" #!", "sources[0].secrets[0].name", Fault::UnknownKey);
    row("unknown provider", "[providers.stripe]", "[providers.paypal] #!", "providers.paypal", Fault::UnknownKey);
    row("unknown tool", "[tools.charge_customer]", "[tools.refund] #!", "tools.refund", Fault::UnknownKey);
    row("number for text", "instance = \"edge-1\"", "instance = 1 #!", "service.instance", Fault::WrongType);
    row("text for number", "concurrency = 4", "concurrency = \"4\" #!", "worker.concurrency", Fault::WrongType);
    row("fraction for whole", "concurrency = 4", "concurrency = 4.0 #!", "worker.concurrency", Fault::WrongType);
    row("text for truth", "behind_proxy = false", "behind_proxy = \"no\" #!", "edge.behind_proxy", Fault::WrongType);
    row("text for time", "lease_s = 60", "lease_s = \"60\" #!", "worker.lease_s", Fault::WrongType);
    row("text for list", "command = [\"/bin/sh\", \"-c\", \"true\"]", "command = \"/bin/sh\" #!", "alert.command",
        Fault::WrongType);
    row("mixed list", "backoff_s = [10, 30, 120, 600, 1800, 7200, 10800]", "backoff_s = [10, \"30\"] #!",
        "worker.backoff_s", Fault::WrongType);
    row("table for list of tables", "[[sources]]", "[sources] #!", "sources", Fault::WrongType);
    row("value for table", "[store]\nurl = \"sqlite:///tmp/store.db\"", "store = 1 #!", "store", Fault::WrongType);
    row("no store", "[store]\nurl = \"sqlite:///tmp/store.db\"", "[store] #!", "store.url", Fault::Missing);
    row("password in the store's URL", "url = \"sqlite:///tmp/store.db\"", "url = \"postgresql://a:b@h/d\" #!",
        "store.url", Fault::PasswordInUrl);
    row("unknown role", "roles = [\"edge\", \"worker\", \"gate\", \"reaper\"]", "roles = [\"edge\", \"boss\"] #!",
        "service.roles", Fault::NotOneOf);
    row("role twice", "roles = [\"edge\", \"worker\", \"gate\", \"reaper\"]", "roles = [\"gate\", \"gate\"] #!",
        "service.roles", Fault::Duplicate);
    row("no role", "roles = [\"edge\", \"worker\", \"gate\", \"reaper\"]", "roles = [] #!", "service.roles",
        Fault::Empty);
    row("no instance", "instance = \"edge-1\"", "instance = \"\" #!", "service.instance", Fault::BadName);
    row("blank in a name", "name = \"stripe:acct_1\"", "name = \"stripe acct\" #!", "sources[0].name", Fault::BadName);
    row("NUL in a text", "name = \"stripe:acct_1\"", "name = \"a\\u0000b\" #!", "sources[0].name", Fault::BadName);
    row("no such folder", "state_dir = \"DIR\"", "state_dir = \"DIR/none\" #!", "service.state_dir", Fault::NoFolder);
    row("a file for a folder", "state_dir = \"DIR\"", "state_dir = \"DIR/k1\" #!", "service.state_dir",
        Fault::NoFolder);
    row("rare heartbeat", "heartbeat_s = 5", "heartbeat_s = 31 #!", "service.heartbeat_s", Fault::OutOfRange);
    row("negative drain", "drain_s = 30", "drain_s = -1 #!", "service.drain_s", Fault::OutOfRange);
    row("name for address", "listen = \"127.0.0.1:8080\"", "listen = \"localhost:8080\" #!", "edge.listen",
        Fault::BadAddress);
    row("port past its end", "listen = \"127.0.0.1:8080\"", "listen = \"127.0.0.1:65536\" #!", "edge.listen",
        Fault::BadAddress);
    row("socket file for the edge", "listen = \"127.0.0.1:8080\"", "listen = \"unix:/run/x\" #!", "edge.listen",
        Fault::BadAddress);
    row("edge in the open", "listen = \"127.0.0.1:8080\"", "listen = \"0.0.0.0:8080\" #!", "edge.listen",
        Fault::EdgeInTheOpen);
    row("edge in the open, IPv6", "listen = \"127.0.0.1:8080\"", "listen = \"[::]:8080\" #!", "edge.listen",
        Fault::EdgeInTheOpen);
    row("certificate without key", "tls_certificate = \"\"\ntls_key = \"\"",
        "tls_certificate = \"DIR/k1\"\ntls_key = \"\" #!", "edge.tls_key", Fault::NeededWith);
    row("key without certificate", "tls_certificate = \"\"\ntls_key = \"\"",
        "tls_certificate = \"\" #!\ntls_key = \"DIR/k1\"", "edge.tls_certificate", Fault::NeededWith);
    row("no such certificate", "tls_certificate = \"\"", "tls_certificate = \"DIR/none\" #!", "edge.tls_certificate",
        Fault::NoFile);
    row("body past 64 MiB", "body_max = 1048576", "body_max = 67108865 #!", "edge.body_max", Fault::OutOfRange);
    row("header of nothing", "header_max = 16384", "header_max = 0 #!", "edge.header_max", Fault::OutOfRange);
    row("no time to read", "read_s = 10", "read_s = 0 #!", "edge.read_s", Fault::NotPositive);
    row("time that is no number", "read_s = 10", "read_s = nan #!", "edge.read_s", Fault::NotPositive);
    row("endless time", "read_s = 10", "read_s = inf #!", "edge.read_s", Fault::NotPositive);
    row("no connections", "max_connections = 4096", "max_connections = 0 #!", "edge.max_connections",
        Fault::OutOfRange);
    row("source without name", "name = \"stripe:acct_1\"\n", "", "sources[0].name", Fault::Missing);
    row("unknown scheme", "provider = \"stripe\"", "provider = \"telegram\" #!", "sources[0].provider",
        Fault::NotOneOf);
    row("route without slash", "route = \"/webhooks/stripe\"", "route = \"webhooks\" #!", "sources[0].route",
        Fault::BadRoute);
    row("route with query", "route = \"/webhooks/stripe\"", "route = \"/a?b\" #!", "sources[0].route", Fault::BadRoute);
    row("route that climbs", "route = \"/webhooks/stripe\"", "route = \"/a/../b\" #!", "sources[0].route",
        Fault::BadRoute);
    const auto second = [&](const char* name, const char* source, const char* key) {
        row(name, "[worker]", source, key, Fault::Duplicate);
    };
    second("name twice",
        "[[sources]]\nname = \"stripe:acct_1\" #!\nprovider = \"stripe\"\naccount = \"acct_2\"\nroute = \"/2\"\n"
        "[[sources.secrets]]\nid = \"k2\"\nsecret = \"file:DIR/k2\"\n[worker]",
        "sources[1].name");
    second("account twice",
        "[[sources]]\nname = \"two\"\nprovider = \"stripe\"\naccount = \"acct_1\" #!\nroute = \"/2\"\n"
        "[[sources.secrets]]\nid = \"k2\"\nsecret = \"file:DIR/k2\"\n[worker]",
        "sources[1].account");
    second("route twice",
        "[[sources]]\nname = \"two\"\nprovider = \"stripe\"\naccount = \"acct_2\"\nroute = \"/webhooks/stripe\" #!\n"
        "[[sources.secrets]]\nid = \"k2\"\nsecret = \"file:DIR/k2\"\n[worker]",
        "sources[1].route");
    second("secret id twice", "[[sources.secrets]]\nid = \"k1\" #!\nsecret = \"file:DIR/k2\"\n[worker]",
        "sources[0].secrets[1].id");
    row("source without secrets", "[[sources.secrets]]\nid = \"k1\"\nsecret = \"file:DIR/k1\"\n", "",
        "sources[0].secrets", Fault::Missing);
    row("secret in the file", "secret = \"file:DIR/k1\"", "secret = \"whsec_one\" #!", "sources[0].secrets[0].secret",
        Fault::SecretReference);
    row("relative secret", "secret = \"file:DIR/k1\"", "secret = \"file:k1\" #!", "sources[0].secrets[0].secret",
        Fault::SecretReference);
    row("climbing credential", "secret = \"file:DIR/k1\"", "secret = \"credential:../k1\" #!",
        "sources[0].secrets[0].secret", Fault::SecretReference);
    row("no such secret", "secret = \"file:DIR/k1\"", "secret = \"file:DIR/none\" #!", "sources[0].secrets[0].secret",
        Fault::SecretUnreadable);
    row("folder for secret", "secret = \"file:DIR/k1\"", "secret = \"file:DIR\" #!", "sources[0].secrets[0].secret",
        Fault::SecretUnreadable);
    row("device for secret", "secret = \"file:DIR/k1\"", "secret = \"file:/dev/zero\" #!",
        "sources[0].secrets[0].secret", Fault::SecretUnreadable);
    row("unset variable", "secret = \"file:DIR/k1\"", "secret = \"env:UNAVEZ_NOT_SET\" #!",
        "sources[0].secrets[0].secret", Fault::SecretUnreadable);
    row("no credentials folder", "secret = \"file:DIR/k1\"", "secret = \"credential:k1\" #!",
        "sources[0].secrets[0].secret", Fault::SecretUnreadable);
    row("empty secret", "secret = \"file:DIR/k1\"", "secret = \"file:DIR/empty\" #!", "sources[0].secrets[0].secret",
        Fault::SecretEmpty);
    row("blank in front", "secret = \"file:DIR/k1\"", "secret = \"file:DIR/blank\" #!", "sources[0].secrets[0].secret",
        Fault::SecretWhitespace);
    row("two lines", "secret = \"file:DIR/k1\"", "secret = \"file:DIR/twolines\" #!", "sources[0].secrets[0].secret",
        Fault::SecretWhitespace);
    row("endless secret", "secret = \"file:DIR/k1\"", "secret = \"file:DIR/long\" #!", "sources[0].secrets[0].secret",
        Fault::SecretTooLong);
    row("worker without handler", "[worker]\nhandler = \"http://127.0.0.1:9000/run\"", "[worker] #!", "worker.handler",
        Fault::NeededByRole);
    row("handler of another scheme", "handler = \"http://127.0.0.1:9000/run\"", "handler = \"ftp://h/\" #!",
        "worker.handler", Fault::BadUrl);
    row("handler with password", "handler = \"http://127.0.0.1:9000/run\"", "handler = \"http://a:b@h/\" #!",
        "worker.handler", Fault::BadUrl);
    row("no try at all", "max_attempts = 8", "max_attempts = 0 #!", "worker.max_attempts", Fault::OutOfRange);
    row("no backoff", "backoff_s = [10, 30, 120, 600, 1800, 7200, 10800]", "backoff_s = [] #!", "worker.backoff_s",
        Fault::Empty);
    row("busy polling", "poll_ms = 200", "poll_ms = 1 #!", "worker.poll_ms", Fault::OutOfRange);
    row("gate without token", "[gate]\nlisten = \"127.0.0.1:0\"\ntoken = \"file:DIR/token\"", "[gate] #!", "gate.token",
        Fault::NeededByRole);
    row("gate in the open", "listen = \"127.0.0.1:0\"", "listen = \"10.0.0.1:9000\" #!", "gate.listen",
        Fault::GateInTheOpen);
    row("gate without tool",
        "[tools.charge_customer]\nbackend = \"http://127.0.0.1:9001/invoices/{invoice_id}\"\nmax_attempts = "
        "4\nmin_interval_s = 60\n",
        "[tools] #!\n", "tools.charge_customer", Fault::NeededByRole);
    row("tool without backend", "[tools.charge_customer]\nbackend = \"http://127.0.0.1:9001/invoices/{invoice_id}\"",
        "[tools.charge_customer] #!", "tools.charge_customer.backend", Fault::Missing);
    row("backend without place", "backend = \"http://127.0.0.1:9001/invoices/{invoice_id}\"",
        "backend = \"http://127.0.0.1:9001/invoices\" #!", "tools.charge_customer.backend", Fault::BadTemplate);
    row("backend with other braces", "backend = \"http://127.0.0.1:9001/invoices/{invoice_id}\"",
        "backend = \"http://h/{customer}/{invoice_id}\" #!", "tools.charge_customer.backend", Fault::BadTemplate);
    row("provider without account", "account = \"acct_1\"\nkey = \"file:DIR/key\"", "key = \"file:DIR/key\"",
        "providers.stripe.account", Fault::Missing);
    row("provider without key", "key = \"file:DIR/key\"\n", "", "providers.stripe.key", Fault::Missing);
    row("credential in the open", "url = \"https://api.stripe.com\"", "url = \"http://127.example.com\" #!",
        "providers.stripe.url", Fault::PlainHttp);
    row("no such authorities", "total_s = 30", "total_s = 30\nauthorities = \"DIR/none\" #!",
        "providers.stripe.authorities", Fault::NoFile);
    row("negative grace", "grace_s = 10", "grace_s = -1 #!", "reaper.grace_s", Fault::OutOfRange);
    row("no alert program", "command = [\"/bin/sh\", \"-c\", \"true\"]", "command = [\"DIR/none\"] #!", "alert.command",
        Fault::NoProgram);
    row("relative alert program", "command = [\"/bin/sh\", \"-c\", \"true\"]", "command = [\"sh\"] #!", "alert.command",
        Fault::NoProgram);
    row("no alert program named", "command = [\"/bin/sh\", \"-c\", \"true\"]", "command = [] #!", "alert.command",
        Fault::NoProgram);
    row("connect beyond total", "connect_s = 5", "connect_s = 30 #!", "providers.stripe.connect_s",
        Fault::BrokenTiming);
    row("gate lease within total", "lease_s = 45", "lease_s = 30 #!", "gate.lease_s", Fault::BrokenTiming);
    row("worker lease within gate lease", "lease_s = 60", "lease_s = 45 #!", "worker.lease_s", Fault::BrokenTiming);
    row("rare renewal", "renew_s = 20", "renew_s = 20.5 #!", "worker.renew_s", Fault::BrokenTiming);
    row("margin within backoff", "margin_s = 14400", "margin_s = 12999 #!", "providers.stripe.margin_s",
        Fault::BrokenTiming);
    row("backoff beyond the window", "window_s = 86400", "window_s = 30000", "worker.backoff_s", Fault::BrokenTiming);
}

void tst_configreader::shouldRefuse()
{
    QFETCH(QString, line);
    QFETCH(QString, with);
    QFETCH(QString, key);
    QFETCH(int, fault);
    // GIVEN a file with one thing wrong
    auto text = whole;
    QCOMPARE(text.count(line), 1);
    text.replace(line, with);
    // WHEN it is read
    const auto config = read(text);
    // THEN it is refused for that, at its line and key
    QVERIFY(!config);
    const auto& problem = config.error();
    const auto said = text::sentence(problem);
    QVERIFY2(static_cast<int>(problem.fault) == fault, qPrintable(said));
    QCOMPARE(problem.key, key);
    const auto lines = text.split(QLatin1Char('\n'));
    for (int i = 0; i < lines.size(); ++i) {
        if (lines.at(i).endsWith(QLatin1String("#!")))
            QCOMPARE(problem.line, i + 1);
    }
    QVERIFY2(problem.line >= 1 && said.contains(QStringLiteral(":%1: ").arg(problem.line)), qPrintable(said));
    QVERIFY2(said.contains(key) && !said.contains(QLatin1String("–")), qPrintable(said));
    QVERIFY(!said.contains(QLatin1String("whsec_")));
}

void tst_configreader::shouldRefuseWhatIsNoFile()
{
    const auto none = readConfig(m_folder.filePath(QStringLiteral("none.toml")));
    QVERIFY(!none && none.error().fault == Fault::Unreadable);
    const auto folder = readConfig(m_folder.path());
    QVERIFY(!folder && folder.error().fault == Fault::Unreadable);
}

void tst_configreader::shouldRefuseAFilePastItsLimit()
{
    const auto config = read(QString(1024 * 1024 + 1, QLatin1Char('#')));
    QVERIFY(!config && config.error().fault == Fault::TooLarge);
}

void tst_configreader::shouldSayTheFileTheLineAndTheKeyInOneSentence()
{
    auto text = whole;
    text.replace(QLatin1String("concurrency = 4"), QLatin1String("concurrency = 0"));
    const auto config = read(text);
    QVERIFY(!config);
    QCOMPARE(text::sentence(config.error()),
        m_folder.filePath(QStringLiteral("unavez.toml"))
            + QStringLiteral(":32: worker.concurrency must be from 1 to 256."));
}

void tst_configreader::shouldNeverRepeatASecretThatStandsInTheFile()
{
    auto text = whole;
    text.replace(QLatin1String("file:DIR/key"), QLatin1String("sk_live_very_secret"));
    const auto config = read(text);
    QVERIFY(!config && config.error().fault == Fault::SecretReference);
    QVERIFY(!text::sentence(config.error()).contains(QLatin1String("very_secret")));
}

void tst_configreader::shouldWarnOfASecretEverybodyCanRead()
{
    auto text = whole;
    text.replace(QLatin1String("DIR/k1"), QLatin1String("DIR/open"));
    const auto config = read(text);
    QVERIFY(config);
    QCOMPARE(config->warnings.size(), 1);
    QCOMPARE(config->warnings.first().fault, Fault::SecretOpen);
    QCOMPARE(config->warnings.first().line, 28);
}

void tst_configreader::shouldTakeSecretsFromTheEnvironmentAndFromCredentials()
{
    qputenv("UNAVEZ_TEST_SECRET", "from-env");
    qputenv("CREDENTIALS_DIRECTORY", m_folder.path().toUtf8());
    auto text = whole;
    text.replace(QLatin1String("file:DIR/token"), QLatin1String("env:UNAVEZ_TEST_SECRET"));
    text.replace(QLatin1String("file:DIR/k1"), QLatin1String("credential:k2"));
    const auto config = read(text);
    qunsetenv("CREDENTIALS_DIRECTORY");
    QVERIFY(config);
    QCOMPARE(config->settings.gate.token, QByteArray("from-env"));
    QCOMPARE(config->settings.sources.first().secrets.first().secret, QByteArray("whsec_two"));
    QCOMPARE(config->settings.sources.first().secrets.first().reference, QStringLiteral("credential:k2"));
}

void tst_configreader::shouldFetchNoSecretOfARoleThatIsOff()
{
    auto text = whole;
    text.replace(
        QLatin1String("roles = [\"edge\", \"worker\", \"gate\", \"reaper\"]"), QLatin1String("roles = [\"worker\"]"));
    text.replace(QLatin1String("file:DIR/token"), QLatin1String("file:DIR/none"));
    text.replace(QLatin1String("file:DIR/k1"), QLatin1String("file:DIR/none"));
    const auto config = read(text);
    QVERIFY2(config, qPrintable(config ? QString() : text::sentence(config.error())));
    QVERIFY(config->settings.gate.token.isEmpty());
    QVERIFY(config->settings.sources.first().secrets.first().secret.isEmpty());
    QCOMPARE(config->settings.providers.first().credential, QByteArray("sk_test_1"));
}

void tst_configreader::shouldLetAPracticeStoreAloneShortenTheTimes()
{
    auto text = whole;
    text.replace(QLatin1String("lease_s = 45"), QLatin1String("lease_s = 31.5"));
    const auto config = read(text);
    QVERIFY(config);
    QVERIFY(!timingProblem(*config, true));
    const auto live = timingProblem(*config, false);
    QVERIFY(live && live->fault == Fault::BrokenTiming && live->key == QLatin1String("gate.lease_s"));
    QCOMPARE(live->line, 42);
}

void tst_configreader::shouldReadAddresses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("good");
    QTest::addColumn<bool>("loopback");
    QTest::newRow("IPv4") << QStringLiteral("127.0.0.1:1") << true << true;
    QTest::newRow("all of loopback") << QStringLiteral("127.8.0.1:1") << true << true;
    QTest::newRow("IPv6") << QStringLiteral("[::1]:1") << true << true;
    QTest::newRow("mapped") << QStringLiteral("[::ffff:10.0.0.1]:1") << true << false;
    QTest::newRow("any") << QStringLiteral("0.0.0.0:0") << true << false;
    QTest::newRow("socket") << QStringLiteral("unix:/run/gate") << true << true;
    QTest::newRow("relative socket") << QStringLiteral("unix:gate") << false << false;
    QTest::newRow("short") << QStringLiteral("127.1:1") << false << false;
    QTest::newRow("bare IPv6") << QStringLiteral("::1:1") << false << false;
    QTest::newRow("no port") << QStringLiteral("127.0.0.1") << false << false;
    QTest::newRow("empty") << QString() << false << false;
    QTest::newRow("space") << QStringLiteral(" 127.0.0.1:1") << false << false;
}

void tst_configreader::shouldReadAddresses()
{
    QFETCH(QString, text);
    QFETCH(bool, good);
    const auto address = listenAddress(text, true);
    QCOMPARE(address.has_value(), good);
    if (good)
        QTEST(address->isLoopback(), "loopback");
}

QTEST_GUILESS_MAIN(tst_configreader)
#include "tst_configreader.moc"
