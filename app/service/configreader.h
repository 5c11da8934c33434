// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/settings.h"
#include "ui/text/settingsentences.h"

#include <tl/expected.hpp>

namespace unavez::service {

// A configuration that may be started on, as far as a file can tell, and where each of its keys stands.
struct ReadConfig
{
    Settings settings;
    QString file;
    QHash<QString, int> lines; // by dotted name: sources[0].route
    QList<text::SettingProblem> warnings;

    // The problem of one key, at its line; at its table's where the key is not written.
    text::SettingProblem problem(const QString& key, text::SettingFault fault, const QVariantMap& facts = {}) const;
};

// Reads, checks and fetches the secrets of the roles that are on. Refuses everything the service could not keep its
// promise with: unknown keys, wrong types, ranges, what is missing or there twice, secrets that are none, binds in the
// open, and times that do not hold together on any store (contract.md §10.6).
tl::expected<ReadConfig, text::SettingProblem> readConfig(const QString& path);

// The times again, once the mode of the store is known: only a practice store may shorten them.
std::optional<text::SettingProblem> timingProblem(const ReadConfig& config, bool practice);

// 127.0.0.1:8080, [::1]:8080; unix:/path where `unixToo`. Absent: not one.
std::optional<ListenAddress> listenAddress(const QString& text, bool unixToo);

} // namespace unavez::service
