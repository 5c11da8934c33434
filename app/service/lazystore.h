// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/storehealth.h"

#include <chrono>
#include <optional>

namespace unavez::service {

// Trouble of the store or of the connection to it, not of a row or of who asks.
bool isOfTheStore(contract::Error::Kind kind);

// One thread's store, for threads somebody waits on: opened when it is needed, never waited for. While it is away it is
// tried again with a growing pause, and whoever asks in between is told at once.
class LazyStore
{
public:
    LazyStore(OpenStore open, StoreHealth& health, contract::Millis longestPause = contract::Millis{1000});

    // nullptr: away. What is built on the session goes before failed() is told.
    StoreSession* session();
    // Why it was away at the last try; absent once it worked.
    const std::optional<contract::Error>& fault() const { return m_fault; }
    // Lets the session go where the error is of the store; logs it either way.
    void failed(const contract::Error& error);
    void worked();
    void close() { m_session.reset(); } // in the thread that used it

private:
    void letGo(const contract::Error& error);

    const OpenStore m_open;
    StoreHealth& m_health;
    const contract::Millis m_longestPause;
    std::unique_ptr<StoreSession> m_session;
    std::optional<contract::Error> m_fault;
    contract::Millis m_pause{0};
    std::chrono::steady_clock::time_point m_openAfter;
};

} // namespace unavez::service
