// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/signals.h"

#include <QCoreApplication>

#include <csignal>

#include <sys/signalfd.h>
#include <unistd.h>

namespace unavez::service {

namespace {

sigset_t stopping()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

} // namespace

void StopSignals::block()
{
    const auto set = stopping();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGHUP, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
}

StopSignals::StopSignals(std::function<void()> drain)
    : m_drain(std::move(drain))
{
    const auto set = stopping();
    m_descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    m_notifier = std::make_unique<QSocketNotifier>(m_descriptor, QSocketNotifier::Read);
    QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(), [this] { received(); });
}

StopSignals::~StopSignals()
{
    m_notifier.reset();
    close(m_descriptor);
}

void StopSignals::received()
{
    signalfd_siginfo info{};
    while (read(m_descriptor, &info, sizeof info) == sizeof info) {
        if (m_draining.joinable()) {
            const auto signal = static_cast<int>(info.ssi_signo);
            std::signal(signal, SIG_DFL);
            const auto set = stopping();
            std::raise(signal);
            pthread_sigmask(SIG_UNBLOCK, &set, nullptr); // ends here
        }
        m_draining = std::jthread([this] {
            m_drain();
            QMetaObject::invokeMethod(
                qApp, [] { QCoreApplication::exit(0); }, Qt::QueuedConnection);
        });
    }
}

} // namespace unavez::service
