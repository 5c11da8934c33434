// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariantMap>

// Why a configuration, or the store it names, is not one to start on: each as one sentence that says where and what.
namespace unavez::text {

enum class SettingFault {
    Unreadable,
    TooLarge,
    Syntax,
    UnknownKey,
    WrongType,
    Missing,
    NeededByRole,
    NeededWith,
    OutOfRange,
    NotPositive,
    NotOneOf,
    Empty,
    Duplicate,
    BadName,
    BadAddress,
    BadUrl,
    PlainHttp,
    BadRoute,
    BadTemplate,
    BadStoreUrl,
    PasswordInUrl,
    NoFolder,
    NoProgram,
    NoFile,
    SecretReference,
    SecretUnreadable,
    SecretEmpty,
    SecretWhitespace,
    SecretTooLong,
    SecretOpen,
    EdgeInTheOpen,
    GateInTheOpen,
    CannotListen,
    CannotWrite,
    BrokenTiming,
};

// What a setting is written as; the {expected} of WrongType.
enum class SettingType { Text, Whole, Number, Truth, Table, Texts, Wholes, Tables };

struct SettingProblem
{
    QString file;
    int line = 0; // from 1; 0: of the file as a whole
    QString key; // dotted: worker.lease_s, sources[0].route
    SettingFault fault = SettingFault::Missing;
    QVariantMap facts; // what the sentence names besides; never a secret
    bool operator==(const SettingProblem&) const = default;
};

// "unavez.toml:12: worker.lease_s must be a number."
QString sentence(const SettingProblem& problem);
QString sentence(SettingType type);

// Why the store was not taken at boot, where no Error says it all.
enum class BootFault {
    NoStore,
    SchemaOlder,
    StoreRewound,
    CannotQuarantine,
    HighWaterUnreadable,
    SourcesDenied,
    SourcesRefused
};
QString sentence(BootFault fault, const QVariantMap& facts = {});

} // namespace unavez::text
