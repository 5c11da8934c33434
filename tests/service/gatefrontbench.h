// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/gatefront.h"
#include "app/service/meteredstore.h"
#include "tests/engine/gatebench.h"
#include "tests/service/switchedstore.h"
#include "tests/service/wireclient.h"

#include <QFile>
#include <QJsonDocument>

namespace unavez::tests {

inline const QByteArray gateToken = "test-token-of-the-gate";
inline const QByteArray bearer = "Authorization: Bearer " + gateToken + "\r\n";

// A gate on a loopback port over a real store and a scripted provider.
class GateFrontBench
{
public:
    explicit GateFrontBench(stores::StoreUrl::Kind kind, int threads = 2)
        : world(kind)
        , charge(ScriptedTool::Kind::Charge, QStringLiteral("acct_1"), world.provider, world.backend, world.clock)
        , refund(ScriptedTool::Kind::Refund, QStringLiteral("acct_1"), world.provider, world.backend, world.clock)
        , store(world.store.url())
        , m_log(silent())
        , m_health(m_log)
        , front({service::metered(store.opener(), metrics), m_health, metrics, world.clock, gateToken,
              {QStringLiteral("gate-1"), contract::Millis{45000}, contract::Seconds{10}, {}}, {&charge, &refund},
              threads})
        , listener(settings(), [this](service::HttpRequest&& request, const service::Reply& reply) {
            front.answer(std::move(request), reply);
        })
    {
        if (const auto started = listener.start(); !started)
            qFatal("%s", qPrintable(started.error().detail));
    }

    WireReply ask(const QByteArray& bytes) const { return WireClient(listener.port()).ask(bytes); }
    WireReply asked(const QByteArray& path, const QByteArray& headers = bearer) const
    {
        return ask("GET " + path + " HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n");
    }
    WireReply charged(const QByteArray& arguments = "{\"invoice_id\":\"inv_42\"}", const QByteArray& headers = {}) const
    {
        return ask(post("/tools/charge_customer", arguments, bearer + headers));
    }
    WireReply refunded(const QByteArray& id, int minor) const
    {
        return ask(post("/tools/refund",
            "{\"request_id\":\"" + id + "\",\"amount_minor\":" + QByteArray::number(minor) + "}", bearer));
    }

private:
    static int silent()
    {
        static QFile null(QStringLiteral("/dev/null"));
        if (!null.isOpen() && !null.open(QIODevice::WriteOnly))
            qFatal("no /dev/null");
        return null.handle();
    }
    static service::ListenerSettings settings()
    {
        service::ListenerSettings settings;
        settings.listen = {QStringLiteral("127.0.0.1"), 0, {}};
        settings.bodyMax = 64 * 1024;
        return settings;
    }

public:
    GateWorld world;
    ScriptedTool charge;
    ScriptedTool refund;
    SwitchedStore store;
    service::Metrics metrics;

private:
    service::Log m_log;
    service::StoreHealth m_health;

public:
    service::GateFront front;
    service::HttpListener listener; // last: it stops before what it calls goes
};

inline QJsonObject jsonOf(const WireReply& reply) { return QJsonDocument::fromJson(reply.body).object(); }
inline QString refusalOf(const WireReply& reply)
{
    return jsonOf(reply)[QLatin1String("error")][QLatin1String("reason")].toString();
}
inline QString statusOf(const WireReply& reply) { return jsonOf(reply)[QLatin1String("status")].toString(); }

} // namespace unavez::tests
