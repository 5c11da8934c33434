// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/httplistener.h"

#include <mutex>

namespace unavez::tests {

// Answers every request with what it was, and remembers it.
class Echo
{
public:
    explicit Echo(service::ListenerSettings settings)
        : listener(
            std::move(settings),
            [this](service::HttpRequest&& request, const service::Reply& reply) { answer(std::move(request), reply); },
            [this](const service::RefusedRequest& refused) {
                const std::lock_guard lock(m_mutex);
                m_refused.append(refused);
            })
    {
        const auto started = listener.start();
        if (!started)
            qFatal("%s", qPrintable(started.error().detail));
    }

    QList<service::HttpRequest> seen() const
    {
        const std::lock_guard lock(m_mutex);
        return m_seen;
    }
    QList<service::RefusedRequest> refused() const
    {
        const std::lock_guard lock(m_mutex);
        return m_refused;
    }
    // From now on requests wait until release().
    void hold()
    {
        const std::lock_guard lock(m_mutex);
        m_isHeld = true;
    }
    void release()
    {
        QList<service::Reply> held;
        {
            const std::lock_guard lock(m_mutex);
            m_isHeld = false;
            held.swap(m_held);
        }
        for (const auto& reply : held)
            reply(service::jsonResponse(200, {{QStringLiteral("late"), true}}));
    }
    int held() const
    {
        const std::lock_guard lock(m_mutex);
        return static_cast<int>(m_held.size());
    }

private:
    void answer(service::HttpRequest&& request, const service::Reply& reply)
    {
        const std::lock_guard lock(m_mutex);
        m_seen.append(request);
        if (m_isHeld)
            m_held.append(reply);
        else
            reply(service::jsonResponse(200, {{QStringLiteral("size"), request.body.size()}}));
    }
    mutable std::mutex m_mutex;
    QList<service::HttpRequest> m_seen;
    QList<service::RefusedRequest> m_refused;
    QList<service::Reply> m_held;
    bool m_isHeld = false;

public:
    service::HttpListener listener; // last: it stops before what it calls goes
};

inline service::ListenerSettings onLoopback()
{
    service::ListenerSettings settings;
    settings.listen = {QStringLiteral("127.0.0.1"), 0, {}};
    return settings;
}

} // namespace unavez::tests
