// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/storequeries.h"

#include <QJsonObject>

// Rows as JSON with the store's own column names (contract.md §13, schema/statements.md). Never request bytes or
// payloads.
namespace unavez::ctl {

QJsonObject json(const contract::ReservationRow& row);
QJsonObject json(const contract::FailedRow& row);
QJsonObject json(const contract::DeadRow& row);
QJsonObject json(const contract::LeaseRow& row);
QJsonObject json(const contract::Event& event);
QJsonObject json(const contract::SignatureRow& row);
QJsonObject json(const contract::LogEntry& entry);
QJsonObject json(const contract::Incident& incident);
QJsonObject json(const contract::ServiceRow& service);
QJsonObject json(const contract::Hold& hold);
QJsonObject json(const contract::Job& job);
QJsonObject json(const contract::Intent& intent);
QJsonObject json(const contract::Reservation& reservation);
QJsonObject json(const contract::ProviderCall& call);
QJsonObject json(const contract::Reconciliation& row);
QJsonObject json(const contract::CaseNote& note);
QJsonObject json(const contract::Problem& problem);
QJsonObject json(const contract::PlannedEffect& effect);

// RFC 3339, or null for never and for nothing.
QJsonValue json(contract::Instant at);
template <typename T> QJsonValue json(const std::optional<T>& value)
{
    if (!value)
        return {};
    if constexpr (std::is_same_v<T, contract::Instant>)
        return json(*value);
    else
        return QJsonValue(*value);
}

} // namespace unavez::ctl
