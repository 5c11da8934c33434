// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/gatefront.h"

#include "app/service/gatereply.h"
#include "ui/text/sentences.h"
#include "ui/text/toolsentences.h"

#include <QCryptographicHash>

#include <algorithm>

#include <openssl/crypto.h>

namespace unavez::service {

using namespace contract;
using engine::GateAnswer;

namespace {

const QByteArray toolsPath = "/tools";
const QByteArray scheme = "Bearer ";

HttpResponse storeAway() { return replyOf(engine::refusal(Reason::StoreAway), false); }

HttpResponse methodNotAllowed(const QByteArray& allowed)
{
    auto response = errorResponse(405, QStringLiteral("method_not_allowed"));
    response.headers = {{"Allow", allowed}};
    return response;
}

} // namespace

// One pool thread's place of work.
class GateFront::Desk
{
public:
    explicit Desk(GateFront& front)
        : m_front(front)
        , m_store(front.m_parts.openStore, front.m_parts.health)
    {
    }

    HttpResponse answered(const HttpRequest& request)
    {
        auto* const session = m_store.session();
        if (!session)
            return storeAway();
        if (!m_gate)
            m_gate = std::make_unique<engine::Gate>(
                session->reservations(), m_front.m_parts.clock, m_front.m_parts.gate, m_front.m_parts.tools);
        return request.path == toolsPath ? listed(*session) : called(request);
    }

private:
    HttpResponse listed(StoreSession& session)
    {
        const auto holds = session.service().holds();
        if (!holds) {
            letGo(holds.error());
            return storeAway();
        }
        m_store.worked();
        return replyOf(m_gate->tools(), *holds);
    }

    HttpResponse called(const HttpRequest& request)
    {
        const auto answer = asked(request);
        m_front.m_parts.metrics.called(answer.status ? wordOf(*answer.status)
                : answer.because                     ? wordOf(answer.because->reason)
                                                     : QString());
        if (answer.because && answer.because->reason == Reason::StoreAway)
            letGo(Error{Error::Kind::Offline, QStringLiteral("gate: the store did not answer"), 0});
        else
            m_store.worked();
        return replyOf(answer, acceptsProblems(request));
    }

    GateAnswer asked(const HttpRequest& request)
    {
        const auto name = QString::fromLatin1(request.path.sliced(toolsPath.size() + 1));
        if (!m_gate->tool(name))
            return engine::refusal(Reason::UnknownTool, {{QStringLiteral("name"), name.left(64)}});
        const auto lease = leaseOf(request);
        if (!lease)
            return engine::refusal(lease.error());
        const auto arguments = argumentsOf(request.body);
        if (!arguments)
            return engine::refusal(arguments.error());
        return m_gate->call(name, *arguments, *lease, m_front.m_cancel.get_token());
    }

    void letGo(const Error& error)
    {
        m_gate.reset(); // it stands on the session
        m_store.failed(error);
    }

    GateFront& m_front;
    LazyStore m_store;
    std::unique_ptr<engine::Gate> m_gate;
};

GateFront::GateFront(GateFrontParts parts)
    : m_parts(std::move(parts))
{
    for (int i = 0; i < std::max(1, m_parts.threads); ++i)
        m_threads.emplace_back([this] { run(); });
}

GateFront::~GateFront() { stop(); }

void GateFront::stop()
{
    std::deque<Call> dropped;
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
        dropped.swap(m_waiting);
        m_changed.notify_all();
    }
    m_cancel.request_stop();
    for (const auto& call : dropped)
        call.reply(storeAway());
    for (auto& thread : m_threads)
        thread.join();
    m_threads.clear();
}

// Compares digests: neither the time nor the length of the comparison depends on how much of the token is right.
bool GateFront::isAllowed(const HttpRequest& request) const
{
    const auto given = request.values("Authorization");
    if (m_parts.token.isEmpty() || given.size() != 1
        || given.first().first(std::min(scheme.size(), given.first().size())).compare(scheme, Qt::CaseInsensitive) != 0)
        return false;
    const auto a = QCryptographicHash::hash(given.first().sliced(scheme.size()), QCryptographicHash::Sha256);
    const auto b = QCryptographicHash::hash(m_parts.token, QCryptographicHash::Sha256);
    return CRYPTO_memcmp(a.constData(), b.constData(), static_cast<std::size_t>(a.size())) == 0;
}

void GateFront::answer(HttpRequest&& request, const Reply& reply)
{
    const bool isRead = request.method == "GET" || request.method == "HEAD";
    if (request.path == "/healthz") {
        if (!isRead)
            return reply(methodNotAllowed("GET"));
        const bool isUp = !m_parts.health.isAway();
        return reply(isUp ? jsonResponse(200, {{QStringLiteral("status"), QStringLiteral("ok")}}) : storeAway());
    }
    if (!isAllowed(request)) {
        auto response = errorResponse(401, wordOf(Reason::NotPermitted), text::tokenRefused());
        response.headers = {{"WWW-Authenticate", "Bearer"}};
        return reply(response);
    }
    if (request.path == toolsPath)
        return isRead ? enqueue(std::move(request), reply) : reply(methodNotAllowed("GET"));
    if (!request.path.startsWith(toolsPath + '/'))
        return reply(errorResponse(404, wordOf(Reason::NotFound)));
    return request.method == "POST" ? enqueue(std::move(request), reply) : reply(methodNotAllowed("POST"));
}

void GateFront::enqueue(HttpRequest&& request, const Reply& reply)
{
    {
        const std::lock_guard lock(m_mutex);
        // As many wait as the listener has connections: it bounds them.
        if (!m_isStopping) {
            m_waiting.push_back({std::move(request), reply});
            m_changed.notify_one();
            return;
        }
    }
    reply(storeAway());
}

std::optional<GateFront::Call> GateFront::next()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_isStopping || !m_waiting.empty(); });
    if (m_waiting.empty())
        return std::nullopt;
    auto call = std::move(m_waiting.front());
    m_waiting.pop_front();
    return call;
}

void GateFront::run()
{
    Desk desk(*this);
    while (auto call = next()) {
        const Metrics::Busy busy(m_parts.metrics, Role::Gate);
        call->reply(desk.answered(call->request));
    }
}

} // namespace unavez::service
