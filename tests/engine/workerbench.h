// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/engine/worker.h"
#include "tests/engine/gatebench.h"

#include <QJsonDocument>

namespace unavez::tests {

// An agent as a function. Without a script it answers 200.
class ScriptedHandler final : public contract::JobHandler
{
public:
    using Script = std::function<contract::HandlerAnswer(const contract::HandlerRequest&, std::stop_token)>;

    contract::HandlerAnswer handle(const contract::HandlerRequest& request, std::stop_token cancelled) override
    {
        requests.append(request);
        return script ? script(request, cancelled) : answer(contract::HandlerAnswer::Kind::Done, 200);
    }
    static contract::HandlerAnswer answer(contract::HandlerAnswer::Kind kind, int status = 0)
    {
        return {kind, status, {}};
    }

    Script script;
    QList<contract::HandlerRequest> requests;
};

// The body of an event as the scripted provider's reader knows it: the members of CausedByUs.
class ScriptedEvents final : public contract::EventReader
{
public:
    std::optional<contract::CausedByUs> read(const QString&, const QByteArray& payload) const override
    {
        const auto object = QJsonDocument::fromJson(payload).object();
        const auto word = [&](const char* name) { return object.value(QLatin1String(name)).toString(); };
        if (word("key").isEmpty())
            return std::nullopt;
        contract::CausedByUs caused;
        caused.sentKey = word("key");
        caused.object.id = word("id");
        caused.object.type = word("type");
        caused.object.status = word("status");
        caused.object.paid = caused.object.status == QLatin1String("succeeded");
        if (object.contains(QLatin1String("minor")))
            caused.object.amount = contract::Money{object.value(QLatin1String("minor")).toInteger(),
                object.value(QLatin1String("currency")).toString(QStringLiteral("eur"))};
        if (object.contains(QLatin1String("intent")))
            caused.object.intentKey = word("intent");
        if (object.contains(QLatin1String("live")))
            caused.object.live = object.value(QLatin1String("live")).toBool();
        caused.declineCode = word("decline");
        caused.at = contract::SystemHostClock().wall();
        return caused;
    }
};

// A worker of one process: gate, agent and evidence on one connection.
struct WorkerProcess : GateProcess
{
    explicit WorkerProcess(GateWorld& world, const QString& name = QStringLiteral("worker-1"))
        : GateProcess(world, name)
        , sources({world.source})
        , evidence(ports->evidence(), ports->reservations(), events, contract::StoreMode::Practice)
        , worker(ports->jobs(), ports->reservations(), gate, handler, &evidence, nullptr, settings(name))
    {
        // The agent of most of these tests: charges inv_42 and is content whatever it is told.
        handler.script = [this](const contract::HandlerRequest& request, std::stop_token) {
            told.append(chargeInvoice(QStringLiteral("inv_42"), request.lease));
            return ScriptedHandler::answer(contract::HandlerAnswer::Kind::Done, 200);
        };
    }
    static engine::WorkerSettings settings(const QString& name)
    {
        engine::WorkerSettings settings;
        settings.owner = name;
        return settings;
    }

    engine::JobReport step(std::stop_token stop = {})
    {
        auto report = needed(worker.step(sources, stop));
        if (!report)
            qFatal("there was no job to run");
        return *report;
    }
    bool isIdle() { return !needed(worker.step(sources)); }

    QList<contract::Source> sources;
    ScriptedEvents events;
    ScriptedHandler handler;
    QList<engine::GateAnswer> told; // what the gate told the agent
    engine::Evidence evidence;
    engine::Worker worker;
};

inline contract::RecordedEvent deliver(GateWorld& world, const QString& id, const QByteArray& body = "{}",
    const QString& type = QStringLiteral("invoice.due"))
{
    auto delivery = deliveryOf(world.source.id, id, body);
    delivery.eventType = type;
    return needed(world.owner->intake().record({{delivery, 1}})).first();
}

struct JobRow
{
    QString state;
    int attempts = 0;
    int postponed = 0;
    QString errorClass;
    qint64 runInMs = 0;
};

inline JobRow jobRow(GateWorld& world, int id = 1)
{
    const bool sqlite = world.owner->connection().isSqlite();
    const auto row = needed(
        world.owner->connection().run(
            QStringLiteral("SELECT state, attempts, postponed, error_class, %1 FROM jobs WHERE id = %2")
                .arg(sqlite ? QStringLiteral("run_at") : QStringLiteral("(extract(epoch FROM run_at) * 1000)::bigint"))
                .arg(id)))
                         .first();
    return {row.at(0).toString(), row.at(1).toInt(), row.at(2).toInt(), row.at(3).toString(),
        row.at(4).toLongLong() - contract::SystemHostClock().wall().ms};
}

} // namespace unavez::tests
