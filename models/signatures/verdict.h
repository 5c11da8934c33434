// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/states.h"
#include "models/contract/time.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

// What every scheme answers (contract.md §3): verified by which key, or why not.
namespace unavez::signatures {

// A signing secret while it is held. Several are valid at once while one is being rolled (contract.md §1.1).
struct SigningSecret
{
    QString id; // signing_keys id
    QByteArray secret; // never logged
    contract::Instant notBefore{};
    contract::Instant notAfter = contract::Instant::never(); // exclusive
};

// What a mismatch most likely comes from. A hint never makes a delivery valid.
enum class SecretHint {
    WhitespaceAroundSecret, // the secret without its surrounding white space verifies
    ApiKeyAsSecret, // an API key (sk_, rk_, pk_) stands where a signing secret belongs
    SecretExpired, // a secret past its notAfter verifies
    SecretNotYetValid, // a secret before its notBefore verifies
};
QString wordOf(SecretHint hint);

struct Verdict
{
    std::optional<contract::FailureReason> failure; // absent: verified
    QString keyId; // the secret that verified; also set for too_old and too_new
    std::optional<contract::Instant> signedAt; // as the header says; absent where it cannot be read
    std::optional<SecretHint> hint; // with mismatch only
    QString hintKeyId; // the secret the hint speaks of

    bool verified() const { return !failure; }
    bool operator==(const Verdict&) const = default;
};

} // namespace unavez::signatures
