// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine/gateanswer.h"

#include <QJsonDocument>

#include <algorithm>

namespace unavez::engine {

using namespace contract;

namespace {

constexpr Millis shortWait{1000};

std::optional<QString> field(const QJsonObject& object, QLatin1String name)
{
    const auto value = object.value(name);
    return value.isString() && !value.toString().isEmpty() ? std::optional(value.toString()) : std::nullopt;
}

bool mayOpenNew(const IntentState& state, const QJsonObject& error, const GuardPolicy& policy)
{
    if (state.last.attempt >= state.intent.maxAttempts)
        return false;
    if (state.last.status == ReservationStatus::Abandoned)
        return true;
    return state.last.outcomeClass == wordOf(OutcomeClass::DefinitiveFailure)
        && field(error, QLatin1String("advice_code")) != QLatin1String("do_not_try_again")
        && !policy.hardDeclines.contains(field(error, QLatin1String("decline_code")).value_or(QString()));
}

GateAnswer failedAnswer(GateAnswer answer, const IntentState& state, const GuardPolicy& policy)
{
    answer.status = GateStatus::Failed;
    const auto error = QJsonDocument::fromJson(state.last.error.value_or(QByteArray())).object();
    if (state.last.status == ReservationStatus::Abandoned)
        answer.error = GateError{QStringLiteral("abandoned"), {}, {}};
    else
        answer.error
            = GateError{field(error, QLatin1String("class")).value_or(state.last.outcomeClass.value_or(QString())),
                field(error, QLatin1String("code")), field(error, QLatin1String("decline_code"))};
    answer.canOpenNewAttempt = mayOpenNew(state, error, policy);
    return answer;
}

} // namespace

QString wordOf(GateStatus status)
{
    switch (status) {
    case GateStatus::Done: return QStringLiteral("done");
    case GateStatus::InProgress: return QStringLiteral("in_progress");
    case GateStatus::UnknownOutcome: return QStringLiteral("unknown_outcome");
    case GateStatus::Failed: return QStringLiteral("failed");
    }
    return {};
}

int httpOf(Reason reason)
{
    switch (reason) {
    case Reason::BadArguments: return 400;
    case Reason::UnknownTool: return 404;
    case Reason::PlanMismatch:
    case Reason::LeaseLost:
    case Reason::NotDue: return 422;
    default: return 503;
    }
}

GateAnswer refusal(const Because& because)
{
    GateAnswer answer;
    answer.http = httpOf(because.reason);
    answer.because = because;
    if (answer.http == 503)
        answer.retryAfter = because.reason == Reason::StoreAway ? Millis{1000} : Millis{30000};
    return answer;
}

GateAnswer refusal(Reason reason, QVariantMap facts) { return refusal(Because{reason, std::move(facts)}); }

Because damaged(const QString& key)
{
    return {Reason::Unmapped, {{QStringLiteral("value"), key}, {QStringLiteral("column"), QStringLiteral("request")}}};
}

RowHold holdOf(const Reservation& row, Instant now, Seconds grace)
{
    switch (row.status) {
    case ReservationStatus::Done:
    case ReservationStatus::Failed:
    case ReservationStatus::Abandoned: return RowHold::Final;
    case ReservationStatus::Unknown: return RowHold::Unknown;
    case ReservationStatus::Opened: return RowHold::Opened;
    case ReservationStatus::InProgress: break;
    }
    if (row.leaseExpiresAt && *row.leaseExpiresAt + grace >= now)
        return RowHold::Live;
    if (row.sends == 0)
        return RowHold::Resumable;
    if (row.firstSentAt && *row.firstSentAt > now)
        return RowHold::ClockWentBack;
    return now < row.resumeUntil ? RowHold::Resumable : RowHold::PastCutoff;
}

GateAnswer answerOf(const IntentState& state, Seconds grace, const GuardPolicy& policy)
{
    const auto& row = state.last;
    GateAnswer answer;
    answer.intent = row.intentKey;
    answer.key = row.id.key;
    answer.replayed = true;
    switch (holdOf(row, state.now, grace)) {
    case RowHold::Final:
        if (row.status != ReservationStatus::Done)
            return failedAnswer(std::move(answer), state, policy);
        answer.status = GateStatus::Done;
        if (row.result && !row.emptiedAt)
            answer.result = QJsonDocument::fromJson(*row.result).object();
        break;
    case RowHold::Unknown: answer.status = GateStatus::UnknownOutcome; break;
    case RowHold::PastCutoff:
        answer.status = GateStatus::UnknownOutcome;
        answer.because = Because{
            Reason::PastCutoff, {{QStringLiteral("key"), row.id.key}, {QStringLiteral("time"), row.resumeUntil.ms}}};
        break;
    case RowHold::ClockWentBack:
        answer.status = GateStatus::UnknownOutcome;
        answer.because = Because{Reason::ClockWentBack,
            {{QStringLiteral("key"), row.id.key}, {QStringLiteral("time"), row.firstSentAt.value_or(state.now).ms}}};
        break;
    case RowHold::Live:
        answer.status = GateStatus::InProgress;
        answer.retryAfter = std::max(*row.leaseExpiresAt + grace - state.now, shortWait);
        break;
    case RowHold::Opened:
    case RowHold::Resumable:
        answer.status = GateStatus::InProgress;
        answer.retryAfter = shortWait;
        break;
    }
    return answer;
}

} // namespace unavez::engine
