// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/rows.h"
#include "models/engine/timing.h"

#include <QHash>
#include <QSet>
#include <QStringList>

#include <optional>

// What the configuration says, read and checked: plain values, the secrets already fetched from where they are kept.
namespace unavez::service {

enum class Role { Edge, Worker, Gate, Reaper };
QString wordOf(Role role); // edge, worker, gate, reaper

// Where a listener binds. Port 0: any free one.
struct ListenAddress
{
    QString host; // a literal address; empty with `path`
    quint16 port = 0;
    QString path; // a Unix socket, with "unix:"
    bool isLoopback() const; // true for a Unix socket
};

struct SourceSecret
{
    QString id; // signing key id, unique in the store
    QString reference; // file:/path, env:NAME, credential:NAME: what the store shows
    QByteArray secret; // never logged, never stored
};

struct SourceSettings
{
    QString name; // stripe:acct_1
    QString provider;
    QString account;
    QString route; // /webhooks/stripe
    contract::Seconds tolerance{300};
    QList<SourceSecret> secrets; // at least one
};

struct EdgeSettings
{
    ListenAddress listen{QStringLiteral("127.0.0.1"), 8080, {}};
    bool behindProxy = false;
    QString tlsCertificate; // PEM files; both or none
    QString tlsKey;
    qint64 bodyMax = 1024 * 1024; // bytes
    qint64 headerMax = 16 * 1024;
    contract::Millis read{10000}; // to send one request
    int maxConnections = 4096;
};

struct WorkerPoolSettings
{
    QString handler; // URL
    bool payload = true;
    int concurrency = 4;
    int maxAttempts = 8;
    contract::Millis handlerTime{600000};
    contract::Millis poll{200};
};

struct GateFrontSettings
{
    ListenAddress listen{QStringLiteral("127.0.0.1"), 0, {}};
    QByteArray token; // bearer
};

struct ProviderSettings
{
    QString name; // stripe
    QString url;
    QString account;
    QByteArray credential;
    std::optional<QString> authorityFile; // PEM; absent: the system's authorities
};

struct ToolSettings
{
    QString name; // charge_customer
    QString backend; // URL with {invoice_id}
    int maxAttempts = 4;
    contract::Seconds minInterval{60}; // between two attempts an operator opens
};

struct Settings
{
    QString store; // URL, without a password
    QString instance;
    QSet<Role> roles{Role::Edge, Role::Worker, Role::Gate, Role::Reaper};
    QString stateDir;
    QString portsFile; // empty: none
    std::optional<ListenAddress> admin;
    contract::Seconds heartbeat{5};
    contract::Millis drain{30000}; // what running jobs and requests get after SIGTERM
    EdgeSettings edge;
    QList<SourceSettings> sources;
    WorkerPoolSettings worker;
    GateFrontSettings gate;
    QList<ProviderSettings> providers;
    QList<ToolSettings> tools;
    engine::Timing timing; // every time limit that hangs together with another
    contract::Seconds reapEvery{5};
    QStringList alertCommand; // empty: none
    QByteArray sha256; // of the file: which configuration runs
};

} // namespace unavez::service
