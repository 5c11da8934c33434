// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/providerstate.h"

#include "models/contract/storedrequest.h"

#include <QJsonDocument>

namespace unavez::sandbox {

using contract::Instant;
using contract::Millis;

namespace {

constexpr qsizetype mostKeyBytes = 255;
constexpr qsizetype mostEvents = 10'000;

QString invalidRequest() { return QStringLiteral("invalid_request_error"); }

QByteArray bytesOf(const QJsonObject& body) { return QJsonDocument(body).toJson(QJsonDocument::Compact); }

ApiAnswer unknownPath(const QByteArray& method, const QString& path)
{
    return apiError(404, invalidRequest(), QString(),
        QStringLiteral("Unrecognized request URL (%1: %2).").arg(QString::fromLatin1(method), path.left(128)));
}

ApiAnswer internalError()
{
    return apiError(500, QStringLiteral("api_error"), QString(), QStringLiteral("An error occurred on our end."));
}

} // namespace

ProviderState::ProviderState(const QStringList& accounts, const QString& seed)
    : m_accounts(accounts)
    , m_ids{seed, 1}
{
}

QByteArray ProviderState::credentialOf(const QString& account) { return "sk_practice_" + account.toUtf8(); }

std::optional<QString> ProviderState::accountOf(const QByteArray& authorization) const
{
    for (const auto& account : m_accounts) {
        if (authorization == "Bearer " + credentialOf(account))
            return account;
    }
    return std::nullopt;
}

ServedAnswer ProviderState::served(const ApiAnswer& answer, const QString& requestId) const
{
    ServedAnswer out;
    out.status = answer.status;
    out.body = bytesOf(answer.body);
    out.requestId = requestId;
    out.objectId = answer.objectId;
    out.isEffect = answer.isEffect;
    return out;
}

ServedAnswer ProviderState::refuse(int status, std::optional<bool> shouldRetry)
{
    auto answer = internalError();
    std::optional<contract::Seconds> retryAfter;
    if (status == 401)
        answer = apiError(401, invalidRequest(), QString(), QStringLiteral("Invalid API Key provided."));
    else if (status == 403)
        answer = apiError(403, invalidRequest(), QString(), QStringLiteral("This API Key may not do this."));
    else if (status == 409)
        return refusedKey(KeyShelf::Seat::InUse);
    else if (status == 429) {
        answer = apiError(429, invalidRequest(), QStringLiteral("rate_limit"), QStringLiteral("Too many requests."));
        retryAfter = contract::Seconds{1};
    } else if (status < 500)
        answer = apiError(status, invalidRequest(), QString(), QStringLiteral("The request was refused."));
    answer.status = status;
    auto out = served(answer, m_ids.make("req"));
    out.shouldRetry = shouldRetry;
    out.retryAfter = retryAfter;
    return out;
}

ServedAnswer ProviderState::refusedKey(KeyShelf::Seat seat)
{
    if (seat == KeyShelf::Seat::Mismatch)
        return served(apiError(400, QStringLiteral("idempotency_error"), QString(),
                          QStringLiteral("Keys for idempotent requests can only be used with the same parameters they "
                                         "were first used with.")),
            m_ids.make("req"));
    auto out = served(apiError(409, invalidRequest(), QStringLiteral("idempotency_key_in_use"),
                          QStringLiteral("There is currently another in-progress request using this key.")),
        m_ids.make("req"));
    out.shouldRetry = true;
    return out;
}

ServedAnswer ProviderState::read(const ApiRequest& request)
{
    const auto query = Form::parsed(request.query);
    const auto parts = request.path.split(QLatin1Char('/'), Qt::SkipEmptyParts); // v1, payment_intents, …
    const auto what = parts.value(1);
    auto answer = unknownPath(request.method, request.path);
    if (!query)
        answer = apiError(400, invalidRequest(), QString(), QStringLiteral("The query cannot be read."));
    else if (what == QLatin1String("account") && parts.size() == 2)
        answer = {200,
            {{QStringLiteral("id"), request.account}, {QStringLiteral("object"), QStringLiteral("account")},
                {QStringLiteral("charges_enabled"), true}},
            false, {}, false};
    else if (what == QLatin1String("payment_intents") && parts.size() == 2)
        answer = m_book.list(request.account, *query);
    else if (what == QLatin1String("payment_intents") && parts.size() == 3)
        answer = m_book.show(request.account, parts.at(2));
    else if (what == QLatin1String("customers") && parts.size() == 3)
        answer = m_book.showCustomer(request.account, parts.at(2));
    else if (what == QLatin1String("customers") && parts.size() == 4 && parts.at(3) == QLatin1String("payment_methods"))
        answer = m_book.listMethods(request.account, parts.at(2));
    return served(answer, m_ids.make("req"));
}

std::variant<ServedAnswer, Ticket> ProviderState::begin(const ApiRequest& request, Instant now)
{
    if (request.method == "GET")
        return read(request);
    if (request.method != "POST")
        return served(unknownPath(request.method, request.path), m_ids.make("req"));
    const auto form = Form::parsed(request.body);
    if (!form)
        return served(apiError(400, invalidRequest(), QString(), QStringLiteral("The body cannot be read as a form.")),
            m_ids.make("req"));
    Ticket ticket{request, *form,
        contract::sha256(request.method + ' ' + request.path.toUtf8() + '\n' + form->canonical()), {}, now};
    if (request.key) {
        if (request.key->isEmpty() || request.key->toUtf8().size() > mostKeyBytes)
            return served(apiError(400, invalidRequest(), QString(),
                              QStringLiteral("An idempotency key has from 1 to 255 characters.")),
                m_ids.make("req"));
        const auto taken = m_shelf.take(request.account, *request.key, ticket.asked, now);
        if (taken.saved) {
            ServedAnswer out;
            out.status = taken.saved->status;
            out.body = taken.saved->body;
            out.requestId = m_ids.make("req");
            out.isReplayed = true;
            out.originalRequestId = taken.saved->requestId;
            out.objectId = taken.saved->objectId;
            if (out.status >= 500)
                out.shouldRetry = false;
            return out;
        }
        if (taken.seat != KeyShelf::Seat::Fresh)
            return refusedKey(taken.seat);
    }
    ticket.requestId = m_ids.make("req");
    return ticket;
}

ApiAnswer ProviderState::execute(const Ticket& ticket, const std::optional<QString>& decline)
{
    const auto& request = ticket.request;
    const auto parts = request.path.split(QLatin1Char('/'), Qt::SkipEmptyParts);
    if (parts.value(1) == QLatin1String("payment_intents") && parts.size() == 2)
        return m_book.create(request.account, ticket.form, m_ids, ticket.begunAt);
    if (parts.value(1) == QLatin1String("payment_intents") && parts.size() == 4
        && parts.at(3) == QLatin1String("confirm"))
        return m_book.confirm(request.account, parts.at(2), ticket.form, decline, m_ids);
    return unknownPath(request.method, request.path);
}

ServedAnswer ProviderState::finish(const Ticket& ticket, const Twist& twist)
{
    const auto& request = ticket.request;
    ApiAnswer answer;
    if (!twist.cached500 || *twist.cached500)
        answer = execute(ticket, twist.decline);
    if (answer.isExecuted) {
        if (const auto touched = m_book.intent(request.account, answer.objectId)) {
            changed(QStringLiteral("intents"), jsonOf(*touched));
            noteEvents(ticket, *touched, answer.status);
        }
    }
    auto out = served(answer, ticket.requestId);
    if (twist.cached500) {
        // It broke after the endpoint began: the answer is kept and says nothing of what was done.
        const auto effect = answer.isEffect;
        answer = internalError();
        answer.isExecuted = true;
        out = served(answer, ticket.requestId);
        out.isEffect = effect;
        out.shouldRetry = false;
    }
    if (!request.key)
        return out;
    if (answer.isExecuted) {
        const SavedAnswer saved{request.account, *request.key, ticket.asked, out.status, out.body, ticket.requestId,
            out.objectId, ticket.begunAt};
        m_shelf.keep(saved);
        changed(QStringLiteral("saved"), jsonOf(saved));
    } else {
        m_shelf.release(request.account, *request.key);
    }
    return out;
}

void ProviderState::noteEvents(const Ticket& ticket, const PaymentIntent& intent, int status)
{
    const auto object = apiObject(intent);
    if (!ticket.request.path.endsWith(QLatin1String("/confirm")))
        noteEvent(ticket, QStringLiteral("payment_intent.created"), object);
    else if (status == 200) {
        noteEvent(ticket, QStringLiteral("payment_intent.succeeded"), object);
        noteEvent(ticket, QStringLiteral("charge.succeeded"), apiCharge(intent));
    } else if (status == 402) {
        noteEvent(ticket, QStringLiteral("payment_intent.payment_failed"), object);
        noteEvent(ticket, QStringLiteral("charge.failed"), apiCharge(intent));
    }
}

void ProviderState::noteEvent(const Ticket& ticket, const QString& type, const QJsonObject& object)
{
    const auto& key = ticket.request.key;
    const QJsonObject event{{QStringLiteral("id"), m_ids.make("evt")},
        {QStringLiteral("object"), QStringLiteral("event")},
        {QStringLiteral("api_version"), QStringLiteral("2024-06-20")},
        {QStringLiteral("created"), ticket.begunAt.ms / 1000},
        {QStringLiteral("data"), QJsonObject{{QStringLiteral("object"), object}}}, {QStringLiteral("livemode"), false},
        {QStringLiteral("pending_webhooks"), 1},
        {QStringLiteral("request"),
            QJsonObject{{QStringLiteral("id"), ticket.requestId},
                {QStringLiteral("idempotency_key"), key ? QJsonValue(*key) : QJsonValue()}}},
        {QStringLiteral("type"), type}};
    m_events.append(event);
    if (m_events.size() > mostEvents)
        m_events.removeFirst();
    changed(QStringLiteral("events"), event);
}

Customer ProviderState::replaceCard(const QString& account, const QString& customer, const PaymentMethod& card)
{
    auto replaced = m_book.replaceCard(account, customer, card, m_ids);
    changed(QStringLiteral("customers"), jsonOf(replaced));
    return replaced;
}

void ProviderState::dropKey(const QString& account, const QString& key)
{
    m_shelf.drop(account, key);
    changed(QStringLiteral("dropped"), {{QStringLiteral("account"), account}, {QStringLiteral("key"), key}});
}

void ProviderState::shift(Millis by)
{
    m_book.shift(by);
    m_shelf.shift(by);
    for (auto& event : m_events)
        event.insert(
            QStringLiteral("created"), (event.value(QLatin1String("created")).toInteger() * 1000 + by.count()) / 1000);
    m_changes.insert(QStringLiteral("shift_ms"), m_changes.value(QLatin1String("shift_ms")).toInteger() + by.count());
}

QList<QJsonObject> ProviderState::events(const QString& sentKey, const QString& type) const
{
    QList<QJsonObject> found;
    for (const auto& event : m_events) {
        const auto request = event.value(QLatin1String("request")).toObject();
        if ((sentKey.isEmpty() || request.value(QLatin1String("idempotency_key")).toString() == sentKey)
            && (type.isEmpty() || event.value(QLatin1String("type")).toString() == type))
            found.append(event);
    }
    return found;
}

void ProviderState::note(const LedgerLine& line) { changed(QStringLiteral("ledger"), jsonOf(line)); }

void ProviderState::changed(const QString& part, const QJsonObject& value)
{
    auto list = m_changes.value(part).toArray();
    list.append(value);
    m_changes.insert(part, list);
}

QJsonObject ProviderState::takeChanges()
{
    auto record = std::exchange(m_changes, {});
    if (!record.isEmpty())
        record.insert(QStringLiteral("next_id"), m_ids.next);
    return record;
}

QJsonObject ProviderState::snapshot(Instant now) const
{
    QJsonArray customers;
    for (const auto& customer : m_book.customers())
        customers.append(jsonOf(customer));
    QJsonArray intents;
    for (const auto& intent : m_book.intents())
        intents.append(jsonOf(intent));
    QJsonArray saved;
    for (const auto& answer : m_shelf.all(now))
        saved.append(jsonOf(answer));
    QJsonArray events;
    for (const auto& event : m_events)
        events.append(event);
    return {{QStringLiteral("seed"), m_ids.seed}, {QStringLiteral("next_id"), m_ids.next},
        {QStringLiteral("customers"), customers}, {QStringLiteral("intents"), intents},
        {QStringLiteral("saved"), saved}, {QStringLiteral("events"), events}};
}

void ProviderState::apply(const QJsonObject& record)
{
    const auto part = [&](const char* name) { return record.value(QLatin1String(name)).toArray(); };
    if (const auto seed = record.value(QLatin1String("seed")).toString(); !seed.isEmpty())
        m_ids.seed = seed;
    m_ids.next = std::max(m_ids.next, record.value(QLatin1String("next_id")).toInteger(1));
    for (const auto& json : part("customers")) {
        if (const auto customer = customerOf(json.toObject()))
            m_book.put(*customer);
    }
    for (const auto& json : part("intents")) {
        if (const auto intent = paymentIntentOf(json.toObject()))
            m_book.put(*intent);
    }
    for (const auto& json : part("saved")) {
        if (const auto saved = savedAnswerOf(json.toObject()))
            m_shelf.keep(*saved);
    }
    for (const auto& json : part("dropped"))
        m_shelf.drop(json.toObject().value(QLatin1String("account")).toString(),
            json.toObject().value(QLatin1String("key")).toString());
    for (const auto& json : part("events"))
        m_events.append(json.toObject());
    if (const auto by = record.value(QLatin1String("shift_ms")).toInteger(); by != 0) {
        const auto kept = m_changes;
        shift(Millis{by});
        m_changes = kept;
    }
}

} // namespace unavez::sandbox
