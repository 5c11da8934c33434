// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/configtable.h"

#include <algorithm>
#include <cmath>

namespace unavez::service {

using namespace contract;
using text::SettingFault;
using text::SettingType;

namespace {

constexpr qsizetype longestText = 4096;

QString fromToml(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

int lineIn(const toml::source_region& source) { return std::max(1, static_cast<int>(source.begin.line)); }

bool isPlain(const QString& text)
{
    return text.size() <= longestText
        && std::none_of(text.begin(), text.end(), [](QChar c) { return c.unicode() < 0x20 || c.unicode() == 0x7f; });
}

QVariantMap range(qint64 min, qint64 max) { return {{QStringLiteral("min"), min}, {QStringLiteral("max"), max}}; }

} // namespace

ConfigTable::ConfigTable(ConfigReading& reading, const toml::table* table, QString path, int line)
    : m_reading(&reading)
    , m_table(table)
    , m_path(std::move(path))
    , m_line(line)
{
    if (!m_table)
        return;
    for (const auto& [name, value] : *m_table)
        m_reading->lines.insert(key(std::string(name.str()).c_str()), lineIn(name.source()));
}

QString ConfigTable::key(const char* name) const
{
    const auto own = QString::fromUtf8(name);
    return m_path.isEmpty() ? own : m_path + QLatin1Char('.') + own;
}

int ConfigTable::lineOf(const char* name) const { return m_reading->lines.value(key(name), m_line); }

const toml::node* ConfigTable::node(const char* name) const
{
    return m_table && isFine() ? m_table->get(name) : nullptr;
}

bool ConfigTable::has(const char* name) const { return m_table && m_table->contains(name); }

void ConfigTable::refuse(const char* name, SettingFault fault, const QVariantMap& facts) const
{
    if (isFine())
        m_reading->problem = text::SettingProblem{m_reading->file, lineOf(name), key(name), fault, facts};
}

void ConfigTable::warn(const char* name, SettingFault fault, const QVariantMap& facts) const
{
    m_reading->warnings.append({m_reading->file, lineOf(name), key(name), fault, facts});
}

void ConfigTable::refuseType(const char* name, SettingType expected) const
{
    refuse(name, SettingFault::WrongType, {{QStringLiteral("expected"), text::sentence(expected)}});
}

void ConfigTable::only(std::initializer_list<const char*> names) const
{
    if (!m_table)
        return;
    // In the order of the file, which is not the table's own.
    QList<std::pair<int, std::string>> unknown;
    for (const auto& [name, value] : *m_table) {
        const auto known = [&](const char* one) { return name.str() == one; };
        if (std::none_of(names.begin(), names.end(), known))
            unknown.append({lineIn(name.source()), std::string(name.str())});
    }
    if (unknown.isEmpty())
        return;
    QStringList known;
    for (const auto* name : names)
        known.append(QString::fromUtf8(name));
    const auto first = *std::min_element(unknown.begin(), unknown.end());
    refuse(
        first.second.c_str(), SettingFault::UnknownKey, {{QStringLiteral("known"), known.join(QLatin1String(", "))}});
}

void ConfigTable::text(const char* name, QString& into) const
{
    const auto* found = node(name);
    if (!found)
        return;
    const auto* value = found->as_string();
    if (!value)
        return refuseType(name, SettingType::Text);
    const auto text = fromToml(value->get());
    if (!isPlain(text))
        return refuse(name, SettingFault::BadName, {{QStringLiteral("max"), longestText}});
    into = text;
}

void ConfigTable::texts(const char* name, QStringList& into) const
{
    const auto* found = node(name);
    if (!found)
        return;
    const auto* list = found->as_array();
    if (!list)
        return refuseType(name, SettingType::Texts);
    QStringList read;
    for (const auto& one : *list) {
        const auto* value = one.as_string();
        if (!value)
            return refuseType(name, SettingType::Texts);
        const auto text = fromToml(value->get());
        if (!isPlain(text))
            return refuse(name, SettingFault::BadName, {{QStringLiteral("max"), longestText}});
        read.append(text);
    }
    into = read;
}

void ConfigTable::truth(const char* name, bool& into) const
{
    const auto* found = node(name);
    if (!found)
        return;
    const auto* value = found->as_boolean();
    if (!value)
        return refuseType(name, SettingType::Truth);
    into = value->get();
}

void ConfigTable::whole(const char* name, qint64& into, qint64 min, qint64 max) const
{
    const auto* found = node(name);
    if (!found)
        return;
    const auto* value = found->as_integer();
    if (!value)
        return refuseType(name, SettingType::Whole);
    if (value->get() < min || value->get() > max)
        return refuse(name, SettingFault::OutOfRange, range(min, max));
    into = value->get();
}

void ConfigTable::whole(const char* name, int& into, int min, int max) const
{
    qint64 value = into;
    whole(name, value, qint64{min}, qint64{max});
    into = static_cast<int>(value);
}

void ConfigTable::seconds(const char* name, Seconds& into, qint64 min, qint64 max) const
{
    qint64 value = into.count();
    whole(name, value, min, max);
    into = Seconds{value};
}

void ConfigTable::seconds(const char* name, QList<Seconds>& into, qint64 min, qint64 max) const
{
    const auto* found = node(name);
    if (!found)
        return;
    const auto* list = found->as_array();
    if (!list)
        return refuseType(name, SettingType::Wholes);
    if (list->empty())
        return refuse(name, SettingFault::Empty);
    QList<Seconds> read;
    for (const auto& one : *list) {
        const auto* value = one.as_integer();
        if (!value)
            return refuseType(name, SettingType::Wholes);
        if (value->get() < min || value->get() > max)
            return refuse(name, SettingFault::OutOfRange, range(min, max));
        read.append(Seconds{value->get()});
    }
    into = read;
}

void ConfigTable::time(const char* name, Millis& into, qint64 maxSeconds) const
{
    const auto* found = node(name);
    if (!found)
        return;
    if (!found->is_number())
        return refuseType(name, SettingType::Number);
    const double value
        = found->is_integer() ? static_cast<double>(found->as_integer()->get()) : found->as_floating_point()->get();
    // Also false for what is no number at all.
    const bool fits = value >= 0.001 && value <= static_cast<double>(maxSeconds);
    if (!fits)
        return refuse(name, SettingFault::NotPositive, {{QStringLiteral("max"), maxSeconds}});
    into = Millis{std::llround(value * 1000)};
}

ConfigTable ConfigTable::table(const char* name) const
{
    const auto* found = node(name);
    if (found && !found->is_table())
        refuseType(name, SettingType::Table);
    return {*m_reading, found ? found->as_table() : nullptr, key(name), lineOf(name)};
}

QList<ConfigTable> ConfigTable::tables(const char* name) const
{
    const auto* found = node(name);
    if (!found)
        return {};
    const auto* list = found->as_array();
    if (!list || std::any_of(list->begin(), list->end(), [](const toml::node& one) { return !one.is_table(); })) {
        refuseType(name, SettingType::Tables);
        return {};
    }
    QList<ConfigTable> read;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const auto* one = list->get(i)->as_table();
        read.append({*m_reading, one, QStringLiteral("%1[%2]").arg(key(name)).arg(i), lineIn(one->source())});
    }
    return read;
}

} // namespace unavez::service
