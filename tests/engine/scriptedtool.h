// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/effecttool.h"
#include "tests/engine/scriptedprovider.h"

#include <QMap>

#include <atomic>
#include <functional>

namespace unavez::tests {

// The host's clocks, moved by hand beside the real ones.
class MovedClock final : public contract::HostClock
{
public:
    contract::Instant wall() const override { return m_real.wall() + wallAhead; }
    contract::Millis boottime() const override { return m_real.boottime() + suspended; }

    contract::Millis wallAhead{0};
    contract::Millis suspended{0};

private:
    contract::SystemHostClock m_real;
};

struct Invoice
{
    QString id;
    qint64 minor = 125000;
    bool open = true;
};

// What the tools look up. Ids are found whatever their case and blanks, and by alias (contract.md H37).
struct ScriptedBackend
{
    QMap<QString, Invoice> invoices; // by id
    QMap<QString, QString> aliases; // → id
    std::atomic<bool> away = false;
};

// A tool as the gate sees it, over a scripted provider: charge_customer as PaymentIntents in two steps, or refund in
// one. One per gate: the hooks are its own.
class ScriptedTool final : public contract::EffectTool
{
public:
    enum class Kind { Charge, Refund };
    using Hook = std::function<void()>;

    ScriptedTool(Kind kind, QString account, ScriptedProvider& provider, ScriptedBackend& backend,
        const contract::HostClock& clock);

    QString name() const override;
    QString description() const override { return name(); }
    QJsonObject inputSchema() const override;
    QString verb() const override;
    QString provider() const override { return QStringLiteral("stripe"); }
    QString account() const override { return m_account; }
    contract::Seconds window() const override { return contract::Seconds{86400}; }
    contract::Seconds margin() const override { return contract::Seconds{14400}; }
    int maxAttempts() const override { return attempts; }
    contract::Ruling<contract::IntentId> spelled(const QJsonObject& arguments) const override;
    contract::Ruling<contract::PlannedIntent> plan(const QJsonObject& arguments) override;
    contract::Ruling<QByteArray> encode(const contract::Intent& intent, int attempt) override;
    QStringList steps(const contract::StoredRequest& request, const contract::Intent& intent) const override;
    contract::SendResult send(const contract::StoredStep& step, const QString& sentKey,
        const std::optional<QString>& objectId, const contract::MarkFunction& mark, std::stop_token cancelled) override;
    contract::Result<contract::AccountFact> checkedAccount(bool fresh) override;

    int attempts = 4;
    QString encoder = QStringLiteral("1"); // its version, part of the bytes
    QString card = QStringLiteral("pm_1"); // the customer's, looked up when bytes are made
    bool cardLookUpAway = false;
    bool unreachable = false; // no connection for effects
    bool accountAway = false; // GET /v1/account does not answer
    QString credentialOf; // whose credential it is; empty: the account's own
    bool credentialOk = true;
    contract::Millis providerAhead{0}; // the provider's Date
    int accountAsked = 0;
    Hook connected;
    Hook marked;
    Hook written; // the provider has it, its answer is not here yet

private:
    contract::Ruling<QString> spelledId(const QJsonObject& arguments) const;

    Kind m_kind;
    QString m_account;
    ScriptedProvider& m_provider;
    ScriptedBackend& m_backend;
    const contract::HostClock& m_clock;
};

} // namespace unavez::tests
