// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/signatures/verdict.h"

// Stripe-Signature, scheme v1 (contract.md §1.1, §0 K1).
namespace unavez::signatures {

// `headers`: the value of every Stripe-Signature field of the request; anything but one is refused. `body`: the raw
// bytes. The signature is judged before the time, so that a forged header never reads as a clock problem:
// missing_header · malformed_header · no_supported_scheme · mismatch · too_old · too_new. Compares in constant time,
// every v1 with every secret valid at `now`. `tolerance` bounds the skew in both directions, in whole seconds.
Verdict verifyStripe(const QList<QByteArray>& headers, const QByteArray& body, const QList<SigningSecret>& secrets,
    contract::Instant now, contract::Seconds tolerance = contract::Seconds{300});

// The header value a sender would write at `at` (whole seconds), one v1 per secret.
QByteArray signedByStripe(const QByteArray& body, const QList<QByteArray>& secrets, contract::Instant at);

} // namespace unavez::signatures
