// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/stripecharge.h"

#include "models/providers/backendlookup.h"
#include "models/providers/stripeanswer.h"
#include "models/providers/stripeobject.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QUrl>

#include <algorithm>

namespace unavez::providers {

using namespace contract;

namespace {

const QString invoiceId = QStringLiteral("invoice_id");
const QString create = QStringLiteral("create");
const QString confirm = QStringLiteral("confirm");
// Pinned: an answer is read by the shape of one version, whatever the account's default becomes.
const QByteArray apiVersion = "2024-06-20";
constexpr Millis accountFor{600'000};

tl::unexpected<Because> badArgument(const QString& field, const QString& why)
{
    return tl::unexpected(
        Because{Reason::BadArguments, {{QStringLiteral("field"), field}, {QStringLiteral("why"), why}}});
}

// An id that may stand in a path and in a key. Billing invoices are collected by Stripe itself: a PaymentIntent for one
// would charge beside it (contract.md §8.3).
std::optional<QString> faultOf(const QString& id)
{
    if (id.isEmpty() || id.toUtf8().size() > 150)
        return QStringLiteral("must be 1 to 150 bytes");
    if (id == QLatin1String(".") || id == QLatin1String(".."))
        return QStringLiteral("is no id");
    if (!std::all_of(id.begin(), id.end(), [](QChar c) { return c.isPrint(); }))
        return QStringLiteral("holds a character that cannot be printed");
    if (id.startsWith(QLatin1String("in_")))
        return QStringLiteral("is a Billing invoice, which Stripe collects itself");
    return std::nullopt;
}

QByteArray form(const QList<QPair<QByteArray, QString>>& fields)
{
    QByteArray body;
    for (const auto& [name, value] : fields) {
        if (!body.isEmpty())
            body += '&';
        body += name + '=' + QUrl::toPercentEncoding(value);
    }
    return body;
}

StoredStep posted(const QString& step, const QString& path, const QByteArray& body)
{
    return {step, QStringLiteral("POST"), path,
        {{"Content-Type", "application/x-www-form-urlencoded"}, {"Stripe-Version", apiVersion}}, body};
}

} // namespace

StripeChargeTool::StripeChargeTool(StripeChargeSettings settings, const TlsTrust& trust, const HostClock& clock)
    : m_settings(std::move(settings))
    , m_trust(trust)
    , m_clock(clock)
    , m_client(m_settings.limits, m_settings.writeWithin, trust, clock)
{
}

QString StripeChargeTool::description() const
{
    return QStringLiteral("Charges the customer of an open invoice, once. Asking again returns the first result, "
                          "without doing it again. Amount and customer come from the invoice.");
}

QJsonObject StripeChargeTool::inputSchema() const
{
    return {{QStringLiteral("type"), QStringLiteral("object")},
        {QStringLiteral("properties"),
            QJsonObject{{invoiceId,
                QJsonObject{{QStringLiteral("type"), QStringLiteral("string")},
                    {QStringLiteral("description"), QStringLiteral("The invoice's own id, as inv_42")}}}}},
        {QStringLiteral("required"), QJsonArray{invoiceId}}, {QStringLiteral("additionalProperties"), false}};
}

Ruling<IntentId> StripeChargeTool::spelled(const QJsonObject& arguments) const
{
    for (auto it = arguments.begin(); it != arguments.end(); ++it) {
        if (it.key() != invoiceId)
            return badArgument(it.key().left(64), QStringLiteral("is not taken; the invoice says it"));
    }
    const auto id = arguments.value(invoiceId);
    if (!id.isString())
        return badArgument(invoiceId, QStringLiteral("must be a text"));
    if (const auto fault = faultOf(id.toString()))
        return badArgument(invoiceId, *fault);
    const auto key = intentKey(verb(), {id.toString()});
    if (!key)
        return badArgument(invoiceId, key.error().detail);
    return IntentId{provider(), account(), *key};
}

QString StripeChargeTool::backendUrl(const QString& invoice) const
{
    auto url = m_settings.backend;
    return url.replace(QLatin1String("{invoice_id}"), QString::fromLatin1(QUrl::toPercentEncoding(invoice)));
}

Ruling<PlannedIntent> StripeChargeTool::plan(const QJsonObject& arguments)
{
    if (const auto asked = spelled(arguments); !asked)
        return tl::unexpected(asked.error());
    const auto asked = arguments.value(invoiceId).toString();
    const auto fact = askBackend(backendUrl(asked), m_settings.limits, m_trust);
    if (!fact.reachable)
        return tl::unexpected(
            Because{Reason::BackendUnreachable, {{QStringLiteral("id"), asked}, {QStringLiteral("why"), fact.why}}});
    if (fact.id.isEmpty())
        return badArgument(invoiceId, QStringLiteral("is not known"));
    if (const auto fault = faultOf(fact.id))
        return badArgument(invoiceId, *fault);
    const auto key = intentKey(verb(), {fact.id});
    if (!key)
        return badArgument(invoiceId, key.error().detail);

    PlannedIntent planned;
    planned.intent = {provider(), account(), *key};
    planned.amount = fact.amount;
    planned.customer = fact.customer;
    planned.plan = canonicalJson({{QStringLiteral("invoice"), fact.id}, {QStringLiteral("customer"), fact.customer},
        {QStringLiteral("amount_minor"), fact.amount.minor}, {QStringLiteral("currency"), fact.amount.currency},
        {QStringLiteral("backend"), backendUrl(fact.id)}});
    planned.argsSha256 = sha256(canonicalJson({{invoiceId, fact.id}}));
    planned.due = fact.open;
    planned.state = fact.state;
    return planned;
}

Ruling<QByteArray> StripeChargeTool::encode(const Intent& intent, int)
{
    const auto away = [&intent](const QString& why) {
        return tl::unexpected(Because{Reason::BackendUnreachable,
            {{QStringLiteral("id"), intent.customer.value_or(QString())}, {QStringLiteral("why"), why}}});
    };
    if (!intent.amount || !intent.customer)
        return away(QStringLiteral("the plan names no amount or customer"));
    // The card as it is now: what the customer changed to after a decline.
    const auto target
        = "/v1/customers/" + QUrl::toPercentEncoding(*intent.customer) + "/payment_methods?type=card&limit=1";
    const auto reply = look(target);
    if (!reply)
        return away(wordOf(reply.error().kind));
    if (reply->status != 200)
        return away(QStringLiteral("HTTP %1").arg(reply->status));
    const auto methods = QJsonDocument::fromJson(reply->body).object().value(QLatin1String("data")).toArray();
    const auto method = readToken(methods.first().toObject().value(QLatin1String("id")));
    if (!method)
        return away(QStringLiteral("the customer has no card"));

    StoredRequest request;
    if (!intent.providerObjectId) {
        request.steps.append(posted(create, QStringLiteral("/v1/payment_intents"),
            form({{"amount", QString::number(intent.amount->minor)}, {"currency", intent.amount->currency},
                {"customer", *intent.customer}, {"metadata[intent_key]", intent.id.intentKey},
                {"payment_method_types[]", QStringLiteral("card")}})));
    }
    request.steps.append(posted(confirm, QStringLiteral("/v1/payment_intents/{object}/confirm"),
        form({{"payment_method", *method}, {"off_session", QStringLiteral("true")}})));
    return encoded(request);
}

QStringList StripeChargeTool::steps(const StoredRequest& request, const Intent& intent) const
{
    QStringList names;
    for (const auto& step : request.steps) {
        if (step.step != create || !intent.providerObjectId)
            names.append(step.step);
    }
    return names;
}

SendResult StripeChargeTool::send(const StoredStep& step, const QString& sentKey,
    const std::optional<QString>& objectId, const MarkFunction& mark, std::stop_token cancelled)
{
    auto path = step.path;
    std::optional<QString> about; // the object the answer must be about
    if (path.contains(QLatin1String("{object}"))) {
        if (!objectId || !readObjectId(*objectId))
            return NotConnected{QStringLiteral("the step needs an object that is not there")};
        path.replace(QLatin1String("{object}"), *objectId);
        about = objectId;
    }
    HttpRequest request{step.method.toLatin1(), path.toLatin1(), step.headers, step.body};
    request.headers.append({"Idempotency-Key", sentKey.toLatin1()});
    request.headers.append({"Authorization", "Bearer " + m_settings.credential});
    auto sent = m_client.send(m_settings.endpoint, request, mark, cancelled);
    return std::visit(
        [&about](auto&& end) -> SendResult {
            if constexpr (std::is_same_v<std::decay_t<decltype(end)>, Exchanged>) {
                if (const auto answer = readStripeAnswer(end.reply, about))
                    return Answered{end.call, *answer};
                return NoAnswer{end.call, QStringLiteral("HTTP %1, not the provider's words").arg(end.reply.status)};
            } else {
                return end;
            }
        },
        std::move(sent));
}

Result<HttpReply> StripeChargeTool::look(const QByteArray& target) const
{
    return fetched(m_settings.endpoint,
        {"GET", target, {{"Authorization", "Bearer " + m_settings.credential}, {"Stripe-Version", apiVersion}}, {}},
        m_settings.limits, m_trust);
}

Result<AccountFact> StripeChargeTool::checkedAccount(bool fresh)
{
    {
        const std::lock_guard lock(m_mutex);
        if (!fresh && m_account && m_clock.boottime() - m_accountAt < accountFor)
            return *m_account;
    }
    const auto reply = look("/v1/account");
    if (!reply)
        return fail(reply.error());
    AccountFact fact;
    fact.date = readHttpDate(reply->header("Date"));
    fact.credentialOk = reply->status != 401 && reply->status != 403;
    if (fact.credentialOk) {
        const auto id = readToken(QJsonDocument::fromJson(reply->body).object().value(QLatin1String("id")));
        if (reply->status != 200 || !id)
            return fail(Error::Kind::Offline, QStringLiteral("account: HTTP %1").arg(reply->status), reply->status);
        fact.account = *id;
    }
    const std::lock_guard lock(m_mutex);
    m_account = fact;
    m_accountAt = m_clock.boottime();
    return fact;
}

} // namespace unavez::providers
