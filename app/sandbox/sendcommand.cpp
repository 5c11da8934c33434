// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/arguments.h"
#include "app/sandbox/commands.h"
#include "app/sandbox/jsonfile.h"
#include "app/sandbox/sender.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include <cstdio>

namespace unavez::sandbox {

namespace {

constexpr qint64 largestBody = 16 * 1024 * 1024;

contract::Result<QByteArray> bodyFrom(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return contract::fail(contract::Error::Kind::NotFound, QStringLiteral("%1: %2").arg(path, file.errorString()));
    return file.read(largestBody);
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

    QList<Delivery> deliveries;
    QJsonArray ids;
    for (int i = 0; i < *events; ++i) {
        Delivery delivery{arguments.value("edge"), *secret, {}, arguments.has("forge"), contract::Seconds{*skew}};
        if (arguments.has("body-file")) {
            const auto body = bodyFrom(arguments.value("body-file"));
            if (!body)
                return complain(body.error());
            delivery.body = *body;
        } else {
            const auto given_id = arguments.value("event");
            auto id = given_id.isEmpty() ? freshEventId() : given_id;
            if (!given_id.isEmpty() && i > 0)
                id += QStringLiteral("_%1").arg(i + 1);
            ids.append(id);
            const auto event = invoiceEvent(
                id, arguments.value("type"), arguments.value("invoice"), contract::SystemHostClock().wall());
            delivery.body = QJsonDocument(event).toJson(QJsonDocument::Compact);
        }
        deliveries.append(delivery);
    }
    const auto report = delivered(deliveries, *times, arguments.has("parallel"));
    auto told = jsonOf(report);
    told.insert(QStringLiteral("events"), ids);
    std::puts(QJsonDocument(told).toJson(QJsonDocument::Compact).constData());
    return report.allAccepted() ? ExitDone : ExitRefused;
}

} // namespace unavez::sandbox
