// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/outcome.h"
#include "models/providers/http.h"

namespace unavez::providers {

// Stripe's answer to a request with an effect, normalised (contract.md §1.3, §1.4). Absent where this is not Stripe
// speaking: a 2xx without an object, or an error without Stripe's error body, is somebody in between (a proxy, a
// captive portal) and proves nothing about the effect. Nor does an answer about another PaymentIntent than `about`, the
// one the request named.
std::optional<contract::ProviderAnswer> readStripeAnswer(
    const HttpReply& reply, const std::optional<QString>& about = {});

// An HTTP Date (RFC 9110 IMF-fixdate); absent where it is none.
std::optional<contract::Instant> readHttpDate(const QByteArray& text);

} // namespace unavez::providers
