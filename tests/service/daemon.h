// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/stores/sql/storeurl.h"

#include <QJsonObject>
#include <QMap>
#include <QProcess>
#include <QTemporaryDir>

namespace unavez::tests {

// The real unavezd on a configuration of its own. Whatever a test leaves running is killed with it.
class Daemon
{
public:
    static constexpr int patience = 20000; // ms, for a loaded machine

    // Secrets k1 (whsec_test), token and key are there as files. `more` is TOML after [store], [service] and
    // [[sources]].
    Daemon(const QString& storeUrl, const QString& roles, const QString& more = {});
    ~Daemon();
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;

    // Changes one thing in the configuration; the test program ends where it is not there.
    void change(const QByteArray& from, const QByteArray& to);
    QString file(const QString& name) const { return m_folder.filePath(name); }
    // Lets a start end by itself: --check, or a refusal.
    int run(const QStringList& arguments = {});
    void start();
    bool isUp() const; // the ports file is there
    quint16 port(const QString& role) const;
    bool isRunning() const { return m_process.state() == QProcess::Running; }
    void signal(int number);
    bool ends(int within = patience) { return m_process.waitForFinished(within); }
    const QProcess& process() const { return m_process; }
    QByteArray said(); // stderr up to now
    QList<QJsonObject> log(); // the JSON lines of it
    int logged(const QString& code);

private:
    QTemporaryDir m_folder;
    QProcess m_process;
    QByteArray m_said;
};

// As unavezd's configuration spells it.
QString spelledUrl(const stores::StoreUrl& url);

} // namespace unavez::tests
