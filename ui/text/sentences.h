// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/guard.h"

#include <QString>

// Every sentence a person reads, in the language installed on the application. Nothing below ui writes any.
namespace unavez::text {

enum class TimeStyle { Utc, Local };

// Puts a language's sentences in place for the whole program: "es", or anything else for English. Call again to change.
void installLanguage(const QString& language);

QString sentence(const contract::Because& because, TimeStyle style = TimeStyle::Utc);
// What went wrong and what to do next; the error's detail is for the log and is not shown.
QString sentence(const contract::Error& error);
QString sentence(contract::CaseVerdict verdict);
QString sentence(const contract::PlannedEffect& effect, TimeStyle style = TimeStyle::Utc);
QString actionName(contract::Action action);

QString time(contract::Instant at, TimeStyle style);
// "33 s", "41 min", "19 h 5 min", "3 d": the two largest units.
QString duration(contract::Seconds length);
// With the currency's real digits: "1250.00 EUR", "500 JPY", "1.234 KWD".
QString money(const contract::Money& amount);

} // namespace unavez::text
