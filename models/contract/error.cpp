// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/error.h"

namespace unavez::contract {

QString wordOf(Error::Kind kind)
{
    switch (kind) {
    case Error::Kind::Offline: return QStringLiteral("offline");
    case Error::Kind::Timeout: return QStringLiteral("timeout");
    case Error::Kind::Denied: return QStringLiteral("denied");
    case Error::Kind::NotFound: return QStringLiteral("not_found");
    case Error::Kind::Conflict: return QStringLiteral("conflict");
    case Error::Kind::Refused: return QStringLiteral("refused");
    case Error::Kind::Invalid: return QStringLiteral("invalid");
    case Error::Kind::Corrupt: return QStringLiteral("corrupt");
    case Error::Kind::Full: return QStringLiteral("full");
    case Error::Kind::ReadOnly: return QStringLiteral("read_only");
    case Error::Kind::SchemaMissing: return QStringLiteral("schema_missing");
    case Error::Kind::SchemaNewer: return QStringLiteral("schema_newer");
    case Error::Kind::Cancelled: return QStringLiteral("cancelled");
    }
    return QStringLiteral("corrupt");
}

} // namespace unavez::contract
