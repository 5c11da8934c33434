// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/guard.h"
#include "models/contract/reservationstore.h"

// What the gate tells a caller (contract.md §13.2). The sentence for the model is made from it in ui/text.
namespace unavez::engine {

enum class GateStatus { Done, InProgress, UnknownOutcome, Failed };
QString wordOf(GateStatus status); // done, in_progress, unknown_outcome, failed

struct GateError
{
    QString errorClass; // card, request, abandoned, …
    std::optional<QString> code;
    std::optional<QString> declineCode;
    bool operator==(const GateError&) const = default;
};

struct GateAnswer
{
    int http = 200; // 200, or 400, 404, 422, 503
    std::optional<GateStatus> status; // exactly with 200
    QString intent; // intent key; empty where none was found
    QString key; // attempt key; empty where there is none
    bool replayed = false; // nothing was sent for this call
    std::optional<contract::Millis> retryAfter; // retry_after_ms; with 503 the Retry-After header, at least a second
    std::optional<QJsonObject> result; // done; absent once emptied
    std::optional<GateError> error; // failed
    bool canOpenNewAttempt = false;
    std::optional<contract::Because> because; // always with other than 200
};

// The HTTP code of a refusal.
int httpOf(contract::Reason reason);
GateAnswer refusal(const contract::Because& because);
GateAnswer refusal(contract::Reason reason, QVariantMap facts = {});
// What is stored for this key cannot be what was stored: nothing is sent from it.
contract::Because damaged(const QString& key);

// Whether a resume may be tried now (contract.md §10.4): lease over + grace, and unsent or before the cutoff.
enum class RowHold {
    Final, // done, failed, abandoned
    Unknown,
    Opened,
    Live, // its lease, with the grace, is not over
    Resumable,
    PastCutoff,
    ClockWentBack, // first sent in the future
};
RowHold holdOf(const contract::Reservation& row, contract::Instant now, contract::Seconds grace);

// The answer a row gives by itself, without sending. For rows that could be sent it is in_progress.
GateAnswer answerOf(const contract::IntentState& state, contract::Seconds grace, const contract::GuardPolicy& policy);

} // namespace unavez::engine
