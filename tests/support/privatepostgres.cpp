// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/privatepostgres.h"

#include <QFile>
#include <QProcess>
#include <QTcpServer>
#include <QtGlobal>

#include <unistd.h>

namespace unavez::tests {

namespace {

const QString binaries = QStringLiteral("/usr/lib/postgresql/15/bin/");

int freePort()
{
    QTcpServer probe;
    probe.listen(QHostAddress::LocalHost);
    return probe.serverPort();
}

void run(const QString& program, const QStringList& arguments)
{
    QProcess process;
    // initdb and postgres refuse root.
    if (geteuid() == 0)
        process.start(QStringLiteral("runuser"),
            QStringList{QStringLiteral("-u"), QStringLiteral("postgres"), QStringLiteral("--"), program} + arguments);
    else
        process.start(program, arguments);
    if (!process.waitForFinished(90'000) || process.exitCode() != 0)
        qFatal("%s failed: %s", qPrintable(program), process.readAllStandardError().constData());
}

} // namespace

PrivatePostgres& PrivatePostgres::instance()
{
    static PrivatePostgres shared(qEnvironmentVariable("UNAVEZ_TEST_PG"));
    return shared;
}

PrivatePostgres::PrivatePostgres()
    : PrivatePostgres(QString())
{
}

PrivatePostgres::PrivatePostgres(const QString& shared)
{
    if (!shared.isEmpty()) {
        const auto parsed = stores::parsedStoreUrl(shared);
        // Tests create roles and drop databases: never on a server that might be somebody's.
        if (!parsed || parsed->user != QLatin1String("unavez_owner") || parsed->host != QLatin1String("127.0.0.1"))
            qFatal("UNAVEZ_TEST_PG must be a private server's, as tests/run sets it");
        m_url = *parsed;
        m_own = false;
        return;
    }
    m_folder = std::make_unique<QTemporaryDir>();
    QFile::setPermissions(m_folder->path(), QFile::Permissions(0x7777));
    m_url.kind = stores::StoreUrl::Kind::PostgreSql;
    m_url.host = QStringLiteral("127.0.0.1");
    m_url.user = QStringLiteral("unavez_owner");
    m_url.port = freePort();
    run(binaries + QStringLiteral("initdb"),
        {QStringLiteral("-D"), m_folder->filePath(QStringLiteral("data")), QStringLiteral("-U"), m_url.user,
            QStringLiteral("-A"), QStringLiteral("trust"), QStringLiteral("-E"), QStringLiteral("UTF8"),
            QStringLiteral("--locale=C.UTF-8"), QStringLiteral("--no-sync")});
    start();
}

void PrivatePostgres::start()
{
    const auto options = QStringLiteral(
        "-c listen_addresses=127.0.0.1 -p %1 -k %2 -c fsync=off -c full_page_writes=off -c shared_buffers=32MB")
                             .arg(QString::number(m_url.port), m_folder->path());
    run(binaries + QStringLiteral("pg_ctl"),
        {QStringLiteral("-D"), m_folder->filePath(QStringLiteral("data")), QStringLiteral("-l"),
            m_folder->filePath(QStringLiteral("log")), QStringLiteral("-w"), QStringLiteral("-o"), options,
            QStringLiteral("start")});
    // A killed test runs no destructor: a watchdog ends the server when this process is gone.
    QFile pidFile(m_folder->filePath(QStringLiteral("data/postmaster.pid")));
    if (!pidFile.open(QIODevice::ReadOnly))
        qFatal("no postmaster.pid");
    const auto pid = QString::fromLatin1(pidFile.readLine().trimmed());
    QProcess::startDetached(QStringLiteral("/bin/sh"),
        {QStringLiteral("-c"),
            QStringLiteral(
                "while kill -0 %1 2>/dev/null && kill -0 %2 2>/dev/null; do sleep 1; done; kill -INT %2 2>/dev/null")
                .arg(QString::number(getpid()), pid)});
}

void PrivatePostgres::stop()
{
    if (!m_own)
        qFatal("this server is shared: a test that stops one starts its own");
    run(binaries + QStringLiteral("pg_ctl"),
        {QStringLiteral("-D"), m_folder->filePath(QStringLiteral("data")), QStringLiteral("-m"),
            QStringLiteral("immediate"), QStringLiteral("-w"), QStringLiteral("stop")});
}

PrivatePostgres::~PrivatePostgres()
{
    if (m_own && QFile::exists(m_folder->filePath(QStringLiteral("data/postmaster.pid"))))
        stop();
}

stores::StoreUrl PrivatePostgres::superuser(const QString& database) const
{
    auto url = m_url;
    url.database = database;
    return url;
}

} // namespace unavez::tests
