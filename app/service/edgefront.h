// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/deliverybatcher.h"
#include "app/service/httplistener.h"
#include "models/signatures/verdict.h"

namespace unavez::service {

// What the edge must know of a verified body; a provider's reader makes it.
struct EventFacts
{
    QString id;
    QString type;
    std::optional<QString> objectId;
    std::optional<QString> snapshotId; // thin events: the snapshot event of the same change
    std::optional<contract::Instant> createdAt;
    std::optional<bool> live; // absent: the event does not say
};
// not_json or no_event_id otherwise.
using ReadEvent = std::function<tl::expected<EventFacts, contract::FailureReason>(const QByteArray& body)>;
using Verify = std::function<signatures::Verdict(const HttpRequest& request, contract::Instant now)>;

// A configured source, with its scheme and its reader.
struct EdgeSource
{
    qint64 id = 0; // the store's
    QByteArray route; // the exact path
    Verify verify;
    ReadEvent read;
};
// Stripe-Signature over the source's secrets (contract.md §1.1).
EdgeSource stripeSource(const SourceSettings& settings, qint64 id, ReadEvent read);

// Deliveries in (contract.md §10.2): route → signature over the raw body → event → mode → one commit → 200. Every other
// end has its status, its short reason and its count in the store. Any thread.
class EdgeFront
{
public:
    EdgeFront(QList<EdgeSource> sources, contract::StoreMode mode, int maxAttempts, const contract::HostClock& clock,
        DeliveryBatcher& batcher, Metrics& metrics);

    // For the listener: does not block; the reply comes from the batcher's thread.
    void answer(HttpRequest&& request, const Reply& reply);
    void refused(const RefusedRequest& request);

private:
    const EdgeSource* sourceOf(const QByteArray& path) const;
    void deny(const HttpRequest& request, const Reply& reply, int status, const contract::SignatureFailure& failure);
    void submit(const EdgeSource& source, const EventFacts& facts, const QString& keyId, HttpRequest&& request,
        const Reply& reply);
    HttpResponse counted(const HttpRequest& request, HttpResponse response);

    const QList<EdgeSource> m_sources;
    const contract::StoreMode m_mode;
    const int m_maxAttempts; // of the jobs that deliveries bring
    const contract::HostClock& m_clock;
    DeliveryBatcher& m_batcher;
    Metrics& m_metrics;
};

} // namespace unavez::service
