// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/edgefront.h"
#include "models/providers/stripeevent.h"
#include "models/signatures/stripe.h"
#include "tests/service/switchedstore.h"
#include "tests/service/wireclient.h"

#include <QCryptographicHash>
#include <QFile>
#include <QJsonDocument>
#include <QtTest>

namespace unavez::tests {

inline const QByteArray edgeSecret = "whsec_test_secret";
inline const QByteArray edgeRoute = "/webhooks/stripe";

inline tl::expected<service::EventFacts, contract::FailureReason> readEvent(const QByteArray& body)
{
    const auto read = providers::readStripeDelivery(body);
    if (!read)
        return tl::make_unexpected(
            read.error().notJson ? contract::FailureReason::NotJson : contract::FailureReason::NoEventId);
    return service::EventFacts{
        read->eventId, read->type, read->objectId, read->snapshotId, read->createdAt, read->live};
}

inline QByteArray eventBody(const QByteArray& id, const QByteArray& more = {})
{
    return "{\"id\":\"" + id + "\",\"object\":\"event\",\"type\":\"invoice.due\"" + more + "}";
}

inline QByteArray signedPost(const QByteArray& body, contract::Instant at = contract::SystemHostClock().wall(),
    const QList<QByteArray>& secrets = {edgeSecret})
{
    return post(edgeRoute, body, "Stripe-Signature: " + signatures::signedByStripe(body, secrets, at) + "\r\n");
}

// An edge on a loopback port over a real store.
class EdgeBench
{
public:
    explicit EdgeBench(stores::StoreUrl url, contract::StoreMode mode = contract::StoreMode::Practice,
        const service::BatcherSettings& settings = {}, service::OpenStore open = {})
        : store(url)
        , m_log(m_null.handle())
        , m_health(m_log)
        , batcher(open ? std::move(open) : store.opener(), m_health, metrics, settings)
        , front({service::stripeSource(sourceSettings(), synced(url), readEvent)}, mode, 5, m_clock, batcher, metrics)
        , listener(
              onLoopback(),
              [this](service::HttpRequest&& request, const service::Reply& reply) {
                  front.answer(std::move(request), reply);
              },
              [this](const service::RefusedRequest& refused) { front.refused(refused); })
    {
        batcher.start();
        if (const auto started = listener.start(); !started)
            qFatal("%s", qPrintable(started.error().detail));
    }

    WireReply ask(const QByteArray& bytes) const { return WireClient(listener.port()).ask(bytes); }
    bool isStoreUp() const { return !m_health.isAway(); }
    // Drains what waits, failures included; the edge is gone then.
    void stop()
    {
        listener.drain(contract::Millis{5000});
        batcher.stop();
    }

private:
    static service::SourceSettings sourceSettings()
    {
        service::SourceSettings source;
        source.name = QStringLiteral("stripe:acct_1");
        source.provider = QStringLiteral("stripe");
        source.account = QStringLiteral("acct_1");
        source.route = QString::fromLatin1(edgeRoute);
        source.secrets = {{QStringLiteral("k1"), QStringLiteral("file:/x"), edgeSecret}};
        return source;
    }
    static qint64 synced(const stores::StoreUrl& url)
    {
        auto opened = stores::SqlStore::open(url);
        if (!opened)
            qFatal("%s", qPrintable(opened.error().detail));
        const auto source = sourceSettings();
        const auto sources = (*opened)->service().syncSources({{1, source.name, source.provider, source.account}},
            {{QStringLiteral("k1"), 1, source.route, QStringLiteral("file:/x"), QStringLiteral("0123456789ab"),
                contract::Instant{0}, contract::Instant::never()}});
        if (!sources)
            qFatal("%s", qPrintable(sources.error().detail));
        return sources->first().id;
    }
    static service::ListenerSettings onLoopback()
    {
        service::ListenerSettings settings;
        settings.listen = {QStringLiteral("127.0.0.1"), 0, {}};
        return settings;
    }
    struct Null : QFile
    {
        Null()
            : QFile(QStringLiteral("/dev/null"))
        {
            if (!open(QIODevice::WriteOnly))
                qFatal("no /dev/null");
        }
    };

public:
    SwitchedStore store;
    service::Metrics metrics;

private:
    Null m_null;
    service::Log m_log;
    contract::SystemHostClock m_clock;
    service::StoreHealth m_health;

public:
    service::DeliveryBatcher batcher;
    service::EdgeFront front;
    service::HttpListener listener; // last: it stops before what it calls goes
};

// A number out of a store.
inline qint64 numberIn(const TestStore& store, const char* sql)
{
    const auto rows = store.connect()->run(QString::fromLatin1(sql));
    if (!rows || rows->isEmpty())
        qFatal("%s: %s", sql, rows ? "no row" : qPrintable(rows.error().detail));
    return rows->first().at(0).toLongLong();
}

inline QString textIn(const TestStore& store, const char* sql)
{
    const auto rows = store.connect()->run(QString::fromLatin1(sql));
    if (!rows)
        qFatal("%s: %s", sql, qPrintable(rows.error().detail));
    QStringList lines;
    for (const auto& row : rows->rows)
        lines.append(row.at(0).toString());
    return lines.join(QLatin1Char(' '));
}

} // namespace unavez::tests
