// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/toolsentences.h"

#include "ui/text/filled.h"

namespace unavez::text {

namespace {

constexpr std::pair<ToolOutcome, const char*> answerSentences[] = {
    {ToolOutcome::Done, QT_TRANSLATE_NOOP("tool", "Done. Asking again returns this result, without doing it again.")},
    {ToolOutcome::DoneBefore,
        QT_TRANSLATE_NOOP("tool", "This was done before; here is its result. Nothing was done again.")},
    {ToolOutcome::DoneAndEmptied,
        QT_TRANSLATE_NOOP("tool", "This was done before; its details are no longer kept. Nothing was done again.")},
    {ToolOutcome::InProgress,
        QT_TRANSLATE_NOOP(
            "tool", "This is in progress. Ask again with the same arguments in {age}; do not try it another way.")},
    {ToolOutcome::UnknownOutcome,
        QT_TRANSLATE_NOOP("tool", "It is not known whether this took effect. Do not retry; a person is checking.")},
    {ToolOutcome::Failed,
        QT_TRANSLATE_NOOP("tool", "This failed for good ({why}). Do not retry; asking again returns this answer.")},
    {ToolOutcome::FailedMayOpen,
        QT_TRANSLATE_NOOP(
            "tool", "This failed ({why}) and took no effect. Do not retry; a person can open a new attempt.")},
    {ToolOutcome::Abandoned,
        QT_TRANSLATE_NOOP(
            "tool", "This was called off before it took effect. Do not retry; a person can open a new attempt.")},
};

constexpr std::pair<CallFault, const char*> faultSentences[] = {
    {CallFault::NotAnObject, QT_TRANSLATE_NOOP("tool", "the arguments must be one JSON object")},
    {CallFault::HeaderAlone, QT_TRANSLATE_NOOP("tool", "Unavez-Job and Unavez-Lease come together")},
    {CallFault::HeaderNoNumber, QT_TRANSLATE_NOOP("tool", "must be one whole number above 0")},
};

} // namespace

QString sentence(const ToolAnswer& answer)
{
    return filled(translated("tool", answerSentences, answer.outcome),
        {{QStringLiteral("age"), static_cast<qint64>(answer.retryAfter.count())}, {QStringLiteral("why"), answer.why}});
}

QString sentence(CallFault fault) { return translated("tool", faultSentences, fault); }

QString tokenRefused()
{
    return QCoreApplication::translate("tool", "The bearer token is missing or wrong. Nothing was done.");
}

} // namespace unavez::text
