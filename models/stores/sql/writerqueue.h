// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace unavez::stores {

// SQLite has one writer per file and no order among those who wait: a busy one starves the rest for seconds
// (contract.md §9). Within a process writers take turns, first come first served.
void takeWriterTurn(const QString& place);
void endWriterTurn(const QString& place);

} // namespace unavez::stores
