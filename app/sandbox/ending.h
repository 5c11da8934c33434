// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/time.h"

namespace unavez::sandbox {

// The end somebody asks for by SIGINT or SIGTERM. Made first in main(): the threads started after it do not hear the
// two signals, and whoever asks here does.
class Ending
{
public:
    Ending();

    // Sleeps that long, or until the end is asked for. True from then on.
    bool isAskedWithin(contract::Millis time);
    void wait();
    // For a child process between fork and exec, or it would inherit our deafness.
    static void hearAgain();

private:
    bool m_isAsked = false;
};

} // namespace unavez::sandbox
