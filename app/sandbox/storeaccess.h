// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/storequeries.h"

#include <functional>
#include <memory>

namespace unavez::sandbox {

// A store as the judge and the drills read it; lives in its thread.
class StoreReader
{
public:
    virtual ~StoreReader() = default;
    virtual contract::StoreQueries& queries() = 0;
};

// What the sandbox needs of stores; only the composition knows which there are. URLs as unavezctl's --store takes them.
struct StoreAccess
{
    // Makes a practice store where there is none yet. Invalid where one of another mode stands there.
    std::function<contract::Result<>(const QString& url)> preparePractice;
    // Shifts every stored time back. Refused where the store is not for practice.
    std::function<contract::Result<>(const QString& url, contract::Millis by)> age;
    std::function<contract::Result<std::unique_ptr<StoreReader>>(const QString& url)> read;
};

} // namespace unavez::sandbox
