// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/gatereply.h"

#include "ui/text/sentences.h"
#include "ui/text/toolsentences.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace unavez::service {

using namespace contract;
using engine::GateAnswer;
using engine::GateStatus;

namespace {

const QByteArray problemType = "application/problem+json";

Seconds secondsOf(Millis wait) { return std::max(Seconds{1}, std::chrono::ceil<Seconds>(wait)); }

QJsonValue orNull(const std::optional<QString>& text) { return text ? QJsonValue(*text) : QJsonValue(); }

QString whyOf(const engine::GateError& error)
{
    QStringList words{error.errorClass};
    for (const auto& word : {error.code, error.declineCode}) {
        if (word && !words.contains(*word))
            words.append(*word);
    }
    return words.join(QStringLiteral(", "));
}

text::ToolAnswer saidOf(const GateAnswer& answer)
{
    using text::ToolOutcome;
    switch (*answer.status) {
    case GateStatus::Done:
        if (!answer.replayed)
            return {ToolOutcome::Done, {}, {}};
        return {answer.result ? ToolOutcome::DoneBefore : ToolOutcome::DoneAndEmptied, {}, {}};
    case GateStatus::InProgress: return {ToolOutcome::InProgress, secondsOf(answer.retryAfter.value_or(Millis{0})), {}};
    case GateStatus::UnknownOutcome: return {ToolOutcome::UnknownOutcome, {}, {}};
    case GateStatus::Failed: break;
    }
    const auto error = answer.error.value_or(engine::GateError{});
    if (error.errorClass == QLatin1String("abandoned"))
        return {ToolOutcome::Abandoned, {}, {}};
    return {answer.canOpenNewAttempt ? ToolOutcome::FailedMayOpen : ToolOutcome::Failed, {}, whyOf(error)};
}

HttpResponse refusedReply(const GateAnswer& answer)
{
    const auto because = answer.because.value_or(Because{Reason::StoreAway, {}});
    QJsonObject error{
        {QStringLiteral("reason"), wordOf(because.reason)}, {QStringLiteral("message"), text::sentence(because)}};
    // What the intent was planned with, so that a caller sees where it differs.
    if (const auto planned = because.facts.constFind(QStringLiteral("arguments")); planned != because.facts.constEnd())
        error.insert(QStringLiteral("arguments"), QJsonObject::fromVariantMap(planned->toMap()));
    auto response = jsonResponse(answer.http, {{QStringLiteral("error"), error}});
    if (answer.http == 503)
        response.retryAfter = secondsOf(answer.retryAfter.value_or(Millis{0}));
    return response;
}

HttpResponse problemReply(const GateAnswer& answer)
{
    const auto status = wordOf(*answer.status);
    auto response = jsonResponse(409,
        {{QStringLiteral("type"), QStringLiteral("urn:unavez:") + status}, {QStringLiteral("title"), status},
            {QStringLiteral("status"), 409}, {QStringLiteral("detail"), text::sentence(saidOf(answer))},
            {QStringLiteral("intent"), answer.intent}, {QStringLiteral("key"), answer.key},
            {QStringLiteral("retry_after_ms"),
                answer.retryAfter ? QJsonValue(static_cast<qint64>(answer.retryAfter->count())) : QJsonValue()}});
    response.contentType = problemType;
    if (answer.retryAfter)
        response.retryAfter = secondsOf(*answer.retryAfter);
    return response;
}

Because badHeader(const char* field, text::CallFault fault)
{
    return {Reason::BadArguments,
        {{QStringLiteral("field"), QString::fromLatin1(field)}, {QStringLiteral("why"), text::sentence(fault)}}};
}

std::optional<qint64> numberOf(const QList<QByteArray>& values)
{
    constexpr qsizetype mostDigits = 18;
    if (values.size() != 1 || values.first().isEmpty() || values.first().size() > mostDigits
        || !std::all_of(values.first().begin(), values.first().end(), [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    const auto number = values.first().toLongLong();
    return number > 0 ? std::optional(number) : std::nullopt;
}

} // namespace

HttpResponse replyOf(const GateAnswer& answer, bool asProblem)
{
    if (answer.http != 200 || !answer.status)
        return refusedReply(answer);
    if (asProblem && (answer.status == GateStatus::InProgress || answer.status == GateStatus::UnknownOutcome))
        return problemReply(answer);
    QJsonObject body{{QStringLiteral("status"), wordOf(*answer.status)}, {QStringLiteral("intent"), answer.intent},
        {QStringLiteral("key"), answer.key}, {QStringLiteral("replayed"), answer.replayed},
        {QStringLiteral("retry_after_ms"), QJsonValue()}, {QStringLiteral("result"), QJsonValue()},
        {QStringLiteral("error"), QJsonValue()}, {QStringLiteral("can_open_new_attempt"), answer.canOpenNewAttempt},
        {QStringLiteral("reason"), QJsonValue()}, {QStringLiteral("message"), text::sentence(saidOf(answer))}};
    if (answer.retryAfter)
        body[QStringLiteral("retry_after_ms")] = static_cast<qint64>(answer.retryAfter->count());
    if (answer.result)
        body[QStringLiteral("result")] = *answer.result;
    if (answer.error)
        body[QStringLiteral("error")] = QJsonObject{{QStringLiteral("class"), answer.error->errorClass},
            {QStringLiteral("code"), orNull(answer.error->code)},
            {QStringLiteral("decline_code"), orNull(answer.error->declineCode)}};
    if (answer.because)
        body[QStringLiteral("reason")] = wordOf(answer.because->reason);
    return jsonResponse(200, body);
}

HttpResponse replyOf(const QList<EffectTool*>& tools, const QList<Hold>& holds)
{
    QJsonArray listed;
    for (const auto* tool : tools) {
        const bool isHeld = std::any_of(holds.begin(), holds.end(), [&](const Hold& hold) {
            return hold.kind == HoldKind::Sends || (hold.kind == HoldKind::Tool && hold.target == tool->name());
        });
        listed.append(QJsonObject{{QStringLiteral("name"), tool->name()},
            {QStringLiteral("description"), tool->description()}, {QStringLiteral("input_schema"), tool->inputSchema()},
            {QStringLiteral("effect"), true}, {QStringLiteral("held"), isHeld}});
    }
    return jsonResponse(200, {{QStringLiteral("tools"), listed}});
}

bool acceptsProblems(const HttpRequest& request)
{
    for (const auto& value : request.values("Accept")) {
        for (const auto& range : value.split(',')) {
            if (range.split(';').first().trimmed().compare(problemType, Qt::CaseInsensitive) == 0)
                return true;
        }
    }
    return false;
}

Ruling<std::optional<JobLease>> leaseOf(const HttpRequest& request)
{
    const auto jobs = request.values("Unavez-Job");
    const auto tokens = request.values("Unavez-Lease");
    if (jobs.isEmpty() && tokens.isEmpty())
        return std::optional<JobLease>();
    if (jobs.isEmpty() || tokens.isEmpty())
        return tl::make_unexpected(
            badHeader(jobs.isEmpty() ? "Unavez-Job" : "Unavez-Lease", text::CallFault::HeaderAlone));
    const auto job = numberOf(jobs);
    const auto token = numberOf(tokens);
    if (!job || !token)
        return tl::make_unexpected(badHeader(job ? "Unavez-Lease" : "Unavez-Job", text::CallFault::HeaderNoNumber));
    return JobLease{*job, *token};
}

Ruling<QJsonObject> argumentsOf(const QByteArray& body)
{
    const auto document = QJsonDocument::fromJson(body);
    if (!document.isObject())
        return tl::make_unexpected(badHeader("body", text::CallFault::NotAnObject));
    return document.object();
}

} // namespace unavez::service
