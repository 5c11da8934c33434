// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/time.h"
#include "ui/text/settingsentences.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <QHash>
#include <QStringList>

#include <initializer_list>

namespace unavez::service {

// What one reading of a configuration file gathers. The first problem stands; after it nothing is read any more.
struct ConfigReading
{
    QString file;
    QHash<QString, int> lines; // of every key that is written, by its dotted name
    QList<text::SettingProblem> warnings;
    std::optional<text::SettingProblem> problem;
};

// One table of the file with its dotted name: takes out values of one type and range, and says where one is wrong.
// Absent keys leave `into` as it is.
class ConfigTable
{
public:
    // `table` may be nullptr: a table that is not written. Notes the lines of its keys.
    ConfigTable(ConfigReading& reading, const toml::table* table, QString path, int line);

    bool isWritten() const { return m_table; }
    int line() const { return m_line; }
    bool has(const char* name) const;
    QString key(const char* name) const; // worker.lease_s
    int lineOf(const char* name) const; // of the table where the key is not written

    void only(std::initializer_list<const char*> names) const;
    void text(const char* name, QString& into) const; // without control characters, at most 4096 characters
    void texts(const char* name, QStringList& into) const;
    void truth(const char* name, bool& into) const;
    void whole(const char* name, qint64& into, qint64 min, qint64 max) const;
    void whole(const char* name, int& into, int min, int max) const;
    void seconds(const char* name, contract::Seconds& into, qint64 min, qint64 max) const;
    void seconds(const char* name, QList<contract::Seconds>& into, qint64 min, qint64 max) const;
    // Seconds with a fraction, above 0.
    void time(const char* name, contract::Millis& into, qint64 maxSeconds) const;
    ConfigTable table(const char* name) const;
    QList<ConfigTable> tables(const char* name) const;

    void refuse(const char* name, text::SettingFault fault, const QVariantMap& facts = {}) const;
    void warn(const char* name, text::SettingFault fault, const QVariantMap& facts = {}) const;
    bool isFine() const { return !m_reading->problem; }

private:
    const toml::node* node(const char* name) const;
    void refuseType(const char* name, text::SettingType expected) const;

    ConfigReading* m_reading;
    const toml::table* m_table;
    QString m_path;
    int m_line;
};

} // namespace unavez::service
