// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/edgefront.h"

#include "models/signatures/stripe.h"

#include <QCryptographicHash>

#include <algorithm>

namespace unavez::service {

using namespace contract;

namespace {

constexpr Seconds comeBack{5};

QString unknownRoute() { return QStringLiteral("(unknown)"); }

HttpResponse response(int status, const QString& reason)
{
    auto told = errorResponse(status, reason);
    if (status == 503)
        told.retryAfter = comeBack;
    return told;
}

// The words of an answer that the store gave.
QString reasonOf(const engine::IntakeAnswer& answer)
{
    if (answer.http == 503)
        return wordOf(Reason::StoreAway);
    return answer.error && answer.error->kind == Error::Kind::Invalid ? wordOf(FailureReason::NoEventId)
                                                                      : QStringLiteral("not_recordable");
}

SignatureFailure failureOf(const HttpRequest& request, const EdgeSource& source, FailureReason reason)
{
    SignatureFailure failure;
    failure.sourceId = source.id;
    failure.route = QString::fromLatin1(source.route);
    failure.reason = reason;
    failure.bodyLength = static_cast<int>(request.body.size());
    failure.peer = request.peer;
    return failure;
}

// Ids that cannot be stored, and words no provider writes: a NUL ends a text early, and an endless one breaks an index.
std::optional<FailureReason> faultOf(const EventFacts& facts)
{
    if (!isValidEventId(facts.id) || (facts.snapshotId && !isValidEventId(*facts.snapshotId)))
        return FailureReason::NoEventId;
    if ((!facts.type.isEmpty() && !isValidEventId(facts.type)) || (facts.objectId && !isValidEventId(*facts.objectId)))
        return FailureReason::NotJson;
    return std::nullopt;
}

} // namespace

EdgeSource stripeSource(const SourceSettings& settings, qint64 id, ReadEvent read)
{
    QList<signatures::SigningSecret> secrets;
    for (const auto& secret : settings.secrets)
        secrets.append({secret.id, secret.secret, {}, Instant::never()});
    auto verify = [secrets, tolerance = settings.tolerance](const HttpRequest& request, Instant now) {
        return signatures::verifyStripe(request.values("Stripe-Signature"), request.body, secrets, now, tolerance);
    };
    return {id, settings.route.toLatin1(), std::move(verify), std::move(read)};
}

EdgeFront::EdgeFront(QList<EdgeSource> sources, StoreMode mode, int maxAttempts, const HostClock& clock,
    DeliveryBatcher& batcher, Metrics& metrics)
    : m_sources(std::move(sources))
    , m_mode(mode)
    , m_maxAttempts(maxAttempts)
    , m_clock(clock)
    , m_batcher(batcher)
    , m_metrics(metrics)
{
}

const EdgeSource* EdgeFront::sourceOf(const QByteArray& path) const
{
    const auto found = std::find_if(
        m_sources.begin(), m_sources.end(), [&](const EdgeSource& source) { return source.route == path; });
    return found == m_sources.end() ? nullptr : &*found;
}

HttpResponse EdgeFront::counted(const HttpRequest& request, HttpResponse response)
{
    m_metrics.answered(response.status, request.age());
    return response;
}

void EdgeFront::deny(const HttpRequest& request, const Reply& reply, int status, const SignatureFailure& failure)
{
    m_batcher.note(failure);
    reply(counted(request, response(status, wordOf(failure.reason))));
}

void EdgeFront::answer(HttpRequest&& request, const Reply& reply)
{
    const auto* const source = sourceOf(request.path);
    if (!source) {
        EdgeSource nobody;
        nobody.route = unknownRoute().toLatin1();
        return deny(request, reply, 404, failureOf(request, nobody, FailureReason::UnknownSource));
    }
    if (request.method != "POST") {
        auto told = response(405, QStringLiteral("method_not_allowed"));
        told.headers = {{"Allow", "POST"}};
        return reply(counted(request, std::move(told)));
    }
    const auto verdict = source->verify(request, m_clock.wall());
    if (!verdict.verified()) {
        auto failure = failureOf(request, *source, *verdict.failure);
        failure.signedAt = verdict.signedAt;
        failure.bodySha256 = QCryptographicHash::hash(request.body, QCryptographicHash::Sha256);
        return deny(request, reply, 400, failure);
    }
    const auto facts = source->read(request.body);
    if (!facts)
        return deny(request, reply, 400, failureOf(request, *source, facts.error()));
    if (const auto fault = faultOf(*facts))
        return deny(request, reply, 400, failureOf(request, *source, *fault));
    if (const auto refusal = engine::modeRefusal(m_mode, facts->live))
        return deny(request, reply, refusal->http, failureOf(request, *source, refusal->reason));
    submit(*source, *facts, verdict.keyId, std::move(request), reply);
}

void EdgeFront::submit(
    const EdgeSource& source, const EventFacts& facts, const QString& keyId, HttpRequest&& request, const Reply& reply)
{
    Delivery delivery;
    delivery.sourceId = source.id;
    delivery.eventId = facts.id;
    delivery.eventType = facts.type.isEmpty() ? QStringLiteral("") : facts.type; // a null text is no text to a store
    delivery.objectId = facts.objectId;
    delivery.snapshotId = facts.snapshotId;
    delivery.providerCreatedAt = facts.createdAt;
    delivery.signingKeyId = keyId;
    delivery.body = std::move(request.body);
    delivery.bodySha256 = QCryptographicHash::hash(delivery.body, QCryptographicHash::Sha256);
    delivery.peer = request.peer;
    delivery.answeredMs = static_cast<int>(request.age().count());
    delivery.maxAttempts = m_maxAttempts;
    m_batcher.submit(
        std::move(delivery), [this, asked = std::move(request), reply](const engine::IntakeAnswer& answer) {
            auto told = answer.http == 200 ? jsonResponse(200, {{QStringLiteral("received"), true}})
                                           : response(answer.http, reasonOf(answer));
            reply(counted(asked, std::move(told)));
        });
}

void EdgeFront::refused(const RefusedRequest& request)
{
    m_metrics.answered(request.status, Millis{0});
    if (request.status != 413)
        return;
    const auto* const source = sourceOf(request.path);
    SignatureFailure failure;
    failure.sourceId = source ? source->id : 0;
    failure.route = source ? QString::fromLatin1(source->route) : unknownRoute();
    failure.reason = FailureReason::BodyTooLarge;
    failure.peer = request.peer;
    m_batcher.note(failure);
}

} // namespace unavez::service
