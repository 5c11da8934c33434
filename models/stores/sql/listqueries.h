// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/page.h"
#include "models/stores/sql/rowreader.h"

#include <QVariantList>

// The lists of schema/statements.md as data: what is listed, in which order, by which index.
namespace unavez::stores {

enum class SortType { Time, Number, Text };

struct SortColumn
{
    QString name;
    SortType type = SortType::Time;
};

struct ListSpec
{
    QString name; // the KIND, and part of every cursor
    QString table;
    QString where; // "" lists all
    QList<SortColumn> sort;
    bool newestFirst = false;
    QString index;
    QString oldest; // the time whose age status tells
    bool bySource = false; // has source_id
    QString since; // the time that PageRequest::sinceMs bounds; "" where it does not
};

const ListSpec& stuckList();
const ListSpec& unknownList();
const ListSpec& keysList();
const ListSpec& failedList();
const ListSpec& deadList();
const ListSpec& leasesList();
const ListSpec& lostList();
const ListSpec& eventsList();
const ListSpec& signaturesList();
const ListSpec& logList();
const ListSpec& incidentsList();
QList<ListSpec> allLists();

struct PageStatement
{
    QString sql;
    QVariantList values;
};

// The list's WHERE, "" for all.
QString conditionOf(const ListSpec& list, const RowReader& reader);
// One page and one row more. `columns` selects from `t`; the sort columns come as text under c0, c1, ….
// Invalid: a limit outside 1–500, or a cursor this list did not make.
contract::Result<PageStatement> pageStatement(
    const ListSpec& list, const contract::PageRequest& request, const QString& columns, const RowReader& reader);
contract::Cursor cursorAt(const ListSpec& list, const SqlRow& row);

} // namespace unavez::stores
