// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/logline.h"

#include <QJsonDocument>
#include <QTemporaryFile>

namespace unavez::tests {

// A log whose lines can be read back.
class LogPipe
{
public:
    LogPipe()
        : m_opened(m_file.open())
        , m_log(m_file.handle())
    {
        if (!m_opened)
            qFatal("no temporary file");
    }
    service::Log& log() { return m_log; }
    QList<QJsonObject> lines() const
    {
        QFile file(m_file.fileName());
        QList<QJsonObject> read;
        if (!file.open(QIODevice::ReadOnly))
            return read;
        for (const auto& line : file.readAll().split('\n')) {
            if (line.isEmpty())
                continue;
            const auto object = QJsonDocument::fromJson(line).object();
            if (object.isEmpty())
                qFatal("not a JSON object: %s", line.constData());
            read.append(object);
        }
        return read;
    }
    int count(const QString& code) const
    {
        int n = 0;
        for (const auto& line : lines())
            n += line.value(QLatin1String("code")).toString() == code ? 1 : 0;
        return n;
    }

private:
    QTemporaryFile m_file;
    bool m_opened;
    service::Log m_log;
};

} // namespace unavez::tests
