// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/paymentbook.h"

#include <QJsonArray>

#include <algorithm>

namespace unavez::sandbox {

using contract::Instant;
using contract::Millis;

namespace {

QString invalidRequest() { return QStringLiteral("invalid_request_error"); }

ApiAnswer invalid(const QString& code, const QString& param, const QString& message)
{
    return apiError(400, invalidRequest(), code, message, param);
}

ApiAnswer missing(int status, const QString& kind, const QString& id, const QString& param)
{
    return apiError(status, invalidRequest(), QStringLiteral("resource_missing"),
        QStringLiteral("No such %1: '%2'").arg(kind, id.left(64)), param);
}

std::optional<ApiAnswer> refusedNames(const Form& form, const QStringList& known)
{
    const auto names = form.names();
    for (const auto& name : names) {
        if (!known.contains(name.section(QLatin1Char('['), 0, 0)))
            return invalid(QStringLiteral("parameter_unknown"), name.left(64),
                QStringLiteral("Received unknown parameter: %1").arg(name.left(64)));
    }
    return std::nullopt;
}

bool isCurrency(const QString& word)
{
    return word.size() == 3 && std::all_of(word.begin(), word.end(), [](QChar c) {
        return c >= QLatin1Char('a') && c <= QLatin1Char('z');
    });
}

QJsonObject declined(const QString& charge, const PaymentMethod& card)
{
    QJsonObject error{{QStringLiteral("type"), QStringLiteral("card_error")},
        {QStringLiteral("code"), QStringLiteral("card_declined")}, {QStringLiteral("charge"), charge},
        {QStringLiteral("decline_code"),
            card.declineCode.isEmpty() ? QStringLiteral("generic_decline") : card.declineCode},
        {QStringLiteral("message"), QStringLiteral("Your card was declined.")}};
    if (!card.adviceCode.isEmpty())
        error.insert(QStringLiteral("advice_code"), card.adviceCode);
    return error;
}

} // namespace

QString IdSource::make(const char* prefix)
{
    return QStringLiteral("%1_%2%3").arg(QString::fromLatin1(prefix), seed).arg(next++, 6, 10, QLatin1Char('0'));
}

ApiAnswer PaymentBook::create(const QString& account, const Form& form, IdSource& ids, Instant now)
{
    static const QStringList known{QStringLiteral("amount"), QStringLiteral("currency"), QStringLiteral("customer"),
        QStringLiteral("metadata"), QStringLiteral("description"), QStringLiteral("payment_method"),
        QStringLiteral("payment_method_types"), QStringLiteral("automatic_payment_methods"),
        QStringLiteral("capture_method"), QStringLiteral("confirmation_method"), QStringLiteral("confirm"),
        QStringLiteral("off_session"), QStringLiteral("setup_future_usage"), QStringLiteral("expand")};
    if (auto refused = refusedNames(form, known))
        return *refused;
    if (form.value(QStringLiteral("confirm")) == QLatin1String("true"))
        return invalid(QStringLiteral("parameter_unknown"), QStringLiteral("confirm"),
            QStringLiteral("This practice provider confirms in a call of its own."));
    bool isNumber = false;
    const auto amount = form.value(QStringLiteral("amount")).value_or(QString()).toLongLong(&isNumber);
    if (!isNumber || amount <= 0 || amount > 99'999'999)
        return invalid(form.value(QStringLiteral("amount")) ? QStringLiteral("parameter_invalid_integer")
                                                            : QStringLiteral("parameter_missing"),
            QStringLiteral("amount"), QStringLiteral("amount must be a whole number from 1 to 99999999"));
    const auto currency = form.value(QStringLiteral("currency")).value_or(QString());
    if (!isCurrency(currency))
        return invalid(currency.isEmpty() ? QStringLiteral("parameter_missing") : QString(), QStringLiteral("currency"),
            QStringLiteral("currency must be three small letters"));
    const auto payer = form.value(QStringLiteral("customer")).value_or(QString());
    if (!payer.isEmpty() && !customer(account, payer))
        return missing(400, QStringLiteral("customer"), payer, QStringLiteral("customer"));

    PaymentIntent made;
    made.account = account;
    made.id = ids.make("pi");
    made.amount = amount;
    made.currency = currency;
    made.customer = payer;
    made.method = form.value(QStringLiteral("payment_method")).value_or(QString());
    made.status
        = made.method.isEmpty() ? QStringLiteral("requires_payment_method") : QStringLiteral("requires_confirmation");
    for (const auto& [name, value] : form.under(QStringLiteral("metadata")))
        made.metadata.insert(name, value);
    made.createdAt = now;
    put(made);
    return {200, apiObject(made), true, made.id, false};
}

ApiAnswer PaymentBook::confirm(
    const QString& account, const QString& id, const Form& form, const std::optional<QString>& decline, IdSource& ids)
{
    static const QStringList known{QStringLiteral("payment_method"), QStringLiteral("off_session"),
        QStringLiteral("return_url"), QStringLiteral("error_on_requires_action"), QStringLiteral("use_stripe_sdk"),
        QStringLiteral("payment_method_types"), QStringLiteral("expand")};
    if (auto refused = refusedNames(form, known))
        return *refused;
    const auto found = intent(account, id);
    if (!found)
        return missing(404, QStringLiteral("payment_intent"), id, QStringLiteral("intent"));
    auto changed = *found;
    if (changed.status == QLatin1String("succeeded") || changed.status == QLatin1String("canceled")) {
        // One intent, one successful charge: the trap that an earlier call took effect (contract.md §1.4, T3).
        auto answer = apiError(400, invalidRequest(), QStringLiteral("payment_intent_unexpected_state"),
            QStringLiteral("You cannot confirm this PaymentIntent because it has a status of %1.").arg(changed.status));
        auto error = answer.body.value(QLatin1String("error")).toObject();
        error.insert(QStringLiteral("payment_intent"), apiObject(changed));
        answer.body = QJsonObject{{QStringLiteral("error"), error}};
        answer.isExecuted = true;
        answer.objectId = id;
        return answer;
    }
    const auto payer = customer(account, changed.customer);
    const auto method = form.value(QStringLiteral("payment_method")).value_or(changed.method);
    if (method.isEmpty())
        return invalid(QStringLiteral("payment_intent_incompatible_payment_method"), QStringLiteral("payment_method"),
            QStringLiteral("You cannot confirm this PaymentIntent because it's missing a payment method."));
    if (!payer || payer->method.id != method)
        return missing(400, QStringLiteral("PaymentMethod"), method, QStringLiteral("payment_method"));

    auto card = payer->method;
    if (decline) {
        card.works = false;
        card.declineCode = *decline;
    }
    changed.latestCharge = ids.make("ch");
    if (card.works) {
        changed.status = QStringLiteral("succeeded");
        changed.method = method;
        changed.lastError = {};
        put(changed);
        return {200, apiObject(changed), true, id, true};
    }
    changed.status = QStringLiteral("requires_payment_method");
    changed.method.clear();
    changed.lastError = declined(changed.latestCharge, card);
    put(changed);
    auto error = changed.lastError;
    error.insert(QStringLiteral("payment_intent"), apiObject(changed));
    return {402, QJsonObject{{QStringLiteral("error"), error}}, true, id, false};
}

ApiAnswer PaymentBook::show(const QString& account, const QString& id) const
{
    const auto found = intent(account, id);
    if (!found)
        return missing(404, QStringLiteral("payment_intent"), id, QStringLiteral("intent"));
    return {200, apiObject(*found), false, id, false};
}

ApiAnswer PaymentBook::list(const QString& account, const Form& query) const
{
    bool isNumber = false;
    const auto limit = query.value(QStringLiteral("limit")).value_or(QStringLiteral("10")).toInt(&isNumber);
    if (!isNumber || limit < 1 || limit > 100)
        return invalid(QStringLiteral("parameter_invalid_integer"), QStringLiteral("limit"),
            QStringLiteral("limit must be from 1 to 100"));
    const auto payer = query.value(QStringLiteral("customer"));
    const auto after = query.value(QStringLiteral("starting_after"));
    if (after && !intent(account, *after))
        return missing(400, QStringLiteral("payment_intent"), *after, QStringLiteral("starting_after"));
    const auto bound = [&](const char* name, qint64 otherwise) {
        const auto value = query.value(QStringLiteral("created[%1]").arg(QLatin1String(name)));
        return value ? value->toLongLong() * 1000 : otherwise;
    };
    const auto from = bound("gte", 0);
    const auto until = bound("lte", Instant::never().ms - 999) + 999;

    QList<PaymentIntent> all;
    for (const auto& entry : m_intents) {
        if (entry.account == account && (!payer || entry.customer == *payer) && entry.createdAt.ms >= from
            && entry.createdAt.ms <= until)
            all.append(entry);
    }
    // Newest first; ids are counted, so they order what one millisecond made.
    std::sort(all.begin(), all.end(), [](const PaymentIntent& a, const PaymentIntent& b) {
        return std::tie(b.createdAt, b.id) < std::tie(a.createdAt, a.id);
    });
    qsizetype start = 0;
    if (after) {
        const auto at = std::find_if(all.begin(), all.end(), [&](const PaymentIntent& i) { return i.id == *after; });
        start = at == all.end() ? all.size() : std::distance(all.begin(), at) + 1;
    }
    QJsonArray data;
    for (qsizetype i = start; i < all.size() && data.size() < limit; ++i)
        data.append(apiObject(all.at(i)));
    return {
        200, apiList(data, QStringLiteral("/v1/payment_intents"), start + data.size() < all.size()), false, {}, false};
}

ApiAnswer PaymentBook::showCustomer(const QString& account, const QString& id) const
{
    const auto found = customer(account, id);
    return found ? ApiAnswer{200, apiObject(*found), false, id, false}
                 : missing(404, QStringLiteral("customer"), id, QStringLiteral("id"));
}

ApiAnswer PaymentBook::listMethods(const QString& account, const QString& id) const
{
    const auto found = customer(account, id);
    if (!found)
        return missing(404, QStringLiteral("customer"), id, QStringLiteral("customer"));
    const QJsonArray data{apiObject(found->method, *found)};
    return {200, apiList(data, QStringLiteral("/v1/customers/%1/payment_methods").arg(id), false), false, {}, false};
}

Customer PaymentBook::replaceCard(const QString& account, const QString& id, const PaymentMethod& card, IdSource& ids)
{
    Customer changed{account, id, card};
    changed.method.id = ids.make("pm");
    put(changed);
    return changed;
}

void PaymentBook::put(const Customer& customer) { m_customers.insert({customer.account, customer.id}, customer); }

void PaymentBook::put(const PaymentIntent& intent) { m_intents.insert({intent.account, intent.id}, intent); }

void PaymentBook::shift(Millis by)
{
    for (auto& entry : m_intents)
        entry.createdAt = entry.createdAt + by;
}

std::optional<PaymentIntent> PaymentBook::intent(const QString& account, const QString& id) const
{
    const auto found = m_intents.constFind({account, id});
    return found == m_intents.constEnd() ? std::nullopt : std::optional(*found);
}

std::optional<Customer> PaymentBook::customer(const QString& account, const QString& id) const
{
    const auto found = m_customers.constFind({account, id});
    return found == m_customers.constEnd() ? std::nullopt : std::optional(*found);
}

} // namespace unavez::sandbox
