// SPDX-License-Identifier: GPL-3.0-or-later
// The include table of design.md §3 and the house rules a compiler does not know, read off the sources themselves.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <QtTest>

namespace {

// Who may include whom. A folder may always include itself; contract is Qt Core only, which its link line enforces.
const QHash<QString, QSet<QString>>& allowedArrows()
{
    static const QHash<QString, QSet<QString>> table{
        {QStringLiteral("models/contract"), {}},
        {QStringLiteral("models/async"), {QStringLiteral("models/contract")}},
        {QStringLiteral("models/signatures"), {QStringLiteral("models/contract")}},
        {QStringLiteral("models/reconcile"), {QStringLiteral("models/contract")}},
        {QStringLiteral("models/engine"), {QStringLiteral("models/contract"), QStringLiteral("models/async")}},
        {QStringLiteral("models/stores/sql"), {QStringLiteral("models/contract"), QStringLiteral("models/async")}},
        {QStringLiteral("models/secrets"), {QStringLiteral("models/contract"), QStringLiteral("models/async")}},
        {QStringLiteral("models/providers"), {QStringLiteral("models/contract"), QStringLiteral("models/async")}},
        {QStringLiteral("models/tables"), {QStringLiteral("models/contract"), QStringLiteral("models/async")}},
        {QStringLiteral("ui/text"), {QStringLiteral("models/contract")}},
    };
    return table;
}

struct Source
{
    QString path; // from the root
    QString folder;
    QStringList lines;
};

QString folderOf(const QString& path) { return path.section(QLatin1Char('/'), 0, -2); }

QList<Source> sourcesUnder(const QStringList& tops)
{
    const QDir root(QStringLiteral(UNAVEZ_SOURCE_DIR));
    QList<Source> found;
    for (const auto& top : tops) {
        QDirIterator files(root.filePath(top), {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
            QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (!file.open(QIODevice::ReadOnly))
                continue;
            const auto path = root.relativeFilePath(file.fileName());
            found.append({path, folderOf(path), QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))});
        }
    }
    return found;
}

QStringList ownIncludes(const Source& source)
{
    static const QRegularExpression include(QStringLiteral("^\\s*#\\s*include\\s*\"([^\"]+)\""));
    QStringList found;
    for (const auto& line : source.lines) {
        if (const auto match = include.match(line); match.hasMatch())
            found.append(match.captured(1));
    }
    return found;
}

bool mayInclude(const QString& from, const QString& to)
{
    if (from == to)
        return true;
    if (const auto row = allowedArrows().constFind(from); row != allowedArrows().constEnd())
        return row->contains(to);
    if (from.startsWith(QLatin1String("ui/"))) {
        static const QStringList closed{QStringLiteral("models/stores"), QStringLiteral("models/engine"),
            QStringLiteral("models/secrets"), QStringLiteral("models/providers"), QStringLiteral("app")};
        for (const auto& top : closed) {
            if (to.startsWith(top))
                return false;
        }
        return true;
    }
    // Programs do not include one another.
    return from.startsWith(QLatin1String("app/")) && !to.startsWith(QLatin1String("app/"));
}

QString joined(const QStringList& faults) { return faults.join(QLatin1Char('\n')); }

} // namespace

class tst_layers : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(sourcesUnder({QStringLiteral("models")}).size() > 10); }

    void shouldOnlyPointDownward()
    {
        QStringList faults;
        for (const auto& source :
            sourcesUnder({QStringLiteral("app"), QStringLiteral("ui"), QStringLiteral("models")})) {
            for (const auto& include : ownIncludes(source)) {
                if (include.endsWith(QLatin1String(".moc")))
                    continue;
                const auto target = folderOf(include);
                if (!mayInclude(source.folder, target))
                    faults.append(QStringLiteral("%1 includes %2").arg(source.path, include));
            }
        }
        QVERIFY2(faults.isEmpty(), qPrintable(joined(faults)));
    }

    void shouldRefuseTheArrowsTheTableDoesNotName()
    {
        QVERIFY(!mayInclude(QStringLiteral("models/contract"), QStringLiteral("models/async")));
        QVERIFY(!mayInclude(QStringLiteral("models/engine"), QStringLiteral("models/stores/sql")));
        QVERIFY(!mayInclude(QStringLiteral("ui/pages"), QStringLiteral("models/stores/sql")));
        QVERIFY(!mayInclude(QStringLiteral("ui/text"), QStringLiteral("models/engine")));
        QVERIFY(!mayInclude(QStringLiteral("app/ctl"), QStringLiteral("app/service")));
        QVERIFY(mayInclude(QStringLiteral("app/service"), QStringLiteral("models/engine")));
    }

    void shouldNameIncludesFromTheRoot()
    {
        QStringList faults;
        const QDir root(QStringLiteral(UNAVEZ_SOURCE_DIR));
        for (const auto& source : sourcesUnder(
                 {QStringLiteral("app"), QStringLiteral("ui"), QStringLiteral("models"), QStringLiteral("tests")})) {
            for (const auto& include : ownIncludes(source)) {
                if (!include.endsWith(QLatin1String(".moc")) && !root.exists(include))
                    faults.append(
                        QStringLiteral("%1 includes \"%2\", which is no path from the root").arg(source.path, include));
            }
        }
        QVERIFY2(faults.isEmpty(), qPrintable(joined(faults)));
    }

    void shouldNameConcreteStoresOnlyInCompositionRoots()
    {
        QStringList faults;
        for (const auto& source : sourcesUnder({QStringLiteral("app"), QStringLiteral("ui")})) {
            if (source.path.endsWith(QLatin1String("/main.cpp"))
                || source.path.endsWith(QLatin1String("/composition.cpp")))
                continue;
            for (const auto& include : ownIncludes(source)) {
                if (include.startsWith(QLatin1String("models/stores/")))
                    faults.append(QStringLiteral("%1 includes %2").arg(source.path, include));
            }
        }
        QVERIFY2(faults.isEmpty(), qPrintable(joined(faults)));
    }

    void shouldKeepFilesReadable()
    {
        QStringList faults;
        for (const auto& source : sourcesUnder(
                 {QStringLiteral("app"), QStringLiteral("ui"), QStringLiteral("models"), QStringLiteral("tests")})) {
            if (source.lines.size() > 500)
                faults.append(QStringLiteral("%1 has %2 lines: does it hold one thing?")
                                  .arg(source.path)
                                  .arg(source.lines.size()));
            if (!source.lines.first().startsWith(QLatin1String("// SPDX-License-Identifier: GPL-3.0-or-later")))
                faults.append(QStringLiteral("%1 does not begin with its licence").arg(source.path));
        }
        QVERIFY2(faults.isEmpty(), qPrintable(joined(faults)));
    }

    // deliver() is the one way back into a thread: then(context, …) of Qt 6.4 races with the receiver's end.
    void shouldUseTheTwoAsyncVerbsOnly()
    {
        static const QRegularExpression banned(
            QStringLiteral("\\.then\\(|processEvents|waitForFinished|QEventLoop|setInsecureFallback"));
        QStringList faults;
        for (const auto& source :
            sourcesUnder({QStringLiteral("app/console"), QStringLiteral("ui"), QStringLiteral("models")})) {
            if (source.path.endsWith(QLatin1String("models/async/deliver.h")))
                continue;
            for (int i = 0; i < source.lines.size(); ++i) {
                const auto code = source.lines.at(i).section(QStringLiteral("//"), 0, 0);
                if (code.contains(banned))
                    faults.append(QStringLiteral("%1:%2: %3").arg(source.path).arg(i + 1).arg(code.trimmed()));
            }
        }
        QVERIFY2(faults.isEmpty(), qPrintable(joined(faults)));
    }

    void shouldKeepTheTopLevelAsPlanned()
    {
        static const QSet<QString> planned{QStringLiteral("CMakeLists.txt"), QStringLiteral("CMakePresets.json"),
            QStringLiteral("README.md"), QStringLiteral("LICENSE"), QStringLiteral("app"), QStringLiteral("ui"),
            QStringLiteral("models"), QStringLiteral("resources"), QStringLiteral("translations"),
            QStringLiteral("tests"), QStringLiteral("build")};
        QStringList faults;
        const auto names = QDir(QStringLiteral(UNAVEZ_SOURCE_DIR)).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
        for (const auto& name : names) {
            if (!planned.contains(name))
                faults.append(name);
        }
        QVERIFY2(faults.isEmpty(), qPrintable(joined(faults)));
    }
};

QTEST_GUILESS_MAIN(tst_layers)
#include "tst_layers.moc"
