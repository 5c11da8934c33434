// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/ledger.h"
#include "app/sandbox/readyfile.h"
#include "models/contract/storequeries.h"

namespace unavez::sandbox {

// What the judge looks at: the drill's own job and intent, and the provider's book (contract.md §13.4).
struct JudgedFacts
{
    QString drill;
    contract::IntentId intent;
    std::optional<contract::Job> job; // the event's
    QList<contract::Reservation> attempts; // oldest first
    QList<contract::LogEntry> actions; // of the case
    QList<LedgerLine> ledger;
};

enum class DrillEnd { Right, NotYet, Wrong };
struct Judgement
{
    struct Check
    {
        QString name;
        bool ok = false;
    };
    DrillEnd end = DrillEnd::NotYet;
    QString why; // one sentence
    int providerEffects = 0;
    QList<Check> checks;

    int exitCode() const; // 0 right · 1 not yet · 4 wrong for good
};
QJsonObject jsonOf(const Judgement& judgement, const QString& drill);

QStringList drillNames();
Judgement judged(const JudgedFacts& facts);
// Reads what `ready` points at. NotFound: the event or the ledger is not there; and what the store says.
contract::Result<JudgedFacts> judgedFacts(const ReadyFile& ready, contract::StoreQueries& queries);

} // namespace unavez::sandbox
