// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/service/daemon.h"

#include <QFile>
#include <QJsonDocument>

#include <csignal>

namespace unavez::tests {

namespace {

void keep(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write %s", qPrintable(path));
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
}

} // namespace

Daemon::Daemon(const QString& storeUrl, const QString& roles, const QString& more)
{
    keep(file(QStringLiteral("k1")), "whsec_test");
    keep(file(QStringLiteral("token")), "gate-token");
    keep(file(QStringLiteral("key")), "sk_test_secret");
    auto text = QStringLiteral("[store]\nurl = \"%1\"\n"
                               "[service]\ninstance = \"test-1\"\nroles = [%2]\nports_file = \"DIR/ports.json\"\n"
                               "heartbeat_s = 1\nadmin = \"127.0.0.1:0\"\n"
                               "[[sources]]\nname = \"stripe:acct_1\"\nprovider = \"stripe\"\naccount = \"acct_1\"\n"
                               "route = \"/webhooks/stripe\"\n"
                               "[[sources.secrets]]\nid = \"k1\"\nsecret = \"file:DIR/k1\"\n"
                               "[edge]\nlisten = \"127.0.0.1:0\"\n")
                    .arg(storeUrl, roles)
        + more;
    text.replace(QLatin1String("DIR"), m_folder.path());
    keep(file(QStringLiteral("unavez.toml")), text.toUtf8());
    m_process.setProgram(QStringLiteral(UNAVEZ_DAEMON));
}

Daemon::~Daemon()
{
    if (isRunning()) {
        m_process.kill();
        m_process.waitForFinished(patience);
    }
}

void Daemon::change(const QByteArray& from, const QByteArray& to)
{
    QFile config(file(QStringLiteral("unavez.toml")));
    if (!config.open(QIODevice::ReadOnly))
        qFatal("no configuration");
    auto text = config.readAll();
    if (!text.contains(from))
        qFatal("the configuration has no %s", from.constData());
    config.close();
    keep(config.fileName(), text.replace(from, to));
}

int Daemon::run(const QStringList& arguments)
{
    m_said.clear();
    m_process.setArguments(QStringList{QStringLiteral("--config"), file(QStringLiteral("unavez.toml"))} + arguments);
    m_process.start();
    if (!m_process.waitForFinished(patience)) {
        m_process.kill();
        m_process.waitForFinished(patience);
        return -1;
    }
    return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -2;
}

void Daemon::start()
{
    m_said.clear();
    m_process.setArguments({QStringLiteral("--config"), file(QStringLiteral("unavez.toml"))});
    m_process.start();
    if (!m_process.waitForStarted(patience))
        qFatal("unavezd does not start");
}

bool Daemon::isUp() const { return QFile::exists(file(QStringLiteral("ports.json"))); }

quint16 Daemon::port(const QString& role) const
{
    QFile ports(file(QStringLiteral("ports.json")));
    if (!ports.open(QIODevice::ReadOnly))
        return 0;
    return static_cast<quint16>(QJsonDocument::fromJson(ports.readAll()).object().value(role).toInt());
}

void Daemon::signal(int number) { ::kill(static_cast<pid_t>(m_process.processId()), number); }

QByteArray Daemon::said()
{
    m_process.waitForReadyRead(1);
    m_said += m_process.readAllStandardError();
    return m_said;
}

QList<QJsonObject> Daemon::log()
{
    QList<QJsonObject> lines;
    for (const auto& line : said().split('\n')) {
        if (const auto object = QJsonDocument::fromJson(line).object(); !object.isEmpty())
            lines.append(object);
    }
    return lines;
}

int Daemon::logged(const QString& code)
{
    int n = 0;
    for (const auto& line : log())
        n += line.value(QLatin1String("code")).toString() == code ? 1 : 0;
    return n;
}

QString spelledUrl(const stores::StoreUrl& url)
{
    if (url.kind == stores::StoreUrl::Kind::Sqlite)
        return QStringLiteral("sqlite://") + url.path;
    return QStringLiteral("postgresql://%1@%2:%3/%4").arg(url.user, url.host).arg(url.port).arg(url.database);
}

} // namespace unavez::tests
