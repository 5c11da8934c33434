// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/httpmessage.h"

#include <QJsonDocument>

#include <atomic>

namespace unavez::service {

using namespace contract;

QList<QByteArray> HttpRequest::values(const QByteArray& name) const
{
    QList<QByteArray> found;
    for (const auto& [field, value] : headers) {
        if (field.compare(name, Qt::CaseInsensitive) == 0)
            found.append(value);
    }
    return found;
}

Millis HttpRequest::age() const { return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - begun); }

HttpResponse jsonResponse(int status, const QJsonObject& body)
{
    HttpResponse response;
    response.status = status;
    response.body = QJsonDocument(body).toJson(QJsonDocument::Compact);
    return response;
}

HttpResponse errorResponse(int status, const QString& reason, const QString& message)
{
    QJsonObject error{{QStringLiteral("reason"), reason}};
    if (!message.isEmpty())
        error.insert(QStringLiteral("message"), message);
    return jsonResponse(status, {{QStringLiteral("error"), error}});
}

struct Reply::State
{
    explicit State(Send to)
        : send(std::move(to))
    {
    }
    ~State()
    {
        if (!isGiven)
            send(errorResponse(503, QStringLiteral("unavailable")));
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    Send send;
    std::atomic<bool> isGiven{false};
};

Reply::Reply(Send send)
    : m_state(std::make_shared<State>(std::move(send)))
{
}

void Reply::operator()(HttpResponse response) const
{
    if (!m_state->isGiven.exchange(true))
        m_state->send(std::move(response));
}

} // namespace unavez::service
