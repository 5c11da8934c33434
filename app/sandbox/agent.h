// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/httpserver.h"

namespace unavez::sandbox {

struct AgentSettings
{
    std::function<QString()> gateUrl; // asked at every call: a restarted gate may stand elsewhere
    QByteArray token;
    int repeat = 1; // how often it asks for the same charge, as a forgetful agent does
    contract::Millis slow{0}; // how long it thinks before it asks
};

// The agent behind the worker (contract.md §13.1): charges the invoice its event names, through the gate.
// Its answer: 200 done · 409 + Retry-After while the gate says later · 422 when the charge has failed, its outcome is
// unknown, or it can never be · 500 otherwise. Any thread.
class Agent
{
public:
    explicit Agent(AgentSettings settings);
    ServedReply respond(const ServedRequest& request, const std::stop_token& stop);

private:
    ServedReply charge(const ServedRequest& request, const QString& invoice, const std::stop_token& stop) const;
    AgentSettings m_settings;
};

// The invoice a job's body speaks of: the payload's object, or the event's object id. Empty where there is none.
QString invoiceOf(const QJsonObject& job);
// What the agent answers its worker, by what the gate answered. `retryAfter` in seconds, where the gate named one.
ServedReply answerFor(int gateStatus, const QJsonObject& gateBody, std::optional<int> retryAfter);

} // namespace unavez::sandbox
