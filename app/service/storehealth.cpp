// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/storehealth.h"

#include <algorithm>

namespace unavez::service {

using namespace contract;

namespace {
constexpr Millis firstPause{100};
constexpr Millis longestPause{5000};
} // namespace

StoreHealth::StoreHealth(Log& log)
    : m_log(log)
{
}

void StoreHealth::failed(const Error& error)
{
    switch (error.kind) {
    case Error::Kind::Conflict:
    case Error::Kind::Refused:
    case Error::Kind::Invalid:
    case Error::Kind::Corrupt:
    case Error::Kind::Cancelled: m_log.error(QLatin1String("store_error"), logged(error)); return;
    default: break;
    }
    if (!m_away.exchange(true))
        m_log.error(QLatin1String("store_away"), logged(error));
}

void StoreHealth::worked()
{
    if (m_away.load(std::memory_order_relaxed) && m_away.exchange(false))
        m_log.info(QLatin1String("store_back"));
}

bool rest(std::stop_token stop, Millis wait)
{
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, wait, [] { return false; });
    return !stop.stop_requested();
}

StoreLink::StoreLink(OpenStore open, StoreHealth& health)
    : m_open(std::move(open))
    , m_health(health)
{
}

StoreSession* StoreLink::session(std::stop_token stop, bool* reopened)
{
    if (reopened)
        *reopened = !m_session;
    while (!m_session && !stop.stop_requested()) {
        if (m_pause > Millis{0} && !rest(stop, m_pause))
            return nullptr;
        auto opened = m_open();
        if (opened) {
            m_session = std::move(*opened);
            break;
        }
        failed(opened.error());
    }
    return stop.stop_requested() ? nullptr : m_session.get();
}

StoreSession* StoreLink::tried()
{
    if (!m_session) {
        auto opened = m_open();
        if (opened)
            m_session = std::move(*opened);
        else
            failed(opened.error());
    }
    return m_session.get();
}

void StoreLink::failed(const Error& error)
{
    m_session.reset();
    m_health.failed(error);
    m_pause = m_pause == Millis{0} ? firstPause : std::min(m_pause * 2, longestPause);
}

void StoreLink::worked()
{
    m_health.worked();
    m_pause = Millis{0};
}

} // namespace unavez::service
