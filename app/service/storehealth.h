// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/logline.h"
#include "app/service/storesession.h"

#include <atomic>
#include <condition_variable>
#include <stop_token>

namespace unavez::service {

// Whether the store answers, as this process last saw it: what /readyz shows, and logged once per change however many
// threads see it. Any thread.
class StoreHealth
{
public:
    explicit StoreHealth(Log& log);
    // What says nothing of the store itself (Conflict, Refused, Corrupt) is logged and leaves it where it was.
    void failed(const contract::Error& error);
    void worked();
    bool isAway() const { return m_away.load(std::memory_order_relaxed); }

private:
    Log& m_log;
    std::atomic<bool> m_away{false};
};

// Sleeps until `wait` is over (true) or the stop is asked for (false).
bool rest(std::stop_token stop, contract::Millis wait);

// One thread's store: opened when it is needed, let go when it failed, opened again with a growing pause of at most 5
// s.
class StoreLink
{
public:
    StoreLink(OpenStore open, StoreHealth& health);

    // Blocks until the store is there; nullptr where the stop came first. `reopened` is set where the session is not
    // the one of the last call, so that what was built on that one must be built anew.
    StoreSession* session(std::stop_token stop, bool* reopened = nullptr);
    // One try at most, without a pause: nullptr where the store is not there now.
    StoreSession* tried();
    // The store did not answer as it should: the next session() is a new one, after a pause.
    void failed(const contract::Error& error);
    // It did: the next pause is short again.
    void worked();

private:
    OpenStore m_open;
    StoreHealth& m_health;
    std::unique_ptr<StoreSession> m_session;
    contract::Millis m_pause{0};
};

} // namespace unavez::service
