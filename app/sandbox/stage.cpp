// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sandbox/stage.h"

#include "app/sandbox/jsonfile.h"
#include "app/sandbox/providerstate.h"
#include "app/sandbox/sender.h"
#include "app/sandbox/webrequest.h"

#include <QDir>
#include <QJsonDocument>
#include <QRandomGenerator>

namespace unavez::sandbox {

using contract::done;
using contract::Error;
using contract::fail;
using contract::Job;
using contract::JobState;
using contract::Millis;
using contract::Result;

namespace {

constexpr Millis startTime{30000};
constexpr Millis pollPause{50};

QString account() { return QStringLiteral("acct_1"); }

QByteArray randomHex()
{
    QByteArray bytes(24, '\0');
    for (auto& byte : bytes)
        byte = static_cast<char>(QRandomGenerator::system()->bounded(256));
    return bytes.toHex();
}

} // namespace

Stage::Stage(StageSettings settings, StoreAccess access, Ending& ending)
    : m_settings(std::move(settings))
    , m_access(std::move(access))
    , m_ending(ending)
    , m_folder(QDir::temp().filePath(QStringLiteral("unavez-%1-XXXXXX").arg(m_settings.drill)))
    , m_event(freshEventId())
{
    m_folder.setAutoRemove(false); // the ledger outlives the drill
}

Stage::~Stage()
{
    // The service first: nobody of whom it asks something should be gone while it drains.
    m_service.reset();
    for (auto* const neighbour : {&m_agent, &m_backend, &m_provider})
        neighbour->child.reset();
    const QDir folder(m_folder.path());
    const auto files = folder.entryList(QDir::Files);
    for (const auto& name : files) {
        if (name != QLatin1String("ledger.jsonl") || !m_isReady)
            QFile::remove(folder.filePath(name));
    }
    if (!m_isReady)
        QDir().rmdir(m_folder.path());
}

Result<> Stage::until(const QString& what, Millis most, const std::function<Result<bool>()>& is)
{
    const contract::SystemHostClock clock;
    const auto end = clock.boottime() + most;
    for (;;) {
        const auto now = is();
        if (!now)
            return fail(now.error());
        if (*now)
            return done();
        if (clock.boottime() >= end)
            return fail(Error::Kind::Timeout, QStringLiteral("waited %1 s for %2").arg(most.count() / 1000).arg(what));
        if (m_ending.isAskedWithin(pollPause))
            return fail(Error::Kind::Cancelled);
    }
}

Result<> Stage::writeSecrets()
{
    if (!m_folder.isValid())
        return fail(Error::Kind::Invalid, m_folder.errorString());
    m_webhookSecret = "whsec_" + randomHex();
    // A secret of its own takes an id of its own: the store remembers which was which.
    m_config.signingKeyId = QStringLiteral("drill-%1").arg(QString::fromLatin1(randomHex().left(12)));
    m_config.store = m_settings.store;
    m_config.folder = m_folder.path();
    m_config.account = account();
    m_config.jobLeaseSeconds = m_settings.jobLeaseSeconds;
    m_config.webhookSecretFile = path(QStringLiteral("webhook-secret"));
    m_config.gateTokenFile = path(QStringLiteral("gate-token"));
    m_config.apiKeyFile = path(QStringLiteral("api-key"));
    for (const auto& [file, bytes] :
        {std::pair(m_config.webhookSecretFile, m_webhookSecret), std::pair(m_config.gateTokenFile, randomHex()),
            std::pair(m_config.apiKeyFile, ProviderState::credentialOf(account()))}) {
        if (auto written = writePrivateFile(file, bytes); !written)
            return written;
    }
    return done();
}

// inv_1 where the store has not met it; else the first of inv_101, inv_102, … that is new to it.
Result<> Stage::chooseInvoice()
{
    for (int n = m_settings.invoice, tried = 0; tried < 10'000; n = std::max(n + 1, 101), ++tried) {
        m_invoice = QStringLiteral("inv_%1").arg(n);
        m_customer = QStringLiteral("cus_%1").arg(n);
        const auto known = m_reader->queries().find(QStringLiteral("charge:") + m_invoice);
        if (!known)
            return fail(known.error());
        const auto seen = m_reader->queries().find(m_invoice);
        if (!seen)
            return fail(seen.error());
        if (known->isEmpty() && seen->isEmpty())
            return done();
    }
    return fail(Error::Kind::Conflict, QStringLiteral("this store knows every practice invoice already"));
}

Result<Stage::Neighbour> Stage::startNeighbour(const QString& name, const QStringList& arguments)
{
    const auto ports = path(name + QStringLiteral("-ports.json"));
    const QStringList all = QStringList{name, QStringLiteral("--listen"), QStringLiteral("127.0.0.1:0"),
                                QStringLiteral("--ports-file"), ports}
        + arguments;
    auto child = Child::start(
        QDir(m_settings.binDir).filePath(QStringLiteral("unavez-sandbox")), all, path(name + QStringLiteral(".log")));
    if (!child)
        return fail(child.error());
    Neighbour neighbour{std::move(*child), {}};
    const auto up = until(name, startTime, [&]() -> Result<bool> {
        if (!neighbour.child->isRunning())
            return fail(Error::Kind::Offline, QStringLiteral("%1 ended: %2").arg(name, neighbour.child->lastWords()));
        const auto read = readJsonFile(ports);
        if (read)
            neighbour.url = read->value(QLatin1String("url")).toString();
        return !neighbour.url.isEmpty();
    });
    if (!up)
        return fail(up.error());
    return neighbour;
}

Result<> Stage::raise()
{
    if (auto prepared = m_access.preparePractice(m_settings.store); !prepared)
        return prepared;
    auto reader = m_access.read(m_settings.store);
    if (!reader)
        return fail(reader.error());
    m_reader = std::move(*reader);
    if (auto written = writeSecrets(); !written)
        return written;
    if (auto chosen = chooseInvoice(); !chosen)
        return chosen;

    auto provider = startNeighbour(QStringLiteral("provider"),
        {QStringLiteral("--account"), account(), QStringLiteral("--ledger"), path(QStringLiteral("ledger.jsonl")),
            QStringLiteral("--state"), path(QStringLiteral("provider.jsonl"))});
    if (!provider)
        return fail(provider.error());
    m_provider = std::move(*provider);
    auto backend = startNeighbour(QStringLiteral("backend"), {});
    if (!backend)
        return fail(backend.error());
    m_backend = std::move(*backend);
    auto agent = startNeighbour(QStringLiteral("agent"),
        {QStringLiteral("--gate-ports"), portsFileOf(m_config), QStringLiteral("--gate-token-file"),
            m_config.gateTokenFile, QStringLiteral("--slow"),
            QStringLiteral("%1s").arg(m_settings.agentThinks.count())});
    if (!agent)
        return fail(agent.error());
    m_agent = std::move(*agent);

    const auto invoice = requested("PUT", m_backend.url + QStringLiteral("/invoices/") + m_invoice,
        {{"Content-Type", "application/json"}},
        QJsonDocument(QJsonObject{{QStringLiteral("customer"), m_customer}, {QStringLiteral("amount_minor"), 12600},
                          {QStringLiteral("currency"), QStringLiteral("eur")}, {QStringLiteral("open"), true}})
            .toJson());
    if (!invoice)
        return fail(invoice.error());
    if (invoice->status != 200)
        return fail(Error::Kind::Refused, QStringLiteral("the backend refused the invoice"), invoice->status);

    m_config.providerUrl = m_provider.url;
    m_config.backendUrl = m_backend.url;
    m_config.agentUrl = m_agent.url;
    if (auto written = writePrivateFile(path(QStringLiteral("unavezd.toml")), tomlOf(m_config)); !written)
        return written;
    return startService();
}

Result<> Stage::startService()
{
    // A killed service leaves its ports behind; nobody may take them for the new one's.
    QFile::remove(portsFileOf(m_config));
    auto child = Child::start(QDir(m_settings.binDir).filePath(QStringLiteral("unavezd")),
        {QStringLiteral("--config"), path(QStringLiteral("unavezd.toml"))}, path(QStringLiteral("unavezd.log")));
    if (!child)
        return fail(child.error());
    m_service = std::move(*child);
    return until(QStringLiteral("unavezd"), startTime, [&]() -> Result<bool> {
        if (!m_service->isRunning())
            return fail(Error::Kind::Offline, QStringLiteral("unavezd ended: %1").arg(m_service->lastWords()));
        const auto ports = readJsonFile(portsFileOf(m_config));
        if (!ports || ports->value(QLatin1String("pid")).toInteger() != m_service->pid())
            return false;
        const auto url = [&](const char* name) {
            return QStringLiteral("http://127.0.0.1:%1").arg(ports->value(QLatin1String(name)).toInt());
        };
        m_edgeUrl = url("edge") + webhookRoute();
        m_gateUrl = url("gate");
        return true;
    });
}

void Stage::killService() { m_service->killNow(); }

Result<> Stage::placeCard(bool works, const QString& declineCode)
{
    const auto placed = posted(m_provider.url + QStringLiteral("/_card"),
        {{QStringLiteral("customer"), m_customer}, {QStringLiteral("works"), works},
            {QStringLiteral("decline_code"), declineCode}});
    return placed ? done() : Result<>(fail(placed.error()));
}

Result<> Stage::placeFault(const QJsonObject& fault)
{
    const auto placed = posted(m_provider.url + QStringLiteral("/_fault"), fault);
    return placed ? done() : Result<>(fail(placed.error()));
}

Result<> Stage::deliver()
{
    const auto event
        = invoiceEvent(m_event, QStringLiteral("invoice.due"), m_invoice, contract::SystemHostClock().wall());
    const auto report
        = delivered({{m_edgeUrl, m_webhookSecret, QJsonDocument(event).toJson(QJsonDocument::Compact)}}, 1, false);
    if (!report.allAccepted())
        return fail(Error::Kind::Refused,
            QStringLiteral("the edge did not take the delivery: %1")
                .arg(QString::fromUtf8(QJsonDocument(jsonOf(report)).toJson(QJsonDocument::Compact))));
    return done();
}

Result<contract::CaseFile> Stage::caseFile()
{
    auto& queries = m_reader->queries();
    if (m_job)
        return queries.caseOf({contract::CaseSubject::Kind::Job, contract::subjectOfJob(*m_job), *m_job, {}, {}});
    const auto subjects = queries.find(m_event);
    if (!subjects)
        return fail(subjects.error());
    if (subjects->isEmpty())
        return fail(Error::Kind::NotFound, QStringLiteral("the store does not know %1").arg(m_event));
    return queries.caseOf(subjects->first());
}

Result<Job> Stage::job()
{
    const auto file = caseFile();
    if (!file)
        return fail(file.error());
    if (!file->facts.job)
        return fail(Error::Kind::NotFound, QStringLiteral("%1 has no job").arg(m_event));
    m_job = file->facts.job->id;
    return *file->facts.job;
}

Result<QList<contract::Reservation>> Stage::attempts()
{
    const auto file = caseFile();
    if (!file)
        return fail(file.error());
    return file->facts.attempts;
}

Result<QList<LedgerLine>> Stage::ledger() const { return readLedger(path(QStringLiteral("ledger.jsonl"))); }

Result<> Stage::untilJob(JobState state, Millis most)
{
    const auto what = QStringLiteral("the job to be %1").arg(contract::wordOf(state));
    return until(what, most, [&]() -> Result<bool> {
        const auto now = job();
        if (!now)
            return fail(now.error());
        return now->state == state;
    });
}

Result<> Stage::age(Millis by)
{
    if (auto aged = m_access.age(m_settings.store, by); !aged)
        return aged;
    const auto shifted
        = posted(m_provider.url + QStringLiteral("/_clock"), {{QStringLiteral("shift_ms"), qint64{-by.count()}}});
    return shifted ? done() : Result<>(fail(shifted.error()));
}

QString Stage::key(int attempt, const QString& step) const
{
    const auto intent = contract::intentKey(QStringLiteral("charge"), {m_invoice});
    return intent ? contract::sentKey(contract::attemptKey(*intent, attempt), step) : QString();
}

Result<ReadyFile> Stage::ready()
{
    const auto now = job();
    if (!now)
        return fail(now.error());
    const auto keys = attempts();
    if (!keys)
        return fail(keys.error());
    ReadyFile ready;
    ready.drill = m_settings.drill;
    ready.store = m_settings.store;
    ready.providerUrl = m_provider.url;
    ready.providerLedger = path(QStringLiteral("ledger.jsonl"));
    ready.gateUrl = m_gateUrl;
    ready.edgeUrl = m_edgeUrl;
    ready.backendUrl = m_backend.url;
    ready.event = m_event;
    ready.job = now->id;
    ready.invoice = m_invoice;
    if (!keys->isEmpty()) {
        ready.intent = keys->last().intentKey;
        ready.key = keys->last().id.key;
    }
    ready.servicePid = m_service->pid();
    ready.providerPid = m_provider.child->pid();
    ready.agentPid = m_agent.child->pid();
    m_isReady = true;
    return ready;
}

QStringList Stage::fallen()
{
    QStringList names;
    for (const auto& [name, child] : {std::pair(QStringLiteral("unavezd"), m_service.get()),
             std::pair(QStringLiteral("provider"), m_provider.child.get()),
             std::pair(QStringLiteral("backend"), m_backend.child.get()),
             std::pair(QStringLiteral("agent"), m_agent.child.get())}) {
        if (child && !child->isRunning() && !m_toldFallen.contains(name))
            names.append(name);
    }
    m_toldFallen += names;
    return names;
}

QString Stage::lastWords() const
{
    QStringList words;
    for (const auto* const child :
        {m_service.get(), m_provider.child.get(), m_backend.child.get(), m_agent.child.get()}) {
        if (child && !child->lastWords().isEmpty())
            words.append(child->lastWords());
    }
    return words.join(QLatin1Char('\n'));
}

} // namespace unavez::sandbox
