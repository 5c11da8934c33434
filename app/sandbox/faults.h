// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/time.h"

#include <QJsonObject>
#include <QList>
#include <QString>

#include <optional>

namespace unavez::sandbox {

// What goes wrong at the provider, and when (contract.md §13.4):
//   delay          value: ms, or {"ms":…,"when":"before"}. After (the default): executed, kept, answered late. Before:
//                  the key is in use meanwhile.
//   reset_before   the request was read, nothing executed, the connection reset
//   reset_after    executed and kept, the connection reset instead of an answer
//   status         value: the status, or {"status":…,"should_retry":bool}; before the idempotency layer, nothing kept
//   cache_500      value: whether the effect happened all the same (true); a 500 is answered and kept
//   decline        value: the decline code ("card_declined"); whatever card it is, once
//   prune          its key is forgotten just before the request
struct Fault
{
    enum class Kind { Delay, ResetBefore, ResetAfter, Status, Cache500, Decline, Prune };
    QString path; // empty: any; a part that begins with ':' or is '*' matches any part
    QString sentKey; // empty: any
    int nth = 1; // the nth request that matches from now on; 0: every one
    Kind kind = Kind::Delay;
    contract::Millis delay{0};
    bool isBefore = false; // Delay
    int status = 503;
    std::optional<bool> shouldRetry;
    bool isEffect = true; // Cache500
    QString declineCode;
    int seen = 0;
};

// Invalid, with what is wrong.
contract::Result<Fault> faultOf(const QJsonObject& json);

// The faults that wait. A fault belongs to the running provider: a restart forgets them.
class Faults
{
public:
    void add(const Fault& fault);
    void clear() { m_waiting.clear(); }
    // Those that strike this request, in the order they were asked for; those used up are gone.
    QList<Fault> strike(const QString& path, const QString& sentKey);
    qsizetype size() const { return m_waiting.size(); }

private:
    QList<Fault> m_waiting;
};

} // namespace unavez::sandbox
