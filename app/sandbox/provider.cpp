// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/provider.h"

#include "models/contract/storedrequest.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QLocale>

#include <algorithm>

namespace unavez::sandbox {

using contract::Instant;
using contract::Millis;
using contract::Result;

namespace {

ServedReply refusal(const QString& message) { return jsonReply(400, {{QStringLiteral("error"), message}}); }

const Fault* find(const QList<Fault>& faults, Fault::Kind kind, bool isBefore = false)
{
    const auto found = std::find_if(faults.begin(), faults.end(),
        [&](const Fault& fault) { return fault.kind == kind && fault.isBefore == isBefore; });
    return found == faults.end() ? nullptr : &*found;
}

QByteArray httpDate(Instant at)
{
    return QLocale::c()
        .toString(QDateTime::fromMSecsSinceEpoch(at.ms, Qt::UTC), QStringLiteral("ddd, dd MMM yyyy HH:mm:ss 'GMT'"))
        .toLatin1();
}

} // namespace

Provider::Provider(const QStringList& accounts, const QString& seed, const QString& statePath,
    const QString& ledgerPath, const contract::HostClock& clock)
    : m_clock(clock)
    , m_state(accounts, seed)
    , m_journal(statePath, ledgerPath)
{
}

Result<> Provider::open()
{
    const std::scoped_lock lock(m_mutex);
    return m_journal.open(m_state, m_clock.wall());
}

Result<> Provider::welcome(const QStringList& customers)
{
    const std::scoped_lock lock(m_mutex);
    for (const auto& account : m_state.accounts()) {
        for (const auto& customer : customers) {
            if (!m_state.knows(account, customer))
                m_state.replaceCard(account, customer, {});
        }
    }
    return m_journal.keep(m_state);
}

ServedReply Provider::respond(const ServedRequest& request, const std::stop_token& stop)
{
    if (request.path.startsWith(QLatin1String("/_")))
        return control(request);
    return call(request, stop);
}

ServedReply Provider::replyOf(const ServedAnswer& answer, const QString& key) const
{
    ServedReply reply;
    reply.status = answer.status;
    reply.body = answer.body;
    reply.headers = {{"Date", httpDate(m_clock.wall() + m_dateShift)}, {"Request-Id", answer.requestId.toLatin1()}};
    if (!key.isEmpty())
        reply.headers.append({"Idempotency-Key", key.toUtf8()});
    if (answer.isReplayed)
        reply.headers.append({QByteArray("Idempotent-Replayed"), QByteArray("true")});
    if (answer.originalRequestId)
        reply.headers.append({"Original-Request", answer.originalRequestId->toLatin1()});
    if (answer.shouldRetry)
        reply.headers.append({QByteArray("Stripe-Should-Retry"), QByteArray(*answer.shouldRetry ? "true" : "false")});
    if (answer.retryAfter)
        reply.headers.append({"Retry-After", QByteArray::number(static_cast<qint64>(answer.retryAfter->count()))});
    return reply;
}

ServedReply Provider::kept(const ServedAnswer& answer, LedgerLine line)
{
    line.at = m_clock.wall();
    line.replayed = answer.isReplayed;
    line.status = answer.status;
    line.objectId = answer.objectId;
    line.effect = answer.isEffect;
    m_state.note(line);
    if (const auto written = m_journal.keep(m_state); !written) {
        // What it cannot remember it must not claim: the client is left without an answer.
        qCritical("provider: %s", qUtf8Printable(written.error().detail));
        ServedReply reset;
        reset.isReset = true;
        return reset;
    }
    return replyOf(answer, line.sentKey);
}

ServedReply Provider::call(const ServedRequest& request, const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    const auto account = m_state.accountOf(request.header("Authorization").value_or(QByteArray()));
    const auto key = request.header("Idempotency-Key");
    LedgerLine line;
    line.account = account.value_or(QString());
    line.sentKey = key ? QString::fromUtf8(*key) : QString();
    line.method = QString::fromLatin1(request.method);
    line.path = request.path;
    line.bodySha256 = contract::sha256(request.body);
    if (!account)
        return kept(m_state.refuse(401, {}), line);

    const auto faults = m_faults.strike(request.path, line.sentKey);
    ServedReply reset;
    reset.isReset = true;
    if (find(faults, Fault::Kind::ResetBefore)) {
        ServedAnswer none;
        none.status = 0;
        static_cast<void>(kept(none, line));
        return reset;
    }
    if (const auto* fault = find(faults, Fault::Kind::Status))
        return kept(m_state.refuse(fault->status, fault->shouldRetry), line);
    if (find(faults, Fault::Kind::Prune))
        m_state.dropKey(*account, line.sentKey);

    const ApiRequest asked{request.method, request.path, request.query, request.body, *account,
        key ? std::optional(line.sentKey) : std::nullopt};
    auto begun = m_state.begin(asked, m_clock.wall());
    ServedReply reply;
    if (const auto* answer = std::get_if<ServedAnswer>(&begun)) {
        reply = kept(*answer, line);
    } else {
        if (const auto* fault = find(faults, Fault::Kind::Delay, true)) {
            lock.unlock();
            pause(fault->delay, stop);
            lock.lock();
        }
        Twist twist;
        if (const auto* fault = find(faults, Fault::Kind::Decline))
            twist.decline = fault->declineCode;
        if (const auto* fault = find(faults, Fault::Kind::Cache500))
            twist.cached500 = fault->isEffect;
        reply = kept(m_state.finish(std::get<Ticket>(begun), twist), line);
    }
    if (const auto* fault = find(faults, Fault::Kind::Delay)) {
        lock.unlock();
        pause(fault->delay, stop);
    }
    return find(faults, Fault::Kind::ResetAfter) ? reset : reply;
}

void Provider::pause(Millis time, const std::stop_token& stop)
{
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock lock(mutex);
    woken.wait_for(lock, stop, time, [&] { return stop.stop_requested(); });
}

ServedReply Provider::control(const ServedRequest& request)
{
    const std::scoped_lock lock(m_mutex);
    if (request.path == QLatin1String("/_fault") && request.method == "DELETE") {
        m_faults.clear();
        return jsonReply(200, {{QStringLiteral("waiting"), 0}});
    }
    if (request.method != "POST")
        return jsonReply(404, {{QStringLiteral("error"), QStringLiteral("POST /_fault, /_clock, /_card or /_emit")}});
    const auto document = QJsonDocument::fromJson(request.body);
    if (!document.isObject())
        return refusal(QStringLiteral("the body must be a JSON object"));
    const auto asked = document.object();
    if (request.path == QLatin1String("/_fault")) {
        const auto fault = faultOf(asked);
        if (!fault)
            return refusal(fault.error().detail);
        m_faults.add(*fault);
        return jsonReply(200, {{QStringLiteral("waiting"), m_faults.size()}});
    }
    if (request.path == QLatin1String("/_clock"))
        return moveClock(asked);
    if (request.path == QLatin1String("/_card"))
        return placeCard(asked);
    if (request.path == QLatin1String("/_emit"))
        return emitEvents(asked);
    return jsonReply(404, {{QStringLiteral("error"), QStringLiteral("POST /_fault, /_clock, /_card or /_emit")}});
}

ServedReply Provider::moveClock(const QJsonObject& asked)
{
    const auto by = asked.value(QLatin1String("shift_ms")).toInteger();
    if (by != 0)
        m_state.shift(Millis{by});
    m_dateShift += Millis{asked.value(QLatin1String("date_shift_ms")).toInteger()};
    if (const auto written = m_journal.keep(m_state); !written)
        return jsonReply(500, {{QStringLiteral("error"), written.error().detail}});
    return jsonReply(200, {{QStringLiteral("shifted_ms"), by}});
}

ServedReply Provider::placeCard(const QJsonObject& asked)
{
    const auto customer = asked.value(QLatin1String("customer")).toString();
    const auto account = asked.value(QLatin1String("account")).toString(m_state.accounts().first());
    const auto works = asked.value(QLatin1String("works"));
    if (customer.isEmpty() || !works.isBool() || !m_state.accounts().contains(account))
        return refusal(QStringLiteral("needs a customer, works (true or false) and an account of this provider"));
    const auto placed = m_state.replaceCard(account, customer,
        {{}, works.toBool(), asked.value(QLatin1String("decline_code")).toString(),
            asked.value(QLatin1String("advice_code")).toString()});
    if (const auto written = m_journal.keep(m_state); !written)
        return jsonReply(500, {{QStringLiteral("error"), written.error().detail}});
    return jsonReply(
        200, {{QStringLiteral("customer"), customer}, {QStringLiteral("payment_method"), placed.method.id}});
}

ServedReply Provider::emitEvents(const QJsonObject& asked)
{
    QJsonArray events;
    const auto found = m_state.events(
        asked.value(QLatin1String("sent_key")).toString(), asked.value(QLatin1String("type")).toString());
    for (const auto& event : found)
        events.append(event);
    return jsonReply(200, {{QStringLiteral("events"), events}});
}

} // namespace unavez::sandbox
