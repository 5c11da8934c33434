// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/storeurl.h"

#include <QUrl>
#include <QUrlQuery>

namespace unavez::stores {

using contract::Error;
using contract::fail;
using contract::Result;

QString StoreUrl::display() const
{
    if (kind == Kind::Sqlite)
        return QStringLiteral("sqlite://") + path;
    const auto login = user.isEmpty() ? QString() : user + QLatin1Char('@');
    if (host.startsWith(QLatin1Char('/')))
        return QStringLiteral("postgresql://%1/%2?host=%3&port=%4").arg(login, database, host).arg(port);
    return QStringLiteral("postgresql://%1%2:%3/%4").arg(login, host).arg(port).arg(database);
}

Result<StoreUrl> parsedStoreUrl(const QString& text)
{
    StoreUrl url;
    if (text.startsWith(QLatin1String("sqlite:"))) {
        url.path = text.mid(7);
        while (url.path.startsWith(QLatin1String("//")))
            url.path.remove(0, 1);
        if (url.path.isEmpty() || url.path == QLatin1String("/"))
            return fail(Error::Kind::Invalid,
                QStringLiteral("a SQLite store needs a path, as in sqlite:///var/lib/unavez/store.db"));
        return url;
    }
    const QUrl parsed(text, QUrl::StrictMode);
    const bool scheme = parsed.scheme() == QLatin1String("postgresql") || parsed.scheme() == QLatin1String("postgres");
    if (!parsed.isValid() || !scheme) {
        return fail(Error::Kind::Invalid,
            QStringLiteral("a store is named sqlite:///path/store.db or postgresql://user@host:5432/database"));
    }
    const QUrlQuery query(parsed);
    const auto option
        = [&query](const char* name) { return query.queryItemValue(QLatin1String(name), QUrl::FullyDecoded); };
    url.kind = StoreUrl::Kind::PostgreSql;
    url.host = option("host").isEmpty() ? parsed.host(QUrl::FullyDecoded) : option("host");
    url.user = option("user").isEmpty() ? parsed.userName(QUrl::FullyDecoded) : option("user");
    url.password = parsed.password(QUrl::FullyDecoded);
    url.database = parsed.path(QUrl::FullyDecoded).mid(1);
    url.port = parsed.port(5432);
    if (!option("port").isEmpty()) {
        bool number = false;
        url.port = option("port").toInt(&number);
        if (!number)
            url.port = 0;
    }
    if (url.host.isEmpty())
        url.host = QStringLiteral("127.0.0.1");
    if (url.port < 1 || url.port > 65535)
        return fail(Error::Kind::Invalid, QStringLiteral("the port must be a number from 1 to 65535"));
    if (url.database.isEmpty())
        return fail(Error::Kind::Invalid,
            QStringLiteral("name the database after the host, as in postgresql://ana@db.example/unavez"));
    return url;
}

} // namespace unavez::stores
