// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/providers/http.h"

#include <QUrl>

namespace unavez::providers {

using contract::Error;
using contract::fail;

contract::Result<ParsedUrl> parsedUrl(const QString& url)
{
    constexpr qsizetype longest = 2048;
    if (url.size() > longest)
        return fail(Error::Kind::Invalid, QStringLiteral("url: too long"));
    for (const auto c : url) {
        if (c.unicode() <= 0x20 || c.unicode() == 0x7f)
            return fail(Error::Kind::Invalid, QStringLiteral("url: white space or a control character"));
    }
    const QUrl read(url, QUrl::StrictMode);
    if (!read.isValid() || read.host().isEmpty())
        return fail(Error::Kind::Invalid, QStringLiteral("url: not readable, or without a host"));
    const bool tls = read.scheme() == QLatin1String("https");
    if (!tls && read.scheme() != QLatin1String("http"))
        return fail(Error::Kind::Invalid, QStringLiteral("url: neither http nor https"));
    if (!read.userInfo().isEmpty())
        return fail(Error::Kind::Invalid, QStringLiteral("url: holds a user name or password"));
    if (read.hasFragment())
        return fail(Error::Kind::Invalid, QStringLiteral("url: holds a fragment"));
    ParsedUrl parsed;
    parsed.endpoint = {tls, read.host(QUrl::FullyEncoded), static_cast<quint16>(read.port(tls ? 443 : 80))};
    const auto path = read.path(QUrl::FullyEncoded).toLatin1();
    parsed.target = path.isEmpty() ? QByteArray("/") : path;
    if (read.hasQuery())
        parsed.target += '?' + read.query(QUrl::FullyEncoded).toLatin1();
    return parsed;
}

bool isLoopback(const Endpoint& endpoint)
{
    return endpoint.host == QLatin1String("localhost") || endpoint.host == QLatin1String("::1")
        || endpoint.host.startsWith(QLatin1String("127."));
}

QByteArray HttpReply::header(const QByteArray& name) const
{
    for (const auto& [field, value] : headers) {
        if (field.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

} // namespace unavez::providers
