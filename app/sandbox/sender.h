// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/time.h"

#include <QJsonObject>
#include <QMap>
#include <QStringList>

namespace unavez::sandbox {

struct Delivery
{
    QString edge; // the route's full URL
    QByteArray secret;
    QByteArray body;
    bool isForged = false; // signed with another secret
    contract::Seconds skew{0}; // of the signature's time; negative is old
};

// The event a provider would send about an invoice.
QJsonObject invoiceEvent(const QString& eventId, const QString& type, const QString& invoice, contract::Instant at);
// evt_ and 24 random letters and digits.
QString freshEventId();

struct DeliveryReport
{
    QMap<int, int> answers; // HTTP status → how many
    int unanswered = 0;
    bool allAccepted() const;
};
QJsonObject jsonOf(const DeliveryReport& report);

// Signs and sends each body `times` times, all at once where `isParallel` (64 at a time at most), each with a signature
// of its own as a provider's retries have.
DeliveryReport delivered(const QList<Delivery>& deliveries, int times, bool isParallel);

} // namespace unavez::sandbox
