// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/contract/plan.h"

#include "models/contract/storedrequest.h"

#include <QJsonArray>

namespace unavez::contract {

QString wordOf(Will will)
{
    switch (will) {
    case Will::Replay: return QStringLiteral("replay");
    case Will::ReplayFailure: return QStringLiteral("replay_failure");
    case Will::Resume: return QStringLiteral("resume");
    case Will::Send: return QStringLiteral("send");
    case Will::Run: return QStringLiteral("run");
    }
    return {};
}

QString wordOf(ActionResult result)
{
    switch (result) {
    case ActionResult::Applied: return QStringLiteral("applied");
    case ActionResult::Refused: return QStringLiteral("refused");
    case ActionResult::Changed: return QStringLiteral("changed");
    case ActionResult::Missing: return QStringLiteral("missing");
    }
    return {};
}

QString targetOf(const ActionRequest& request)
{
    if (request.hold) {
        const auto kind = wordOf(request.hold->kind);
        return request.hold->target.isEmpty() ? kind : kind + QLatin1Char(':') + request.hold->target;
    }
    if (request.key)
        return subjectOf(*request.key);
    if (request.intent)
        return subjectOf(*request.intent);
    if (request.event)
        return subjectOfEvent(*request.event);
    return subjectOfJob(request.job.value_or(0));
}

QByteArray planJson(const Plan& plan)
{
    QJsonArray rows;
    for (const auto& row : plan.rows)
        rows.append(QJsonArray{row.subject, row.before, row.after});
    QJsonArray effects;
    for (const auto& effect : plan.effects) {
        effects.append(QJsonObject{{QStringLiteral("key"), effect.key}, {QStringLiteral("will"), wordOf(effect.will)},
            {QStringLiteral("until"),
                effect.until && !effect.until->isNever() ? QJsonValue(toRfc3339(*effect.until)) : QJsonValue()}});
    }
    QJsonArray notes;
    for (const auto& note : plan.notes)
        notes.append(wordOf(note.reason));
    QJsonObject jobs;
    for (auto it = plan.seen.jobs.begin(); it != plan.seen.jobs.end(); ++it)
        jobs.insert(QString::number(it.key()), it.value());
    QJsonArray keys;
    for (auto it = plan.seen.keys.begin(); it != plan.seen.keys.end(); ++it)
        keys.append(QJsonArray{it.key().provider, it.key().account, it.key().key, it.value()});
    return canonicalJson(
        {{QStringLiteral("rows"), rows}, {QStringLiteral("effects"), effects}, {QStringLiteral("notes"), notes},
            {QStringLiteral("seen"), QJsonObject{{QStringLiteral("jobs"), jobs}, {QStringLiteral("keys"), keys}}},
            {QStringLiteral("made_at"), toRfc3339(plan.madeAt)}});
}

} // namespace unavez::contract
