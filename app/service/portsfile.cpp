// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/portsfile.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <unistd.h>

namespace unavez::service {

using namespace contract;

PortsFile::PortsFile(QString path)
    : m_path(std::move(path))
{
    if (!m_path.isEmpty())
        QFile::remove(m_path);
}

PortsFile::~PortsFile()
{
    if (m_written)
        QFile::remove(m_path);
}

Result<> PortsFile::write(const QMap<QString, quint16>& ports)
{
    if (m_path.isEmpty())
        return done();
    QJsonObject object{{QStringLiteral("pid"), qint64{getpid()}}};
    for (auto it = ports.begin(); it != ports.end(); ++it)
        object.insert(it.key(), it.value());
    QSaveFile file(m_path);
    if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n') < 0
        || !file.commit())
        return fail(Error::Kind::Denied, file.errorString());
    m_written = true;
    return done();
}

} // namespace unavez::service
