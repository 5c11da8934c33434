// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqlevidencestore.h"

#include "models/async/crashpoint.h"
#include "models/stores/sql/incidents.h"
#include "models/stores/sql/transaction.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace unavez::stores {

using namespace contract;

namespace {

const QString byKey = QStringLiteral("(provider, provider_account, key) = (?, ?, ?)");
QVariantList ids(const KeyId& key) { return {key.provider, key.account, key.key}; }

QVariant textOrNull(const QByteArray& json) { return json.isEmpty() ? QVariant() : QVariant(QString::fromUtf8(json)); }

bool sameObject(const Reservation& attempt, const ObservedOutcome& observed)
{
    return attempt.providerObjectId && observed.objectIds.contains(*attempt.providerObjectId);
}

} // namespace

SqlEvidenceStore::SqlEvidenceStore(SqlConnection& connection)
    : m_connection(connection)
    , m_dialect(connection.dialect())
{
}

Result<std::optional<KeyId>> SqlEvidenceStore::keyOfSentKey(
    const QString& provider, const QString& account, const QString& sentKey)
{
    const auto rows = m_connection.run(
        QStringLiteral(
            "SELECT key FROM provider_calls WHERE (provider, provider_account, sent_key) = (?, ?, ?) LIMIT 1"),
        {provider, account, sentKey});
    if (!rows)
        return fail(rows.error());
    return rows->isEmpty() ? std::nullopt : std::optional(KeyId{provider, account, rows->first().at(0).toString()});
}

Result<EvidenceEffect> SqlEvidenceStore::record(const ObservedOutcome& observed)
{
    return inTransaction(m_connection, [&] { return recordInside(observed); });
}

Result<> SqlEvidenceStore::insertRow(const ObservedOutcome& observed)
{
    if (observed.eventPk) { // its job may run more than once
        const auto there = m_connection.run(
            QStringLiteral("SELECT 1 FROM reconciliations WHERE %1 AND event_pk = ? AND verdict = ? LIMIT 1")
                .arg(byKey),
            ids(observed.key) + QVariantList{*observed.eventPk, wordOf(observed.verdict)});
        if (!there)
            return fail(there.error());
        if (!there->isEmpty())
            return done();
    }
    const auto objects = QString::fromUtf8(
        QJsonDocument(QJsonArray::fromStringList(observed.objectIds)).toJson(QJsonDocument::Compact));
    const auto inserted = m_connection.run(
        QStringLiteral(
            "INSERT INTO reconciliations(provider, provider_account, key, verdict, source, event_pk, object_ids, "
            "amount_minor, currency, "
            "evidence_sha256, evidence_until, by_login) VALUES (?, ?, ?, ?, 'webhook', ?, %1, ?, ?, ?, %2, %3)")
            .arg(m_connection.isSqlite()
                    ? QStringLiteral("?")
                    : QStringLiteral("(SELECT COALESCE(array_agg(x), '{}') FROM json_array_elements_text(?::json) x)"),
                timeParameter(m_dialect),
                m_connection.isSqlite() ? QStringLiteral("'service'") : QStringLiteral("session_user")),
        ids(observed.key)
            + QVariantList{wordOf(observed.verdict), observed.eventPk ? QVariant(*observed.eventPk) : QVariant(),
                objects, observed.amount ? QVariant(observed.amount->minor) : QVariant(),
                observed.amount ? QVariant(observed.amount->currency) : QVariant(), observed.sha256,
                observed.until.ms});
    return inserted ? done() : Result<>(fail(inserted.error()));
}

Result<QList<Reservation>> SqlEvidenceStore::siblings(const KeyId& key)
{
    const auto rows = m_connection.run(
        QStringLiteral(
            "SELECT %1 FROM idempotency_keys k WHERE k.provider = ? AND k.provider_account = ? AND k.intent_key = "
            "(SELECT o.intent_key FROM idempotency_keys o WHERE o.provider = ? AND o.provider_account = ? AND o.key = "
            "?) ORDER BY k.attempt%2")
            .arg(RowReader(!m_connection.isSqlite()).reservationColumns(QStringLiteral("k")),
                m_connection.isSqlite() ? QString() : QStringLiteral(" FOR UPDATE OF k")),
        {key.provider, key.account, key.provider, key.account, key.key});
    if (!rows)
        return fail(rows.error());
    QList<Reservation> attempts;
    for (const auto& row : rows->rows)
        attempts.append(readReservation(row));
    return attempts;
}

Result<> SqlEvidenceStore::settle(const ObservedOutcome& observed)
{
    const bool charged = observed.verdict == EvidenceVerdict::Charged;
    const auto settled
        = m_connection.run(QStringLiteral("UPDATE idempotency_keys SET status = ?, fence = fence + 1, owner = NULL, "
                                          "lease_expires_at = NULL, flag = NULL, outcome_class = ?, "
                                          "provider_object_id = COALESCE(?, provider_object_id), result = ?, error = "
                                          "?, completed_at = %1%2%3 WHERE %4")
                               .arg(nowIn(m_dialect), bumpVersion(m_dialect), touchStatus(m_dialect), byKey),
            QVariantList{charged ? wordOf(ReservationStatus::Done) : wordOf(ReservationStatus::Failed),
                observed.outcomeClass, observed.objectIds.isEmpty() ? QVariant() : QVariant(observed.objectIds.first()),
                textOrNull(observed.result), textOrNull(observed.error)}
                + ids(observed.key));
    return settled ? done() : Result<>(fail(settled.error()));
}

Result<EvidenceEffect> SqlEvidenceStore::recordInside(const ObservedOutcome& observed)
{
    const auto attempts = siblings(observed.key);
    if (!attempts)
        return fail(attempts.error());
    const auto own
        = std::find_if(attempts->begin(), attempts->end(), [&](const Reservation& a) { return a.id == observed.key; });
    if (own == attempts->end())
        return fail(Error::Kind::NotFound, QStringLiteral("reservation"));
    if (const auto inserted = insertRow(observed); !inserted)
        return fail(inserted.error());
    UNAVEZ_CRASH_POINT("evidence.after_row_before_status");

    const auto clock = m_connection.run(QStringLiteral("SELECT %1").arg(msOf(m_dialect, nowIn(m_dialect))));
    if (!clock)
        return fail(clock.error());
    const Instant now{clock->first().at(0).toLongLong()};
    const bool charged = observed.verdict == EvidenceVerdict::Charged;
    const auto subject = subjectOf(observed.key);
    const auto raised = [&](IncidentKind kind, EvidenceEffect effect) -> Result<EvidenceEffect> {
        const auto incident = raiseIncident(m_connection, kind, subject, Severity::Red,
            {{QStringLiteral("objects"), QJsonArray::fromStringList(observed.objectIds)}});
        if (!incident)
            return fail(incident.error());
        return effect;
    };
    if (charged) {
        for (const auto& other : *attempts) {
            if (other.id == own->id || !(isOpen(other.status) || other.status == ReservationStatus::Done))
                continue;
            // One object that closes another attempt too is one effect (contract.md §10.4).
            if (sameObject(other, observed))
                return EvidenceEffect::Recorded;
            return raised(IncidentKind::DoubleCharge, EvidenceEffect::DoubleCharge);
        }
    }
    switch (own->status) {
    case ReservationStatus::Done:
        return charged && sameObject(*own, observed) ? Result<EvidenceEffect>(EvidenceEffect::Recorded)
                                                     : raised(observed.contradiction, EvidenceEffect::Conflict);
    case ReservationStatus::Failed:
    case ReservationStatus::Abandoned:
        if (!charged)
            return EvidenceEffect::Recorded;
        break; // a late success
    case ReservationStatus::InProgress:
        if (own->leaseExpiresAt > now)
            return EvidenceEffect::Recorded; // its holder will finish by itself
        break;
    case ReservationStatus::Opened: return EvidenceEffect::Recorded;
    case ReservationStatus::Unknown: break;
    }
    // The evidence stays whatever the status says to it: only the settling is undone.
    if (const auto point = m_connection.runScript("SAVEPOINT settling"); !point)
        return fail(point.error());
    const auto settled = settle(observed);
    if (settled)
        return EvidenceEffect::Settled;
    const bool contradicts = isObjectUsed(settled.error()) || isSecondOpenAttempt(settled.error());
    if (!contradicts)
        return fail(settled.error());
    if (const auto undone = m_connection.runScript("ROLLBACK TO SAVEPOINT settling"); !undone)
        return fail(undone.error());
    if (isSecondOpenAttempt(settled.error()))
        return raised(IncidentKind::DoubleCharge, EvidenceEffect::DoubleCharge);
    return raised(IncidentKind::OutcomeConflict, EvidenceEffect::Conflict);
}

} // namespace unavez::stores
