// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/storesession.h"

#include <functional>

namespace unavez::tests {

// Job leases in memory, scripted; for what renews them.
class FakeJobs final : public contract::JobStore
{
public:
    std::function<contract::Result<bool>(const contract::JobLease&, contract::Millis)> onRenew;

    contract::Result<std::optional<contract::ClaimedJob>> claim(qint64, const QString&, contract::Millis) override
    {
        return std::optional<contract::ClaimedJob>();
    }
    contract::Result<bool> renew(const contract::JobLease& lease, contract::Millis by) override
    {
        return onRenew(lease, by);
    }
    contract::Result<std::optional<QByteArray>> payload(qint64) override { return std::optional<QByteArray>(); }
    contract::Result<contract::JobFinish> finishDone(const contract::JobLease&) override
    {
        return contract::JobFinish::Done;
    }
    contract::Result<contract::JobFinish> finishLater(
        const contract::JobLease&, contract::Millis, bool, const QString&, const QString&) override
    {
        return contract::JobFinish::Later;
    }
    contract::Result<contract::JobFinish> finishDead(const contract::JobLease&, const QString&, const QString&) override
    {
        return contract::JobFinish::Dead;
    }
};

// A session of which only the jobs are there: whoever asks for more fails the test.
class FakeSession final : public service::StoreSession
{
public:
    explicit FakeSession(FakeJobs jobs)
        : m_jobs(std::move(jobs))
    {
    }
    contract::IntakeStore& intake() override { return absent<contract::IntakeStore>(); }
    contract::JobStore& jobs() override { return m_jobs; }
    contract::ReservationStore& reservations() override { return absent<contract::ReservationStore>(); }
    contract::EvidenceStore& evidence() override { return absent<contract::EvidenceStore>(); }
    contract::ReaperStore& reaper() override { return absent<contract::ReaperStore>(); }
    contract::ServiceStore& service() override { return absent<contract::ServiceStore>(); }

private:
    template <typename Port> Port& absent()
    {
        qFatal("not of this session");
        std::abort();
    }
    FakeJobs m_jobs;
};

} // namespace unavez::tests
