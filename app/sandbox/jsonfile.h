// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"

#include <QJsonObject>

namespace unavez::sandbox {

// Written beside and renamed, so that whoever waits for the file never reads half of it. For the owner's eyes only.
contract::Result<> writeJsonFile(const QString& path, const QJsonObject& object);
// NotFound, Corrupt (no JSON object, or over 1 MiB).
contract::Result<QJsonObject> readJsonFile(const QString& path);
// A new file only its owner reads.
contract::Result<> writePrivateFile(const QString& path, const QByteArray& bytes);
// The secret in a file, without the line break an editor leaves. NotFound, Invalid (empty or over 4 KiB).
contract::Result<QByteArray> readSecretFile(const QString& path);

} // namespace unavez::sandbox
