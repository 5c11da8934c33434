// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/logline.h"

#include "models/contract/time.h"

#include <QJsonDocument>
#include <QtGlobal>

#include <atomic>
#include <cerrno>

#include <unistd.h>

namespace unavez::service {

namespace {

QLatin1String wordOf(LogLevel level)
{
    switch (level) {
    case LogLevel::Info: return QLatin1String("info");
    case LogLevel::Warning: return QLatin1String("warning");
    case LogLevel::Error: break;
    }
    return QLatin1String("error");
}

std::atomic<Log*> qtLog{nullptr};

void takeQtMessage(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    auto* log = qtLog.load();
    if (!log || type == QtDebugMsg)
        return;
    log->write(type == QtCriticalMsg || type == QtFatalMsg ? LogLevel::Error : LogLevel::Warning, QLatin1String("qt"),
        {{QStringLiteral("category"), QString::fromLatin1(context.category ? context.category : "")},
            {QStringLiteral("detail"), message.left(200)}});
}

} // namespace

Log::Log(int descriptor)
    : m_descriptor(descriptor)
{
}

void Log::write(LogLevel level, QLatin1String code, const QJsonObject& fields)
{
    auto object = fields;
    object.remove(QLatin1String("ts"));
    object.remove(QLatin1String("level"));
    object.remove(QLatin1String("code"));
    // Time, level and code first, as a person reads; the rest follows in the order of its names.
    auto line = QStringLiteral("{\"ts\":\"%1\",\"level\":\"%2\",\"code\":\"%3\"")
                    .arg(contract::toRfc3339(contract::SystemHostClock().wall()), wordOf(level), code)
                    .toUtf8();
    if (!object.isEmpty())
        line += ',' + QJsonDocument(object).toJson(QJsonDocument::Compact).mid(1).chopped(1);
    line += "}\n";
    // One line, whole: two threads' lines never mix. A reader that is gone is no reason to stop serving.
    const std::lock_guard lock(m_mutex);
    const char* from = line.constData();
    auto left = static_cast<size_t>(line.size());
    while (left > 0) {
        const auto written = ::write(m_descriptor, from, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        from += written;
        left -= static_cast<size_t>(written);
    }
}

void logQtMessages(Log& log)
{
    qtLog = &log;
    qInstallMessageHandler(takeQtMessage);
}

void logQtMessages()
{
    qInstallMessageHandler(nullptr);
    qtLog = nullptr;
}

QJsonObject logged(const contract::Error& error, QJsonObject fields)
{
    fields.insert(QStringLiteral("error"), contract::wordOf(error.kind));
    if (error.nativeCode != 0)
        fields.insert(QStringLiteral("native"), error.nativeCode);
    if (!error.detail.isEmpty())
        fields.insert(QStringLiteral("detail"), error.detail.left(500));
    return fields;
}

} // namespace unavez::service
