// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/settingsentences.h"

#include "ui/text/filled.h"

#include <QCoreApplication>

#include <utility>

namespace unavez::text {

namespace {

constexpr std::pair<SettingFault, const char*> problemSentences[] = {
    {SettingFault::Unreadable, QT_TRANSLATE_NOOP("setting", "{file} cannot be read: {why}.")},
    {SettingFault::TooLarge, QT_TRANSLATE_NOOP("setting", "{file} is larger than {max} bytes and was not read.")},
    {SettingFault::Syntax, QT_TRANSLATE_NOOP("setting", "{file}:{line}: this is not TOML: {why}.")},
    {SettingFault::UnknownKey,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: there is no setting {key}; known here are {known}.")},
    {SettingFault::WrongType, QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} must be {expected}.")},
    {SettingFault::Missing, QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} is missing.")},
    {SettingFault::NeededByRole,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} is missing, and the role {role} needs it.")},
    {SettingFault::NeededWith, QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} is missing, and {other} needs it.")},
    {SettingFault::OutOfRange, QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} must be from {min} to {max}.")},
    {SettingFault::NotPositive,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} must be above 0 and at most {max}.")},
    {SettingFault::NotOneOf, QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} must be one of {allowed}.")},
    {SettingFault::Empty, QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} must not be empty.")},
    {SettingFault::Duplicate,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} {value} stands on line {first} already.")},
    {SettingFault::BadName,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} must be 1 to {max} visible ASCII characters.")},
    {SettingFault::BadAddress,
        QT_TRANSLATE_NOOP("setting",
            "{file}:{line}: {key} must be a literal address and a port, such as 127.0.0.1:8080 or [::1]:8080.")},
    {SettingFault::BadUrl,
        QT_TRANSLATE_NOOP(
            "setting", "{file}:{line}: {key} must be an http or https URL without user, password or fragment.")},
    {SettingFault::PlainHttp,
        QT_TRANSLATE_NOOP("setting",
            "{file}:{line}: {key} must begin with https, because the credential would cross the network in the open.")},
    {SettingFault::BadRoute,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} must be a plain path such as /webhooks/stripe.")},
    {SettingFault::BadTemplate,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key} must hold {placeholder} exactly once and no other braces.")},
    {SettingFault::BadStoreUrl,
        QT_TRANSLATE_NOOP("setting",
            "{file}:{line}: {key} must be sqlite:///path/store.db or postgresql://user@host:port/database.")},
    {SettingFault::PasswordInUrl,
        QT_TRANSLATE_NOOP(
            "setting", "{file}:{line}: {key} must not hold a password; keep it in a file that PGPASSFILE names.")},
    {SettingFault::NoFolder,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key}: {path} is not a folder that this user can write to.")},
    {SettingFault::NoProgram,
        QT_TRANSLATE_NOOP(
            "setting", "{file}:{line}: {key}: {path} is not the absolute path of a program this user can run.")},
    {SettingFault::NoFile, QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key}: {path} cannot be read: {why}.")},
    {SettingFault::SecretReference,
        QT_TRANSLATE_NOOP("setting",
            "{file}:{line}: {key} must say where the secret is kept: file:/path, env:NAME or credential:NAME.")},
    {SettingFault::SecretUnreadable,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key}: there is no readable secret at {reference}: {why}.")},
    {SettingFault::SecretEmpty,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key}: the secret at {reference} is empty.")},
    {SettingFault::SecretWhitespace,
        QT_TRANSLATE_NOOP(
            "setting", "{file}:{line}: {key}: the secret at {reference} holds white space or a control character.")},
    {SettingFault::SecretTooLong,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key}: the secret at {reference} is longer than {max} bytes.")},
    {SettingFault::SecretOpen,
        QT_TRANSLATE_NOOP(
            "setting", "{file}:{line}: {key}: everybody on this host can read the file of {reference}; chmod 600 it.")},
    {SettingFault::EdgeInTheOpen,
        QT_TRANSLATE_NOOP("setting",
            "{file}:{line}: {key}: {value} is not a loopback address; set edge.tls_certificate and edge.tls_key, or "
            "edge.behind_proxy = true.")},
    {SettingFault::GateInTheOpen,
        QT_TRANSLATE_NOOP("setting",
            "{file}:{line}: {key}: {value} is not a loopback address, and the gate speaks without TLS; take a loopback "
            "address or unix:/path.")},
    {SettingFault::CannotListen,
        QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key}: cannot listen on {value}: {why}.")},
    {SettingFault::CannotWrite, QT_TRANSLATE_NOOP("setting", "{file}:{line}: {key}: {path} cannot be written: {why}.")},
    {SettingFault::BrokenTiming,
        QT_TRANSLATE_NOOP(
            "setting", "{file}:{line}: {key}: these times do not hold together; it must hold that {rule}.")},
};

constexpr std::pair<SettingType, const char*> typeNames[] = {
    {SettingType::Text, QT_TRANSLATE_NOOP("setting type", "a text")},
    {SettingType::Whole, QT_TRANSLATE_NOOP("setting type", "a whole number")},
    {SettingType::Number, QT_TRANSLATE_NOOP("setting type", "a number")},
    {SettingType::Truth, QT_TRANSLATE_NOOP("setting type", "true or false")},
    {SettingType::Table, QT_TRANSLATE_NOOP("setting type", "a table")},
    {SettingType::Texts, QT_TRANSLATE_NOOP("setting type", "a list of texts")},
    {SettingType::Wholes, QT_TRANSLATE_NOOP("setting type", "a list of whole numbers")},
    {SettingType::Tables, QT_TRANSLATE_NOOP("setting type", "a list of tables, each under [[…]]")},
};

constexpr std::pair<BootFault, const char*> bootSentences[] = {
    {BootFault::NoStore, QT_TRANSLATE_NOOP("boot", "There is no store there. Run unavezctl migrate to make one.")},
    {BootFault::SchemaOlder,
        QT_TRANSLATE_NOOP("boot", "The store's schema is older than this program. Run unavezctl migrate first.")},
    {BootFault::StoreRewound,
        QT_TRANSLATE_NOOP("boot",
            "The store shows fewer provider calls than this host saw before: it was set back to a backup. It is in "
            "quarantine now; import evidence for the time since, then lift it.")},
    {BootFault::CannotQuarantine,
        QT_TRANSLATE_NOOP("boot",
            "The store shows fewer provider calls than this host saw before: it was set back to a backup, and this "
            "login may not quarantine it. Have an admin do it, then start again.")},
    {BootFault::HighWaterUnreadable,
        QT_TRANSLATE_NOOP("boot",
            "{path} cannot be read ({why}). It tells a store set back to a backup from a whole one; remove it only if "
            "this store never was.")},
    {BootFault::SourcesDenied,
        QT_TRANSLATE_NOOP("boot",
            "This login may not write the configured sources into the store. Start once as an admin login, or have an "
            "admin add them.")},
    {BootFault::SourcesRefused, QT_TRANSLATE_NOOP("boot", "The configured sources do not fit the store: {why}.")},
};

} // namespace

QString sentence(const SettingProblem& problem)
{
    auto facts = problem.facts;
    facts.insert(QStringLiteral("file"), problem.file);
    facts.insert(QStringLiteral("line"), problem.line);
    facts.insert(QStringLiteral("key"), problem.key);
    return filled(translated("setting", problemSentences, problem.fault), facts);
}

QString sentence(SettingType type) { return translated("setting type", typeNames, type); }

QString sentence(BootFault fault, const QVariantMap& facts)
{
    return filled(translated("boot", bootSentences, fault), facts);
}

} // namespace unavez::text
