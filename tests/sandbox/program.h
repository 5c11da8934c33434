// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QProcess>

#include <memory>

namespace unavez::tests {

// A program of this build; the tests stand beside it.
inline QString programPath(const QString& name)
{
    return QCoreApplication::applicationDirPath() + QLatin1Char('/') + name;
}

struct Ended
{
    int exit = -1;
    QByteArray out;
    QByteArray err;
};

inline Ended ran(const QString& program, const QStringList& arguments, int mostMs = 60000)
{
    QProcess process;
    process.start(programPath(program), arguments);
    if (!process.waitForFinished(mostMs))
        return {-1, process.readAllStandardOutput(), process.readAllStandardError()};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2, process.readAllStandardOutput(),
        process.readAllStandardError()};
}

inline std::unique_ptr<QProcess> begun(const QString& program, const QStringList& arguments)
{
    auto process = std::make_unique<QProcess>();
    process->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process->start(programPath(program), arguments);
    return process;
}

// Exit code after SIGTERM; -2 where it did not end by itself.
inline int stopped(QProcess& process)
{
    process.terminate();
    if (!process.waitForFinished(20000)) {
        process.kill();
        process.waitForFinished();
        return -2;
    }
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
}

} // namespace unavez::tests
