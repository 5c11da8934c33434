// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/backend.h"

#include <QJsonDocument>

#include <algorithm>

namespace unavez::sandbox {

namespace {

constexpr qsizetype mostInvoices = 100'000;
constexpr qsizetype longestId = 64;

QString canonicalId(const QString& spelled)
{
    auto id = spelled.trimmed().toLower();
    const bool isNumber = !id.isEmpty() && std::all_of(id.begin(), id.end(), [](QChar c) { return c.isDigit(); });
    return isNumber ? QStringLiteral("inv_") + id : id;
}

bool isInvoiceId(const QString& id)
{
    return id.startsWith(QLatin1String("inv_")) && id.size() > 4 && id.size() <= longestId
        && std::all_of(id.begin(), id.end(),
            [](QChar c) { return c.unicode() < 128 && (c.isLetterOrNumber() || c == QLatin1Char('_')); });
}

bool isWhole(const Invoice& invoice)
{
    return !invoice.customer.isEmpty() && invoice.amountMinor > 0 && invoice.currency.size() == 3;
}

ServedReply refusal(int status, const QString& message)
{
    return jsonReply(status, {{QStringLiteral("error"), message}});
}

} // namespace

QJsonObject jsonOf(const Invoice& invoice)
{
    return {{QStringLiteral("id"), invoice.id}, {QStringLiteral("customer"), invoice.customer},
        {QStringLiteral("amount_minor"), invoice.amountMinor}, {QStringLiteral("currency"), invoice.currency},
        {QStringLiteral("open"), invoice.open}};
}

QList<Invoice> practiceInvoices()
{
    QList<Invoice> invoices;
    const QStringList currencies{QStringLiteral("eur"), QStringLiteral("usd"), QStringLiteral("jpy")};
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 42})
        invoices.append({QStringLiteral("inv_%1").arg(n), QStringLiteral("cus_%1").arg(n), 12500 + 100 * n,
            currencies.at(n % currencies.size()), true});
    return invoices;
}

Backend::Backend(const QList<Invoice>& invoices)
{
    for (const auto& invoice : invoices)
        m_invoices.insert(invoice.id, invoice);
}

ServedReply Backend::respond(const ServedRequest& request)
{
    const auto parts = request.path.split(QLatin1Char('/'));
    if (parts.size() != 3 || parts.at(1) != QLatin1String("invoices"))
        return refusal(404, QStringLiteral("GET or PUT /invoices/inv_42"));
    const auto id = canonicalId(parts.at(2));
    const std::scoped_lock lock(m_mutex);
    const auto known = m_invoices.constFind(id);
    if (request.method == "GET") {
        if (known == m_invoices.constEnd())
            return refusal(404, QStringLiteral("no such invoice"));
        return jsonReply(200, jsonOf(*known));
    }
    if (request.method != "PUT")
        return refusal(405, QStringLiteral("GET or PUT"));
    const auto document = QJsonDocument::fromJson(request.body);
    if (!document.isObject() || !isInvoiceId(id) || m_invoices.size() >= mostInvoices)
        return refusal(400, QStringLiteral("needs an id like inv_42 and a JSON object"));
    const auto fields = document.object();
    auto changed = known == m_invoices.constEnd() ? Invoice{id, {}, 0, {}, true} : *known;
    changed.customer = fields.value(QLatin1String("customer")).toString(changed.customer);
    changed.amountMinor = fields.value(QLatin1String("amount_minor")).toInteger(changed.amountMinor);
    changed.currency = fields.value(QLatin1String("currency")).toString(changed.currency);
    changed.open = fields.value(QLatin1String("open")).toBool(changed.open);
    if (!isWhole(changed))
        return refusal(400, QStringLiteral("an invoice has a customer, an amount_minor above 0 and a currency"));
    m_invoices.insert(id, changed);
    return jsonReply(200, jsonOf(changed));
}

} // namespace unavez::sandbox
