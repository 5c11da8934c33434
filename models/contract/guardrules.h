// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/guard.h"

// The tables of contract.md §11, one function each, and what they share. Ask judge(), not these: G0 comes first.
namespace unavez::contract::rules {

// Absent: allowed. The order of the lines is the order of the contract's table.
std::optional<Because> requeue(const CaseFacts& facts); // §11.1
std::optional<Because> release(const CaseFacts& facts); // §11.2
std::optional<Because> expire(const ActionRequest& request, const CaseFacts& facts); // §11.3
std::optional<Because> openAttempt(const ActionRequest& request, const CaseFacts& facts); // §11.4
std::optional<Because> recordOutcome(const ActionRequest& request, const CaseFacts& facts); // §11.5
std::optional<Because> discard(const CaseFacts& facts); // §11.6
std::optional<Because> enqueue(const CaseFacts& facts); // §11.7
std::optional<Because> hold(const ActionRequest& request, const CaseFacts& facts); // §11.8

std::optional<Because> needsTwoPeople(const ActionRequest& request, const CaseFacts& facts, const QString& why);
const Reservation* attemptOf(const CaseFacts& facts, const KeyId& key);
QList<Reservation> attemptsOf(const CaseFacts& facts, const IntentId& intent); // oldest first
const Intent* intentOf(const CaseFacts& facts, const IntentId& id);
// In progress with its lease not over, grace included.
bool isLive(const Reservation& attempt, const CaseFacts& facts);
Because about(Reason reason, const Reservation& attempt);
Because aboutAt(Reason reason, const Reservation& attempt, Instant time);
// The hold that keeps this tool or source from going on; sourceId 0 and an empty tool match only a hold on all sends.
std::optional<Because> stillHeld(const CaseFacts& facts, const QString& tool, qint64 sourceId);
// The newest job that used the intent; absent where none did.
std::optional<IntentUse> newestUse(const CaseFacts& facts, const IntentId& intent);

} // namespace unavez::contract::rules
