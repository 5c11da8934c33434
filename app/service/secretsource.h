// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/text/settingsentences.h"

#include <QByteArray>

#include <tl/expected.hpp>

namespace unavez::service {

struct FoundSecret
{
    QByteArray secret; // 1–4096 bytes, without white space
    bool openToAll = false; // its file can be read by everybody on the host
};

struct SecretRefusal
{
    text::SettingFault fault = text::SettingFault::SecretUnreadable;
    QString why; // the system's words; never any of the secret
};

// Where a secret is kept: file:/absolute/path, env:NAME, credential:NAME (in systemd's $CREDENTIALS_DIRECTORY). One
// line end after it is an editor's and is dropped; any other white space is a mistake that would only show as
// mismatches.
tl::expected<FoundSecret, SecretRefusal> readSecret(const QString& reference);
bool isSecretReference(const QString& reference);

// What the store and the log show of a secret: 12 hex of its SHA-256.
QString fingerprintOf(const QByteArray& secret);

} // namespace unavez::service
