// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/commands.h"
#include "app/sandbox/composition.h"

#include <QCoreApplication>

int main(int argc, char** argv)
{
    using namespace unavez::sandbox;
    Ending ending; // before the first thread, which would hear the signals instead
    const QCoreApplication application(argc, argv);
    Surroundings around{ending, sqlStoreAccess(), QCoreApplication::applicationDirPath()};
    return run(QCoreApplication::arguments().mid(1), around);
}
