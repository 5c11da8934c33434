// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/children.h"

#include "app/sandbox/ending.h"

#include <QFile>

#include <csignal>
#include <sys/prctl.h>

namespace unavez::sandbox {

using contract::Error;
using contract::fail;
using contract::Result;

Child::Child(const QString& logFile)
    : m_process(std::make_unique<QProcess>())
    , m_logFile(logFile)
{
}

Child::~Child() { stop(); }

Result<std::unique_ptr<Child>> Child::start(
    const QString& program, const QStringList& arguments, const QString& logFile)
{
    auto child = std::unique_ptr<Child>(new Child(logFile));
    auto& process = *child->m_process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setStandardOutputFile(logFile, QIODevice::Append);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setChildProcessModifier([] {
        Ending::hearAgain();
        prctl(PR_SET_PDEATHSIG, SIGTERM); // also when we are killed
    });
    process.start(program, arguments);
    if (!process.waitForStarted(10000))
        return fail(Error::Kind::NotFound, QStringLiteral("%1: %2").arg(program, process.errorString()));
    child->m_pid = process.processId();
    return child;
}

bool Child::isRunning()
{
    if (m_process->state() != QProcess::NotRunning)
        m_process->waitForFinished(0); // there is no event loop to notice it
    return m_process->state() != QProcess::NotRunning;
}

void Child::killNow()
{
    if (!isRunning())
        return;
    m_process->kill();
    m_process->waitForFinished(10000);
}

void Child::stop()
{
    if (!isRunning())
        return;
    m_process->terminate();
    if (!m_process->waitForFinished(5000))
        killNow();
}

QString Child::lastWords() const
{
    QFile file(m_logFile);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    constexpr qint64 tail = 2048;
    file.seek(std::max<qint64>(0, file.size() - tail));
    return QString::fromUtf8(file.readAll()).trimmed();
}

} // namespace unavez::sandbox
