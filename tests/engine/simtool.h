// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/effecttool.h"
#include "models/contract/evidencestore.h"
#include "models/contract/jobhandler.h"
#include "models/engine/gate.h"
#include "tests/engine/simprovider.h"

#include <QSet>

namespace unavez::tests {

// What both processes and the outside world share.
struct SimOutside
{
    SimTime time;
    SimProvider provider{time};
    bool onePaymentIntent = true; // false: plain charges, without the provider's second guard
    bool dropsIdle = true; // assumption A2 of contract.md §10.8: a connection idle for a minute is dead
    // Asked for every request that reaches the provider: is its mark committed (N8)?
    std::function<bool(qint64 call, const QString& sentKey)> isMarked;
    QStringList unmarked; // requests that were not
};

// charge_customer, as one process has it. Each new process is of another release, whose encoder spells otherwise.
class SimTool final : public contract::EffectTool
{
public:
    SimTool(SimOutside& outside, const contract::HostClock& clock, const QString& credentialOf, int release)
        : m_outside(outside)
        , m_clock(clock)
        , m_credentialOf(credentialOf)
        , m_release(release)
    {
    }

    QString name() const override { return QStringLiteral("charge_customer"); }
    QString description() const override { return {}; }
    QJsonObject inputSchema() const override { return {}; }
    QString verb() const override { return QStringLiteral("charge"); }
    QString provider() const override { return QStringLiteral("stripe"); }
    QString account() const override { return QStringLiteral("acct_1"); }
    contract::Seconds window() const override { return contract::Seconds{86400}; }
    contract::Seconds margin() const override { return contract::Seconds{14400}; }
    int maxAttempts() const override { return 4; }

    contract::Ruling<contract::IntentId> spelled(const QJsonObject& arguments) const override;
    contract::Ruling<contract::PlannedIntent> plan(const QJsonObject& arguments) override;
    contract::Ruling<QByteArray> encode(const contract::Intent& intent, int attempt) override;
    QStringList steps(const contract::StoredRequest& request, const contract::Intent& intent) const override;
    contract::SendResult send(const contract::StoredStep& step, const QString& sentKey,
        const std::optional<QString>& objectId, const contract::MarkFunction& mark, std::stop_token cancelled) override;
    contract::Result<contract::AccountFact> checkedAccount(bool fresh) override;

private:
    SimOutside& m_outside;
    const contract::HostClock& m_clock;
    QString m_credentialOf; // read once, when the process starts
    int m_release;
};

// Reads what SimOutside's notices are delivered as.
class SimEventReader final : public contract::EventReader
{
public:
    std::optional<contract::CausedByUs> read(const QString& provider, const QByteArray& payload) const override;
    static QByteArray written(const SimNotice& notice);
};

// The agent: charges the invoice its event names, sometimes asks again, sometimes says "done" over an open effect.
class SimAgent final : public contract::JobHandler
{
public:
    explicit SimAgent(engine::Gate& gate)
        : m_gate(gate)
    {
    }
    contract::HandlerAnswer handle(const contract::HandlerRequest& request, std::stop_token cancelled) override;

    bool careless = false;
    int calls = 1; // of the tool, per job

private:
    engine::Gate& m_gate;
};

} // namespace unavez::tests
