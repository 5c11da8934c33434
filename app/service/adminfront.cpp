// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/adminfront.h"

#include "models/contract/reason.h"
#include "ui/text/sentences.h"

namespace unavez::service {

using namespace contract;

namespace {

constexpr Seconds comeBack{1};

QString reasonOf(Error::Kind kind)
{
    switch (kind) {
    case Error::Kind::Offline:
    case Error::Kind::Timeout: return wordOf(Reason::StoreAway);
    case Error::Kind::ReadOnly: return wordOf(Reason::StoreReadOnly);
    case Error::Kind::SchemaNewer: return wordOf(Reason::SchemaNewer);
    default: return wordOf(kind);
    }
}

HttpResponse notReady(const QString& reason, const QString& message)
{
    QJsonObject body{{QStringLiteral("ready"), false}, {QStringLiteral("reason"), reason}};
    if (!message.isEmpty())
        body.insert(QStringLiteral("message"), message);
    auto response = jsonResponse(503, body);
    response.retryAfter = comeBack;
    return response;
}

HttpResponse notReady(const Error& error) { return notReady(reasonOf(error.kind), text::sentence(error)); }

} // namespace

HttpResponse AdminFront::late() { return notReady(Error{Error::Kind::Timeout, {}, 0}); }

AdminFront::AdminFront(OpenStore open, StoreHealth& health, const Metrics& metrics, const Counters& counters)
    : m_health(health)
    , m_metrics(metrics)
    , m_counters(counters)
    , m_store(std::move(open), health)
    , m_thread([this] { run(); })
{
}

AdminFront::~AdminFront()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
        m_changed.notify_all();
    }
    m_thread.join();
}

void AdminFront::setDraining()
{
    const std::lock_guard lock(m_mutex);
    m_isDraining = true;
}

void AdminFront::answer(HttpRequest&& request, const Reply& reply)
{
    const bool isRead = request.method == "GET" || request.method == "HEAD";
    const bool isKnown = request.path == "/healthz" || request.path == "/readyz" || request.path == "/metrics";
    if (!isKnown)
        return reply(errorResponse(404, wordOf(Reason::NotFound)));
    if (!isRead) {
        auto response = errorResponse(405, QStringLiteral("method_not_allowed"));
        response.headers = {{"Allow", "GET, HEAD"}};
        return reply(response);
    }
    if (request.path == "/readyz")
        return askReady(reply);
    if (request.path == "/healthz")
        return reply(jsonResponse(200, {{QStringLiteral("status"), QStringLiteral("ok")}}));
    HttpResponse response;
    response.contentType = "text/plain; version=0.0.4; charset=utf-8";
    response.body = m_metrics.text(m_counters, !m_health.isAway());
    reply(response);
}

void AdminFront::askReady(const Reply& reply)
{
    std::optional<HttpResponse> known;
    {
        const std::lock_guard lock(m_mutex);
        const auto now = Clock::now();
        if (m_isDraining)
            known = notReady(QStringLiteral("draining"), {});
        else if (m_probingSince && now - *m_probingSince >= probeTime)
            known = late(); // it hangs: whoever asks now need not wait to be told
        else if (m_last && !m_probingSince && now - m_lastAt < validFor)
            known = m_last;
        else
            m_waiting.push_back(reply);
        m_changed.notify_all();
    }
    if (known)
        reply(*known);
}

void AdminFront::run()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_isStopping || !m_waiting.empty(); });
        if (m_isStopping)
            break;
        m_probingSince = Clock::now();
        lock.unlock();
        const auto answer = probed();
        lock.lock();
        m_probingSince.reset();
        m_last = answer;
        m_lastAt = Clock::now();
        std::vector<Reply> waiting;
        waiting.swap(m_waiting);
        lock.unlock();
        for (const auto& reply : waiting)
            reply(answer);
        lock.lock();
    }
    m_store.close();
}

HttpResponse AdminFront::probed()
{
    auto* const session = m_store.session();
    if (!session)
        return notReady(m_store.fault().value_or(Error{Error::Kind::Offline, {}, 0}));
    const auto answered = session->service().probe();
    if (!answered) {
        m_store.failed(answered.error());
        return notReady(answered.error());
    }
    m_store.worked();
    return jsonResponse(200, {{QStringLiteral("ready"), true}});
}

} // namespace unavez::service
