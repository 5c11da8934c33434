// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/keys.h"

#include <QCryptographicHash>
#include <QRegularExpression>

#include <algorithm>

namespace unavez::contract {

namespace {

constexpr qsizetype maxIntentKey = 200; // bytes, contract.md §10.1
constexpr qsizetype maxEventId = 255;

bool isPlain(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.'
        || c == '-';
}

bool passesLuhn(const QString& digits)
{
    int sum = 0;
    bool twice = false;
    for (auto it = digits.crbegin(); it != digits.crend(); ++it) {
        int digit = it->digitValue();
        if (twice)
            digit = digit > 4 ? digit * 2 - 9 : digit * 2;
        sum += digit;
        twice = !twice;
    }
    return sum % 10 == 0;
}

bool looksLikeAttempt(const QString& part)
{
    static const QRegularExpression suffix(QStringLiteral("^a[0-9]+$"));
    return suffix.match(part).hasMatch();
}

} // namespace

QString encodedPart(const QString& part)
{
    QString encoded;
    for (const char c : part.toUtf8()) {
        if (isPlain(c))
            encoded.append(QLatin1Char(c));
        else
            encoded.append(QLatin1Char(0x25) + QString::fromLatin1(QByteArray(1, c).toHex().toUpper()));
    }
    return encoded;
}

bool looksLikeCardNumber(const QString& part)
{
    QString digits;
    for (const auto c : part) {
        if (c >= QLatin1Char('0') && c <= QLatin1Char('9'))
            digits.append(c);
        else if (c != QLatin1Char(' ') && c != QLatin1Char('-'))
            return false;
    }
    return digits.size() >= 13 && digits.size() <= 19 && passesLuhn(digits);
}

Result<QString> intentKey(const QString& verb, const QStringList& parts)
{
    static const QRegularExpression verbGrammar(QStringLiteral("^[a-z_]+$"));
    if (!verbGrammar.match(verb).hasMatch())
        return fail(Error::Kind::Invalid, QStringLiteral("verb"));
    if (parts.isEmpty() || parts.contains(QString()))
        return fail(Error::Kind::Invalid, QStringLiteral("empty part"));
    QStringList spelled{verb};
    for (const auto& part : parts) {
        if (looksLikeCardNumber(part)) {
            // The ':' inside is meant: "h" and the digest read as two parts no encoder can produce from one.
            const auto digest = QCryptographicHash::hash(part.toUtf8(), QCryptographicHash::Sha256).toHex().left(32);
            spelled.append(QStringLiteral("h:") + QString::fromLatin1(digest));
        } else {
            spelled.append(encodedPart(part));
        }
    }
    if (looksLikeAttempt(spelled.last()))
        spelled.last().replace(0, 1, QStringLiteral("%61"));
    const auto key = spelled.join(QLatin1Char(':'));
    if (key.size() > maxIntentKey)
        return fail(Error::Kind::Invalid, QStringLiteral("longer than 200 bytes"));
    return key;
}

QString attemptKey(const QString& intentKey, int attempt)
{
    return QStringLiteral("%1:a%2").arg(intentKey).arg(attempt);
}

QString sentKey(const QString& key, const QString& step) { return key + QLatin1Char(':') + step; }

ParsedKey parsedKey(const QString& key)
{
    static const QRegularExpression attempt(QStringLiteral("^(.+):a([1-9][0-9]{0,8})$"));
    if (const auto match = attempt.match(key); match.hasMatch())
        return {match.captured(1), match.captured(2).toInt()};
    return {key, 1};
}

QString verbOf(const QString& intentKey) { return intentKey.section(QLatin1Char(':'), 0, 0); }

bool isValidEventId(const QString& id)
{
    const auto bytes = id.toUtf8();
    return !bytes.isEmpty() && bytes.size() <= maxEventId && !bytes.contains('\0') && id.isValidUtf16()
        && !id.contains(QChar::ReplacementCharacter);
}

} // namespace unavez::contract
