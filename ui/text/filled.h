// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/text/sentences.h"

#include <QCoreApplication>
#include <QVariantMap>

#include <cstddef>
#include <utility>

// How a table of sentences becomes one sentence; shared by the files of this folder.
namespace unavez::text {

template <typename E, std::size_t N>
QString translated(const char* context, const std::pair<E, const char*> (&table)[N], E value)
{
    for (const auto& [known, sentence] : table) {
        if (known == value)
            return QCoreApplication::translate(context, sentence);
    }
    return {};
}

// Braces are facts, filled in after translation. A fact that was not given leaves a dash, never a brace: a person must
// not read our grammar.
QString filled(QString sentence, const QVariantMap& facts, TimeStyle style = TimeStyle::Utc);

} // namespace unavez::text
