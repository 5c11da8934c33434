// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>

#include <optional>

namespace unavez::contract {

// A place in a list: the last row's sort columns in the store's own text, opaque to everybody else.
struct Cursor
{
    QByteArray text; // URL-safe base64
    bool operator==(const Cursor&) const = default;
};

struct PageRequest
{
    int limit = 50; // 1–500
    std::optional<Cursor> after;
    std::optional<qint64> sourceId; // events, lost, signatures, dead, leases
    std::optional<qint64> sinceMs; // events, keys, log, signatures, dead: not older than this
};

template <typename Row> struct Page
{
    QList<Row> rows;
    std::optional<Cursor> next; // absent: the end is reached
};

struct RowCount
{
    qint64 count = 0;
    bool estimated = false; // beyond 10 000
    bool operator==(const RowCount&) const = default;
};

} // namespace unavez::contract
