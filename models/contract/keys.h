// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"

#include <QString>
#include <QStringList>

#include <compare>

// The grammar of keys, contract.md §10.1. Keys are deterministic, ASCII, and hold no amount, time, random part or
// personal data.
namespace unavez::contract {

// What must happen once. Two accounts with an invoice 1001 are two intents.
struct IntentId
{
    QString provider; // "stripe"
    QString account; // "acct_1"
    QString intentKey; // "charge:inv_42"
    std::strong_ordering operator<=>(const IntentId&) const = default;
    bool operator==(const IntentId&) const = default;
};

// One attempt (reservation) under an intent.
struct KeyId
{
    QString provider;
    QString account;
    QString key; // "charge:inv_42:a1"
    std::strong_ordering operator<=>(const KeyId&) const = default;
    bool operator==(const KeyId&) const = default;
};

// One id as a key part: every byte outside A-Z a-z 0-9 _ . - percent-encoded (so also ':' and '%').
QString encodedPart(const QString& part);
// <verb>:<part>[:<part>…], at most 200 bytes. A last part that looks like an attempt suffix gets its 'a' encoded; a
// part that looks like a card number is replaced by h: + 32 hex of its SHA-256 (see looksLikeCardNumber). Invalid: no
// parts, an empty part, a verb outside [a-z_]+, or too long.
Result<QString> intentKey(const QString& verb, const QStringList& parts);
// intentKey:a<n>, n from 1, at most 230 bytes.
QString attemptKey(const QString& intentKey, int attempt);
// key:<step>, the key as sent to the provider; at most 255 bytes.
QString sentKey(const QString& key, const QString& step);

struct ParsedKey
{
    QString intentKey;
    int attempt = 1;
    bool operator==(const ParsedKey&) const = default;
};
// A bare intent key of an older store reads as attempt 1.
ParsedKey parsedKey(const QString& key);
QString verbOf(const QString& intentKey);

// 13 to 19 digits (spaces and dashes aside) that pass Luhn. A finding, never a refusal: one order id in ten passes too.
bool looksLikeCardNumber(const QString& part);
// True for 1–255 bytes of UTF-8 without NUL (contract.md §10.2).
bool isValidEventId(const QString& id);

} // namespace unavez::contract
