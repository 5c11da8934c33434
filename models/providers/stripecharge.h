// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/effecttool.h"
#include "models/providers/effectclient.h"

#include <mutex>

namespace unavez::providers {

struct StripeChargeSettings
{
    Endpoint endpoint; // https://api.stripe.com
    QString account; // acct_…
    QByteArray credential; // never stored, never logged
    QString backend; // URL with {invoice_id} in its path
    int maxAttempts = 4; // per intent
    contract::Seconds window{86400};
    contract::Seconds margin{14400};
    HttpLimits limits;
    contract::Millis writeWithin{10000}; // engine::sendWithin()
};

// charge_customer on Stripe: one PaymentIntent per intent, attempts are confirms of it (contract.md §10.5.3).
// Thread-safe; every call may block within the limits.
class StripeChargeTool final : public contract::EffectTool
{
public:
    // The clock outlives the tool.
    StripeChargeTool(StripeChargeSettings settings, const TlsTrust& trust, const contract::HostClock& clock);

    QString name() const override { return QStringLiteral("charge_customer"); }
    QString description() const override;
    QJsonObject inputSchema() const override;
    QString verb() const override { return QStringLiteral("charge"); }
    QString provider() const override { return QStringLiteral("stripe"); }
    QString account() const override { return m_settings.account; }
    contract::Seconds window() const override { return m_settings.window; }
    contract::Seconds margin() const override { return m_settings.margin; }
    int maxAttempts() const override { return m_settings.maxAttempts; }

    contract::Ruling<contract::IntentId> spelled(const QJsonObject& arguments) const override;
    contract::Ruling<contract::PlannedIntent> plan(const QJsonObject& arguments) override;
    contract::Ruling<QByteArray> encode(const contract::Intent& intent, int attempt) override;
    QStringList steps(const contract::StoredRequest& request, const contract::Intent& intent) const override;
    contract::SendResult send(const contract::StoredStep& step, const QString& sentKey,
        const std::optional<QString>& objectId, const contract::MarkFunction& mark, std::stop_token cancelled) override;
    contract::Result<contract::AccountFact> checkedAccount(bool fresh) override;

private:
    contract::Result<HttpReply> look(const QByteArray& target) const;
    QString backendUrl(const QString& invoice) const;

    StripeChargeSettings m_settings;
    TlsTrust m_trust;
    const contract::HostClock& m_clock;
    EffectClient m_client;

    std::mutex m_mutex; // the last answer about the account
    std::optional<contract::AccountFact> m_account;
    contract::Millis m_accountAt{0}; // BOOTTIME
};

} // namespace unavez::providers
