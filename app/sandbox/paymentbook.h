// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/form.h"
#include "app/sandbox/payments.h"

#include <QMap>

namespace unavez::sandbox {

// Ids that no other provider's journal repeats: a seed of its own and a count.
struct IdSource
{
    QString seed;
    qint64 next = 1;
    QString make(const char* prefix); // "pi" → pi_k3f9a2c1000001
};

// The provider's customers and payment intents, and what its calls do to them. Pure.
class PaymentBook
{
public:
    // All amounts in the currency's smallest unit.
    ApiAnswer create(const QString& account, const Form& form, IdSource& ids, contract::Instant now);
    // `decline`: this once the card is refused with that code, whatever card it is.
    ApiAnswer confirm(const QString& account, const QString& id, const Form& form,
        const std::optional<QString>& decline, IdSource& ids);
    ApiAnswer show(const QString& account, const QString& id) const;
    ApiAnswer list(const QString& account, const Form& query) const;
    ApiAnswer showCustomer(const QString& account, const QString& id) const;
    ApiAnswer listMethods(const QString& account, const QString& customer) const;

    // A new card in the place of the old one; makes the customer where there is none.
    Customer replaceCard(const QString& account, const QString& customer, const PaymentMethod& card, IdSource& ids);

    void put(const Customer& customer);
    void put(const PaymentIntent& intent);
    void shift(contract::Millis by);
    std::optional<PaymentIntent> intent(const QString& account, const QString& id) const;
    std::optional<Customer> customer(const QString& account, const QString& id) const;
    QList<PaymentIntent> intents() const { return m_intents.values(); }
    QList<Customer> customers() const { return m_customers.values(); }

private:
    using Name = QPair<QString, QString>; // account, id
    QMap<Name, Customer> m_customers;
    QMap<Name, PaymentIntent> m_intents;
};

} // namespace unavez::sandbox
