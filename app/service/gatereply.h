// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/httpmessage.h"
#include "models/contract/effecttool.h"
#include "models/engine/gateanswer.h"

// The wire's spelling of the gate (contract.md §13.2); pure.
namespace unavez::service {

// `asProblem`: the caller accepts application/problem+json, and in_progress and unknown_outcome become 409 problems.
HttpResponse replyOf(const engine::GateAnswer& answer, bool asProblem);
// GET /tools.
HttpResponse replyOf(const QList<contract::EffectTool*>& tools, const QList<contract::Hold>& holds);
bool acceptsProblems(const HttpRequest& request);

// The lease a call is made under: absent for a chat turn. bad_arguments where its headers cannot be meant.
contract::Ruling<std::optional<contract::JobLease>> leaseOf(const HttpRequest& request);
// The arguments, or bad_arguments.
contract::Ruling<QJsonObject> argumentsOf(const QByteArray& body);

} // namespace unavez::service
