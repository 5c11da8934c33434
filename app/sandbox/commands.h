// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/ending.h"
#include "app/sandbox/storeaccess.h"

#include <QStringList>

namespace unavez::sandbox {

// What every subcommand is given; it answers with its exit code.
struct Surroundings
{
    Ending& ending;
    StoreAccess stores;
    QString binDir; // where this program stands
};

int runProvider(const QStringList& arguments, Surroundings& around);
int runBackend(const QStringList& arguments, Surroundings& around);
int runAgent(const QStringList& arguments, Surroundings& around);
int runSend(const QStringList& arguments, Surroundings& around);
int runAge(const QStringList& arguments, Surroundings& around);
int runDrill(const QStringList& arguments, Surroundings& around);
int runJudge(const QStringList& arguments, Surroundings& around);

// The subcommand named first in `arguments`, or help.
int run(const QStringList& arguments, Surroundings& around);

} // namespace unavez::sandbox
