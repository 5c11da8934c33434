// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/storedrequest.h"
#include "tests/stores/storebench.h"

// A test slot that runs on every store; QFETCH(Backend, backend) says which.
#define EVERY_STORE(slot)                                                                                              \
    void slot##_data() { unavez::tests::everyStore(); }                                                                \
    void slot()

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

// A store with one source and one signing key, brought into its states by the service's own ports.
struct PortsBench
{
    explicit PortsBench(Backend kind)
        : PortsBench(StoreBench::made(kind))
    {
    }
    explicit PortsBench(std::unique_ptr<StoreBench> made)
        : backend(std::move(made))
        , ports(backend->connect())
        , intake(ports->intake())
        , jobs(ports->jobs())
        , reservations(ports->reservations())
        , evidence(ports->evidence())
        , reaper(ports->reaper())
        , service(ports->service())
        , actions(ports->actions())
    {
        using namespace contract;
        source = must(service.syncSources(
                          {{1, QStringLiteral("stripe:acct_1"), QStringLiteral("stripe"), QStringLiteral("acct_1")}},
                          {{QStringLiteral("k1"), 1, QStringLiteral("/webhooks/stripe"), QStringLiteral("file:/x"),
                              QStringLiteral("0123456789ab"), Instant{0}, Instant::never()}}))
                     .first()
                     .id;
    }

    contract::MergedDelivery delivery(const QString& id, const QByteArray& body = "{}", int count = 1) const
    {
        contract::Delivery d;
        d.sourceId = source;
        d.eventId = id;
        d.eventType = QStringLiteral("invoice.due");
        d.signingKeyId = QStringLiteral("k1");
        d.body = body;
        d.bodySha256 = contract::sha256(body);
        d.peer = QStringLiteral("127.0.0.1");
        return {d, count};
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

    static contract::ReserveRequest request(const QString& invoice, const std::optional<contract::JobLease>& job = {})
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
        request.job = job;
        return request;
    }

    // `window` is the time until the cutoff: there is no margin.
    contract::Held reserved(const QString& invoice, const std::optional<contract::JobLease>& job = {},
        contract::Seconds window = contract::Seconds{86400})
    {
        auto wanted = request(invoice, job);
        wanted.window = window;
        wanted.margin = contract::Seconds{0};
        return *must(reservations.reserve(wanted)).held;
    }

    contract::MarkAnswer mark(const contract::Held& held, const std::optional<contract::JobLease>& job = {},
        contract::Millis hostAhead = contract::Millis{0})
    {
        return must(reservations.mark({held.key, held.fence, QStringLiteral("confirm"),
            QStringLiteral("charge_customer"), contract::Seconds{45}, must(reservations.now()) + hostAhead, {}, job}));
    }

    qint64 sent(const contract::Held& held, const std::optional<contract::JobLease>& job = {})
    {
        const auto answer = mark(held, job);
        if (!answer.call)
            qFatal("not marked: %s", qPrintable(wordOf(answer.refused->reason)));
        return *answer.call;
    }

    void finished(const contract::Held& held, contract::ReservationStatus status, const QString& outcome = {})
    {
        contract::FinishRequest finish;
        finish.key = held.key;
        finish.fence = held.fence;
        finish.status = status;
        if (status == contract::ReservationStatus::Unknown)
            finish.outcome = contract::OutcomeClass::Unknown;
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

    contract::Reservation row(const contract::KeyId& key) { return must(reservations.findKey(key))->last; }
    QString statusOf(const QString& invoice) { return wordOf(row(keyOf(invoice)).status); }

    contract::Job job(qint64 id) { return *must(actions.facts(onJob(contract::Action::RequeueJob, id))).job; }
    QString stateOf(qint64 id) { return wordOf(job(id).state); }

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

    static contract::ActionRequest onHold(contract::HoldKind kind, const QString& target)
    {
        contract::ActionRequest request;
        request.action = contract::Action::Hold;
        request.hold = contract::HoldRequest{kind, target, false};
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

    std::unique_ptr<StoreBench> backend;
    std::unique_ptr<StorePorts> ports;
    contract::IntakeStore& intake;
    contract::JobStore& jobs;
    contract::ReservationStore& reservations;
    contract::EvidenceStore& evidence;
    contract::ReaperStore& reaper;
    contract::ServiceStore& service;
    contract::ActionStore& actions;
    qint64 source = 0;
};

} // namespace unavez::tests
