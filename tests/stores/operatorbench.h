// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/storedrequest.h"
#include "models/stores/sql/sqlactionstore.h"
#include "models/stores/sql/sqlintakestore.h"
#include "models/stores/sql/sqljobstore.h"
#include "models/stores/sql/sqlreservationstore.h"
#include "models/stores/sql/sqlservicestore.h"
#include "models/stores/sql/sqlstorequeries.h"
#include "tests/support/teststores.h"

#include <QtTest>

namespace unavez::tests {

template <typename T> T must(const contract::Result<T>& result)
{
    if (!result)
        qFatal("%s: %s", qPrintable(wordOf(result.error().kind)), qPrintable(result.error().detail));
    return *result;
}

inline contract::IntentId intentOf(const QString& invoice)
{
    return {QStringLiteral("stripe"), QStringLiteral("acct_1"), QStringLiteral("charge:") + invoice};
}

inline contract::KeyId keyOf(const QString& invoice)
{
    return {QStringLiteral("stripe"), QStringLiteral("acct_1"), QStringLiteral("charge:%1:a1").arg(invoice)};
}

// A store in states that the service's own ports made, and the operator's ports on it.
struct OperatorBench
{
    explicit OperatorBench(stores::StoreUrl::Kind kind)
        : store(kind)
        , connection(store.connect())
        , intake(*connection)
        , jobs(*connection)
        , reservations(*connection)
        , service(*connection)
        , queries(*connection)
        , actions(*connection)
    {
        using namespace contract;
        source = must(service.syncSources(
                          {{1, QStringLiteral("stripe:acct_1"), QStringLiteral("stripe"), QStringLiteral("acct_1")}},
                          {{QStringLiteral("k1"), 1, QStringLiteral("/webhooks/stripe"), QStringLiteral("file:/x"),
                              QStringLiteral("0123456789ab"), Instant{0}, Instant::never()}}))
                     .first()
                     .id;
    }

    contract::MergedDelivery delivery(const QString& id) const
    {
        contract::Delivery d;
        d.sourceId = source;
        d.eventId = id;
        d.eventType = QStringLiteral("invoice.due");
        d.signingKeyId = QStringLiteral("k1");
        d.body = "{}";
        d.bodySha256 = contract::sha256(d.body);
        d.peer = QStringLiteral("127.0.0.1");
        return {d, 1};
    }

    contract::ClaimedJob claimed(const QString& event)
    {
        must(intake.record({delivery(event)}));
        return claimedNext();
    }

    contract::ClaimedJob claimedNext()
    {
        const auto job = must(jobs.claim(source, QStringLiteral("w-1"), contract::Seconds{60}));
        if (!job)
            qFatal("nothing to claim");
        return *job;
    }

    qint64 dead(const QString& event)
    {
        const auto job = claimed(event);
        must(jobs.finishDead(job.lease(), QStringLiteral("permanent"), QStringLiteral("HTTP 400")));
        return job.job.id;
    }

    contract::Held reserved(const QString& invoice, const std::optional<contract::JobLease>& job = {},
        contract::Seconds window = contract::Seconds{86400})
    {
        contract::ReserveRequest request;
        request.intent = intentOf(invoice);
        request.tool = QStringLiteral("charge_customer");
        request.amount = contract::Money{1200, QStringLiteral("eur")};
        request.customer = QStringLiteral("cus_1");
        request.plan = "{}";
        request.argsSha256 = contract::sha256("args");
        request.request = "bytes";
        request.owner = QStringLiteral("gate-1");
        request.window = window;
        request.margin = contract::Seconds{0};
        request.job = job;
        return *must(reservations.reserve(request)).held;
    }

    qint64 sent(const contract::Held& held, const std::optional<contract::JobLease>& job = {})
    {
        const auto mark = must(reservations.mark({held.key, held.fence, QStringLiteral("confirm"),
            QStringLiteral("charge_customer"), contract::Seconds{45}, must(reservations.now()), {}, job}));
        if (!mark.call)
            qFatal("not marked: %s", qPrintable(wordOf(mark.refused->reason)));
        return *mark.call;
    }

    void finished(const contract::Held& held, contract::ReservationStatus status, const QString& outcome = {})
    {
        contract::FinishRequest finish;
        finish.key = held.key;
        finish.fence = held.fence;
        finish.status = status;
        if (status == contract::ReservationStatus::Done)
            finish.objectId = QStringLiteral("pi_") + held.key.key.section(QLatin1Char(':'), 1, 1);
        if (status == contract::ReservationStatus::Failed) {
            finish.outcome = contract::OutcomeClass::DefinitiveFailure;
            finish.error = R"({"class":"card","code":"card_declined","decline_code":")" + outcome.toUtf8()
                + R"(","advice_code":null})";
        }
        if (!must(reservations.finish(finish)))
            qFatal("fenced");
    }

    contract::Plan planOf(const contract::ActionRequest& request)
    {
        return contract::planned(request, must(actions.facts(request)));
    }

    contract::ActionOutcome done(const contract::ActionRequest& request)
    {
        return must(actions.apply(planOf(request), QStringLiteral("on call, ticket 42")));
    }

    static contract::ActionRequest onJob(contract::Action action, qint64 job)
    {
        contract::ActionRequest request;
        request.action = action;
        request.job = job;
        return request;
    }

    static contract::ActionRequest onKey(contract::Action action, const contract::KeyId& key)
    {
        contract::ActionRequest request;
        request.action = action;
        request.key = key;
        return request;
    }

    static contract::ActionRequest attemptOf(const QString& invoice)
    {
        contract::ActionRequest request;
        request.action = contract::Action::OpenAttempt;
        request.intent = intentOf(invoice);
        contract::BackendFact backend;
        backend.reachable = true;
        backend.id = invoice;
        backend.customer = QStringLiteral("cus_1");
        backend.amount = {1200, QStringLiteral("eur")};
        backend.open = true;
        request.backend = backend;
        return request;
    }

    // A policy under which what just happened is old enough.
    static contract::GuardPolicy hasty()
    {
        contract::GuardPolicy policy;
        policy.grace = contract::Seconds{0};
        policy.minInterval = contract::Seconds{0};
        policy.tooSoon = contract::Seconds{0};
        policy.youngEvent = contract::Seconds{0};
        policy.providerTotal = contract::Seconds{0};
        return policy;
    }

    QString statusOf(const QString& invoice) const
    {
        const auto row = must(
            connection->run(QStringLiteral("SELECT status FROM idempotency_keys WHERE key = ?"), {keyOf(invoice).key}));
        return row.first().at(0).toString();
    }

    QString stateOf(qint64 job) const
    {
        return must(connection->run(QStringLiteral("SELECT state FROM jobs WHERE id = ?"), {job}))
            .first()
            .at(0)
            .toString();
    }

    TestStore store;
    std::unique_ptr<stores::SqlConnection> connection;
    stores::SqlIntakeStore intake;
    stores::SqlJobStore jobs;
    stores::SqlReservationStore reservations;
    stores::SqlServiceStore service;
    stores::SqlStoreQueries queries;
    stores::SqlActionStore actions;
    qint64 source = 0;
};

inline void bothStores()
{
    QTest::addColumn<stores::StoreUrl::Kind>("kind");
    QTest::newRow("sqlite") << stores::StoreUrl::Kind::Sqlite;
    QTest::newRow("postgresql") << stores::StoreUrl::Kind::PostgreSql;
}

} // namespace unavez::tests
