// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/writerqueue.h"

#include <QHash>

#include <condition_variable>
#include <mutex>

namespace unavez::stores {

namespace {

struct Queue
{
    quint64 next = 0; // ticket to hand out
    quint64 serving = 0;
};

struct Queues
{
    std::mutex mutex;
    std::condition_variable moved;
    QHash<QString, Queue> byPlace;
};

Queues& queues()
{
    static Queues all;
    return all;
}

} // namespace

void takeWriterTurn(const QString& place)
{
    std::unique_lock lock(queues().mutex);
    const auto ticket = queues().byPlace[place].next++;
    queues().moved.wait(lock, [&] { return queues().byPlace[place].serving == ticket; });
}

void endWriterTurn(const QString& place)
{
    {
        const std::lock_guard lock(queues().mutex);
        ++queues().byPlace[place].serving;
    }
    queues().moved.notify_all();
}

} // namespace unavez::stores
