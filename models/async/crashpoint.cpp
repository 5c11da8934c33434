// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/async/crashpoint.h"

#ifdef UNAVEZ_TEST_BUILD

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include <atomic>

namespace unavez::async {

namespace {
thread_local std::function<void(const char*)> observer;

struct Target
{
    std::string name;
    long passing = 1;
};

const Target& target()
{
    static const Target parsed = [] {
        Target t;
        const char* wanted = std::getenv("UNAVEZ_CRASH_AT");
        if (!wanted)
            return t;
        t.name = wanted;
        const auto colon = t.name.rfind(':');
        if (colon != std::string::npos) {
            t.passing = std::strtol(t.name.c_str() + colon + 1, nullptr, 10);
            t.name.resize(colon);
        }
        return t;
    }();
    return parsed;
}

std::atomic<long> passed{0};
} // namespace

void setCrashObserver(std::function<void(const char*)> newObserver) { observer = std::move(newObserver); }

void crashPoint(const char* name)
{
    if (observer)
        observer(name);
    if (target().name == name && ++passed == target().passing)
        std::raise(SIGKILL); // no clean-up of any kind: that is the point
}

} // namespace unavez::async

#endif
