// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/drillsentences.h"

#include "ui/text/filled.h"

namespace unavez::text {

namespace {

constexpr std::pair<DrillFinding, const char*> findings[] = {
    {DrillFinding::Right, QT_TRANSLATE_NOOP("drill", "Charged once, stored as done, and the job is done.")},
    {DrillFinding::ChargedOften, QT_TRANSLATE_NOOP("drill", "The provider charged {n} times.")},
    {DrillFinding::ChargedPastTheGate,
        QT_TRANSLATE_NOOP("drill", "Somebody charged past the gate, without an idempotency key.")},
    {DrillFinding::PaidWithoutCharge,
        QT_TRANSLATE_NOOP("drill", "The store says paid, and the provider has charged nothing.")},
    {DrillFinding::JobDiscarded, QT_TRANSLATE_NOOP("drill", "The job was thrown away: it never runs.")},
    {DrillFinding::SecondAttempt,
        QT_TRANSLATE_NOOP("drill", "A second attempt was opened over a charge that had happened.")},
    {DrillFinding::LeaseReleased, QT_TRANSLATE_NOOP("drill", "The lease was taken from a worker that was alive.")},
    {DrillFinding::NotPaid, QT_TRANSLATE_NOOP("drill", "The invoice is not paid yet.")},
    {DrillFinding::NotPaidByNewAttempt,
        QT_TRANSLATE_NOOP("drill", "No new attempt has been paid; a requeue alone replays the decline.")},
    {DrillFinding::NotStored, QT_TRANSLATE_NOOP("drill", "The store does not know yet that it is paid.")},
    {DrillFinding::JobNotDone, QT_TRANSLATE_NOOP("drill", "The job is not done yet.")},
};

} // namespace

QString sentence(DrillFinding finding, int n)
{
    return filled(translated("drill", findings, finding), {{QStringLiteral("n"), n}});
}

} // namespace unavez::text
