// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"

#include <QList>
#include <QPair>
#include <QString>

namespace unavez::sandbox {

// Parameters of a query or of an application/x-www-form-urlencoded body, in the order they came.
class Form
{
public:
    // Invalid: a broken escape, bytes that are no UTF-8, more than 200 parameters.
    static contract::Result<Form> parsed(const QByteArray& text);

    // The first of that name; absent where there is none.
    std::optional<QString> value(const QString& name) const;
    QStringList names() const;
    // metadata[a]=1, metadata[b]=2 → {a: 1, b: 2}
    QList<QPair<QString, QString>> under(const QString& name) const;
    // Equal parameters in any order give equal text: what a repeated idempotency key is compared by.
    QByteArray canonical() const;

private:
    QList<QPair<QString, QString>> m_fields;
};

} // namespace unavez::sandbox
