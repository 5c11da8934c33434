// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/simprovider.h"

namespace unavez::tests {

using namespace contract;

namespace {

constexpr Seconds keptFor{24 * 3600};
constexpr Seconds lateBy{1800};

QString nameOf(const SimRequest& request) { return request.account + QLatin1Char('/') + request.sentKey; }

ProviderAnswer answer(int status, std::optional<ProviderObject> object = {})
{
    ProviderAnswer made;
    made.httpStatus = status;
    made.object = std::move(object);
    if (status == 200)
        made.result = {{QStringLiteral("id"), made.object->id}, {QStringLiteral("status"), made.object->status}};
    return made;
}

ProviderAnswer refusal(int status, const char* type, const char* code, std::optional<ProviderObject> object = {})
{
    auto made = answer(status, std::move(object));
    made.errorType = QString::fromLatin1(type);
    made.errorCode = QString::fromLatin1(code);
    return made;
}

} // namespace

const char* wordOf(Fault fault)
{
    switch (fault) {
    case Fault::None: return "none";
    case Fault::Decline: return "decline";
    case Fault::BareDecline: return "bare decline";
    case Fault::CachedError: return "500, nothing done";
    case Fault::CachedErrorAfter: return "500, done all the same";
    case Fault::Unavailable: return "503";
    case Fault::ResetBefore: return "reset before";
    case Fault::ResetAfter: return "reset after";
    case Fault::Late: return "no answer, late effect";
    case Fault::Pending: return "pending, done late";
    case Fault::Busy: return "429";
    case Fault::BadVersion: return "400 unreplayed";
    case Fault::Unauthorized: return "401";
    case Fault::NoConnection: return "no connection";
    case Fault::NoAccount: return "account look-up fails";
    }
    return "?";
}

bool SimProvider::takes(Fault fault)
{
    if (m_faults.isEmpty() || m_faults.first() != fault)
        return false;
    m_faults.removeFirst();
    return true;
}

QList<SimEffect> SimProvider::effectsOf(const QString& intentKey) const
{
    QList<SimEffect> found;
    for (const auto& effect : m_effects) {
        if (effect.intentKey == intentKey)
            found.append(effect);
    }
    return found;
}

std::optional<ProviderAnswer> SimProvider::receive(const SimRequest& request)
{
    settleLate();
    auto fault = Fault::None;
    if (!m_faults.isEmpty() && m_faults.first() != Fault::NoConnection && m_faults.first() != Fault::NoAccount)
        fault = m_faults.takeFirst();
    if (fault == Fault::ResetBefore)
        return std::nullopt;
    m_bodies[nameOf(request)].append(request.body);
    if (fault == Fault::Unavailable)
        return answer(503);
    if (fault == Fault::Busy)
        return answer(429);
    if (fault == Fault::BadVersion)
        return refusal(400, "invalid_request_error", "api_version");
    if (fault == Fault::Unauthorized)
        return refusal(401, "invalid_request_error", "api_key");
    const auto now = m_time.now();
    const auto kept = m_kept.constFind(nameOf(request));
    if (kept != m_kept.constEnd() && now - kept->at < keptFor) {
        if (kept->runsUntil)
            return refusal(409, "invalid_request_error", "idempotency_key_in_use");
        if (kept->body != request.body)
            return refusal(400, "idempotency_error", "idempotency_error");
        auto again = kept->answer;
        again.replayed = true;
        again.date = now;
        return fault == Fault::ResetAfter || fault == Fault::Late ? std::nullopt : std::optional(again);
    }
    if (fault == Fault::Late) {
        m_kept.insert(nameOf(request), {now, request.body, {}, now + lateBy, request});
        return std::nullopt;
    }
    if (fault == Fault::Pending && request.step != QLatin1String("create"))
        return pending(request);
    const auto first = executed(request, fault);
    m_kept.insert(nameOf(request), {now, request.body, first, {}, request});
    if (fault == Fault::ResetAfter)
        return std::nullopt;
    auto told = first;
    told.date = now;
    return told;
}

void SimProvider::settleLate()
{
    const auto now = m_time.now();
    for (auto& kept : m_kept) {
        if (!kept.runsUntil || *kept.runsUntil > now)
            continue;
        kept.runsUntil.reset();
        kept.answer = executed(kept.request, Fault::None);
    }
    for (auto waiting = m_waiting.begin(); waiting != m_waiting.end();) {
        if (waiting.value() > now) {
            ++waiting;
            continue;
        }
        const auto request = m_kept.value(waiting.key()).request;
        waiting = m_waiting.erase(waiting);
        static_cast<void>(charged(request));
    }
}

// The key's answer stays "processing" for ever; what became of it is told by webhook and look-up.
ProviderAnswer SimProvider::pending(const SimRequest& request)
{
    auto told = request;
    if (!told.objectId)
        told.objectId = made(request).id;
    auto& object = m_objects[*told.objectId];
    if (object.paid)
        return charged(told);
    object.status = object.type == QLatin1String("charge") ? QStringLiteral("pending") : QStringLiteral("processing");
    const auto now = m_time.now();
    const auto first = answer(200, object);
    m_kept.insert(nameOf(request), {now, request.body, first, {}, told});
    m_waiting.insert(nameOf(request), now + lateBy);
    return first;
}

ProviderObject& SimProvider::made(const SimRequest& request)
{
    const bool intent = request.step == QLatin1String("create");
    ProviderObject object;
    object.id
        = QStringLiteral("%1_%2").arg(intent ? QStringLiteral("pi") : QStringLiteral("ch")).arg(m_objects.size() + 1);
    object.type = intent ? QStringLiteral("payment_intent") : QStringLiteral("charge");
    object.status = QStringLiteral("requires_confirmation");
    object.amount = Money{1200, QStringLiteral("eur")};
    object.intentKey = request.intentKey;
    m_accounts.insert(object.id, request.account);
    return *m_objects.insert(object.id, object);
}

ProviderAnswer SimProvider::executed(const SimRequest& request, Fault fault)
{
    if (fault == Fault::CachedError)
        return answer(500);
    if (fault == Fault::CachedErrorAfter) {
        static_cast<void>(request.step == QLatin1String("create") ? answer(200, made(request)) : charged(request));
        return answer(500);
    }
    if (request.step == QLatin1String("create"))
        return answer(200, made(request));
    if (fault == Fault::Decline || fault == Fault::BareDecline)
        return declined(request, fault == Fault::Decline);
    return charged(request);
}

ProviderAnswer SimProvider::charged(const SimRequest& request)
{
    const bool known = request.objectId.has_value(); // of confirm, and of a charge that was pending
    if (known && m_accounts.value(*request.objectId) != request.account)
        return refusal(404, "invalid_request_error", "resource_missing");
    auto& object = known ? m_objects[*request.objectId] : made(request);
    if (object.paid) // the second guard: one PaymentIntent succeeds once
        return refusal(400, "invalid_request_error", "payment_intent_unexpected_state", object);
    object.status = QStringLiteral("succeeded");
    object.paid = true;
    m_effects.append({request.account, request.intentKey, object.id, request.sentKey, m_time.now()});
    m_notices.append({request.sentKey, object, m_time.now()});
    return answer(200, object);
}

ProviderAnswer SimProvider::declined(const SimRequest& request, bool withObject)
{
    const bool confirms = request.step == QLatin1String("confirm");
    if (confirms && m_accounts.value(*request.objectId) != request.account)
        return refusal(404, "invalid_request_error", "resource_missing");
    auto& object = confirms ? m_objects[*request.objectId] : made(request);
    if (object.paid)
        return refusal(400, "invalid_request_error", "payment_intent_unexpected_state", object);
    object.status = confirms ? QStringLiteral("requires_payment_method") : QStringLiteral("failed");
    m_notices.append({request.sentKey, object, m_time.now()});
    auto refused = refusal(402, "card_error", "card_declined");
    refused.declineCode = QStringLiteral("insufficient_funds");
    if (withObject)
        refused.object = object;
    return refused;
}

} // namespace unavez::tests
