// SPDX-License-Identifier: GPL-3.0-or-later
// The operator's reads on both stores: keyset pages, look-ups, one case.
#include "tests/stores/operatorbench.h"

#include <QJsonArray>
#include <QJsonDocument>

using namespace unavez::contract;
using namespace unavez::stores;
using namespace unavez::tests;

namespace {

// What marks a row, page by page until the end; `between` runs after each page.
template <typename Row, typename Ask, typename Mark, typename Between>
QStringList walked(Ask ask, Mark mark, int limit, Between between)
{
    QStringList marks;
    PageRequest request;
    request.limit = limit;
    for (;;) {
        const Page<Row> page = must(ask(request));
        for (const auto& row : page.rows)
            marks.append(mark(row));
        if (!page.next)
            return marks;
        request.after = page.next;
        between();
    }
}

} // namespace

class tst_queries : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Ties in the time, and cutoffs at infinity, on every page size; rows arrive meanwhile.
    void shouldPageThroughEverythingOnce_data() { bothStores(); }
    void shouldPageThroughEverythingOnce()
    {
        QFETCH(StoreUrl::Kind, kind);
        OperatorBench bench(kind);
        QList<MergedDelivery> batch;
        for (int i = 0; i < 700; ++i)
            batch.append(bench.delivery(QStringLiteral("evt_%1").arg(i, 5, 10, QLatin1Char('0'))));
        must(bench.intake.record(batch)); // one transaction: many equal times
        must(bench.connection->begin());
        must(bench.connection->commit());
        for (int i = 0; i < 60; ++i) {
            const auto held = bench.reserved(QStringLiteral("inv_%1").arg(i, 3, 10, QLatin1Char('0')));
            if (i % 2 == 0)
                bench.sent(held);
        }
        const auto eventMark = [](const Event& event) { return event.eventId; };
        const auto keyMark = [](const ReservationRow& row) { return row.reservation.id.key; };
        const auto nothing = [] {};
        const auto events = [&](const PageRequest& r) { return bench.queries.events(r); };
        const auto stuck = [&](const PageRequest& r) { return bench.queries.stuck(r); };
        const auto allEvents = walked<Event>(events, eventMark, 500, nothing);
        QCOMPARE(allEvents.size(), 700);
        QCOMPARE(QSet<QString>(allEvents.begin(), allEvents.end()).size(), 700);
        const auto allStuck = walked<ReservationRow>(stuck, keyMark, 500, nothing);
        QCOMPARE(allStuck.size(), 60);
        const auto first = must(bench.queries.stuck({})).rows.first();
        QVERIFY(!first.reservation.resumeUntil.isNever()); // the soonest cutoff leads
        QCOMPARE(first.tool, QStringLiteral("charge_customer"));
        QCOMPARE(first.amount, std::optional(Money{1200, QStringLiteral("eur")}));
        for (const int limit : {1, 7, 59, 60, 61})
            QCOMPARE(walked<ReservationRow>(stuck, keyMark, limit, nothing), allStuck);
        int arrived = 0;
        for (const int limit : {97, 350, 700 > 500 ? 500 : 700}) {
            auto seen = walked<Event>(events, eventMark, limit,
                [&] { must(bench.intake.record({bench.delivery(QStringLiteral("new_%1").arg(++arrived))})); });
            QCOMPARE(QSet<QString>(seen.begin(), seen.end()).size(), seen.size());
            seen.removeIf([](const QString& id) { return id.startsWith(QLatin1String("new_")); });
            QCOMPARE(seen, allEvents); // newest first: what arrives is before the place, not after
        }
        const auto jobsOf = [&](const PageRequest& r) { return bench.queries.keys(r); };
        QCOMPARE(walked<ReservationRow>(jobsOf, keyMark, 13, nothing).size(), 60);
    }

    void shouldRefuseAForeignCursor_data() { bothStores(); }
    void shouldRefuseAForeignCursor()
    {
        QFETCH(StoreUrl::Kind, kind);
        OperatorBench bench(kind);
        bench.reserved(QStringLiteral("inv_1"));
        bench.reserved(QStringLiteral("inv_2"));
        PageRequest request;
        request.limit = 1;
        const auto cursor = must(bench.queries.stuck(request)).next;
        QVERIFY(cursor);
        const auto refused = [&](const QByteArray& text, auto&& ask) {
            PageRequest after;
            after.after = Cursor{text};
            const auto page = ask(after);
            return !page && page.error().kind == Error::Kind::Invalid;
        };
        const auto stuck = [&](const PageRequest& r) { return bench.queries.stuck(r); };
        QVERIFY(!refused(cursor->text, stuck));
        QVERIFY(refused(cursor->text, [&](const PageRequest& r) { return bench.queries.keys(r); }));
        QVERIFY(refused(cursor->text, [&](const PageRequest& r) { return bench.queries.unknown(r); }));
        QVERIFY(refused("", stuck));
        QVERIFY(refused("%%%", stuck));
        QVERIFY(refused(QByteArray(100000, 'A'), stuck));
        const auto made = [](const QJsonArray& array) {
            return QJsonDocument(array).toJson(QJsonDocument::Compact).toBase64(QByteArray::Base64UrlEncoding);
        };
        const auto s = QStringLiteral("stuck");
        QVERIFY(refused(made({s, QStringLiteral("now() OR 1=1"), s, s, s}), stuck));
        QVERIFY(refused(made({s, QStringLiteral("2026-13-45 00:00:00+00"), s, s, s}), stuck));
        QVERIFY(refused(made({s, 5, s, s, s}), stuck));
        QVERIFY(refused(made({s}), stuck));
        request.limit = 501;
        QCOMPARE(bench.queries.stuck(request).error().kind, Error::Kind::Invalid);
    }

    void shouldReadEveryList_data() { bothStores(); }
    void shouldReadEveryList()
    {
        QFETCH(StoreUrl::Kind, kind);
        OperatorBench bench(kind);
        const auto deadJob = bench.claimed(QStringLiteral("evt_dead"));
        const auto unknown = bench.reserved(QStringLiteral("inv_unknown"), deadJob.lease());
        bench.sent(unknown, deadJob.lease());
        bench.finished(unknown, ReservationStatus::Unknown);
        must(bench.jobs.finishDead(deadJob.lease(), QStringLiteral("permanent"), {}));
        const auto leased = bench.claimed(QStringLiteral("evt_leased"));
        const auto declined = bench.reserved(QStringLiteral("inv_failed"), leased.lease());
        bench.sent(declined, leased.lease());
        bench.finished(declined, ReservationStatus::Failed, QStringLiteral("insufficient_funds"));
        SignatureFailure failure;
        failure.sourceId = bench.source;
        failure.route = QStringLiteral("/webhooks/stripe");
        failure.reason = FailureReason::Mismatch;
        failure.peer = QStringLiteral("127.0.0.1");
        must(bench.intake.recordFailures({failure}));
        must(bench.service.raise(IncidentKind::Credential, QStringLiteral("account:stripe/acct_1"), Severity::Red, {}));
        // Older than the list's minute and without a job: only another program's write could do that.
        must(bench.connection->run(
            QStringLiteral("INSERT INTO processed_events(source_id, event_id, change_id, event_type, received_at, "
                           "body_sha256, signing_key_id) VALUES (?, 'evt_lost', 'evt_lost', 'x', %1, ?, 'k1')")
                .arg(nowPlusParameter(bench.connection->dialect())),
            {bench.source, -3'600'000, sha256("{}")}));

        const auto unknownRow = must(bench.queries.unknown({})).rows;
        QCOMPARE(unknownRow.size(), 1);
        QCOMPARE(unknownRow.first().jobs, QList<qint64>{deadJob.job.id});
        QCOMPARE(unknownRow.first().customer, std::optional(QStringLiteral("cus_1")));
        const auto failed = must(bench.queries.failed({})).rows;
        QCOMPARE(failed.size(), 1);
        QCOMPARE(failed.first().declineCode, std::optional(QStringLiteral("insufficient_funds")));
        const auto dead = must(bench.queries.dead({})).rows;
        QCOMPARE(dead.size(), 1);
        QCOMPARE(dead.first().verdict, CaseVerdict::RecordFirst);
        QCOMPARE(dead.first().keys, QStringList{QStringLiteral("charge:inv_unknown:a1")});
        QCOMPARE(dead.first().eventId, std::optional(QStringLiteral("evt_dead")));
        QVERIFY(dead.first().hasPayload);
        const auto leases = must(bench.queries.leases({})).rows;
        QCOMPARE(leases.size(), 1);
        QCOMPARE(leases.first().openCalls, 1);
        QCOMPARE(leases.first().source, QStringLiteral("stripe:acct_1"));
        QCOMPARE(must(bench.queries.lost({})).rows.size(), 1);
        const auto signatures = must(bench.queries.signatures({})).rows;
        QCOMPARE(signatures.size(), 1);
        QCOMPARE(signatures.first().peer, std::optional(QStringLiteral("127.0.0.1")));
        QCOMPARE(must(bench.queries.incidents({})).rows.size(), 1);
        QCOMPARE(must(bench.queries.sources()).size(), 1);
        QCOMPARE(must(bench.queries.events({})).rows.size(), 3);

        const auto status = must(bench.queries.status());
        QCOMPARE(status.unknown.count, (RowCount{1, false}));
        QCOMPARE(status.dead.count, (RowCount{1, false}));
        QCOMPARE(status.stuck.count, (RowCount{0, false}));
        QCOMPARE(status.incidents.count, (RowCount{1, false}));
        QVERIFY(*status.lost.oldestSeconds >= 3600);
        QVERIFY(!status.stuck.oldestSeconds);

        PageRequest other;
        other.sourceId = bench.source + 7;
        QVERIFY(must(bench.queries.dead(other)).rows.isEmpty());
        PageRequest future;
        future.sinceMs = status.readAt.ms + 3600 * 1000;
        QVERIFY(must(bench.queries.events(future)).rows.isEmpty());
        QVERIFY(must(bench.queries.log(future)).rows.isEmpty());

        // A lost event may be enqueued, once.
        bench.actions.setPolicy(OperatorBench::hasty());
        ActionRequest enqueue;
        enqueue.action = Action::EnqueueEvent;
        enqueue.event = must(bench.queries.lost({})).rows.first().pk;
        const auto outcome = bench.done(enqueue);
        if (outcome.because)
            QCOMPARE(wordOf(outcome.because->reason), QString());
        QVERIFY(outcome.resumeJob);
        QCOMPARE(wordOf(bench.done(enqueue).because->reason), QStringLiteral("has_job"));
        QVERIFY(must(bench.queries.lost({})).rows.isEmpty());
    }

    void shouldFindWhatAPersonPastes_data() { bothStores(); }
    void shouldFindWhatAPersonPastes()
    {
        QFETCH(StoreUrl::Kind, kind);
        OperatorBench bench(kind);
        const auto job = bench.claimed(QStringLiteral("evt_1"));
        const auto held = bench.reserved(QStringLiteral("inv_1"), job.lease());
        bench.sent(held, job.lease());
        bench.finished(held, ReservationStatus::Done);
        const auto one = [&](const QString& id) {
            const auto found = must(bench.queries.find(id));
            return found.size() == 1 ? found.first().id : QStringLiteral("%1 found").arg(found.size());
        };
        QCOMPARE(one(QStringLiteral("evt_1")), QStringLiteral("evt_1"));
        QCOMPARE(one(QStringLiteral(" evt_1 ")), QStringLiteral("evt_1"));
        const auto name = QStringLiteral("job:%1").arg(job.job.id);
        QCOMPARE(one(name), name);
        QCOMPARE(one(QStringLiteral("charge:inv_1:a1")), QStringLiteral("charge:inv_1:a1"));
        QCOMPARE(one(QStringLiteral("charge:inv_1:a1:confirm")), QStringLiteral("charge:inv_1:a1"));
        QCOMPARE(one(QStringLiteral("charge:inv_1")), QStringLiteral("charge:inv_1"));
        QCOMPARE(one(QStringLiteral("inv_1")), QStringLiteral("charge:inv_1"));
        QCOMPARE(one(QStringLiteral("pi_inv_1")), QStringLiteral("charge:inv_1:a1"));
        QCOMPARE(one(subjectOf(held.key)), QStringLiteral("charge:inv_1:a1"));
        QCOMPARE(one(QStringLiteral("nobody")), QStringLiteral("0 found"));
        QCOMPARE(bench.queries.find(QString()).error().kind, Error::Kind::Invalid);
        bench.reserved(QStringLiteral("inv_2"));
        QCOMPARE(one(QStringLiteral("cus_1")), QStringLiteral("2 found")); // ambiguous: the caller shows both

        for (const auto& id :
            {QStringLiteral("evt_1"), name, QStringLiteral("charge:inv_1"), QStringLiteral("charge:inv_1:a1")}) {
            const auto file = must(bench.queries.caseOf(must(bench.queries.find(id)).first()));
            QCOMPARE(file.events.size(), 1);
            QCOMPARE(file.jobs.size(), 1);
            QCOMPARE(file.facts.attempts.size(), 1);
            QCOMPARE(file.facts.calls.size(), 1);
            QCOMPARE(file.facts.uses.size(), 1);
        }
        CaseSubject none;
        none.kind = CaseSubject::Kind::Job;
        none.number = 4711;
        QCOMPARE(bench.queries.caseOf(none).error().kind, Error::Kind::NotFound);
    }

    // Each list walks its index in order: no sort, no scan of the table.
    void shouldUseItsIndexWithoutASort_data()
    {
        QTest::addColumn<StoreUrl::Kind>("kind");
        QTest::addColumn<QString>("list");
        for (const auto kind : {StoreUrl::Kind::Sqlite, StoreUrl::Kind::PostgreSql}) {
            for (const auto& list : allLists()) {
                QTest::addRow("%s %s", kind == StoreUrl::Kind::Sqlite ? "sqlite" : "postgresql", qPrintable(list.name))
                    << kind << list.name;
            }
        }
    }
    void shouldUseItsIndexWithoutASort()
    {
        QFETCH(StoreUrl::Kind, kind);
        QFETCH(QString, list);
        static const OperatorBench sqlite(StoreUrl::Kind::Sqlite);
        static const OperatorBench postgres(StoreUrl::Kind::PostgreSql);
        const auto& bench = kind == StoreUrl::Kind::Sqlite ? sqlite : postgres;
        if (kind == StoreUrl::Kind::PostgreSql) // an empty table would be read whole
            must(bench.connection->runScript("SET enable_seqscan = off; SET enable_bitmapscan = off; CREATE OR REPLACE "
                                             "FUNCTION pg_temp.plan_of(q text) RETURNS SETOF text LANGUAGE plpgsql AS "
                                             "$$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || q; END $$"));
        const auto lists = allLists();
        const auto spec = *std::find_if(lists.begin(), lists.end(), [&](const ListSpec& l) { return l.name == list; });
        QJsonArray place{list};
        for (const auto& column : spec.sort) {
            place.append(column.type == SortType::Time && kind == StoreUrl::Kind::PostgreSql
                    ? QStringLiteral("2026-01-01 00:00:00+00")
                    : QStringLiteral("1"));
        }
        PageRequest later;
        later.after
            = Cursor{QJsonDocument(place).toJson(QJsonDocument::Compact).toBase64(QByteArray::Base64UrlEncoding)};
        for (const auto& request : {PageRequest{}, later}) {
            const auto statement = must(bench.queries.statementOf(list, request));
            QString sql = statement.sql;
            if (kind == StoreUrl::Kind::PostgreSql) { // EXPLAIN takes no parameters
                for (const auto& value : statement.values)
                    sql.replace(
                        sql.indexOf(QLatin1Char('?')), 1, QLatin1Char('\'') + value.toString() + QLatin1Char('\''));
            }
            const auto plan = kind == StoreUrl::Kind::Sqlite
                ? must(bench.connection->run(QStringLiteral("EXPLAIN QUERY PLAN ") + sql, statement.values))
                : must(bench.connection->run(QStringLiteral("SELECT pg_temp.plan_of(?)"), {sql}));
            QString text;
            for (const auto& row : plan.rows)
                text += row.at(kind == StoreUrl::Kind::Sqlite ? 3 : 0).toString() + QLatin1Char('\n');
            const auto index = spec.index.isEmpty()
                ? (kind == StoreUrl::Kind::Sqlite ? QString() : QStringLiteral("operator_actions_pkey"))
                : spec.index;
            // The page's own node is the first one; sub-plans of joined columns follow.
            const auto head = text.section(QStringLiteral("SubPlan"), 0, 0).section(QStringLiteral("SUBQUERY"), 0, 0);
            QVERIFY2(head.contains(index), qPrintable(text));
            QVERIFY2(!head.contains(QLatin1String("Sort")) && !text.contains(QLatin1String("FOR ORDER BY")),
                qPrintable(text));
            QVERIFY2(!text.contains(QLatin1String("Seq Scan on %1 t").arg(spec.table)), qPrintable(text));
        }
    }
};

QTEST_GUILESS_MAIN(tst_queries)
#include "tst_queries.moc"
