// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"

#include <QString>

#include <optional>

namespace unavez::service {

// How far a store was seen to be (contract.md §10.7): what is left when its rows are not.
struct HighWater
{
    QString store; // its id
    qint64 epoch = 1;
    qint64 lastCall = 0; // the highest provider_calls id
    bool operator==(const HighWater&) const = default;
};

// A store that shows less than was seen of it: it was set back to a backup, and sends are missing from it. A lifted
// quarantine counts the epoch up, which settles what came before.
bool isRewound(const HighWater& seen, const HighWater& shown);

// The file that remembers, outside of the store; one per store, so that a service pointed at another one forgets
// nothing. Several services of one host may share its folder.
class HighWaterFile
{
public:
    HighWaterFile(const QString& folder, const QString& storeId);

    const QString& path() const { return m_path; }
    // Absent: this store was never seen here. Corrupt, Denied: a file is there, and cannot be relied on.
    contract::Result<std::optional<HighWater>> read() const;
    // By rename, on the disk when it returns; never lowers what stands there. Full, ReadOnly, Denied.
    contract::Result<> raise(const HighWater& shown);

private:
    QString m_path;
};

} // namespace unavez::service
