// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/scriptedtool.h"

#include "models/async/crashpoint.h"

#include <QJsonArray>

namespace unavez::tests {

using namespace contract;

namespace {

constexpr Millis writeWithin{10000};

QString text(const char* word) { return QString::fromLatin1(word); }

tl::unexpected<Because> bad(const QString& field, const char* why)
{
    return tl::unexpected(Because{Reason::BadArguments, {{text("field"), field}, {text("why"), text(why)}}});
}

QByteArray wireBytes(const StoredStep& step, const std::optional<QString>& object)
{
    auto path = step.path;
    path.replace(text("{object}"), object.value_or(QString()));
    QByteArray bytes = step.method.toUtf8() + ' ' + path.toUtf8() + '\n';
    for (const auto& [name, value] : step.headers)
        bytes += name + ": " + value + '\n';
    return bytes + '\n' + step.body;
}

} // namespace

ScriptedTool::ScriptedTool(
    Kind kind, QString account, ScriptedProvider& provider, ScriptedBackend& backend, const HostClock& clock)
    : m_kind(kind)
    , m_account(std::move(account))
    , m_provider(provider)
    , m_backend(backend)
    , m_clock(clock)
{
}

QString ScriptedTool::name() const { return m_kind == Kind::Charge ? text("charge_customer") : text("refund"); }

QString ScriptedTool::verb() const { return m_kind == Kind::Charge ? text("charge") : text("refund"); }

QJsonObject ScriptedTool::inputSchema() const
{
    const QJsonObject string{{text("type"), text("string")}};
    auto properties = m_kind == Kind::Charge ? QJsonObject{{text("invoice_id"), string}}
                                             : QJsonObject{{text("request_id"), string},
                                                 {text("amount_minor"), QJsonObject{{text("type"), text("integer")}}}};
    return {{text("type"), text("object")}, {text("properties"), properties}, {text("additionalProperties"), false}};
}

Ruling<QString> ScriptedTool::spelledId(const QJsonObject& arguments) const
{
    const auto known = inputSchema().value(text("properties")).toObject().keys();
    for (const auto& name : arguments.keys()) {
        if (!known.contains(name))
            return bad(name, "unknown");
    }
    const auto field = m_kind == Kind::Charge ? text("invoice_id") : text("request_id");
    const auto id = arguments.value(field);
    if (!id.isString() || id.toString().trimmed().isEmpty())
        return bad(field, "missing");
    return id.toString();
}

Ruling<IntentId> ScriptedTool::spelled(const QJsonObject& arguments) const
{
    const auto id = spelledId(arguments);
    if (!id)
        return tl::unexpected(id.error());
    return IntentId{provider(), m_account, intentKey(verb(), {*id}).value_or(QString())};
}

Ruling<PlannedIntent> ScriptedTool::plan(const QJsonObject& arguments)
{
    const auto id = spelledId(arguments);
    if (!id)
        return tl::unexpected(id.error());
    if (m_backend.away)
        return tl::unexpected(Because{Reason::BackendUnreachable, {{text("id"), *id}, {text("why"), text("offline")}}});
    PlannedIntent planned;
    if (m_kind == Kind::Refund) {
        const auto minor = arguments.value(text("amount_minor")).toInteger();
        planned.intent = {provider(), m_account, intentKey(verb(), {*id}).value_or(QString())};
        planned.amount = Money{minor, text("eur")};
        planned.plan = canonicalJson(
            {{text("request_id"), *id}, {text("amount_minor"), minor}, {text("customer"), text("cus_secret")}});
        planned.argsSha256 = sha256(canonicalJson({{text("request_id"), *id}, {text("amount_minor"), minor}}));
        return planned;
    }
    const auto name = id->trimmed().toLower();
    const auto found = m_backend.invoices.constFind(m_backend.aliases.value(name, name));
    if (found == m_backend.invoices.constEnd())
        return bad(text("invoice_id"), "not_found");
    planned.intent = {provider(), m_account, intentKey(verb(), {found->id}).value_or(QString())};
    planned.amount = Money{found->minor, text("eur")};
    planned.customer = text("cus_1");
    planned.plan = canonicalJson({{text("invoice"), found->id}, {text("customer"), text("cus_1")},
        {text("amount_minor"), found->minor}, {text("currency"), text("eur")}});
    planned.argsSha256 = sha256(canonicalJson({{text("invoice_id"), found->id}}));
    planned.due = found->open;
    planned.state = found->open ? text("open") : text("paid");
    return planned;
}

Ruling<QByteArray> ScriptedTool::encode(const Intent& intent, int)
{
    if (cardLookUpAway)
        return tl::unexpected(
            Because{Reason::BackendUnreachable, {{text("id"), intent.id.intentKey}, {text("why"), text("timeout")}}});
    const QList<QPair<QByteArray, QByteArray>> headers{{"Stripe-Version", "2022-11-15"}, {"Encoder", encoder.toUtf8()}};
    const auto amount = "amount=" + QByteArray::number(intent.amount->minor) + "&currency=eur";
    if (m_kind == Kind::Refund)
        return encoded({{{text("send"), text("POST"), text("/v1/refunds"), headers, amount}}});
    return encoded({{{text("create"), text("POST"), text("/v1/payment_intents"), headers, amount},
        {text("confirm"), text("POST"), text("/v1/payment_intents/{object}/confirm"), headers,
            "payment_method=" + card.toUtf8()}}});
}

QStringList ScriptedTool::steps(const StoredRequest&, const Intent& intent) const
{
    if (m_kind == Kind::Refund)
        return {text("send")};
    return intent.providerObjectId ? QStringList{text("confirm")} : QStringList{text("create"), text("confirm")};
}

SendResult ScriptedTool::send(const StoredStep& step, const QString& sentKey, const std::optional<QString>& objectId,
    const MarkFunction& mark, std::stop_token cancelled)
{
    if (unreachable)
        return NotConnected{text("connection refused")};
    if (connected)
        connected();
    const auto asked = m_clock.boottime();
    const auto marking = mark();
    if (!marking)
        return NotMarked{};
    if (!marking->call)
        return NotMarked{marking->refused};
    if (marked)
        marked();
    if (m_clock.boottime() - asked >= writeWithin || cancelled.stop_requested())
        return NotWritten{*marking->call};
    const auto answer
        = m_provider.request(step.step, sentKey, wireBytes(step, objectId), objectId, m_clock.wall() + providerAhead);
    UNAVEZ_CRASH_POINT("gate.after_write_before_answer");
    if (written)
        written();
    if (!answer)
        return NoAnswer{*marking->call, text("reset")};
    return Answered{*marking->call, *answer};
}

Result<AccountFact> ScriptedTool::checkedAccount(bool)
{
    ++accountAsked;
    if (accountAway)
        return fail(Error::Kind::Offline);
    return AccountFact{credentialOf.isEmpty() ? m_account : credentialOf, m_clock.wall() + providerAhead, credentialOk};
}

} // namespace unavez::tests
