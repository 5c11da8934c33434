// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/workerpool.h"

namespace unavez::service {

// The reaper role: a look every `every`, chunk after chunk while there is more.
class ReaperLoop
{
public:
    ReaperLoop(const SharedParts& shared, contract::Millis every, contract::Seconds grace);

private:
    void run(std::stop_token stop);

    SharedParts m_shared;
    contract::Millis m_every;
    contract::Seconds m_grace;
    std::jthread m_thread; // last: it uses the rest; its end stops it
};

} // namespace unavez::service
