// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sandbox/children.h"
#include "app/sandbox/ending.h"
#include "app/sandbox/ledger.h"
#include "app/sandbox/readyfile.h"
#include "app/sandbox/serviceconfig.h"
#include "app/sandbox/storeaccess.h"

#include <QTemporaryDir>

#include <functional>

namespace unavez::sandbox {

struct StageSettings
{
    QString drill;
    QString store;
    QString binDir; // where unavezd and unavez-sandbox stand
    int invoice = 1; // the invoice wanted: inv_1; a free one is taken where the store knows it already
    contract::Seconds agentThinks{0};
    int jobLeaseSeconds = 12;
};

// A drill's stage: a practice store, and provider, backend, agent and service running on it as programs of their own,
// with a folder for their files. Everything ends with it; the ledger stays, for the judge.
class Stage
{
public:
    Stage(StageSettings settings, StoreAccess access, Ending& ending);
    ~Stage();

    // Prepares the store and starts everyone. Cancelled where the end was asked for meanwhile.
    contract::Result<> raise();

    // A new card for the customer of this drill's invoice.
    contract::Result<> placeCard(bool works, const QString& declineCode = {});
    contract::Result<> placeFault(const QJsonObject& fault);
    // One really signed delivery of invoice.due; Refused unless the edge says 200.
    contract::Result<> deliver();
    contract::Result<contract::Job> job();
    contract::Result<QList<contract::Reservation>> attempts(); // of the job's intent, oldest first
    contract::Result<QList<LedgerLine>> ledger() const;
    // Polls until `is` says true. Timeout after `most`, naming `what`; Cancelled; and what `is` fails with.
    contract::Result<> until(
        const QString& what, contract::Millis most, const std::function<contract::Result<bool>()>& is);
    contract::Result<> untilJob(contract::JobState state, contract::Millis most);
    contract::Result<> age(contract::Millis by);
    void killService();
    contract::Result<> startService();

    QString key(int attempt, const QString& step) const; // charge:inv_1:a1:confirm
    contract::Result<ReadyFile> ready();
    // Names of programs that ended by themselves since the last call.
    QStringList fallen();
    // What they said last, for people who look for the reason.
    QString lastWords() const;

private:
    struct Neighbour
    {
        std::unique_ptr<Child> child;
        QString url;
    };
    contract::Result<contract::CaseFile> caseFile();
    QString path(const QString& name) const { return m_folder.filePath(name); }
    contract::Result<> writeSecrets();
    contract::Result<> chooseInvoice();
    contract::Result<Neighbour> startNeighbour(const QString& name, const QStringList& arguments);

    StageSettings m_settings;
    StoreAccess m_access;
    Ending& m_ending;
    QTemporaryDir m_folder;
    ServiceConfig m_config;
    QByteArray m_webhookSecret;
    QString m_event;
    QString m_invoice;
    QString m_customer;
    std::optional<qint64> m_job;
    std::unique_ptr<StoreReader> m_reader;
    Neighbour m_provider;
    Neighbour m_backend;
    Neighbour m_agent;
    std::unique_ptr<Child> m_service;
    QString m_edgeUrl;
    QString m_gateUrl;
    QStringList m_toldFallen;
    bool m_isReady = false;
};

} // namespace unavez::sandbox
