// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/ending.h"

#include <csignal>
#include <ctime>

namespace unavez::sandbox {

namespace {

sigset_t endSignals()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

} // namespace

Ending::Ending()
{
    const auto set = endSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool Ending::isAskedWithin(contract::Millis time)
{
    if (m_isAsked)
        return true;
    const auto set = endSignals();
    const timespec left{time.count() / 1000, (time.count() % 1000) * 1'000'000};
    m_isAsked = sigtimedwait(&set, nullptr, &left) > 0;
    return m_isAsked;
}

void Ending::wait()
{
    while (!isAskedWithin(contract::Millis{60000})) { }
}

void Ending::hearAgain()
{
    const auto set = endSignals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace unavez::sandbox
