// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/sentences.h"

#include "ui/text/filled.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QRegularExpression>

#include <utility>

// The sentences of contract.md §11.9. Braces are facts, filled in after translation.
namespace unavez::text {

using namespace contract;

namespace {

constexpr std::pair<Reason, const char*> reasonSentences[] = {
    {Reason::StoreUnreachable,
        QT_TRANSLATE_NOOP("reason", "The store has not answered since {time}. Nothing can be changed until it does.")},
    {Reason::StoreReadOnly,
        QT_TRANSLATE_NOOP("reason", "This connection can only read ({why}). Connect to the primary.")},
    {Reason::SchemaNewer,
        QT_TRANSLATE_NOOP("reason", "The store is at schema {n}, this program knows {m}. Upgrade it first.")},
    {Reason::WrongMode, QT_TRANSLATE_NOOP("reason", "You confirmed {confirmed}, this store is {mode}.")},
    {Reason::NotPermitted, QT_TRANSLATE_NOOP("reason", "{action} needs the role {role}; you are {login} ({roles}).")},
    {Reason::Unmapped,
        QT_TRANSLATE_NOOP(
            "reason", "The value {value} in {column} is not in this store's mapping, so nothing is offered on it.")},
    {Reason::NotFound, QT_TRANSLATE_NOOP("reason", "{target} is not in this store.")},
    {Reason::Changed, QT_TRANSLATE_NOOP("reason", "{target} changed since you looked. Look again.")},
    {Reason::ReasonTooShort, QT_TRANSLATE_NOOP("reason", "Write a reason of at least 8 characters.")},
    {Reason::SecondPersonNeeded, QT_TRANSLATE_NOOP("reason", "A second person must confirm this ({why}). Propose it?")},
    {Reason::SamePerson, QT_TRANSLATE_NOOP("reason", "{login} proposed this; somebody else must confirm.")},
    {Reason::ProposalExpired, QT_TRANSLATE_NOOP("reason", "The proposal of {time} is older than 24 h. Propose again.")},
    {Reason::AlreadyQueued, QT_TRANSLATE_NOOP("reason", "Job {id} is queued already and runs at {time}.")},
    {Reason::JobDone, QT_TRANSLATE_NOOP("reason", "Job {id} finished at {time}. There is nothing to run.")},
    {Reason::JobDiscarded, QT_TRANSLATE_NOOP("reason", "Job {id} was discarded at {time}.")},
    {Reason::LeaseLive, QT_TRANSLATE_NOOP("reason", "{owner} holds job {id} until {time}. Wait.")},
    {Reason::LeaseOver,
        QT_TRANSLATE_NOOP("reason", "The lease of job {id} ended at {time}. The reaper frees it, or release it.")},
    {Reason::NotLeased, QT_TRANSLATE_NOOP("reason", "Job {id} is not leased.")},
    {Reason::CallRunning,
        QT_TRANSLATE_NOOP("reason", "A provider call of this job started {age} ago and may still answer. Wait {s} s.")},
    {Reason::TooSoon, QT_TRANSLATE_NOOP("reason", "The last try was {age} ago. Possible again at {time}.")},
    {Reason::PayloadGone,
        QT_TRANSLATE_NOOP(
            "reason", "The payload was removed (event of {time}) and {provider} no longer serves this event.")},
    {Reason::MismatchOpen,
        QT_TRANSLATE_NOOP("reason", "The provider saw {key} with another body. Close incident {id} first.")},
    {Reason::OutcomeUnknown, QT_TRANSLATE_NOOP("reason", "{key} may have taken effect. Record its outcome first.")},
    {Reason::ReservationLive, QT_TRANSLATE_NOOP("reason", "{key} is being worked on by {owner} until {time}. Wait.")},
    {Reason::ClockWentBack,
        QT_TRANSLATE_NOOP("reason",
            "{key} was first sent at {time}, which lies in the future: the clock stepped. Expire it, then record its "
            "outcome.")},
    {Reason::PastCutoff,
        QT_TRANSLATE_NOOP(
            "reason", "{key} can no longer be resumed (cutoff {time}). Expire it, then record its outcome.")},
    {Reason::NeedsNewAttempt,
        QT_TRANSLATE_NOOP("reason", "Requeue alone replays the stored failure ({class}). A new attempt is needed.")},
    {Reason::HeldWaits, QT_TRANSLATE_NOOP("reason", "{what} is held since {time} by {login}; it will wait.")},
    {Reason::NotInProgress, QT_TRANSLATE_NOOP("reason", "{key} is {status}.")},
    {Reason::NeverSent, QT_TRANSLATE_NOOP("reason", "{key} was never sent; requeue its job and it will be.")},
    {Reason::Resumable,
        QT_TRANSLATE_NOOP("reason", "{key} can be resumed under the same key until {time}: requeue its job.")},
    {Reason::AttemptOpen, QT_TRANSLATE_NOOP("reason", "{key} is open already and waits for a worker.")},
    {Reason::AlreadyDone, QT_TRANSLATE_NOOP("reason", "{key} took effect at {time} ({object}).")},
    {Reason::AlreadyClosed, QT_TRANSLATE_NOOP("reason", "{key} is {status} since {time}.")},
    {Reason::NotDefinitive,
        QT_TRANSLATE_NOOP("reason", "{key} ended as {class}, which does not prove that nothing happened.")},
    {Reason::AttemptsUsedUp, QT_TRANSLATE_NOOP("reason", "All {n} attempts of {intent} are used.")},
    {Reason::Held, QT_TRANSLATE_NOOP("reason", "{what} is held since {time} by {login}: {reason}.")},
    {Reason::AdviceDoNotRetry, QT_TRANSLATE_NOOP("reason", "The card network says: do not try again.")},
    {Reason::DeclineHard,
        QT_TRANSLATE_NOOP("reason", "The card was declined as {code}. Ask the customer for another one.")},
    {Reason::BackendUnreachable, QT_TRANSLATE_NOOP("reason", "The backend did not answer for {id} ({why}).")},
    {Reason::NotDue, QT_TRANSLATE_NOOP("reason", "The backend says {id} is {state}: nothing is due.")},
    {Reason::PlanChanged,
        QT_TRANSLATE_NOOP("reason", "The backend now says {new}, the plan was {old}. This is a new intent.")},
    {Reason::PlanGone, QT_TRANSLATE_NOOP("reason", "The plan of {intent} was emptied at {time}.")},
    {Reason::EvidenceMissing, QT_TRANSLATE_NOOP("reason", "Attach what the provider shows.")},
    {Reason::EvidenceWeak, QT_TRANSLATE_NOOP("reason", "Search results lag. Use a list or the object itself.")},
    {Reason::EvidenceShort, QT_TRANSLATE_NOOP("reason", "The evidence ends {time}; it must reach {needed_time}.")},
    {Reason::EvidenceMismatch, QT_TRANSLATE_NOOP("reason", "{field}: the evidence says {a}, the reservation {b}.")},
    {Reason::ObjectUsed, QT_TRANSLATE_NOOP("reason", "{object} already closes {key}.")},
    {Reason::DoubleCharge,
        QT_TRANSLATE_NOOP(
            "reason", "{intent} has another attempt that is {status}: two effects. Record it as double charge.")},
    {Reason::ExpireFirst, QT_TRANSLATE_NOOP("reason", "Expire {key} first.")},
    {Reason::NotDead, QT_TRANSLATE_NOOP("reason", "Job {id} is {state}.")},
    {Reason::EffectOpen, QT_TRANSLATE_NOOP("reason", "{key} was sent and is not settled.")},
    {Reason::HasJob, QT_TRANSLATE_NOOP("reason", "{event} has job {id}.")},
    {Reason::TooYoung, QT_TRANSLATE_NOOP("reason", "{event} arrived {age} ago; its job may still come.")},
    {Reason::MayHaveRun,
        QT_TRANSLATE_NOOP("reason", "{intent} already names this event: it may have run without a job.")},
    {Reason::AlreadyHeld, QT_TRANSLATE_NOOP("reason", "{what} is held since {time} by {login}.")},
    {Reason::NotHeld, QT_TRANSLATE_NOOP("reason", "{what} is not held.")},
    {Reason::ClockSkew,
        QT_TRANSLATE_NOOP("reason", "Clocks differ by {s} s ({which}). Nothing is sent until they agree.")},
    {Reason::Quarantine,
        QT_TRANSLATE_NOOP("reason", "The store was restored from {time}; nothing is sent until the gap is covered.")},
    {Reason::WrongAccount,
        QT_TRANSLATE_NOOP("reason", "The credential belongs to {credential}, the reservation to {account}.")},
    {Reason::LeaseLost, QT_TRANSLATE_NOOP("reason", "This run no longer owns job {id}. Stop.")},
    {Reason::PlanMismatch,
        QT_TRANSLATE_NOOP("reason", "{intent} was planned with other arguments ({field}). Nothing was sent.")},
    {Reason::BadArguments, QT_TRANSLATE_NOOP("reason", "{field}: {why}.")},
    {Reason::UnknownTool, QT_TRANSLATE_NOOP("reason", "There is no tool {name}.")},
    {Reason::StoreAway, QT_TRANSLATE_NOOP("reason", "The store did not answer. Nothing was sent.")},
};

constexpr std::pair<Error::Kind, const char*> errorSentences[] = {
    {Error::Kind::Offline,
        QT_TRANSLATE_NOOP("error", "The store cannot be reached. Check its address and that it runs.")},
    {Error::Kind::Timeout,
        QT_TRANSLATE_NOOP("error", "The store did not answer in time. Look at its load, then try again.")},
    {Error::Kind::Denied, QT_TRANSLATE_NOOP("error", "This login may not do that. Ask for the role it needs.")},
    {Error::Kind::NotFound, QT_TRANSLATE_NOOP("error", "That is not in this store.")},
    {Error::Kind::Conflict, QT_TRANSLATE_NOOP("error", "Somebody else changed it at the same moment. Look again.")},
    {Error::Kind::Refused, QT_TRANSLATE_NOOP("error", "The store itself refused this change. Nothing was changed.")},
    {Error::Kind::Invalid, QT_TRANSLATE_NOOP("error", "That cannot be meant. Check what you wrote.")},
    {Error::Kind::Corrupt,
        QT_TRANSLATE_NOOP("error", "What the store answered breaks its own rules. Run unavezctl check.")},
    {Error::Kind::Full, QT_TRANSLATE_NOOP("error", "The store has no room left. Free some disk space.")},
    {Error::Kind::ReadOnly, QT_TRANSLATE_NOOP("error", "The store can only be read here. Connect to the primary.")},
    {Error::Kind::SchemaMissing,
        QT_TRANSLATE_NOOP("error", "There is no Unavez schema there. Run unavezctl migrate first.")},
    {Error::Kind::SchemaNewer,
        QT_TRANSLATE_NOOP("error", "The store's schema is newer than this program. Upgrade the program first.")},
    {Error::Kind::Cancelled, QT_TRANSLATE_NOOP("error", "Cancelled. Nothing was changed.")},
};

constexpr std::pair<Action, const char*> actionNames[] = {
    {Action::RequeueJob, QT_TRANSLATE_NOOP("action", "Requeue job")},
    {Action::ReleaseLease, QT_TRANSLATE_NOOP("action", "Release lease")},
    {Action::ExpireReservation, QT_TRANSLATE_NOOP("action", "Expire reservation")},
    {Action::OpenAttempt, QT_TRANSLATE_NOOP("action", "Open new attempt")},
    {Action::RecordOutcome, QT_TRANSLATE_NOOP("action", "Record outcome")},
    {Action::DiscardJob, QT_TRANSLATE_NOOP("action", "Discard job")},
    {Action::EnqueueEvent, QT_TRANSLATE_NOOP("action", "Enqueue lost event")},
    {Action::Hold, QT_TRANSLATE_NOOP("action", "Hold")},
};

constexpr std::pair<CaseVerdict, const char*> verdictSentences[] = {
    {CaseVerdict::NotSeen, QT_TRANSLATE_NOOP("verdict", "Nothing of this is in the store.")},
    {CaseVerdict::Lost, QT_TRANSLATE_NOOP("verdict", "The event was recorded, but no job was ever made for it.")},
    {CaseVerdict::Waiting, QT_TRANSLATE_NOOP("verdict", "Its job waits for a worker.")},
    {CaseVerdict::Running, QT_TRANSLATE_NOOP("verdict", "A worker holds its job.")},
    {CaseVerdict::SafeToRequeue,
        QT_TRANSLATE_NOOP("verdict", "Safe to requeue: effects that happened replay, none is repeated.")},
    {CaseVerdict::RecordFirst, QT_TRANSLATE_NOOP("verdict", "An effect may have happened. Record its outcome first.")},
    {CaseVerdict::NewAttempt,
        QT_TRANSLATE_NOOP("verdict", "The last attempt failed for good. Only a new attempt key can succeed.")},
    {CaseVerdict::Settled, QT_TRANSLATE_NOOP("verdict", "Everything happened once. There is nothing to do.")},
    {CaseVerdict::Unsettled, QT_TRANSLATE_NOOP("verdict", "An effect is still open and waits for its job.")},
    {CaseVerdict::Discarded, QT_TRANSLATE_NOOP("verdict", "Its job was discarded.")},
    {CaseVerdict::PayloadGone, QT_TRANSLATE_NOOP("verdict", "The payload is gone, so the job cannot run again.")},
};

constexpr std::pair<Will, const char*> effectSentences[] = {
    {Will::Replay, QT_TRANSLATE_NOOP("effect", "replays its result")},
    {Will::ReplayFailure, QT_TRANSLATE_NOOP("effect", "replays its stored failure")},
    {Will::Resume, QT_TRANSLATE_NOOP("effect", "resumes under the same key until {time}")},
    {Will::Send, QT_TRANSLATE_NOOP("effect", "is sent for the first time")},
    {Will::Run, QT_TRANSLATE_NOOP("effect", "runs")},
};

QString unit(const char* text) { return QCoreApplication::translate("duration", text); }

bool isTime(const QString& name)
{
    return name.endsWith(QLatin1String("time")) || name.endsWith(QLatin1String("until"));
}

QString spelled(const QString& name, const QVariant& fact, TimeStyle style)
{
    if (isTime(name))
        return time(Instant{fact.toLongLong()}, style);
    if (name == QLatin1String("age"))
        return duration(Seconds{fact.toLongLong()});
    return fact.toString();
}

} // namespace

QString filled(QString sentence, const QVariantMap& facts, TimeStyle style)
{
    static const QRegularExpression brace(QStringLiteral("\\{([a-z_]+)\\}"));
    qsizetype from = 0;
    for (auto match = brace.match(sentence, from); match.hasMatch(); match = brace.match(sentence, from)) {
        const auto name = match.captured(1);
        const auto value = facts.contains(name) ? spelled(name, facts.value(name), style) : QStringLiteral("–");
        sentence.replace(match.capturedStart(), match.capturedLength(), value);
        from = match.capturedStart() + value.size(); // a hostile value's braces stay text
    }
    return sentence;
}

QString time(Instant at, TimeStyle style)
{
    if (at.isNever())
        return unit(QT_TRANSLATE_NOOP("duration", "never"));
    const auto utc = QDateTime::fromMSecsSinceEpoch(at.ms, Qt::UTC);
    if (style == TimeStyle::Local)
        return utc.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    return utc.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")) + QStringLiteral(" UTC");
}

QString duration(Seconds length)
{
    const auto s = std::abs(length.count());
    constexpr qint64 minute = 60, hour = 3600, day = 86400;
    if (s < minute)
        return unit(QT_TRANSLATE_NOOP("duration", "%1 s")).arg(s);
    if (s < hour)
        return unit(QT_TRANSLATE_NOOP("duration", "%1 min")).arg(s / minute);
    if (s < day) {
        const auto minutes = s % hour / minute;
        return minutes == 0 ? unit(QT_TRANSLATE_NOOP("duration", "%1 h")).arg(s / hour)
                            : unit(QT_TRANSLATE_NOOP("duration", "%1 h %2 min")).arg(s / hour).arg(minutes);
    }
    const auto hours = s % day / hour;
    return hours == 0 ? unit(QT_TRANSLATE_NOOP("duration", "%1 d")).arg(s / day)
                      : unit(QT_TRANSLATE_NOOP("duration", "%1 d %2 h")).arg(s / day).arg(hours);
}

QString money(const Money& amount)
{
    // ISO 4217 currencies whose smallest unit is not a hundredth.
    static const QStringList whole{QStringLiteral("bif"), QStringLiteral("clp"), QStringLiteral("djf"),
        QStringLiteral("gnf"), QStringLiteral("jpy"), QStringLiteral("kmf"), QStringLiteral("krw"),
        QStringLiteral("mga"), QStringLiteral("pyg"), QStringLiteral("rwf"), QStringLiteral("ugx"),
        QStringLiteral("vnd"), QStringLiteral("vuv"), QStringLiteral("xaf"), QStringLiteral("xof"),
        QStringLiteral("xpf")};
    static const QStringList thousandths{QStringLiteral("bhd"), QStringLiteral("jod"), QStringLiteral("kwd"),
        QStringLiteral("omr"), QStringLiteral("tnd")};
    const auto currency = amount.currency.toLower();
    const int digits = whole.contains(currency) ? 0 : thousandths.contains(currency) ? 3 : 2;
    qint64 scale = 1;
    for (int i = 0; i < digits; ++i)
        scale *= 10;
    // Digit by digit from integers: a double would lose cents of large amounts.
    const auto size = amount.minor < 0 ? 0 - static_cast<quint64>(amount.minor) : static_cast<quint64>(amount.minor);
    auto text = QString::number(size / static_cast<quint64>(scale));
    if (digits > 0)
        text += QLatin1Char('.')
            + QString::number(size % static_cast<quint64>(scale)).rightJustified(digits, QLatin1Char('0'));
    if (amount.minor < 0)
        text.prepend(QLatin1Char('-'));
    return text + QLatin1Char(' ') + currency.toUpper();
}

QString sentence(const Because& because, TimeStyle style)
{
    auto facts = because.facts;
    // An action is named as its button is.
    if (const auto action = fromString<Action>(facts.value(QStringLiteral("action")).toString()))
        facts.insert(QStringLiteral("action"), actionName(*action));
    return filled(translated("reason", reasonSentences, because.reason), facts, style);
}

QString sentence(const Error& error) { return translated("error", errorSentences, error.kind); }

QString actionName(Action action) { return translated("action", actionNames, action); }

QString sentence(CaseVerdict verdict) { return translated("verdict", verdictSentences, verdict); }

QString sentence(const PlannedEffect& effect, TimeStyle style)
{
    const QVariantMap facts{{QStringLiteral("time"), effect.until.value_or(Instant::never()).ms}};
    const auto what = filled(translated("effect", effectSentences, effect.will), facts, style);
    return effect.key.isEmpty() ? what : effect.key + QLatin1Char(' ') + what;
}

} // namespace unavez::text
