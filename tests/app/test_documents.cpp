// SPDX-License-Identifier: GPL-3.0-or-later
// docs/documents.md walks through five documents, row by row. Every row of its tables has examples or commands, or says
// "not yet: " and what is missing. Examples are opened (shown), commands are run; what the last column has in
// backquotes stands in what they print, spaces and line breaks apart. They end with code 0, or as "exits with N" there
// says.
#include <QFileInfo>
#include <QMap>
#include <QTest>

#include "help.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

struct DocumentRow {
    QString document; ///< the heading of its table
    QStringList cells; ///< as written, without what is around them
    int line = 0;
};

QString documentsText()
{
    return QString::fromUtf8(fileBytes(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/docs/documents.md")));
}

/// The cells of "| a | b |"; nothing of another line.
QStringList rowCells(const QString& line)
{
    if (!line.startsWith(QLatin1Char('|')) || !line.endsWith(QLatin1Char('|')) || line.size() < 2)
        return {};
    QStringList cells;
    for (const QString& cell : line.mid(1, line.size() - 2).split(QLatin1Char('|')))
        cells << cell.trimmed();
    return cells;
}

QList<DocumentRow> documentRows(const QString& text)
{
    static const QRegularExpression rule(QStringLiteral("^[-|]+$"));
    QList<DocumentRow> rows;
    QString document;
    bool inTable = false;
    int number = 0;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        ++number;
        if (line.startsWith(QStringLiteral("## ")))
            document = line.mid(3);
        if (rule.match(line).hasMatch())
            inTable = true; // the titles stand above
        else if (const QStringList cells = rowCells(line); cells.isEmpty())
            inTable = false;
        else if (inTable)
            rows.append({ document, cells, number });
    }
    return rows;
}

QStringList backquoted(const QString& cell)
{
    static const QRegularExpression code(QStringLiteral("`([^`]+)`"));
    QStringList found;
    for (auto each = code.globalMatch(cell); each.hasNext();)
        found << each.next().captured(1);
    return found;
}

bool isMissing(const DocumentRow& row)
{
    return row.cells.value(2).startsWith(QStringLiteral("not yet"));
}

/// A command as it is, and for the id of an example the one that shows it.
QString commandOf(const QString& code)
{
    return code.startsWith(QStringLiteral("shardscope ")) ? code : QStringLiteral("shardscope show ") + code;
}

/// What is wrong with a row's form; empty if nothing is.
QString faultOf(const DocumentRow& row)
{
    if (row.cells.size() != 4)
        return QStringLiteral("%1 columns").arg(row.cells.size());
    if (row.cells[0].isEmpty() || row.cells[1].isEmpty())
        return QStringLiteral("says nothing");
    const bool hasCode = !backquoted(row.cells[2]).isEmpty(), hasSeen = !backquoted(row.cells[3]).isEmpty();
    if (isMissing(row))
        return hasSeen ? QStringLiteral("missing, and seen all the same") : QString();
    if (!hasCode)
        return QStringLiteral("neither an example nor a command");
    return hasSeen ? QString() : QStringLiteral("does not say what is seen");
}

/// What a command of a shell printed, both channels; each is run once.
const Ran& ranOnce(const QString& command)
{
    static QMap<QString, Ran> all;
    static const QTemporaryDir folder;
    if (const auto known = all.constFind(command); known != all.constEnd())
        return *known;
    QProcessEnvironment environment = bareEnvironment("offscreen");
    environment.insert(QStringLiteral("PATH"),
        QFileInfo(QStringLiteral(SHARDSCOPE_BINARY)).absolutePath() + QLatin1Char(':')
            + environment.value(QStringLiteral("PATH")));
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setWorkingDirectory(folder.path());
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(QStringLiteral("bash"), { QStringLiteral("-c"), command });
    Ran ran = outcomeOf(process);
    ran.out = ran.out.simplified();
    return *all.insert(command, ran);
}

} // namespace

class DocumentsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsAreRead()
    {
        const QList<DocumentRow> rows =
            documentRows(QStringLiteral("## One\n| Cell | What |\n|---|---|\n| 1 | x `a` and `b c` |\n\n| no | table "
                                        "|\n## Two\n|---|\n| not yet |\n"));
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[0].document, QStringLiteral("One"));
        QCOMPARE(rows[0].line, 4);
        QCOMPARE(rows[0].cells, (QStringList{ QStringLiteral("1"), QStringLiteral("x `a` and `b c`") }));
        QCOMPARE(backquoted(rows[0].cells[1]), (QStringList{ QStringLiteral("a"), QStringLiteral("b c") }));
        QCOMPARE(rows[1].document, QStringLiteral("Two"));
        QVERIFY(rowCells(QStringLiteral("| not ended")).isEmpty());
    }

    void faultsAreFound()
    {
        const auto fault = [](const QStringList& cells) { return faultOf({ {}, cells, 1 }); };
        const QString x = QStringLiteral("x"), code = QStringLiteral("`x`"), missing = QStringLiteral("not yet: x");
        QVERIFY(fault({ x, x, code, code }).isEmpty());
        QVERIFY(fault({ x, x, missing, QString() }).isEmpty());
        QVERIFY(!fault({ x, x, missing, code }).isEmpty());
        QVERIFY(!fault({ x, x, x, code }).isEmpty()); // the name of an example stands in backquotes
        QVERIFY(!fault({ x, x, code, x }).isEmpty());
        QVERIFY(!fault({ x, QString(), code, code }).isEmpty());
        QVERIFY(!fault({ x, x, code }).isEmpty());
    }

    void everyDocumentHasATable()
    {
        QMap<QString, int> seen, missing;
        for (const DocumentRow& row : documentRows(documentsText()))
            ++(isMissing(row) ? missing : seen)[row.document];
        QCOMPARE(seen.size(), 5);
        for (auto each = seen.constBegin(); each != seen.constEnd(); ++each)
            QVERIFY2(each.value() > 10 && each.value() > 2 * missing.value(each.key()), qPrintable(each.key()));
    }

    void rowsShowWhatTheySay_data()
    {
        QTest::addColumn<int>("index");
        const QList<DocumentRow> rows = documentRows(documentsText());
        for (int i = 0; i < rows.size(); ++i)
            QTest::newRow(qPrintable(QStringLiteral("%1: %2: %3")
                                         .arg(rows[i].line)
                                         .arg(rows[i].document.section(QLatin1Char(' '), 0, 0), rows[i].cells[0])))
                << i;
    }
    void rowsShowWhatTheySay()
    {
        QFETCH(int, index);
        static const QRegularExpression exits(QStringLiteral("exits with (\\d+)$"));
        const DocumentRow row = documentRows(documentsText()).at(index);
        QVERIFY2(faultOf(row).isEmpty(), qPrintable(faultOf(row)));
        if (isMissing(row))
            return;
        const auto code = exits.match(row.cells[3]);
        QString printed;
        for (const QString& each : backquoted(row.cells[2])) {
            const Ran& ran = ranOnce(commandOf(each));
            QVERIFY2(ran.code == (code.hasMatch() ? code.captured(1).toInt() : 0),
                qPrintable(QStringLiteral("%1\nexit code %2\n%3").arg(each).arg(ran.code).arg(ran.out)));
            printed += ran.out + QLatin1Char(' ');
        }
        for (const QString& each : backquoted(row.cells[3]))
            QVERIFY2(printed.contains(each.simplified()),
                qPrintable(QStringLiteral("does not print: %1\n%2").arg(each, printed)));
    }
};

REGISTER_TEST(DocumentsTest)
#include "test_documents.moc"
