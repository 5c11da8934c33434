// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/configreader.h"
#include "app/service/highwater.h"
#include "app/service/logline.h"
#include "app/service/storesession.h"

namespace unavez::service {

// What unavezd exits with.
enum ExitCode { ExitDone = 0, ExitUsage = 2, ExitStore = 3 };

struct BootRefusal
{
    ExitCode exit = ExitStore;
    QString sentence;
};

// Why a store cannot be taken: one sentence that begins with where it is.
BootRefusal storeRefusal(const QString& shownUrl, const contract::Error& error);
BootRefusal settingRefusal(const text::SettingProblem& problem);

// The store as it was found good at boot.
struct BootedStore
{
    contract::StoreInfo info;
    QList<contract::Source> sources; // as configured, with their ids
};

// Asks what only the store can tell, and changes nothing: do the times hold together in its mode (contract.md §10.6)?
tl::expected<contract::StoreInfo, BootRefusal> checkStore(StoreSession& store, const ReadConfig& config);

// The whole boot: checkStore(), then a store set back to a backup goes to quarantine (§10.7), and the configured
// sources are written. Refused where the login may not do its part of that.
tl::expected<BootedStore, BootRefusal> bootStore(StoreSession& store, const ReadConfig& config, Log& log);

} // namespace unavez::service
