// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace unavez::sandbox {

// What a drill's unavezd is told. Times are short: a practice store allows them (contract.md §10.6).
struct ServiceConfig
{
    QString store;
    QString folder; // keeps state, ports file and the secrets below it
    QString signingKeyId;
    QString webhookSecretFile;
    QString gateTokenFile;
    QString apiKeyFile;
    QString providerUrl;
    QString account;
    QString backendUrl;
    QString agentUrl;
    int maxAttempts = 1;
    int jobLeaseSeconds = 12; // renewed every third of it
};
QString portsFileOf(const ServiceConfig& config);
QString webhookRoute();
// The TOML file unavezd reads.
QByteArray tomlOf(const ServiceConfig& config);

} // namespace unavez::sandbox
