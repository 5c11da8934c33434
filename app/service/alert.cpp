// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/alert.h"

#include <QFile>

#include <algorithm>
#include <csignal>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace unavez::service {

using namespace contract;

namespace {

constexpr qsizetype mostWaiting = 1000;

class SpawnSetup
{
public:
    SpawnSetup()
    {
        posix_spawn_file_actions_init(&m_files);
        posix_spawn_file_actions_addopen(&m_files, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&m_files, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&m_files, 2, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addclosefrom_np(&m_files, 3);
        posix_spawnattr_init(&m_attributes);
        // The service blocks and ignores signals that its child should live and die by.
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&m_attributes, &none);
        posix_spawnattr_setsigdefault(&m_attributes, &all);
        posix_spawnattr_setpgroup(&m_attributes, 0);
        posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    ~SpawnSetup()
    {
        posix_spawn_file_actions_destroy(&m_files);
        posix_spawnattr_destroy(&m_attributes);
    }
    SpawnSetup(const SpawnSetup&) = delete;
    SpawnSetup& operator=(const SpawnSetup&) = delete;

    const posix_spawn_file_actions_t* files() const { return &m_files; }
    const posix_spawnattr_t* attributes() const { return &m_attributes; }

private:
    posix_spawn_file_actions_t m_files;
    posix_spawnattr_t m_attributes;
};

std::vector<char*> pointers(QList<QByteArray>& texts)
{
    std::vector<char*> all;
    for (auto& text : texts)
        all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

// True when it ended by itself in time.
bool awaitEnd(pid_t pid, Millis limit)
{
    const auto handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    if (handle < 0)
        return false;
    pollfd ended{handle, POLLIN, 0};
    const bool inTime = poll(&ended, 1, static_cast<int>(limit.count())) == 1;
    close(handle);
    return inTime;
}

} // namespace

Alert::Alert(QStringList command, Log& log, Millis limit)
    : m_command(std::move(command))
    , m_log(log)
    , m_limit(limit)
{
    if (!m_command.isEmpty())
        m_thread = std::jthread([this](std::stop_token stop) { run(std::move(stop)); });
}

Alert::~Alert()
{
    {
        const std::lock_guard lock(m_mutex);
        m_until = std::chrono::steady_clock::now() + m_limit;
    }
    m_thread.request_stop();
}

void Alert::died(const DeadJob& dead)
{
    if (m_command.isEmpty())
        return;
    {
        const std::lock_guard lock(m_mutex);
        if (m_waiting.size() >= mostWaiting) {
            m_log.error(QLatin1String("alert_dropped"), {{QStringLiteral("job"), dead.job}});
            return;
        }
        m_waiting.enqueue(dead);
    }
    m_changed.notify_one();
}

void Alert::run(std::stop_token stop)
{
    while (true) {
        DeadJob dead;
        {
            std::unique_lock lock(m_mutex);
            if (!m_changed.wait(lock, stop, [this] { return !m_waiting.isEmpty(); }))
                return; // stopped, and nothing waits
            dead = m_waiting.dequeue();
            if (std::chrono::steady_clock::now() > m_until) {
                m_log.error(QLatin1String("alert_dropped"), {{QStringLiteral("job"), dead.job}});
                continue;
            }
        }
        runFor(dead);
    }
}

void Alert::runFor(const DeadJob& dead)
{
    const QList<std::pair<QByteArray, QByteArray>> facts{{"job", QByteArray::number(dead.job)},
        {"event", dead.eventId.toUtf8()}, {"source", dead.source.toUtf8()}, {"class", dead.errorClass.toUtf8()}};
    QList<QByteArray> arguments, environment;
    for (const auto& argument : m_command)
        arguments.append(QFile::encodeName(argument));
    for (const auto* kept : {"PATH", "HOME", "LANG"}) {
        if (qEnvironmentVariableIsSet(kept))
            environment.append(QByteArray(kept) + '=' + qgetenv(kept));
    }
    for (const auto& [name, value] : facts) {
        // name=value, so that no id from outside ever reads as an option.
        arguments.append(name + '=' + value);
        environment.append("UNAVEZ_" + name.toUpper() + '=' + value);
    }
    auto argv = pointers(arguments);
    auto envp = pointers(environment);
    const SpawnSetup setup;
    pid_t pid = 0;
    const int failed = posix_spawn(&pid, argv.front(), setup.files(), setup.attributes(), argv.data(), envp.data());
    if (failed != 0) {
        m_log.error(
            QLatin1String("alert_failed"), {{QStringLiteral("job"), dead.job}, {QStringLiteral("native"), failed}});
        return;
    }
    const bool inTime = awaitEnd(pid, m_limit);
    if (!inTime)
        kill(-pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) { }
    const QJsonObject fields{{QStringLiteral("job"), dead.job},
        {QStringLiteral("exit"), WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)}};
    if (inTime && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        m_log.info(QLatin1String("alert_sent"), fields);
    else
        m_log.error(inTime ? QLatin1String("alert_failed") : QLatin1String("alert_timed_out"), fields);
}

} // namespace unavez::service
