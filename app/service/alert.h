// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/logline.h"
#include "models/contract/time.h"

#include <QQueue>
#include <QStringList>

#include <condition_variable>
#include <thread>

namespace unavez::service {

// A job that died, in words that hold nobody's data.
struct DeadJob
{
    qint64 job = 0;
    QString eventId; // empty where it has none, or where the reaper buried it
    QString source;
    QString errorClass;
};

// alert.command: run once for each job that died, one after another. It is given job=17 event=evt_1
// source=stripe:acct_1 class=handler_failed as its last arguments and as UNAVEZ_JOB, UNAVEZ_EVENT, UNAVEZ_SOURCE,
// UNAVEZ_CLASS; of the service's environment only PATH, HOME and LANG, of its files none. No second try: its failure is
// logged.
class Alert
{
public:
    // An empty command: nothing is run. A command past `limit` is killed with what it started.
    Alert(QStringList command, Log& log, contract::Millis limit = contract::Millis{30000});
    // Lets what waits go out, for at most `limit`.
    ~Alert();
    Alert(const Alert&) = delete;
    Alert& operator=(const Alert&) = delete;

    // Returns at once. At most 1000 wait; what comes then is logged and not run. Any thread.
    void died(const DeadJob& dead);

private:
    void run(std::stop_token stop);
    void runFor(const DeadJob& dead);

    QStringList m_command;
    Log& m_log;
    contract::Millis m_limit;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    QQueue<DeadJob> m_waiting;
    std::chrono::steady_clock::time_point m_until = std::chrono::steady_clock::time_point::max();
    std::jthread m_thread; // last: it uses the rest
};

} // namespace unavez::service
