// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine/gate.h"

#include "models/async/crashpoint.h"

#include <algorithm>

// Sending a held reservation: contract.md §10.5. Nothing here sends a request twice; what is open stays open.
namespace unavez::engine {

using namespace contract;

namespace {

template <class... Ts> struct Overloaded : Ts...
{
    using Ts::operator()...;
};
template <class... Ts> Overloaded(Ts...) -> Overloaded<Ts...>;

QByteArray errorJson(const ProviderAnswer& answer)
{
    // Class `request`: nothing was executed; the code or the plan must be mended before another attempt.
    const bool card = answer.httpStatus == 402 || (answer.httpStatus >= 200 && answer.httpStatus < 300);
    QJsonObject error{{QStringLiteral("class"), card ? QStringLiteral("card") : QStringLiteral("request")}};
    const auto put = [&](const QString& name, const std::optional<QString>& value) {
        if (value && !value->isEmpty())
            error.insert(name, *value);
    };
    put(QStringLiteral("code"), answer.errorCode);
    put(QStringLiteral("decline_code"), answer.declineCode);
    put(QStringLiteral("advice_code"), answer.adviceCode);
    return canonicalJson(error);
}

QJsonObject callDetail(const QString& step, const ProviderAnswer& answer)
{
    QJsonObject detail{{QStringLiteral("step"), step}, {QStringLiteral("http_status"), answer.httpStatus}};
    if (answer.requestId)
        detail.insert(QStringLiteral("request_id"), *answer.requestId);
    return detail;
}

} // namespace

std::optional<Because> Gate::checkAccount(EffectTool& tool, const QString& account, bool fresh)
{
    const auto provider = tool.provider();
    if (!fresh && m_provider.isChecked(provider, account))
        return std::nullopt;
    const auto fact = tool.checkedAccount(true);
    if (!fact)
        return Because{Reason::BackendUnreachable,
            {{QStringLiteral("id"), account}, {QStringLiteral("why"), contract::wordOf(fact.error().kind)}}};
    m_provider.saw(provider, fact->date);
    if (fact->credentialOk && fact->account == account) {
        m_provider.checked(provider, account);
        return std::nullopt;
    }
    m_provider.forget(provider, account);
    // An incident that cannot be written now is raised by the next refusal: nothing was sent either way.
    static_cast<void>(m_store.raise(IncidentKind::Credential, provider + QLatin1Char(':') + account, Severity::Red,
        {{QStringLiteral("account"), account}, {QStringLiteral("credential_of"), fact->account},
            {QStringLiteral("accepted"), fact->credentialOk}}));
    return Because{
        Reason::WrongAccount, {{QStringLiteral("credential"), fact->account}, {QStringLiteral("account"), account}}};
}

Gate::Drive Gate::letGo(const Held& held, Drive driven)
{
    // Resumable at once instead of after the lease. Should this fail, the lease ends by itself.
    static_cast<void>(m_store.giveUpLease(held.key, held.fence, m_settings.grace));
    return driven;
}

Gate::Drive Gate::drive(EffectTool& tool, Held& held, const std::optional<JobLease>& job, std::stop_token cancelled)
{
    const auto request = decodedRequest(held.request);
    if (!request)
        return letGo(held, {Drive::End::Refused, damaged(held.key.key), {}, {}});
    const auto steps = tool.steps(*request, held.intent);
    for (const auto& name : steps) {
        const auto step = std::find_if(request->steps.begin(), request->steps.end(),
            [&](const StoredStep& stored) { return stored.step == name; });
        if (step == request->steps.end())
            return letGo(held, {Drive::End::Refused, damaged(held.key.key), {}, {}});
        auto sent = sendStep(tool, *step, held, job, cancelled);
        if (sent.drive)
            return std::move(*sent.drive);
    }
    return letGo(held, {Drive::End::Unanswered, {}, {}, {}});
}

Gate::Sent Gate::sendStep(
    EffectTool& tool, const StoredStep& step, Held& held, const std::optional<JobLease>& job, std::stop_token cancelled)
{
    const MarkFunction mark = [&]() -> Result<MarkAnswer> {
        UNAVEZ_CRASH_POINT("gate.after_connect_before_mark");
        auto marked = m_store.mark({held.key, held.fence, step.step, tool.name(), m_settings.lease, m_clock.wall(),
            m_provider.now(tool.provider()), job});
        if (marked && marked->call)
            UNAVEZ_CRASH_POINT("gate.after_mark_before_write");
        return marked;
    };
    const auto end = [this](qint64 call, OutcomeClass outcome) {
        static_cast<void>(m_store.completeCall({call, {}, outcome}));
    };
    const auto result
        = tool.send(step, sentKey(held.key.key, step.step), held.intent.providerObjectId, mark, cancelled);
    return std::visit(
        Overloaded{
            [&](const NotConnected&) -> Sent {
                return {letGo(held, {Drive::End::Away, {}, {}, {}})};
            },
            [&](const NotMarked& refused) -> Sent {
                if (!refused.because)
                    return {letGo(held, {Drive::End::StoreAway, {}, {}, {}})};
                const auto reason = refused.because->reason;
                if (reason == Reason::ClockSkew || reason == Reason::ClockWentBack)
                    static_cast<void>(m_store.raise(
                        reason == Reason::ClockSkew ? IncidentKind::ClockSkew : IncidentKind::ClockWentBack,
                        subjectOf(held.key), Severity::Red, QJsonObject::fromVariantMap(refused.because->facts)));
                return {letGo(held, {Drive::End::Refused, refused.because, {}, {}})};
            },
            [&](const NotWritten& late) -> Sent {
                // Not one byte left, and we know it: no unanswered send, the same key may be used again.
                end(late.call, OutcomeClass::RetryableSameKey);
                return {letGo(held, {Drive::End::TooLate, {}, {}, {}})};
            },
            [&](const NoAnswer& lost) -> Sent {
                end(lost.call, OutcomeClass::Unanswered);
                return {letGo(held, {Drive::End::Unanswered, {}, {}, {}})};
            },
            [&](const Answered& got) -> Sent { return answered(tool, step.step, held, got.call, got.answer); },
        },
        result);
}

Gate::Sent Gate::answered(EffectTool& tool, const QString& step, Held& held, qint64 call, const ProviderAnswer& answer)
{
    UNAVEZ_CRASH_POINT("gate.after_answer_before_finish");
    m_provider.saw(tool.provider(), answer.date);
    // A store that cannot say is taken for "yes": then only proof of this very request closes the attempt.
    const auto unanswered = m_store.hasUnansweredSend(held.key, sentKey(held.key.key, step), call);
    const auto outcome = classified(answer, {verbOf(held.intent.id.intentKey), step, unanswered.value_or(true)});
    static_cast<void>(m_store.completeCall({call, answer, outcome.outcome}));
    if (outcome.incident) {
        if (*outcome.incident == IncidentKind::Credential)
            m_provider.forget(tool.provider(), held.key.account);
        static_cast<void>(
            m_store.raise(*outcome.incident, subjectOf(held.key), Severity::Red, callDetail(step, answer)));
    }
    if (outcome.outcome == OutcomeClass::Step && outcome.objectId) {
        const auto stored = m_store.storeObject(held.intent.id, *outcome.objectId);
        if (!stored)
            return {letGo(held, {Drive::End::StoreAway, {}, {}, {}})};
        if (!*stored) {
            static_cast<void>(m_store.raise(IncidentKind::OutcomeConflict, subjectOf(held.key), Severity::Red,
                {{QStringLiteral("created"), *outcome.objectId}}));
            return {letGo(held, {Drive::End::Retryable, {}, {}, {}})};
        }
        held.intent.providerObjectId = outcome.objectId;
        UNAVEZ_CRASH_POINT("gate.between_create_and_confirm");
        return {};
    }
    if (outcome.becomes)
        return {finish(held, outcome, answer)};
    switch (outcome.outcome) {
    case OutcomeClass::Mismatch: return {letGo(held, {Drive::End::Mismatch, {}, {}, {}})};
    case OutcomeClass::RetryableSameKey: return {letGo(held, {Drive::End::Retryable, {}, answer.retryAfter, {}})};
    default: return {letGo(held, {Drive::End::Unanswered, {}, answer.retryAfter, {}})};
    }
}

Gate::Drive Gate::finish(const Held& held, const Outcome& outcome, const ProviderAnswer& answer)
{
    FinishRequest request;
    request.key = held.key;
    request.fence = held.fence;
    request.status = *outcome.becomes;
    request.flag = outcome.flag;
    request.outcome = outcome.outcome;
    request.objectId = outcome.objectId;
    if (request.status == ReservationStatus::Done && !request.objectId)
        request.objectId = QStringLiteral("key:") + held.key.key;
    if (request.status != ReservationStatus::Failed && !answer.result.isEmpty())
        request.result = canonicalJson(answer.result);
    if (request.status == ReservationStatus::Failed)
        request.error = errorJson(answer);
    const auto finished = m_store.finish(request);
    if (!finished)
        return {Drive::End::StoreAway, {}, {}, {}};
    if (!*finished) {
        compareFenced(request);
        return {Drive::End::Fenced, {}, {}, {}};
    }
    UNAVEZ_CRASH_POINT("gate.after_finish_before_reply");
    return {Drive::End::Finished, {}, {}, request};
}

void Gate::compareFenced(const FinishRequest& ours)
{
    const auto theirs = m_store.findKey(ours.key);
    if (!theirs || !*theirs || ours.status == ReservationStatus::Unknown)
        return;
    const auto& row = (*theirs)->last;
    // While it is in progress its new holder gets the same answer. An unknown row never will: that we know better must
    // be seen by whoever records its outcome.
    if (row.status == ReservationStatus::InProgress)
        return;
    const bool differs = row.status != ours.status
        || (ours.status == ReservationStatus::Done && row.providerObjectId != ours.objectId);
    if (differs)
        static_cast<void>(m_store.raise(IncidentKind::OutcomeConflict, subjectOf(ours.key), Severity::Red,
            {{QStringLiteral("row"), contract::wordOf(row.status)},
                {QStringLiteral("answer"), contract::wordOf(ours.status)},
                {QStringLiteral("object"), ours.objectId.value_or(QString())}}));
}

} // namespace unavez::engine
