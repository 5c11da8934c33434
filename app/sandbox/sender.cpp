// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/sender.h"

#include "app/sandbox/webrequest.h"
#include "models/signatures/stripe.h"

#include <QRandomGenerator>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace unavez::sandbox {

using contract::Instant;
using contract::Millis;

namespace {

constexpr int mostAtOnce = 64;

// HTTP status, or 0 where no answer came.
int sendOnce(const Delivery& delivery)
{
    const auto now = contract::SystemHostClock().wall() + Millis{delivery.skew};
    const auto secret = delivery.isForged ? "whsec_forged" + delivery.secret : delivery.secret;
    const auto reply = requested("POST", delivery.edge,
        {{"Content-Type", "application/json; charset=utf-8"}, {"User-Agent", "Stripe/1.0 (practice)"},
            {"Stripe-Signature", signatures::signedByStripe(delivery.body, {secret}, now)}},
        delivery.body, Millis{30000});
    return reply ? reply->status : 0;
}

void count(DeliveryReport& report, int status)
{
    if (status == 0)
        ++report.unanswered;
    else
        ++report.answers[status];
}

} // namespace

QJsonObject invoiceEvent(const QString& eventId, const QString& type, const QString& invoice, Instant at)
{
    const QJsonObject object{{QStringLiteral("id"), invoice}, {QStringLiteral("object"), QStringLiteral("invoice")},
        {QStringLiteral("livemode"), false}};
    return {{QStringLiteral("id"), eventId}, {QStringLiteral("object"), QStringLiteral("event")},
        {QStringLiteral("api_version"), QStringLiteral("2024-06-20")}, {QStringLiteral("created"), at.ms / 1000},
        {QStringLiteral("data"), QJsonObject{{QStringLiteral("object"), object}}}, {QStringLiteral("livemode"), false},
        {QStringLiteral("pending_webhooks"), 1},
        {QStringLiteral("request"),
            QJsonObject{{QStringLiteral("id"), QJsonValue()}, {QStringLiteral("idempotency_key"), QJsonValue()}}},
        {QStringLiteral("type"), type}};
}

QString freshEventId()
{
    static constexpr char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    QString id = QStringLiteral("evt_");
    for (int i = 0; i < 24; ++i)
        id += QLatin1Char(letters[QRandomGenerator::system()->bounded(static_cast<int>(sizeof(letters)) - 1)]);
    return id;
}

bool DeliveryReport::allAccepted() const
{
    return unanswered == 0 && answers.size() == 1 && answers.firstKey() >= 200 && answers.firstKey() < 300;
}

QJsonObject jsonOf(const DeliveryReport& report)
{
    QJsonObject answers;
    for (auto it = report.answers.begin(); it != report.answers.end(); ++it)
        answers.insert(QString::number(it.key()), it.value());
    return {{QStringLiteral("answers"), answers}, {QStringLiteral("unanswered"), report.unanswered}};
}

DeliveryReport delivered(const QList<Delivery>& deliveries, int times, bool isParallel)
{
    DeliveryReport report;
    const qsizetype total = deliveries.size() * std::max(times, 1);
    if (!isParallel) {
        for (qsizetype i = 0; i < total; ++i)
            count(report, sendOnce(deliveries.at(i % deliveries.size())));
        return report;
    }
    std::mutex mutex;
    std::atomic<qsizetype> next = 0;
    const auto work = [&] {
        for (qsizetype i = next++; i < total; i = next++) {
            const auto status = sendOnce(deliveries.at(i % deliveries.size()));
            const std::scoped_lock lock(mutex);
            count(report, status);
        }
    };
    std::vector<std::jthread> threads;
    for (qsizetype i = 0; i < std::min<qsizetype>(total, mostAtOnce); ++i)
        threads.emplace_back(work);
    threads.clear();
    return report;
}

} // namespace unavez::sandbox
