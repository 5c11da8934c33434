// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/outcome.h"

#include <QJsonObject>

namespace unavez::providers {

// A Stripe object as answers and events show it, in the contract's words. A charge is named by its PaymentIntent: that
// is what a reservation holds. Fields of the wrong type read as absent; every text is bounded.
contract::ProviderObject readStripeObject(const QJsonObject& object);

// Seconds as a snapshot writes them, RFC 3339 as a thin event does.
std::optional<contract::Instant> readStripeTime(const QJsonValue& created);

// A code, an id, a type: at most 255 of A-Z a-z 0-9 _ . : - ; anything else is absent, never shown and never stored.
std::optional<QString> readToken(const QJsonValue& value);
std::optional<QString> readToken(const QString& text);
// An object's id: a token that may stand in a path, so without '.' and ':'.
std::optional<QString> readObjectId(const QJsonValue& value);

} // namespace unavez::providers
