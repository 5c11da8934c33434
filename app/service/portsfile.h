// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"

#include <QMap>

namespace unavez::service {

// Where to reach a service whose configuration says port 0: {"edge":8080,"pid":123}, there by rename once every
// listener is up, and gone with the service. An empty path: none.
class PortsFile
{
public:
    explicit PortsFile(QString path); // removes what an earlier, killed service left
    ~PortsFile();
    PortsFile(const PortsFile&) = delete;
    PortsFile& operator=(const PortsFile&) = delete;

    contract::Result<> write(const QMap<QString, quint16>& ports); // Denied

private:
    QString m_path;
    bool m_written = false;
};

} // namespace unavez::service
