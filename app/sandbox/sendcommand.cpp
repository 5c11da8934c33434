// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/arguments.h"
#include "app/sandbox/commands.h"
#include "app/sandbox/jsonfile.h"
#include "app/sandbox/sender.h"
#include "app/sandbox/webrequest.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include <cstdio>

namespace unavez::sandbox {

namespace {

constexpr qint64 largestBody = qint64{16} * 1024 * 1024;

contract::Result<QByteArray> bodyFrom(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return contract::fail(contract::Error::Kind::NotFound, QStringLiteral("%1: %2").arg(path, file.errorString()));
    return file.read(largestBody);
}

QByteArray bytesOf(const QJsonObject& event) { return QJsonDocument(event).toJson(QJsonDocument::Compact); }

contract::Result<QList<QByteArray>> emittedBy(const QString& provider, const QString& sentKey)
{
    const auto answer = posted(provider + QStringLiteral("/_emit"), QJsonObject{{QStringLiteral("sent_key"), sentKey}});
    if (!answer)
        return contract::fail(answer.error());
    QList<QByteArray> bodies;
    for (const auto& event : answer->value(QLatin1String("events")).toArray())
        bodies.append(bytesOf(event.toObject()));
    return bodies;
}

// What is to be sent: a file's bytes, a provider's events, or so many events made here.
contract::Result<QList<QByteArray>> bodiesOf(const Arguments& arguments, int events)
{
    if (arguments.has("body-file")) {
        const auto body = bodyFrom(arguments.value("body-file"));
        if (!body)
            return contract::fail(body.error());
        return QList<QByteArray>{*body};
    }
    if (arguments.has("from-provider"))
        return emittedBy(arguments.value("from-provider"), arguments.value("sent-key"));
    const auto named = arguments.value("event");
    QList<QByteArray> bodies;
    for (int i = 0; i < events; ++i) {
        auto id = named.isEmpty() ? freshEventId() : named;
        if (!named.isEmpty() && i > 0)
            id += QStringLiteral("_%1").arg(i + 1);
        bodies.append(bytesOf(
            invoiceEvent(id, arguments.value("type"), arguments.value("invoice"), contract::SystemHostClock().wall())));
    }
    return bodies;
}

} // namespace

int runSend(const QStringList& given, Surroundings&)
{
    Arguments arguments(QStringLiteral("send"),
        QStringLiteral("Sends signed deliveries and prints what the edge answered. Ends 0 when all were accepted."));
    arguments.option("edge", "URL", "The source's route, as http://127.0.0.1:8080/webhooks/stripe.");
    arguments.option("secret-file", "FILE", "The endpoint's signing secret.");
    arguments.option("type", "TYPE", "The event's type.", QStringLiteral("invoice.due"));
    arguments.option("invoice", "ID", "The invoice it is about.", QStringLiteral("inv_42"));
    arguments.option("event", "ID", "The event's id; a fresh one unless given.");
    arguments.option("body-file", "FILE", "Sends these bytes instead of an event made here.");
    arguments.option("times", "N", "Sends each event so many times.", QStringLiteral("1"));
    arguments.option("events", "N", "So many different events.", QStringLiteral("1"));
    arguments.option("from-provider", "URL", "Sends what that practice provider would deliver about our requests.");
    arguments.option("sent-key", "KEY", "With --from-provider: only events that this key caused.");
    arguments.flag("parallel", "All at once, 64 at a time at most.");
    arguments.flag("forge", "Signs with another secret.");
    arguments.option("skew", "SECONDS", "Shifts the signature's time; negative is older.", QStringLiteral("0"));
    if (const auto end = arguments.parse(given, {QStringLiteral("edge"), QStringLiteral("secret-file")}))
        return *end;
    constexpr int week = 7 * 86400;
    const auto times = arguments.number("times", 1, 100'000);
    const auto events = arguments.number("events", 1, 100'000);
    const auto skew = arguments.number("skew", -week, week);
    for (const auto* const number : {&times, &events, &skew}) {
        if (!*number)
            return complain(ExitUsage, number->error().detail);
    }
    const auto secret = readSecretFile(arguments.value("secret-file"));
    if (!secret)
        return complain(secret.error());

    const auto bodies = bodiesOf(arguments, *events);
    if (!bodies)
        return complain(bodies.error());
    if (bodies->isEmpty())
        return complain(ExitRefused, QStringLiteral("the provider has no such event"));
    QList<Delivery> deliveries;
    QJsonArray ids;
    for (const auto& body : *bodies) {
        deliveries.append({arguments.value("edge"), *secret, body, arguments.has("forge"), contract::Seconds{*skew}});
        const auto id = QJsonDocument::fromJson(body).object().value(QLatin1String("id"));
        if (id.isString())
            ids.append(id);
    }
    const auto report = delivered(deliveries, *times, arguments.has("parallel"));
    auto told = jsonOf(report);
    told.insert(QStringLiteral("events"), ids);
    std::puts(QJsonDocument(told).toJson(QJsonDocument::Compact).constData());
    return report.allAccepted() ? ExitDone : ExitRefused;
}

} // namespace unavez::sandbox
