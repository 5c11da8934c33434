// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/readyfile.h"

namespace unavez::sandbox {

using contract::Error;
using contract::fail;
using contract::Result;

namespace {

QJsonValue orNull(const std::optional<QString>& value) { return value ? QJsonValue(*value) : QJsonValue(); }

std::optional<QString> textOf(const QJsonValue& value)
{
    return value.isString() ? std::optional(value.toString()) : std::nullopt;
}

} // namespace

QJsonObject jsonOf(const ReadyFile& ready)
{
    return {{QStringLiteral("drill"), ready.drill}, {QStringLiteral("store"), ready.store},
        {QStringLiteral("provider_url"), ready.providerUrl}, {QStringLiteral("provider_ledger"), ready.providerLedger},
        {QStringLiteral("gate_url"), ready.gateUrl}, {QStringLiteral("edge_url"), ready.edgeUrl},
        {QStringLiteral("backend_url"), ready.backendUrl},
        {QStringLiteral("ids"),
            QJsonObject{{QStringLiteral("event"), orNull(ready.event)},
                {QStringLiteral("job"), ready.job ? QJsonValue(*ready.job) : QJsonValue()},
                {QStringLiteral("invoice"), orNull(ready.invoice)}, {QStringLiteral("intent"), orNull(ready.intent)},
                {QStringLiteral("key"), orNull(ready.key)}}},
        {QStringLiteral("pids"),
            QJsonObject{{QStringLiteral("service"), ready.servicePid}, {QStringLiteral("provider"), ready.providerPid},
                {QStringLiteral("agent"), ready.agentPid}}}};
}

Result<ReadyFile> readyFileOf(const QJsonObject& json)
{
    for (const auto* const name :
        {"drill", "store", "provider_url", "provider_ledger", "gate_url", "edge_url", "backend_url"}) {
        if (!json.value(QLatin1String(name)).isString())
            return fail(Error::Kind::Corrupt, QStringLiteral("the ready file lacks %1").arg(QLatin1String(name)));
    }
    const auto text = [&](const char* name) { return json.value(QLatin1String(name)).toString(); };
    const auto ids = json.value(QLatin1String("ids")).toObject();
    const auto pids = json.value(QLatin1String("pids")).toObject();
    ReadyFile ready;
    ready.drill = text("drill");
    ready.store = text("store");
    ready.providerUrl = text("provider_url");
    ready.providerLedger = text("provider_ledger");
    ready.gateUrl = text("gate_url");
    ready.edgeUrl = text("edge_url");
    ready.backendUrl = text("backend_url");
    ready.event = textOf(ids.value(QLatin1String("event")));
    if (const auto job = ids.value(QLatin1String("job")); job.isDouble())
        ready.job = job.toInteger();
    ready.invoice = textOf(ids.value(QLatin1String("invoice")));
    ready.intent = textOf(ids.value(QLatin1String("intent")));
    ready.key = textOf(ids.value(QLatin1String("key")));
    ready.servicePid = pids.value(QLatin1String("service")).toInteger();
    ready.providerPid = pids.value(QLatin1String("provider")).toInteger();
    ready.agentPid = pids.value(QLatin1String("agent")).toInteger();
    return ready;
}

} // namespace unavez::sandbox
