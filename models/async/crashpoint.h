// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Named places where a process can be made to die (contract.md §15.2). A shipped build has none: the macro is empty.
#ifdef UNAVEZ_TEST_BUILD
#include <functional>

namespace unavez::async {

// Dies by SIGKILL at the n-th passing of the point that UNAVEZ_CRASH_AT=<name>[:n] names.
void crashPoint(const char* name);
// Simulations look on (and throw) instead; nullptr ends it. One per thread.
void setCrashObserver(std::function<void(const char*)> observer);

} // namespace unavez::async

#define UNAVEZ_CRASH_POINT(name) ::unavez::async::crashPoint(name)
#else
#define UNAVEZ_CRASH_POINT(name) static_cast<void>(0)
#endif
