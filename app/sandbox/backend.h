// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/httpserver.h"

#include <QHash>

#include <mutex>

namespace unavez::sandbox {

struct Invoice
{
    QString id; // inv_42
    QString customer;
    qint64 amountMinor = 0;
    QString currency;
    bool open = true;
    bool operator==(const Invoice&) const = default;
};
QJsonObject jsonOf(const Invoice& invoice);

// inv_1 … inv_9 and inv_42 of as many customers.
QList<Invoice> practiceInvoices();

// Where amounts come from: GET /invoices/:id; PUT /invoices/:id changes the fields it names, or makes a new invoice
// when it names them all. It knows its invoices by careless spellings too (INV_42, "inv_42 ", 42) and answers with the
// one id (contract.md §10.1, H37). Any thread.
class Backend
{
public:
    explicit Backend(const QList<Invoice>& invoices);
    ServedReply respond(const ServedRequest& request);

private:
    std::mutex m_mutex;
    QHash<QString, Invoice> m_invoices;
};

} // namespace unavez::sandbox
