// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/lazystore.h"

#include <algorithm>

namespace unavez::service {

using namespace contract;

namespace {
constexpr Millis firstPause{100};
} // namespace

bool isOfTheStore(Error::Kind kind)
{
    return kind != Error::Kind::Conflict && kind != Error::Kind::Refused && kind != Error::Kind::Invalid
        && kind != Error::Kind::Corrupt && kind != Error::Kind::Cancelled;
}

LazyStore::LazyStore(OpenStore open, StoreHealth& health, Millis longestPause)
    : m_open(std::move(open))
    , m_health(health)
    , m_longestPause(longestPause)
{
}

StoreSession* LazyStore::session()
{
    if (m_session || std::chrono::steady_clock::now() < m_openAfter)
        return m_session.get();
    auto opened = m_open();
    if (opened)
        m_session = std::move(*opened);
    else
        letGo(opened.error());
    return m_session.get();
}

void LazyStore::failed(const Error& error)
{
    if (isOfTheStore(error.kind))
        letGo(error);
    else
        m_health.failed(error);
}

// Whatever kept it from opening: it is not there for us.
void LazyStore::letGo(const Error& error)
{
    m_session.reset();
    m_fault = error;
    m_health.failed(error);
    m_pause = std::min(m_pause == Millis{0} ? firstPause : m_pause * 2, m_longestPause);
    m_openAfter = std::chrono::steady_clock::now() + m_pause;
}

void LazyStore::worked()
{
    m_pause = Millis{0};
    m_fault.reset();
    m_health.worked();
}

} // namespace unavez::service
