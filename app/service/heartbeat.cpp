// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/heartbeat.h"

#include <algorithm>
#include <limits>

namespace unavez::service {

using namespace contract;

namespace {

constexpr Millis accountEvery{600000};

int skew(Instant other, Instant ours)
{
    const auto ms = (other - ours).count();
    return static_cast<int>(std::clamp<qint64>(ms, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

} // namespace

AccountCheck::AccountCheck(const SharedParts& shared, engine::GateSettings gate, QList<EffectTool*> tools)
    : m_shared(shared)
    , m_gate(std::move(gate))
    , m_tools(std::move(tools))
{
}

void AccountCheck::run(StoreSession& store)
{
    engine::Gate gate(store.reservations(), m_shared.clock, m_gate, m_tools);
    for (auto* tool : m_tools) {
        const auto because = gate.checkAccount(*tool, tool->account(), true);
        if (because)
            m_shared.log.error(QLatin1String("account_check"),
                {{QStringLiteral("tool"), tool->name()}, {QStringLiteral("account"), tool->account()},
                    {QStringLiteral("reason"), wordOf(because->reason)}});
        if (because && because->reason != Reason::WrongAccount)
            continue; // it does not answer: not worth a second wait
        const auto fact = tool->checkedAccount(false);
        if (fact && fact->date)
            m_skewMs = skew(*fact->date, m_shared.clock.wall());
    }
}

Result<std::optional<HighWater>> shownBy(StoreSession& store, const StoreInfo& info)
{
    const auto lastCall = store.service().lastCall();
    if (!lastCall && lastCall.error().kind == Error::Kind::Denied)
        return std::optional<HighWater>();
    if (!lastCall)
        return fail(lastCall.error());
    return std::optional(HighWater{info.storeId, info.epoch, *lastCall});
}

Heartbeat::Heartbeat(const SharedParts& shared, ServiceRow row, Millis every, HighWaterFile file, AccountCheck accounts)
    : m_shared(shared)
    , m_row(std::move(row))
    , m_every(every)
    , m_file(std::move(file))
    , m_accounts(std::move(accounts))
    , m_thread([this](std::stop_token stop) { run(std::move(stop)); })
{
}

Result<> Heartbeat::beat(StoreSession& store)
{
    const auto before = m_shared.clock.wall();
    const auto now = store.service().now();
    if (!now)
        return fail(now.error());
    const auto after = m_shared.clock.wall();
    m_row.dbSkewMs = skew(*now, before + (after - before) / 2);
    m_row.providerSkewMs = m_accounts.skewMs();
    if (const auto written = store.service().heartbeat(m_row); !written)
        return fail(written.error());
    ++m_shared.counters.heartbeats;

    const auto info = store.service().info();
    if (!info)
        return fail(info.error());
    const auto shown = shownBy(store, *info);
    if (!shown)
        return fail(shown.error());
    if (!*shown)
        return done();
    // A store may be set back under a running service too.
    const auto seen = m_file.read();
    if (seen && *seen && isRewound(**seen, **shown) && info->state == StoreState::Normal) {
        m_shared.log.error(QLatin1String("store_rewound"),
            {{QStringLiteral("seen"), (*seen)->lastCall}, {QStringLiteral("shown"), (*shown)->lastCall}});
        return store.service().quarantine(*now);
    }
    const auto raised = m_file.raise(**shown);
    if (!raised && !m_fileFailed)
        m_shared.log.error(QLatin1String("highwater_failed"), logged(raised.error()));
    m_fileFailed = !raised;
    return done();
}

void Heartbeat::run(std::stop_token stop)
{
    StoreLink link(m_shared.openStore, m_shared.health);
    while (auto* store = link.session(stop)) {
        const auto beaten = beat(*store);
        if (!beaten) {
            link.failed(beaten.error());
            continue;
        }
        link.worked();
        // After the beat: a provider that does not answer must not make the service look dead.
        if (!m_checkedAt || m_shared.clock.boottime() - *m_checkedAt >= accountEvery) {
            m_checkedAt = m_shared.clock.boottime();
            m_accounts.run(*store);
        }
        rest(stop, m_every);
    }
}

} // namespace unavez::service
