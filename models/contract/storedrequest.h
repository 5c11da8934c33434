// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QPair>
#include <QString>

// The request bytes of a reservation, contract.md §10.5.2: per step exactly what is sent, without the credential.
// Encoding is deterministic, and what was stored decodes to the same bytes for ever (golden test).
namespace unavez::contract {

struct StoredStep
{
    QString step; // create, confirm, send
    QString method;
    QString path; // may hold {object}, the one permitted substitution
    QList<QPair<QByteArray, QByteArray>> headers;
    QByteArray body;
    bool operator==(const StoredStep&) const = default;
};

struct StoredRequest
{
    QList<StoredStep> steps;
    bool operator==(const StoredRequest&) const = default;
};

QByteArray encoded(const StoredRequest& request);
Result<StoredRequest> decodedRequest(const QByteArray& bytes); // Corrupt

// Keys sorted, no white space, numbers as written: equal values give equal bytes.
QByteArray canonicalJson(const QJsonObject& object);
QByteArray sha256(const QByteArray& bytes);

} // namespace unavez::contract
