// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/time.h"

#include <QProcess>
#include <QStringList>

#include <memory>

namespace unavez::sandbox {

// A program of ours, run beside us: what it says goes to a file, and it ends when we do. Needs a QCoreApplication.
class Child
{
public:
    // NotFound where it cannot be started.
    static contract::Result<std::unique_ptr<Child>> start(
        const QString& program, const QStringList& arguments, const QString& logFile);
    ~Child(); // stops it

    qint64 pid() const { return m_pid; }
    bool isRunning();
    void killNow(); // kill -9; it is gone when this returns
    void stop(); // SIGTERM; after five seconds kill -9
    // The last lines it said, for people.
    QString lastWords() const;

private:
    explicit Child(const QString& logFile);
    std::unique_ptr<QProcess> m_process;
    QString m_logFile;
    qint64 m_pid = 0;
};

} // namespace unavez::sandbox
