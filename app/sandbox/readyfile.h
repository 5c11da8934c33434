// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"

#include <QJsonObject>

#include <optional>

namespace unavez::sandbox {

// What a drill tells when its state stands (contract.md §13.4).
struct ReadyFile
{
    QString drill;
    QString store;
    QString providerUrl;
    QString providerLedger; // path
    QString gateUrl;
    QString edgeUrl; // the route deliveries go to
    QString backendUrl;
    std::optional<QString> event;
    std::optional<qint64> job;
    std::optional<QString> invoice;
    std::optional<QString> intent;
    std::optional<QString> key;
    qint64 servicePid = 0;
    qint64 providerPid = 0;
    qint64 agentPid = 0;
    bool operator==(const ReadyFile&) const = default;
};
QJsonObject jsonOf(const ReadyFile& ready);
// Corrupt, naming the field that is missing.
contract::Result<ReadyFile> readyFileOf(const QJsonObject& json);

} // namespace unavez::sandbox
