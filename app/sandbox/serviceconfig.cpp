// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/serviceconfig.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace unavez::sandbox {

namespace {

// A basic string; JSON's escapes are TOML's too.
QByteArray quoted(const QString& text)
{
    const auto list = QJsonDocument(QJsonArray{text}).toJson(QJsonDocument::Compact);
    return list.mid(1, list.size() - 2);
}

} // namespace

QString portsFileOf(const ServiceConfig& config) { return config.folder + QStringLiteral("/service-ports.json"); }

QString webhookRoute() { return QStringLiteral("/webhooks/stripe"); }

QByteArray tomlOf(const ServiceConfig& config)
{
    const auto text
        = [](const char* name, const QString& value) { return QByteArray(name) + " = " + quoted(value) + '\n'; };
    const auto number
        = [](const char* name, int value) { return QByteArray(name) + " = " + QByteArray::number(value) + '\n'; };
    const auto file = [](const QString& path) { return QStringLiteral("file:") + path; };
    QByteArray toml;
    toml += "[store]\n" + text("url", config.store);
    toml += "\n[service]\n" + text("instance", QStringLiteral("drill"));
    toml += "roles = [\"edge\", \"worker\", \"gate\", \"reaper\"]\n" + text("state_dir", config.folder)
        + text("admin", QStringLiteral("127.0.0.1:0")) + text("ports_file", portsFileOf(config));
    toml += "\n[edge]\n" + text("listen", QStringLiteral("127.0.0.1:0"));
    toml += "\n[[sources]]\n" + text("name", QStringLiteral("stripe:") + config.account)
        + text("provider", QStringLiteral("stripe")) + text("account", config.account) + text("route", webhookRoute());
    toml
        += "\n[[sources.secrets]]\n" + text("id", config.signingKeyId) + text("secret", file(config.webhookSecretFile));
    toml += "\n[worker]\n" + text("handler", config.agentUrl + QStringLiteral("/run"))
        + number("max_attempts", config.maxAttempts) + number("lease_s", config.jobLeaseSeconds)
        + number("renew_s", config.jobLeaseSeconds / 3) + number("concurrency", 2) + number("poll_ms", 100);
    toml += "\n[gate]\n" + text("listen", QStringLiteral("127.0.0.1:0")) + text("token", file(config.gateTokenFile))
        + number("lease_s", 9);
    toml += "\n[providers.stripe]\n" + text("url", config.providerUrl) + text("account", config.account)
        + text("key", file(config.apiKeyFile)) + number("connect_s", 3) + number("total_s", 7);
    toml += "\n[tools.charge_customer]\n"
        + text("backend", config.backendUrl + QStringLiteral("/invoices/{invoice_id}"));
    toml += "\n[reaper]\n" + number("every_s", 1) + number("grace_s", 2);
    return toml;
}

} // namespace unavez::sandbox
