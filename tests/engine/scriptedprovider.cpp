// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/scriptedprovider.h"

namespace unavez::tests {

using namespace contract;

namespace {

constexpr Millis keptFor{std::chrono::hours{24}};

// Kept under its key, so that a repeat gets the same.
bool isKept(std::optional<Fault> fault)
{
    if (!fault)
        return true;
    switch (*fault) {
    case Fault::Unavailable:
    case Fault::ResetBefore:
    case Fault::InUse:
    case Fault::TooMany:
    case Fault::LockTimeout:
    case Fault::Invalid:
    case Fault::Unauthorized:
    case Fault::OtherBody: return false;
    default: return true;
    }
}

} // namespace

void ScriptedProvider::next(const QString& step, Fault fault, int times)
{
    const std::lock_guard lock(m_mutex);
    for (int i = 0; i < times; ++i)
        m_faults[step].push_back(fault);
}

void ScriptedProvider::succeed(const QString& paymentIntent)
{
    const std::lock_guard lock(m_mutex);
    m_paymentIntents[paymentIntent] = QStringLiteral("succeeded");
    ++m_effects;
}

void ScriptedProvider::age(Millis by)
{
    const std::lock_guard lock(m_mutex);
    for (auto& kept : m_kept)
        kept.age += by;
    m_kept.removeIf([](const auto& entry) { return entry.value().age >= keptFor; });
}

int ScriptedProvider::effects() const
{
    const std::lock_guard lock(m_mutex);
    return m_effects;
}

QList<LedgerLine> ScriptedProvider::ledger() const
{
    const std::lock_guard lock(m_mutex);
    return m_ledger;
}

QList<LedgerLine> ScriptedProvider::ledger(const QString& step) const
{
    auto lines = ledger();
    lines.removeIf([&](const LedgerLine& line) { return line.step != step; });
    return lines;
}

ProviderAnswer ScriptedProvider::refused(int status, const char* type, const char* code) const
{
    ProviderAnswer answer;
    answer.httpStatus = status;
    answer.errorType = QString::fromLatin1(type);
    if (*code)
        answer.errorCode = QString::fromLatin1(code);
    return answer;
}

ProviderAnswer ScriptedProvider::ofObject(const QString& id, const QString& type, const QString& status) const
{
    ProviderAnswer answer;
    answer.httpStatus = 200;
    ProviderObject object;
    object.id = id;
    object.type = type;
    object.status = status;
    object.paid = status == QLatin1String("succeeded");
    answer.object = object;
    answer.result = {{QStringLiteral("id"), id}, {QStringLiteral("status"), status}};
    return answer;
}

ProviderAnswer ScriptedProvider::carriedOut(const QString& step, const std::optional<QString>& object, bool& effect)
{
    const auto succeeded = QStringLiteral("succeeded");
    const auto paymentIntent = QStringLiteral("payment_intent");
    if (step == QLatin1String("create")) {
        const auto id = QStringLiteral("pi_%1").arg(++m_objects);
        m_paymentIntents.insert(id, QStringLiteral("requires_confirmation"));
        return ofObject(id, paymentIntent, m_paymentIntents.value(id));
    }
    if (step == QLatin1String("confirm")) {
        const auto id = object.value_or(QString());
        if (!m_paymentIntents.contains(id))
            return refused(404, "invalid_request_error", "resource_missing");
        if (m_paymentIntents.value(id) == succeeded) {
            auto answer = refused(400, "invalid_request_error", "payment_intent_unexpected_state");
            answer.object = ofObject(id, paymentIntent, succeeded).object;
            answer.result = ofObject(id, paymentIntent, succeeded).result;
            return answer;
        }
        m_paymentIntents.insert(id, succeeded);
        ++m_effects;
        effect = true;
        return ofObject(id, paymentIntent, succeeded);
    }
    ++m_effects;
    effect = true;
    return ofObject(QStringLiteral("re_%1").arg(++m_objects), QStringLiteral("refund"), succeeded);
}

std::optional<ProviderAnswer> ScriptedProvider::request(const QString& step, const QString& sentKey,
    const QByteArray& bytes, const std::optional<QString>& object, Instant date)
{
    const std::lock_guard lock(m_mutex);
    std::optional<Fault> fault;
    if (auto& waiting = m_faults[step]; !waiting.empty()) {
        fault = waiting.front();
        waiting.pop_front();
    }
    LedgerLine line{step, sentKey, bytes, 0, false, false};
    ProviderAnswer answer;
    const auto kept = m_kept.constFind(sentKey);
    const bool answersBeforeKeys = fault && !isKept(fault) && *fault != Fault::ResetBefore;
    if (kept != m_kept.constEnd() && !answersBeforeKeys) {
        if (kept->bytes == bytes) {
            answer = kept->answer;
            answer.replayed = true;
            line.replayed = true;
        } else {
            answer = refused(400, "idempotency_error");
        }
    } else {
        switch (fault.value_or(Fault::ResetAfter)) {
        case Fault::Decline: {
            answer = refused(402, "card_error", "card_declined");
            answer.declineCode = declineCode;
            if (!adviceCode.isEmpty())
                answer.adviceCode = adviceCode;
            if (object) {
                m_paymentIntents.insert(*object, QStringLiteral("requires_payment_method"));
                answer.object
                    = ofObject(*object, QStringLiteral("payment_intent"), m_paymentIntents.value(*object)).object;
            }
            break;
        }
        case Fault::CachedError: answer = refused(500, "api_error"); break;
        case Fault::CachedErrorAfter:
            carriedOut(step, object, line.effect);
            answer = refused(500, "api_error");
            break;
        case Fault::Unavailable: answer = refused(503, "api_error"); break;
        case Fault::InUse: answer = refused(409, "invalid_request_error", "idempotency_key_in_use"); break;
        case Fault::TooMany:
            answer = refused(429, "invalid_request_error", "rate_limit");
            answer.retryAfter = Seconds{40};
            break;
        case Fault::LockTimeout: answer = refused(400, "invalid_request_error", "lock_timeout"); break;
        case Fault::Invalid: answer = refused(400, "invalid_request_error", "parameter_unknown"); break;
        case Fault::Unauthorized: answer = refused(401, "invalid_request_error"); break;
        case Fault::OtherBody: answer = refused(400, "idempotency_error"); break;
        case Fault::RequiresAction:
            answer = ofObject(
                object.value_or(QString()), QStringLiteral("payment_intent"), QStringLiteral("requires_action"));
            break;
        case Fault::Processing:
            answer
                = ofObject(object.value_or(QString()), QStringLiteral("payment_intent"), QStringLiteral("processing"));
            break;
        case Fault::ResetBefore: break;
        case Fault::ResetAfter: answer = carriedOut(step, object, line.effect); break;
        }
        if (isKept(fault))
            m_kept.insert(sentKey, {bytes, answer, Millis{0}});
    }
    const bool reset = fault == Fault::ResetBefore || fault == Fault::ResetAfter;
    line.status = reset ? 0 : answer.httpStatus;
    m_ledger.append(line);
    if (reset)
        return std::nullopt;
    answer.date = date;
    answer.requestId = QStringLiteral("req_%1").arg(m_ledger.size());
    return answer;
}

} // namespace unavez::tests
