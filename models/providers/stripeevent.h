// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/evidencestore.h"

namespace unavez::providers {

// What the edge needs of a Stripe delivery: a snapshot event, or a thin one (v2.core.event; contract.md §1.2).
struct StripeDelivery
{
    QString eventId; // valid by contract.md §10.2
    QString type;
    std::optional<QString> objectId; // data.object.id, or the thin event's related_object.id
    std::optional<QString> snapshotId; // the snapshot event of the same change
    std::optional<QString> account; // Connect: the account it is about
    std::optional<bool> live;
    std::optional<contract::Instant> createdAt;
};

// Invalid where it is no JSON object, or its id cannot be one; `notJson` says which of the two.
struct UnreadDelivery
{
    bool notJson = false; // false: no usable event id
};
tl::expected<StripeDelivery, UnreadDelivery> readStripeDelivery(const QByteArray& body);

// Evidence in recorded events (contract.md §10.4, actor E): only of the types that end something, and only of events
// that a keyed request of somebody caused.
class StripeEventReader final : public contract::EventReader
{
public:
    std::optional<contract::CausedByUs> read(const QString& provider, const QByteArray& payload) const override;
};

} // namespace unavez::providers
