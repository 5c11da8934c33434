// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/settings.h"

#include <QHostAddress>

namespace unavez::service {

bool ListenAddress::isLoopback() const
{
    if (!path.isEmpty())
        return true;
    const QHostAddress address(host);
    // A name is not asked for: what it resolves to may change after the check.
    return !address.isNull() && address.isLoopback();
}

QString wordOf(Role role)
{
    switch (role) {
    case Role::Edge: return QStringLiteral("edge");
    case Role::Worker: return QStringLiteral("worker");
    case Role::Gate: return QStringLiteral("gate");
    case Role::Reaper: return QStringLiteral("reaper");
    }
    return {};
}

} // namespace unavez::service
