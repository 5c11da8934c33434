// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine/intake.h"

#include <algorithm>
#include <tuple>

namespace unavez::engine {

using namespace contract;

namespace {

// Equal deliveries of one batch, and where their answers go.
struct Merged
{
    MergedDelivery delivery;
    QList<qsizetype> places;
};

bool isSameChange(const Delivery& a, const Delivery& b)
{
    return a.sourceId == b.sourceId && a.changeId() == b.changeId();
}

bool isEqual(const Delivery& a, const Delivery& b)
{
    return isSameChange(a, b) && a.eventId == b.eventId && a.bodySha256 == b.bodySha256;
}

bool isRecordable(const Delivery& delivery)
{
    return isValidEventId(delivery.eventId) && (!delivery.snapshotId || isValidEventId(*delivery.snapshotId))
        && delivery.bodySha256.size() == 32;
}

// Waves of which each holds a change once: one statement may not touch a row twice. Nearly always there is one wave.
QList<QList<Merged>> wavesOf(const QList<Delivery>& deliveries, QList<IntakeAnswer>& answers)
{
    QList<Merged> merged;
    for (qsizetype i = 0; i < deliveries.size(); ++i) {
        const auto& delivery = deliveries[i];
        if (!isRecordable(delivery)) {
            answers[i] = {400, {}, Error{Error::Kind::Invalid, QStringLiteral("event id cannot be stored"), 0}};
            continue;
        }
        const auto same = std::find_if(merged.begin(), merged.end(),
            [&](const Merged& other) { return isEqual(other.delivery.delivery, delivery); });
        if (same != merged.end()) {
            ++same->delivery.count;
            same->places.append(i);
        } else {
            merged.append(Merged{{delivery, 1}, {i}});
        }
    }
    // Two services that record the same changes lock them in one order, so they wait instead of deadlocking.
    std::stable_sort(merged.begin(), merged.end(), [](const Merged& a, const Merged& b) {
        return std::tuple(a.delivery.delivery.sourceId, a.delivery.delivery.changeId())
            < std::tuple(b.delivery.delivery.sourceId, b.delivery.delivery.changeId());
    });
    QList<QList<Merged>> waves;
    for (const auto& entry : std::as_const(merged)) {
        const auto free = std::find_if(waves.begin(), waves.end(), [&](const QList<Merged>& wave) {
            return !isSameChange(wave.last().delivery.delivery, entry.delivery.delivery);
        });
        if (free != waves.end())
            free->append(entry);
        else
            waves.append(QList<Merged>{entry});
    }
    return waves;
}

// Whether the error may be of one row alone. Where the store itself is in trouble, halves fare no better.
bool isOfOneRow(Error::Kind kind)
{
    return kind == Error::Kind::Refused || kind == Error::Kind::Invalid || kind == Error::Kind::Corrupt
        || kind == Error::Kind::Conflict;
}

void answerAll(const QList<Merged>& wave, const IntakeAnswer& answer, QList<IntakeAnswer>& answers)
{
    for (const auto& entry : wave) {
        for (const auto place : entry.places)
            answers[place] = answer;
    }
}

void recordWave(IntakeStore& store, const QList<Merged>& wave, QList<IntakeAnswer>& answers)
{
    QList<MergedDelivery> batch;
    batch.reserve(wave.size());
    for (const auto& entry : wave)
        batch.append(entry.delivery);
    const auto recorded = store.record(batch);
    if (recorded && recorded->size() == wave.size()) {
        for (qsizetype i = 0; i < wave.size(); ++i) {
            for (const auto place : wave[i].places)
                answers[place] = {200, recorded->at(i), {}};
        }
        return;
    }
    const auto error = recorded
        ? Error{Error::Kind::Corrupt, QStringLiteral("store answered another number of events"), 0}
        : recorded.error();
    if (recorded || !isOfOneRow(error.kind)) {
        answerAll(wave, {503, {}, error}, answers);
    } else if (wave.size() > 1) {
        const auto half = wave.size() / 2;
        recordWave(store, wave.first(half), answers);
        recordWave(store, wave.sliced(half), answers);
    } else {
        const bool never = error.kind == Error::Kind::Refused || error.kind == Error::Kind::Invalid;
        answerAll(wave, {never ? 400 : 503, {}, error}, answers);
    }
}

} // namespace

std::optional<ModeRefusal> modeRefusal(StoreMode store, std::optional<bool> live)
{
    if (!live)
        return std::nullopt;
    if (store == StoreMode::Live && !*live)
        return ModeRefusal{200, FailureReason::TestEventOnLive};
    if (store != StoreMode::Live && *live)
        return ModeRefusal{503, FailureReason::LiveEventOnTest};
    return std::nullopt;
}

Intake::Intake(IntakeStore& store)
    : m_store(store)
{
}

QList<IntakeAnswer> Intake::record(const QList<Delivery>& deliveries)
{
    QList<IntakeAnswer> answers(deliveries.size());
    const auto waves = wavesOf(deliveries, answers);
    for (const auto& wave : waves)
        recordWave(m_store, wave, answers);
    return answers;
}

} // namespace unavez::engine
