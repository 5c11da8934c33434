// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine/evidence.h"

#include "models/contract/storedrequest.h"

namespace unavez::engine {

using namespace contract;

namespace {

// A fresh PaymentIntent stands in requires_payment_method by design, so a failure is only believed of an event that
// ends something.
bool isEnd(const QString& eventType)
{
    return !eventType.endsWith(QLatin1String(".created")) && !eventType.endsWith(QLatin1String(".processing"))
        && !eventType.endsWith(QLatin1String(".requires_action"));
}

// charge.refunded names our refund's key and shows the charge, which did succeed: of a refund only a refund speaks.
bool speaksOf(const QString& objectType, const QString& verb)
{
    if (verb == QLatin1String("refund"))
        return objectType == QLatin1String("refund");
    return objectType == QLatin1String("payment_intent") || objectType == QLatin1String("charge");
}

// What differs between the event's object and the plan; empty where nothing does.
QString differenceOf(const ProviderObject& object, const Intent& intent, StoreMode mode)
{
    if (object.intentKey && *object.intentKey != intent.id.intentKey)
        return QStringLiteral("intent");
    if (object.live && *object.live != (mode == StoreMode::Live))
        return QStringLiteral("mode");
    if (object.amount && intent.amount && *object.amount != *intent.amount)
        return object.amount->currency == intent.amount->currency ? QStringLiteral("amount")
                                                                  : QStringLiteral("currency");
    return {};
}

} // namespace

Evidence::Evidence(EvidenceStore& store, ReservationStore& reservations, const EventReader& reader, StoreMode mode)
    : m_store(store)
    , m_reservations(reservations)
    , m_reader(reader)
    , m_mode(mode)
{
}

Result<std::optional<EvidenceEffect>> Evidence::observe(
    const Event& event, const Source& source, const QByteArray& payload)
{
    const auto nothing = std::optional<EvidenceEffect>();
    const auto caused = m_reader.read(source.provider, payload);
    if (!caused || caused->object.id.isEmpty())
        return nothing;
    const auto key = m_store.keyOfSentKey(source.provider, source.account, caused->sentKey);
    if (!key)
        return fail(key.error());
    if (!*key)
        return nothing;
    const auto state = m_reservations.findKey(**key);
    if (!state)
        return fail(state.error());
    if (!*state)
        return nothing;
    const auto& intent = (*state)->intent;
    const auto verb = verbOf(intent.id.intentKey);
    if (!speaksOf(caused->object.type, verb))
        return nothing;
    const auto outcome = classifiedObject(caused->object, verb);
    if (!outcome)
        return nothing;
    const bool charged = outcome->outcome == OutcomeClass::Success;
    const bool byCreate = caused->sentKey.endsWith(QLatin1String(":create"));
    if (!charged && (byCreate || !isEnd(event.eventType)))
        return nothing;
    if (const auto field = differenceOf(caused->object, intent, m_mode); !field.isEmpty()) {
        const auto raised = m_reservations.raise(IncidentKind::OutcomeConflict, subjectOf(**key), Severity::Red,
            {{QStringLiteral("event"), event.eventId}, {QStringLiteral("differs"), field}});
        if (!raised)
            return fail(raised.error());
        return nothing;
    }
    ObservedOutcome observed;
    observed.key = **key;
    observed.verdict = charged ? EvidenceVerdict::Charged : EvidenceVerdict::Failed;
    observed.eventPk = event.pk;
    observed.objectIds = {caused->object.id};
    // A PaymentIntent's charge is the same effect under a second id; the attempt closes by the first.
    if (caused->object.type == QLatin1String("charge") && intent.providerObjectId)
        observed.objectIds.prepend(*intent.providerObjectId);
    observed.amount = caused->object.amount;
    observed.sha256 = sha256(payload);
    observed.until = caused->at;
    observed.outcomeClass = contract::wordOf(outcome->outcome);
    if (charged) {
        observed.result = canonicalJson(
            {{QStringLiteral("id"), observed.objectIds.first()}, {QStringLiteral("status"), caused->object.status}});
    } else {
        QJsonObject error{{QStringLiteral("class"), QStringLiteral("card")}};
        if (!caused->errorCode.isEmpty())
            error.insert(QStringLiteral("code"), caused->errorCode);
        if (!caused->declineCode.isEmpty())
            error.insert(QStringLiteral("decline_code"), caused->declineCode);
        observed.error = canonicalJson(error);
    }
    if (!charged && caused->object.type == QLatin1String("refund"))
        observed.contradiction = IncidentKind::Reversed; // asynchronous methods: a refund that was done comes back
    const auto effect = m_store.record(observed);
    if (!effect)
        return fail(effect.error());
    return std::optional(*effect);
}

} // namespace unavez::engine
