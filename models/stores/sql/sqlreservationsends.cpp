// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stores/sql/sqlreservationstore.h"
#include "models/stores/sql/transaction.h"

// The send mark and what follows it (contract.md §10.5, §10.6).
namespace unavez::stores {

using namespace contract;

namespace {

const QString byKey = QStringLiteral("(provider, provider_account, key) = (?, ?, ?)");
QVariantList ids(const KeyId& key) { return {key.provider, key.account, key.key}; }

constexpr qint64 mostSkewMs = 60'000; // contract.md §10.6

template <typename T> QVariant orNull(const std::optional<T>& value) { return value ? QVariant(*value) : QVariant(); }

QVariant orNull(const QByteArray& json) { return json.isEmpty() ? QVariant() : QVariant(QString::fromUtf8(json)); }

Because skewed(qint64 differenceMs, const char* which)
{
    return {Reason::ClockSkew,
        {{QStringLiteral("s"), std::abs(differenceMs) / 1000}, {QStringLiteral("which"), QLatin1String(which)}}};
}

// Any two of the three clocks (contract.md §10.6); the store against the host is the update's own condition.
std::optional<Because> providerSkew(const MarkRequest& request, Instant store)
{
    if (!request.providerNow)
        return std::nullopt;
    const auto fromStore = (*request.providerNow - store).count();
    if (std::abs(fromStore) > mostSkewMs)
        return skewed(fromStore, "provider");
    const auto fromHost = (*request.providerNow - request.hostNow).count();
    if (std::abs(fromHost) > mostSkewMs)
        return skewed(fromHost, "provider and host");
    return std::nullopt;
}

} // namespace

Result<MarkAnswer> SqlReservationStore::mark(const MarkRequest& request)
{
    return inTransaction(m_connection, [&]() -> Result<MarkAnswer> {
        const bool sqlite = m_connection.isSqlite();
        // One reading of the clock serves the check, the mark and the cutoff.
        const auto clock = now();
        if (!clock)
            return fail(clock.error());
        MarkAnswer answer;
        if (const auto skew = providerSkew(request, *clock)) {
            answer.refused = *skew;
            return answer;
        }
        const auto stamp = timeParameter(m_dialect);
        // Bound, not written: one prepared statement with a job and one without, for all jobs.
        const auto job = request.job
            ? QStringLiteral(
                " AND EXISTS (SELECT 1 FROM jobs WHERE id = ? AND state = 'leased' AND lease_token = ? AND "
                "lease_expires_at > %1)")
                  .arg(nowIn(m_dialect))
            : QString();
        const auto ofJob = request.job ? QVariantList{request.job->job, request.job->token} : QVariantList{};
        const auto cutoff = sqlite
            ? QStringLiteral("min(?, ?) + max(window_s - margin_s, 0) * 1000")
            : QStringLiteral("LEAST(%1, %1) + make_interval(secs => GREATEST(window_s - margin_s, 0))").arg(stamp);
        const auto marked = m_connection.run(
            QStringLiteral("UPDATE idempotency_keys SET first_sent_at = COALESCE(first_sent_at, %1), last_sent_at = "
                           "%2, lease_expires_at = %1, "
                           "resume_until = CASE WHEN sends > 0 THEN resume_until ELSE %3 END, sends = sends + 1%4 "
                           "WHERE %5 AND fence = ? AND status = 'in_progress' AND lease_expires_at > %6 "
                           "AND (sends = 0 OR (%6 < resume_until AND first_sent_at <= %6)) AND %7 "
                           "AND NOT EXISTS (SELECT 1 FROM holds WHERE released_at IS NULL AND (kind = 'sends' OR (kind "
                           "= 'tool' AND target = ?))) "
                           "AND EXISTS (SELECT 1 FROM store_info WHERE state = 'normal')%8 RETURNING sends, %9")
                .arg(stamp,
                    sqlite ? QStringLiteral("max(COALESCE(last_sent_at, 0), ?)")
                           : QStringLiteral("GREATEST(last_sent_at, %1)").arg(stamp),
                    cutoff, bumpVersion(m_dialect), byKey, nowIn(m_dialect),
                    sqlite ? QStringLiteral("? BETWEEN ? AND ?")
                           : QStringLiteral("?::bigint BETWEEN ?::bigint AND ?::bigint"),
                    job)
                .arg(msOf(m_dialect, QStringLiteral("resume_until"))),
            QVariantList{clock->ms, clock->ms, clock->ms + request.lease.count(), clock->ms, request.hostNow.ms}
                + ids(request.key)
                + QVariantList{request.fence, clock->ms, request.hostNow.ms - mostSkewMs,
                    request.hostNow.ms + mostSkewMs, request.tool}
                + ofJob);
        if (!marked)
            return fail(marked.error());
        if (marked->isEmpty()) {
            const auto why = whyNotMarked(request);
            if (!why)
                return fail(why.error());
            answer.refused = *why;
            return answer;
        }
        answer.sends = marked->first().at(0).toInt();
        answer.resumeUntil = Instant{marked->first().at(1).toLongLong()};
        const auto call = m_connection.run(
            QStringLiteral(
                "INSERT INTO provider_calls(provider, provider_account, key, sent_key, fence, job_id, lease_token) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id"),
            ids(request.key)
                + QVariantList{sentKey(request.key.key, request.step), request.fence,
                    request.job ? QVariant(request.job->job) : QVariant(),
                    request.job ? QVariant(request.job->token) : QVariant()});
        if (!call)
            return fail(call.error());
        answer.call = call->first().at(0).toLongLong();
        return answer;
    });
}

// The update's conditions again, one by one, in the order a person would want to hear of them.
Result<Because> SqlReservationStore::whyNotMarked(const MarkRequest& request)
{
    const auto state = findKey(request.key);
    if (!state)
        return fail(state.error());
    const Because rowLost{Reason::LeaseLost, {{QStringLiteral("id"), request.key.key}}};
    if (!*state)
        return rowLost;
    const auto& row = (*state)->last;
    const auto clock = (*state)->now;
    if (row.status != ReservationStatus::InProgress || row.fence != request.fence || row.leaseExpiresAt <= clock)
        return rowLost;
    if (request.job) {
        const auto owned = m_connection.run(
            QStringLiteral(
                "SELECT 1 FROM jobs WHERE id = ? AND state = 'leased' AND lease_token = ? AND lease_expires_at > %1")
                .arg(nowIn(m_dialect)),
            {request.job->job, request.job->token});
        if (!owned)
            return fail(owned.error());
        if (owned->isEmpty())
            return Because{Reason::LeaseLost, {{QStringLiteral("id"), request.job->job}}};
    }
    if (row.sends > 0 && row.firstSentAt > clock)
        return Because{Reason::ClockWentBack,
            {{QStringLiteral("key"), row.id.key}, {QStringLiteral("time"), row.firstSentAt->ms}}};
    if (row.sends > 0 && clock >= row.resumeUntil)
        return Because{
            Reason::PastCutoff, {{QStringLiteral("key"), row.id.key}, {QStringLiteral("time"), row.resumeUntil.ms}}};
    const auto difference = (request.hostNow - clock).count();
    if (std::abs(difference) > mostSkewMs)
        return skewed(difference, "host");
    const auto info = m_connection.run(QStringLiteral("SELECT %1 FROM store_info WHERE state <> 'normal'")
                                           .arg(msOf(m_dialect, QStringLiteral("quarantine_from"))));
    if (!info)
        return fail(info.error());
    if (!info->isEmpty())
        return Because{Reason::Quarantine, {{QStringLiteral("time"), info->first().at(0).toLongLong()}}};
    const auto holds = m_connection.run(QStringLiteral("SELECT %1 FROM holds h WHERE released_at IS NULL AND (kind = "
                                                       "'sends' OR (kind = 'tool' AND target = ?)) LIMIT 1")
                                            .arg(m_reader.holdColumns(QStringLiteral("h"))),
        {request.tool});
    if (!holds)
        return fail(holds.error());
    if (holds->isEmpty()) // what stood in the way a moment ago is gone
        return rowLost;
    const auto hold = readHold(holds->first());
    return Because{Reason::Held,
        {{QStringLiteral("what"), hold.target.isEmpty() ? wordOf(hold.kind) : hold.target},
            {QStringLiteral("time"), hold.at.ms}, {QStringLiteral("login"), hold.by},
            {QStringLiteral("reason"), hold.reason}}};
}

Result<> SqlReservationStore::completeCall(const CallEnd& end)
{
    const auto& a = end.answer;
    return inTransaction(m_connection, [&]() -> Result<> {
        const auto completed = m_connection.run(
            QStringLiteral("UPDATE provider_calls SET ended_at = %1, http_status = ?, request_id = ?, "
                           "original_request_id = ?, replayed = ?, "
                           "should_retry = ?, error_type = ?, error_code = ?, decline_code = ?, advice_code = ?, "
                           "object_id = ?, class = ? "
                           "WHERE id = ? AND ended_at IS NULL")
                .arg(nowIn(m_dialect)),
            {a.httpStatus == 0 ? QVariant() : QVariant(a.httpStatus), orNull(a.requestId), orNull(a.originalRequestId),
                a.replayed, orNull(a.shouldRetry), orNull(a.errorType), orNull(a.errorCode), orNull(a.declineCode),
                orNull(a.adviceCode), a.object ? QVariant(a.object->id) : QVariant(), wordOf(end.outcome), end.call});
        return completed ? done() : Result<>(fail(completed.error()));
    });
}

Result<bool> SqlReservationStore::storeObject(const IntentId& intent, const QString& objectId)
{
    return inTransaction(m_connection, [&]() -> Result<bool> {
        const QVariantList id{intent.provider, intent.account, intent.intentKey};
        const auto stored = m_connection.run(QStringLiteral("UPDATE intents SET provider_object_id = ? WHERE "
                                                            "(provider, provider_account, intent_key) = (?, ?, ?) AND "
                                                            "provider_object_id IS NULL"),
            QVariantList{objectId} + id);
        if (!stored)
            return fail(stored.error());
        if (stored->affected == 1)
            return true;
        const auto there = m_connection.run(
            QStringLiteral(
                "SELECT provider_object_id FROM intents WHERE (provider, provider_account, intent_key) = (?, ?, ?)"),
            id);
        if (!there)
            return fail(there.error());
        return !there->isEmpty() && there->first().at(0).toString() == objectId;
    });
}

Result<bool> SqlReservationStore::finish(const FinishRequest& request)
{
    const bool final = request.status == ReservationStatus::Done || request.status == ReservationStatus::Failed;
    return inTransaction(m_connection, [&]() -> Result<bool> {
        const auto finished
            = m_connection.run(QStringLiteral("UPDATE idempotency_keys SET status = ?, flag = ?, outcome_class = ?, "
                                              "provider_object_id = ?, result = ?, error = ?, "
                                              "owner = NULL, lease_expires_at = NULL, completed_at = %1%2%3 WHERE %4 "
                                              "AND fence = ? AND status = 'in_progress'")
                                   .arg(final ? nowIn(m_dialect) : QStringLiteral("NULL"), bumpVersion(m_dialect),
                                       touchStatus(m_dialect), byKey),
                QVariantList{wordOf(request.status), request.flag ? QVariant(wordOf(*request.flag)) : QVariant(),
                    wordOf(request.outcome), orNull(request.objectId), orNull(request.result), orNull(request.error)}
                    + ids(request.key) + QVariantList{request.fence});
        if (!finished)
            return fail(finished.error());
        return finished->affected == 1;
    });
}

Result<> SqlReservationStore::giveUpLease(const KeyId& key, qint64 fence, Seconds grace)
{
    return inTransaction(m_connection, [&]() -> Result<> {
        const auto given = m_connection.run(
            QStringLiteral(
                "UPDATE idempotency_keys SET lease_expires_at = %1%2 WHERE %3 AND fence = ? AND status = 'in_progress'")
                .arg(nowPlusParameter(m_dialect), bumpVersion(m_dialect), byKey),
            QVariantList{qint64(-Millis(grace).count() - 1)} + ids(key) + QVariantList{fence});
        return given ? done() : Result<>(fail(given.error()));
    });
}

Result<bool> SqlReservationStore::hasUnansweredSend(const KeyId& key, const QString& sent, qint64 exceptCall)
{
    const auto found = m_connection.run(
        QStringLiteral(
            "SELECT 1 FROM provider_calls WHERE (provider, provider_account, sent_key) = (?, ?, ?) AND id <> ? AND "
            "(ended_at IS NULL OR class IN ('unanswered','unknown')) LIMIT 1"),
        {key.provider, key.account, sent, exceptCall});
    if (!found)
        return fail(found.error());
    return !found->isEmpty();
}

} // namespace unavez::stores
