// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/simtool.h"

#include "models/async/crashpoint.h"

#include <QJsonDocument>

namespace unavez::tests {

using namespace contract;

namespace {

constexpr Seconds writeWithin{10};
constexpr Seconds idleDropped{60};

QString invoiceIn(const QJsonObject& arguments) { return arguments.value(QLatin1String("invoice_id")).toString(); }

} // namespace

Ruling<IntentId> SimTool::spelled(const QJsonObject& arguments) const
{
    const auto key = intentKey(verb(), {invoiceIn(arguments)});
    if (!key)
        return tl::unexpected(Because{Reason::BadArguments, {}});
    return IntentId{provider(), account(), *key};
}

Ruling<PlannedIntent> SimTool::plan(const QJsonObject& arguments)
{
    const auto intent = spelled(arguments);
    if (!intent)
        return tl::unexpected(intent.error());
    PlannedIntent planned;
    planned.intent = *intent;
    planned.amount = Money{1200, QStringLiteral("eur")};
    planned.customer = QStringLiteral("cus_1");
    planned.plan = canonicalJson({{QStringLiteral("invoice"), invoiceIn(arguments)}});
    planned.argsSha256 = sha256(planned.plan);
    return planned;
}

Ruling<QByteArray> SimTool::encode(const Intent& intent, int attempt)
{
    const auto body = QStringLiteral("intent=%1&attempt=%2&release=%3")
                          .arg(intent.id.intentKey)
                          .arg(attempt)
                          .arg(m_release)
                          .toUtf8();
    const auto step = [&](const QString& name, const QString& path) {
        return StoredStep{name, QStringLiteral("POST"), path, {}, body};
    };
    if (!m_outside.onePaymentIntent)
        return encoded({{step(QStringLiteral("send"), QStringLiteral("/v1/charges"))}});
    return encoded({{step(QStringLiteral("create"), QStringLiteral("/v1/payment_intents")),
        step(QStringLiteral("confirm"), QStringLiteral("/v1/payment_intents/{object}/confirm"))}});
}

QStringList SimTool::steps(const StoredRequest& request, const Intent& intent) const
{
    QStringList names;
    for (const auto& step : request.steps) {
        if (step.step != QLatin1String("create") || !intent.providerObjectId)
            names.append(step.step);
    }
    return names;
}

SendResult SimTool::send(const StoredStep& step, const QString& sentKey, const std::optional<QString>& objectId,
    const MarkFunction& mark, std::stop_token cancelled)
{
    if (m_outside.provider.takes(Fault::NoConnection))
        return NotConnected{};
    const auto connected = m_clock.boottime();
    const auto marked = mark();
    if (!marked)
        return NotMarked{};
    if (!marked->call)
        return NotMarked{marked->refused};
    const auto call = *marked->call;
    if (cancelled.stop_requested() || m_clock.boottime() - connected >= writeWithin)
        return NotWritten{call};
    UNAVEZ_CRASH_POINT("tool.after_check_before_write");
    if (m_outside.dropsIdle && m_clock.boottime() - connected > idleDropped)
        return NoAnswer{call, QStringLiteral("written into a dead connection")};
    if (!m_outside.isMarked(call, sentKey))
        m_outside.unmarked.append(sentKey);
    const auto intent = QString::fromUtf8(step.body).section(QLatin1Char('&'), 0, 0).section(QLatin1Char('='), 1);
    const auto answer = m_outside.provider.receive({m_credentialOf, sentKey, step.step, step.body, intent, objectId});
    UNAVEZ_CRASH_POINT("gate.after_write_before_answer");
    if (!answer)
        return NoAnswer{call, QStringLiteral("reset")};
    return Answered{call, *answer};
}

Result<AccountFact> SimTool::checkedAccount(bool)
{
    if (m_outside.provider.takes(Fault::NoAccount))
        return fail(Error::Kind::Offline);
    return AccountFact{m_credentialOf, m_outside.provider.now(), true};
}

QByteArray SimEventReader::written(const SimNotice& notice)
{
    return canonicalJson({{QStringLiteral("sent_key"), notice.sentKey}, {QStringLiteral("id"), notice.object.id},
        {QStringLiteral("type"), notice.object.type}, {QStringLiteral("status"), notice.object.status},
        {QStringLiteral("paid"), notice.object.paid}, {QStringLiteral("at"), notice.at.ms},
        {QStringLiteral("intent"), notice.object.intentKey.value_or(QString())}});
}

std::optional<CausedByUs> SimEventReader::read(const QString&, const QByteArray& payload) const
{
    const auto json = QJsonDocument::fromJson(payload).object();
    if (!json.contains(QLatin1String("sent_key")))
        return std::nullopt;
    CausedByUs caused;
    caused.sentKey = json.value(QLatin1String("sent_key")).toString();
    caused.object.id = json.value(QLatin1String("id")).toString();
    caused.object.type = json.value(QLatin1String("type")).toString();
    caused.object.status = json.value(QLatin1String("status")).toString();
    caused.object.paid = json.value(QLatin1String("paid")).toBool();
    caused.object.amount = Money{1200, QStringLiteral("eur")};
    caused.object.intentKey = json.value(QLatin1String("intent")).toString();
    caused.at = Instant{json.value(QLatin1String("at")).toInteger()};
    return caused;
}

HandlerAnswer SimAgent::handle(const HandlerRequest& request, std::stop_token cancelled)
{
    if (!request.event.objectId)
        return {HandlerAnswer::Kind::Done, 200, {}};
    std::optional<engine::GateAnswer> last;
    for (int i = 0; i < calls; ++i) {
        last = m_gate.call(QStringLiteral("charge_customer"), {{QStringLiteral("invoice_id"), *request.event.objectId}},
            request.lease, cancelled);
    }
    if (careless)
        return {HandlerAnswer::Kind::Done, 200, {}};
    if (last->http != 200)
        return {HandlerAnswer::Kind::Failed, 500, {}};
    if (last->status == engine::GateStatus::InProgress)
        return {HandlerAnswer::Kind::Later, 409, std::chrono::ceil<Seconds>(last->retryAfter.value_or(Seconds{1}))};
    return {HandlerAnswer::Kind::Done, 200, {}};
}

} // namespace unavez::tests
