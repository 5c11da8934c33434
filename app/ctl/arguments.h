// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/states.h"

#include <QString>
#include <QStringList>

#include <tl/expected.hpp>

#include <optional>

namespace unavez::ctl {

// What the command line said (contract.md §13.3). Usage mistakes never reach the store.
struct Arguments
{
    QString verb; // status, list, …; "help" and "version" too
    QStringList words; // what follows the verb
    QString store; // --store, else UNAVEZ_STORE
    bool storeFromEnvironment = false;
    bool json = false;
    bool dryRun = false;
    bool yes = false;
    bool release = false; // hold --release
    bool check = false; // status --check
    QString reason;
    QString source; // list --source
    std::optional<qint64> sinceMs; // list --since, as an instant
    int limit = 50;
    QString cursor;
    std::optional<contract::StoreMode> mode; // migrate --mode
};

struct UsageError
{
    QString message; // one sentence that says what to write instead
};

tl::expected<Arguments, UsageError> parsed(const QStringList& commandLine, const QString& environmentStore);

// The page a person gets for --help.
QString usage();

} // namespace unavez::ctl
