// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/providers/http.h"

#include <QJsonObject>

#include <stop_token>

namespace unavez::sandbox {

// One request to a neighbour on this machine, over a connection of its own, sent once. Invalid for a URL that cannot be
// meant; else what providers::fetched says.
contract::Result<providers::HttpReply> requested(const QByteArray& method, const QString& url,
    const providers::HeaderList& headers, const QByteArray& body, contract::Millis total = contract::Millis{10000},
    std::stop_token cancelled = {});

// POST of a JSON object; an answer other than 2xx is Refused, with its status in nativeCode.
contract::Result<QJsonObject> posted(const QString& url, const QJsonObject& body);

} // namespace unavez::sandbox
