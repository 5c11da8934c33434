// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/form.h"

#include <QStringDecoder>

#include <algorithm>

namespace unavez::sandbox {

using contract::Error;
using contract::fail;
using contract::Result;

namespace {

constexpr qsizetype mostFields = 200;

std::optional<QString> decoded(QByteArray text)
{
    text.replace('+', ' ');
    for (qsizetype at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
        bool isHex = false;
        const auto digits = text.mid(at + 1, 2);
        digits.toUInt(&isHex, 16);
        if (digits.size() != 2 || !isHex)
            return std::nullopt;
    }
    QStringDecoder utf8(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    QString plain = utf8(QByteArray::fromPercentEncoding(text));
    return utf8.hasError() ? std::nullopt : std::optional(plain);
}

} // namespace

Result<Form> Form::parsed(const QByteArray& text)
{
    Form form;
    if (text.isEmpty())
        return form;
    const auto parts = text.split('&');
    if (parts.size() > mostFields)
        return fail(Error::Kind::Invalid, QStringLiteral("too many parameters"));
    for (const auto& part : parts) {
        const auto equals = part.indexOf('=');
        const auto name = decoded(equals < 0 ? part : part.left(equals));
        const auto value = decoded(equals < 0 ? QByteArray() : part.mid(equals + 1));
        if (!name || !value || name->isEmpty())
            return fail(Error::Kind::Invalid, QStringLiteral("a parameter cannot be read"));
        form.m_fields.append({*name, *value});
    }
    return form;
}

std::optional<QString> Form::value(const QString& name) const
{
    const auto found
        = std::find_if(m_fields.begin(), m_fields.end(), [&](const auto& field) { return field.first == name; });
    return found == m_fields.end() ? std::nullopt : std::optional(found->second);
}

QStringList Form::names() const
{
    QStringList names;
    for (const auto& [name, value] : m_fields)
        names.append(name);
    return names;
}

QList<QPair<QString, QString>> Form::under(const QString& name) const
{
    QList<QPair<QString, QString>> found;
    const QString open = name + QLatin1Char('[');
    for (const auto& [field, value] : m_fields) {
        if (field.startsWith(open) && field.endsWith(QLatin1Char(']')))
            found.append({field.mid(open.size(), field.size() - open.size() - 1), value});
    }
    return found;
}

QByteArray Form::canonical() const
{
    auto sorted = m_fields;
    std::sort(sorted.begin(), sorted.end());
    QByteArray text;
    for (const auto& [name, value] : sorted)
        text += name.toUtf8().toPercentEncoding() + '=' + value.toUtf8().toPercentEncoding() + '&';
    return text;
}

} // namespace unavez::sandbox
