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

} // namespace unavez::service
