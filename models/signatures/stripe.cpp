// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/signatures/stripe.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <tl/expected.hpp>

#include <array>

namespace unavez::signatures {

namespace {

using contract::FailureReason;
using contract::Instant;

constexpr qsizetype maxHeader = 8192; // bytes; ten live signatures are under 1 KiB
constexpr qsizetype maxSignatures = 32; // a roll shows two
constexpr qsizetype maxDigits = 12; // of t, in seconds

struct Header
{
    QByteArray timestamp; // as written: it is part of what is signed
    qint64 seconds = 0;
    QList<QByteArray> v1;
};

bool isDigits(const QByteArray& text)
{
    for (const char c : text) {
        if (c < '0' || c > '9')
            return false;
    }
    return !text.isEmpty() && text.size() <= maxDigits;
}

tl::expected<Header, FailureReason> parsed(const QByteArray& value)
{
    if (value.size() > maxHeader)
        return tl::unexpected(FailureReason::MalformedHeader);
    Header header;
    for (const auto& item : value.split(',')) {
        const auto equals = item.indexOf('=');
        if (equals <= 0)
            return tl::unexpected(FailureReason::MalformedHeader);
        const auto scheme = item.left(equals).trimmed();
        const auto content = item.mid(equals + 1);
        if (scheme == "t") {
            // A second t would leave open which one was signed.
            if (!header.timestamp.isEmpty() || !isDigits(content))
                return tl::unexpected(FailureReason::MalformedHeader);
            header.timestamp = content;
            header.seconds = content.toLongLong();
        } else if (scheme == "v1") {
            header.v1.append(content);
        } // v0 and whatever else may come are no live schemes: ignored, to prevent a downgrade
    }
    if (header.timestamp.isEmpty() || header.v1.size() > maxSignatures)
        return tl::unexpected(FailureReason::MalformedHeader);
    if (header.v1.isEmpty())
        return tl::unexpected(FailureReason::NoSupportedScheme);
    return header;
}

// Lower-case hex of HMAC-SHA256 over "<t>.<body>". The whole secret string is the key, its whsec_ included.
QByteArray signatureOf(const QByteArray& timestamp, const QByteArray& body, const QByteArray& secret)
{
    const auto signedBytes = timestamp + '.' + body;
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    const auto* made = HMAC(EVP_sha256(), secret.constData(), static_cast<int>(secret.size()),
        reinterpret_cast<const unsigned char*>(signedBytes.constData()), static_cast<size_t>(signedBytes.size()),
        digest.data(), &length);
    if (made == nullptr)
        return {};
    return QByteArray(reinterpret_cast<const char*>(digest.data()), static_cast<qsizetype>(length)).toHex();
}

// Looks at every candidate, whichever matches first.
bool matchesAny(const QList<QByteArray>& candidates, const QByteArray& expected)
{
    bool found = false;
    for (const auto& candidate : candidates) {
        if (!expected.isEmpty() && candidate.size() == expected.size()
            && CRYPTO_memcmp(candidate.constData(), expected.constData(), static_cast<size_t>(expected.size())) == 0)
            found = true;
    }
    return found;
}

// An empty secret is a hole in a config, which anybody could sign with.
bool isValidAt(const SigningSecret& secret, Instant now)
{
    return !secret.secret.trimmed().isEmpty() && secret.notBefore <= now && now < secret.notAfter;
}

bool looksLikeApiKey(const QByteArray& secret)
{
    return secret.startsWith("sk_") || secret.startsWith("rk_") || secret.startsWith("pk_");
}

void diagnose(
    Verdict& verdict, const Header& header, const QByteArray& body, const QList<SigningSecret>& secrets, Instant now)
{
    const auto hint = [&verdict](SecretHint what, const QString& keyId) {
        verdict.hint = what;
        verdict.hintKeyId = keyId;
    };
    for (const auto& secret : secrets) {
        const auto trimmed = secret.secret.trimmed();
        if (!trimmed.isEmpty() && trimmed != secret.secret
            && matchesAny(header.v1, signatureOf(header.timestamp, body, trimmed)))
            return hint(SecretHint::WhitespaceAroundSecret, secret.id);
        if (!trimmed.isEmpty() && !isValidAt(secret, now)
            && matchesAny(header.v1, signatureOf(header.timestamp, body, secret.secret)))
            return hint(now < secret.notBefore ? SecretHint::SecretNotYetValid : SecretHint::SecretExpired, secret.id);
    }
    for (const auto& secret : secrets) {
        if (looksLikeApiKey(secret.secret.trimmed()))
            return hint(SecretHint::ApiKeyAsSecret, secret.id);
    }
}

} // namespace

QString wordOf(SecretHint hint)
{
    switch (hint) {
    case SecretHint::WhitespaceAroundSecret: return QStringLiteral("whitespace_around_secret");
    case SecretHint::ApiKeyAsSecret: return QStringLiteral("api_key_as_secret");
    case SecretHint::SecretExpired: return QStringLiteral("secret_expired");
    case SecretHint::SecretNotYetValid: return QStringLiteral("secret_not_yet_valid");
    }
    return {};
}

Verdict verifyStripe(const QList<QByteArray>& headers, const QByteArray& body, const QList<SigningSecret>& secrets,
    Instant now, contract::Seconds tolerance)
{
    Verdict verdict;
    if (headers.isEmpty() || (headers.size() == 1 && headers.first().trimmed().isEmpty())) {
        verdict.failure = FailureReason::MissingHeader;
        return verdict;
    }
    if (headers.size() > 1) {
        verdict.failure = FailureReason::MalformedHeader;
        return verdict;
    }
    const auto header = parsed(headers.first());
    if (!header) {
        verdict.failure = header.error();
        return verdict;
    }
    if (const Instant at{header->seconds * 1000}; !at.isNever())
        verdict.signedAt = at;

    for (const auto& secret : secrets) {
        if (isValidAt(secret, now) && matchesAny(header->v1, signatureOf(header->timestamp, body, secret.secret))
            && verdict.keyId.isEmpty())
            verdict.keyId = secret.id;
    }
    if (verdict.keyId.isEmpty()) {
        verdict.failure = FailureReason::Mismatch;
        diagnose(verdict, *header, body, secrets, now);
        return verdict;
    }
    // Whole seconds, as the sender's own libraries count them.
    const auto age = now.ms / 1000 - header->seconds;
    if (age > tolerance.count())
        verdict.failure = FailureReason::TooOld;
    else if (-age > tolerance.count())
        verdict.failure = FailureReason::TooNew;
    return verdict;
}

QByteArray signedByStripe(const QByteArray& body, const QList<QByteArray>& secrets, Instant at)
{
    const auto timestamp = QByteArray::number(at.ms / 1000);
    auto header = "t=" + timestamp;
    for (const auto& secret : secrets)
        header += ",v1=" + signatureOf(timestamp, body, secret);
    return header;
}

} // namespace unavez::signatures
