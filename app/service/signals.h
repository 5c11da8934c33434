// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSocketNotifier>

#include <functional>
#include <memory>
#include <thread>

namespace unavez::service {

// SIGTERM and SIGINT as events of the main thread: the first drains in a thread of its own and then ends the event
// loop, the second ends the process by that very signal. SIGHUP and SIGPIPE are ignored.
class StopSignals
{
public:
    // Before the first thread is made.
    static void block();

    explicit StopSignals(std::function<void()> drain);
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

private:
    void received();

    std::function<void()> m_drain;
    int m_descriptor;
    std::unique_ptr<QSocketNotifier> m_notifier;
    std::jthread m_draining;
};

} // namespace unavez::service
