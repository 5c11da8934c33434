// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/time.h"

#include <QFile>
#include <QJsonObject>
#include <QList>

#include <optional>

namespace unavez::sandbox {

// One request as the provider saw it (contract.md §13.4).
struct LedgerLine
{
    contract::Instant at;
    QString account; // empty: no known credential
    QString sentKey; // the idempotency key; empty where there was none
    QString method;
    QString path;
    QByteArray bodySha256;
    bool replayed = false;
    int status = 0; // 0: the connection was reset before anything was done
    QString objectId;
    bool effect = false; // money moved in this very request
    bool operator==(const LedgerLine&) const = default;
};
QJsonObject jsonOf(const LedgerLine& line);
std::optional<LedgerLine> ledgerLineOf(const QJsonObject& json);

// Whole lines only: one being written is not there yet. NotFound, Corrupt, Full (over 256 MiB).
contract::Result<QList<LedgerLine>> readLedger(const QString& path);

// The provider's own book of what was asked and what it did: JSON lines, only ever appended.
class Ledger
{
public:
    explicit Ledger(const QString& path);
    // Creates it where it is not there; cuts off a line a crash left unfinished. How many lines stand in it.
    contract::Result<qint64> open();
    contract::Result<> append(const LedgerLine& line);

private:
    QFile m_file;
};

} // namespace unavez::sandbox
