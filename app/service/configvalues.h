// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/configtable.h"
#include "app/service/settings.h"

// The kinds of values the configuration knows beyond TOML's own, each with its refusals.
namespace unavez::service {

std::optional<Role> roleFrom(const QString& word);
QString spelled(const ListenAddress& address);
// True where a URL would carry a credential readable over a wire: http to anything but this host.
bool crossesInTheOpen(const QString& url);

void needed(const ConfigTable& table, const char* key);
void neededByRole(const ConfigTable& table, const char* key, Role role);
void readName(const ConfigTable& table, const char* key, QString& into, int max); // 1–max visible ASCII characters
void readAddress(const ConfigTable& table, const char* key, ListenAddress& into, bool unixToo);
void readUrl(const ConfigTable& table, const char* key, QString& into);
void readUrlTemplate(const ConfigTable& table, const char* key, const QString& placeholder, QString& into);
void readFileName(const ConfigTable& table, const char* key, QString& into); // "" is none
// Always checks the reference; fetches the secret where `wanted`.
void readSecretAt(const ConfigTable& table, const char* key, bool wanted, QString& reference, QByteArray& into);

// [[sources]] with its secrets.
void readSources(const ConfigTable& root, Settings& settings);

} // namespace unavez::service
