// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/agent.h"

#include "app/sandbox/webrequest.h"
#include "models/contract/keys.h"

#include <QJsonDocument>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>

namespace unavez::sandbox {

using contract::Millis;

namespace {

constexpr Millis gateTotal{120000}; // longer than a provider's total time (contract.md §13.2)

ServedReply answer(int status, const QString& said) { return jsonReply(status, {{QStringLiteral("said"), said}}); }

ServedReply later(int seconds, const QString& said)
{
    auto reply = answer(409, said);
    reply.headers = {{"Retry-After", QByteArray::number(std::clamp(seconds, 1, 3600))}};
    return reply;
}

void think(Millis time, const std::stop_token& stop)
{
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock lock(mutex);
    woken.wait_for(lock, stop, time, [&] { return stop.stop_requested(); });
}

} // namespace

QString invoiceOf(const QJsonObject& job)
{
    const auto object = job.value(QLatin1String("payload"))
                            .toObject()
                            .value(QLatin1String("data"))
                            .toObject()
                            .value(QLatin1String("object"))
                            .toObject();
    const auto id = object.value(QLatin1String("id")).toString();
    return id.isEmpty() ? job.value(QLatin1String("object_id")).toString() : id;
}

ServedReply answerFor(int gateStatus, const QJsonObject& gateBody, std::optional<int> retryAfter)
{
    const auto status = gateBody.value(QLatin1String("status")).toString();
    if (gateStatus == 200 && status == QLatin1String("done"))
        return answer(200, status);
    if (gateStatus == 200 && status == QLatin1String("in_progress")) {
        const auto ms = gateBody.value(QLatin1String("retry_after_ms")).toInteger(1000);
        return later(static_cast<int>(std::min<qint64>((ms + 999) / 1000, 3600)), status);
    }
    if (gateStatus == 200 && (status == QLatin1String("failed") || status == QLatin1String("unknown_outcome")))
        return answer(422, status);
    const auto reason = gateBody.value(QLatin1String("error")).toObject().value(QLatin1String("reason")).toString();
    if (gateStatus == 503)
        return later(retryAfter.value_or(5), reason);
    if (gateStatus == 400 || (gateStatus == 422 && reason != QLatin1String("lease_lost")))
        return answer(422, reason);
    return answer(500, reason.isEmpty() ? QStringLiteral("gate answered HTTP %1").arg(gateStatus) : reason);
}

Agent::Agent(AgentSettings settings)
    : m_settings(std::move(settings))
{
}

ServedReply Agent::respond(const ServedRequest& request, const std::stop_token& stop)
{
    if (request.method != "POST" || request.path != QLatin1String("/run"))
        return answer(404, QStringLiteral("POST /run"));
    const auto job = QJsonDocument::fromJson(request.body);
    const auto invoice = invoiceOf(job.object());
    if (!job.isObject() || invoice.isEmpty())
        return answer(422, QStringLiteral("the job names no invoice"));
    think(m_settings.slow, stop);
    auto reply = answer(500, QStringLiteral("stopped"));
    const auto number = request.header("Unavez-Job").value_or("-");
    for (int i = 0; i < std::max(m_settings.repeat, 1) && !stop.stop_requested(); ++i)
        reply = charge(request, invoice, stop);
    std::printf("job %s, %s: HTTP %d %s\n", number.constData(), qUtf8Printable(contract::encodedPart(invoice.left(64))),
        reply.status, reply.body.constData());
    std::fflush(stdout);
    return reply;
}

ServedReply Agent::charge(const ServedRequest& request, const QString& invoice, const std::stop_token& stop) const
{
    providers::HeaderList headers{
        {"Authorization", "Bearer " + m_settings.token}, {"Content-Type", "application/json"}};
    for (const auto* const name : {"Unavez-Job", "Unavez-Lease"}) {
        if (const auto value = request.header(name))
            headers.append({name, *value});
    }
    const auto asked = requested("POST", m_settings.gateUrl() + QStringLiteral("/tools/charge_customer"), headers,
        QJsonDocument(QJsonObject{{QStringLiteral("invoice_id"), invoice}}).toJson(QJsonDocument::Compact), gateTotal,
        stop);
    if (!asked)
        return answer(500, QStringLiteral("the gate did not answer: ") + contract::wordOf(asked.error().kind));
    bool isNumber = false;
    const int seconds = asked->header("Retry-After").toInt(&isNumber);
    return answerFor(
        asked->status, QJsonDocument::fromJson(asked->body).object(), isNumber ? std::optional(seconds) : std::nullopt);
}

} // namespace unavez::sandbox
