// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"

#include <QJsonObject>
#include <QString>

#include <mutex>

namespace unavez::service {

enum class LogLevel { Info, Warning, Error };

// The service's log: one JSON object a line, with the time, a closed code and ids. Never a payload, a secret, a header
// or a person: callers hand over ids, counts and words of our own vocabularies only. Any thread.
class Log
{
public:
    explicit Log(int descriptor = 2); // stderr

    // {"ts":"…","level":"info","code":"job_done","job":17}. `fields` may not use the first three names.
    void write(LogLevel level, QLatin1String code, const QJsonObject& fields = {});
    void info(QLatin1String code, const QJsonObject& fields = {}) { write(LogLevel::Info, code, fields); }
    void warning(QLatin1String code, const QJsonObject& fields = {}) { write(LogLevel::Warning, code, fields); }
    void error(QLatin1String code, const QJsonObject& fields = {}) { write(LogLevel::Error, code, fields); }

private:
    std::mutex m_mutex;
    int m_descriptor;
};

// An error as log fields: its kind, its native code and its detail, cut to 500 characters.
QJsonObject logged(const contract::Error& error, QJsonObject fields = {});

// Qt's own warnings as lines of the log, with code "qt"; without a log, to stderr as before.
void logQtMessages(Log& log);
void logQtMessages();

} // namespace unavez::service
