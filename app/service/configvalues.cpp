// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/configvalues.h"

#include "app/service/configreader.h"
#include "app/service/secretsource.h"

#include <QFile>
#include <QFileInfo>
#include <QHostAddress>
#include <QRegularExpression>
#include <QUrl>

#include <algorithm>

namespace unavez::service {

using text::SettingFault;

namespace {

bool isUrl(const QString& text)
{
    const QUrl url(text, QUrl::StrictMode);
    const bool visible
        = std::all_of(text.begin(), text.end(), [](QChar c) { return c.unicode() > 0x20 && c.unicode() != 0x7f; });
    return visible && text.size() <= 2048 && url.isValid() && !url.host().isEmpty() && url.userInfo().isEmpty()
        && !url.hasFragment() && (url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("https"));
}

// Where a value of the whole file stood first, to refuse its second.
class Once
{
public:
    void check(const ConfigTable& table, const char* key, const QString& value)
    {
        const auto first = m_lines.constFind(value);
        if (first != m_lines.constEnd())
            table.refuse(
                key, SettingFault::Duplicate, {{QStringLiteral("value"), value}, {QStringLiteral("first"), *first}});
        else
            m_lines.insert(value, table.lineOf(key));
    }

private:
    QHash<QString, int> m_lines;
};

void readRoute(const ConfigTable& table, const char* key, QString& into)
{
    needed(table, key);
    table.text(key, into);
    static const QRegularExpression plain(QStringLiteral("^(/[A-Za-z0-9_.~-]+)+$"));
    const bool dots = into.split(QLatin1Char('/')).contains(QStringLiteral(".."))
        || into.split(QLatin1Char('/')).contains(QStringLiteral("."));
    if (table.isFine() && (into.size() > 200 || dots || !plain.match(into).hasMatch()))
        table.refuse(key, SettingFault::BadRoute);
}

} // namespace

std::optional<Role> roleFrom(const QString& word)
{
    for (const auto role : {Role::Edge, Role::Worker, Role::Gate, Role::Reaper}) {
        if (wordOf(role) == word)
            return role;
    }
    return std::nullopt;
}

QString spelled(const ListenAddress& address)
{
    if (!address.path.isEmpty())
        return QStringLiteral("unix:") + address.path;
    const auto host
        = address.host.contains(QLatin1Char(':')) ? QLatin1Char('[') + address.host + QLatin1Char(']') : address.host;
    return QStringLiteral("%1:%2").arg(host).arg(address.port);
}

std::optional<ListenAddress> listenAddress(const QString& text, bool unixToo)
{
    if (unixToo && text.startsWith(QLatin1String("unix:/")))
        return text.size() <= 100 ? std::optional(ListenAddress{{}, 0, text.mid(5)}) : std::nullopt;
    static const QRegularExpression form(QStringLiteral("^(?:\\[([0-9A-Fa-f:.]+)\\]|([0-9.]+)):([0-9]{1,5})$"));
    const auto match = form.match(text);
    if (!match.hasMatch() || text.endsWith(QLatin1Char('\n')))
        return std::nullopt;
    const auto host = match.captured(1) + match.captured(2);
    const auto port = match.captured(3).toInt();
    const QHostAddress literal(host);
    // "127.1" is an address to the system, but not to a person.
    const bool whole = literal.protocol() == QAbstractSocket::IPv6Protocol || host.count(QLatin1Char('.')) == 3;
    if (literal.isNull() || !whole || port > 65535)
        return std::nullopt;
    return ListenAddress{host, static_cast<quint16>(port), {}};
}

bool crossesInTheOpen(const QString& text)
{
    const QUrl url(text);
    return url.scheme() != QLatin1String("https") && url.host() != QLatin1String("localhost")
        && !QHostAddress(url.host()).isLoopback();
}

void needed(const ConfigTable& table, const char* key)
{
    if (!table.has(key))
        table.refuse(key, SettingFault::Missing);
}

void neededByRole(const ConfigTable& table, const char* key, Role role)
{
    if (!table.has(key))
        table.refuse(key, SettingFault::NeededByRole, {{QStringLiteral("role"), wordOf(role)}});
}

void readName(const ConfigTable& table, const char* key, QString& into, int max)
{
    table.text(key, into);
    const bool visible
        = std::all_of(into.begin(), into.end(), [](QChar c) { return c.unicode() > 0x20 && c.unicode() < 0x7f; });
    if (table.has(key) && table.isFine() && (into.isEmpty() || into.size() > max || !visible))
        table.refuse(key, SettingFault::BadName, {{QStringLiteral("max"), max}});
}

void readAddress(const ConfigTable& table, const char* key, ListenAddress& into, bool unixToo)
{
    QString text;
    table.text(key, text);
    if (!table.has(key) || !table.isFine())
        return;
    const auto read = listenAddress(text, unixToo);
    if (!read)
        return table.refuse(key, SettingFault::BadAddress);
    into = *read;
}

void readUrl(const ConfigTable& table, const char* key, QString& into)
{
    table.text(key, into);
    if (table.has(key) && table.isFine() && !isUrl(into))
        table.refuse(key, SettingFault::BadUrl);
}

void readUrlTemplate(const ConfigTable& table, const char* key, const QString& placeholder, QString& into)
{
    table.text(key, into);
    if (!table.has(key) || !table.isFine())
        return;
    auto rest = into;
    if (rest.count(placeholder) != 1)
        return table.refuse(key, SettingFault::BadTemplate, {{QStringLiteral("placeholder"), placeholder}});
    const auto filled = rest.replace(placeholder, QStringLiteral("x"));
    if (filled.contains(QLatin1Char('{')) || filled.contains(QLatin1Char('}')))
        return table.refuse(key, SettingFault::BadTemplate, {{QStringLiteral("placeholder"), placeholder}});
    if (!isUrl(filled))
        table.refuse(key, SettingFault::BadUrl);
}

void readFileName(const ConfigTable& table, const char* key, QString& into)
{
    table.text(key, into);
    if (into.isEmpty() || !table.isFine())
        return;
    QFile file(into);
    if (!QFileInfo(into).isFile() || !file.open(QIODevice::ReadOnly))
        table.refuse(key, SettingFault::NoFile,
            {{QStringLiteral("path"), into},
                {QStringLiteral("why"),
                    file.isOpen() || file.error() == QFileDevice::NoError ? QStringLiteral("not a regular file")
                                                                          : file.errorString()}});
}

void readSecretAt(const ConfigTable& table, const char* key, bool wanted, QString& reference, QByteArray& into)
{
    table.text(key, reference);
    if (!table.has(key) || !table.isFine())
        return;
    // The text is not repeated: it may be the secret itself.
    if (!isSecretReference(reference))
        return table.refuse(key, SettingFault::SecretReference);
    if (!wanted)
        return;
    const auto found = readSecret(reference);
    const QVariantMap facts{{QStringLiteral("reference"), reference},
        {QStringLiteral("why"), found ? QString() : found.error().why}, {QStringLiteral("max"), 4096}};
    if (!found)
        return table.refuse(key, found.error().fault, facts);
    if (found->openToAll)
        table.warn(key, SettingFault::SecretOpen, {{QStringLiteral("reference"), reference}});
    into = found->secret;
}

void readSources(const ConfigTable& root, Settings& settings)
{
    const bool isOn = settings.roles.contains(Role::Edge);
    if (isOn)
        neededByRole(root, "sources", Role::Edge);
    Once names, accounts, routes, ids;
    for (const auto& table : root.tables("sources")) {
        table.only({"name", "provider", "account", "route", "tolerance_s", "secrets"});
        SourceSettings source;
        needed(table, "name");
        readName(table, "name", source.name, 200);
        names.check(table, "name", source.name);
        needed(table, "provider");
        table.text("provider", source.provider);
        if (source.provider != QLatin1String("stripe"))
            table.refuse("provider", SettingFault::NotOneOf, {{QStringLiteral("allowed"), QStringLiteral("stripe")}});
        needed(table, "account");
        readName(table, "account", source.account, 200);
        accounts.check(table, "account", source.account);
        readRoute(table, "route", source.route);
        routes.check(table, "route", source.route);
        table.seconds("tolerance_s", source.tolerance, 1, 3600);
        needed(table, "secrets");
        for (const auto& one : table.tables("secrets")) {
            one.only({"id", "secret"});
            SourceSecret kept;
            needed(one, "id");
            readName(one, "id", kept.id, 100);
            ids.check(one, "id", kept.id);
            needed(one, "secret");
            readSecretAt(one, "secret", isOn, kept.reference, kept.secret);
            source.secrets.append(kept);
        }
        if (source.secrets.isEmpty())
            table.refuse("secrets", SettingFault::Empty);
        settings.sources.append(source);
    }
    if (isOn && settings.sources.isEmpty())
        root.refuse("sources", SettingFault::Empty);
}

} // namespace unavez::service
