// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/arguments.h"

#include "app/ctl/terminal.h"
#include "models/contract/time.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace unavez::ctl {

using namespace contract;

namespace {

struct VerbShape
{
    const char* name;
    int least; // words after the verb
    int most;
    const char* example;
};

constexpr VerbShape verbs[] = {
    {"status", 0, 0, "unavezctl status"},
    {"list", 1, 1, "unavezctl list stuck"},
    {"case", 1, 1, "unavezctl case evt_1A2b"},
    {"requeue", 1, 1, "unavezctl requeue job:48211 --reason \"worker died, provider is back\""},
    {"release", 1, 1, "unavezctl release job:48211 --reason \"host is gone\""},
    {"expire", 1, 1, "unavezctl expire charge:inv_42:a1 --reason \"past its cutoff\""},
    {"attempt", 1, 1, "unavezctl attempt charge:inv_42 --reason \"customer has a new card\""},
    {"hold", 1, 2, "unavezctl hold tool charge_customer --reason \"provider incident\""},
    {"log", 0, 1, "unavezctl log verify"},
    {"migrate", 0, 0, "unavezctl migrate --mode live"},
};

UsageError wrong(const QString& message) { return {message}; }

// "15m", "2h", "3d", or an RFC 3339 time.
std::optional<qint64> sinceOf(const QString& text)
{
    static const QRegularExpression ago(QStringLiteral("^(\\d{1,6})([smhd])$"));
    if (const auto match = ago.match(text); match.hasMatch()) {
        const auto unit = match.captured(2);
        const qint64 seconds = unit == QLatin1String("s") ? 1
            : unit == QLatin1String("m")                  ? 60
            : unit == QLatin1String("h")                  ? 3600
                                                          : 86400;
        return SystemHostClock().wall().ms - match.captured(1).toLongLong() * seconds * 1000;
    }
    if (const auto at = fromRfc3339(text))
        return at->ms;
    return std::nullopt;
}

// One option with a value; empty when it was understood, else what is wrong with it.
QString takeOption(Arguments& arguments, const QString& name, const QString& value)
{
    if (name == QLatin1String("--store")) {
        arguments.store = value;
        arguments.storeFromEnvironment = false;
    } else if (name == QLatin1String("--reason")) {
        arguments.reason = value;
    } else if (name == QLatin1String("--source")) {
        arguments.source = value;
    } else if (name == QLatin1String("--cursor")) {
        arguments.cursor = value;
    } else if (name == QLatin1String("--limit")) {
        bool ok = false;
        arguments.limit = value.toInt(&ok);
        if (!ok || arguments.limit < 1 || arguments.limit > 500)
            return Ctl::tr("--limit takes a number from 1 to 500.");
    } else if (name == QLatin1String("--since")) {
        arguments.sinceMs = sinceOf(value);
        if (!arguments.sinceMs)
            return Ctl::tr("--since takes an age as 30m, 2h or 3d, or a time as 2026-11-30T03:00:00Z.");
    } else if (name == QLatin1String("--mode")) {
        arguments.mode = fromString<StoreMode>(value);
        if (!arguments.mode)
            return Ctl::tr("--mode takes live, test or practice.");
    } else {
        return Ctl::tr("There is no option %1.").arg(name);
    }
    return {};
}

bool takeSwitch(Arguments& arguments, const QString& name)
{
    bool* target = name == QLatin1String("--json") ? &arguments.json
        : name == QLatin1String("--dry-run")       ? &arguments.dryRun
        : name == QLatin1String("--yes")           ? &arguments.yes
        : name == QLatin1String("--release")       ? &arguments.release
        : name == QLatin1String("--check")         ? &arguments.check
                                                   : nullptr;
    if (target)
        *target = true;
    return target != nullptr;
}

} // namespace

tl::expected<Arguments, UsageError> parsed(const QStringList& commandLine, const QString& environmentStore)
{
    Arguments arguments;
    arguments.store = environmentStore;
    arguments.storeFromEnvironment = !environmentStore.isEmpty();
    for (qsizetype i = 0; i < commandLine.size(); ++i) {
        const auto& word = commandLine.at(i);
        if (word == QLatin1String("--help") || word == QLatin1String("-h")) {
            arguments.verb = QStringLiteral("help");
            return arguments;
        }
        if (word == QLatin1String("--version")) {
            arguments.verb = QStringLiteral("version");
            return arguments;
        }
        if (!word.startsWith(QLatin1String("--"))) {
            if (arguments.verb.isEmpty())
                arguments.verb = word;
            else
                arguments.words.append(word);
            continue;
        }
        if (takeSwitch(arguments, word))
            continue;
        const auto name = word.section(QLatin1Char('='), 0, 0);
        const bool glued = word.contains(QLatin1Char('='));
        if (!glued && i + 1 >= commandLine.size())
            return tl::unexpected(wrong(Ctl::tr("%1 needs a value, or is no option.").arg(name)));
        const auto value = glued ? word.section(QLatin1Char('='), 1) : commandLine.at(++i);
        if (const auto mistake = takeOption(arguments, name, value); !mistake.isEmpty())
            return tl::unexpected(wrong(mistake));
    }
    if (arguments.verb.isEmpty() || arguments.verb == QLatin1String("help")) {
        arguments.verb = QStringLiteral("help");
        return arguments;
    }
    for (const auto& shape : verbs) {
        if (arguments.verb != QLatin1String(shape.name))
            continue;
        if (arguments.words.size() < shape.least || arguments.words.size() > shape.most)
            return tl::unexpected(wrong(Ctl::tr("Write it as: %1").arg(QLatin1String(shape.example))));
        if (arguments.store.isEmpty())
            return tl::unexpected(wrong(Ctl::tr("Which store? Add --store sqlite:///path/store.db or --store "
                                                "postgresql://user@host:5432/db, or set UNAVEZ_STORE.")));
        return arguments;
    }
    return tl::unexpected(wrong(Ctl::tr("There is no verb %1. See unavezctl --help.").arg(arguments.verb)));
}

QString usage()
{
    return Ctl::tr(R"(unavezctl: what the store knows, and the guarded actions on it

  unavezctl status [--check]              what needs somebody, what is held, which services are alive
  unavezctl list KIND                     stuck unknown failed dead lost leases signatures events keys log incidents services
  unavezctl case ID                       one case: event, job, lease, reservation, calls, outcome, and what may be done
  unavezctl requeue job:N                 run the job again; effects that happened replay, none is repeated
  unavezctl release job:N                 free an expired lease
  unavezctl expire KEY                    a reservation past its cutoff becomes unknown
  unavezctl attempt INTENT                open the next attempt key after a definitive failure
  unavezctl hold KIND [TARGET]            tool NAME | source NAME | sends; with --release, lift it
  unavezctl log [verify]                  what people did, or whether that record is whole
  unavezctl migrate [--mode MODE]         make or upgrade the store's schema (a new one needs live, test or practice)

  --store URL     sqlite:///path or postgresql://user@host:port/db (else UNAVEZ_STORE). Passwords by PGPASSFILE.
  --json          one JSON object on stdout
  --dry-run       show the plan, change nothing
  --reason TEXT   why, at least 8 characters; kept in the log
  --yes           confirm an action on a live store
  --limit N --cursor C --source NAME --since AGE     for list and log

IDs: evt_…, a key, an intent, a provider's object; job:48211; update:bot42:9.
Exit: 0 done, 1 refused or changed, 2 usage, 3 no store or schema, 4 problems found (status --check, log verify), 5 applied in part.
)");
}

} // namespace unavez::ctl
