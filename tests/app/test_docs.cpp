// SPDX-License-Identifier: GPL-3.0-or-later
// The documents tell the truth. Their blocks ```console are run, each document in a folder of its own: lines that begin
// with "$ " are commands, what follows is what they print, "..." stands for any number of lines, and a command without
// lines may print anything. It ends with code 0, or as "# exits with N" after it says. A block with a name after its
// language, as in ```csv params.csv, is a file of that name.
#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QTest>

#include "help.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

struct DocumentBlock {
    QString language;
    QString file;
    QStringList lines;
    int line = 0; ///< of the document, where its text begins
};

struct ConsoleCommand {
    QString text;
    QStringList shown; ///< what it prints, by the document
    int line = 0;
};

QString sourcePath(const QString& name)
{
    return QStringLiteral(SHARDSCOPE_SOURCE_DIR "/") + name;
}

QStringList documents()
{
    QStringList names{ QStringLiteral("README.md") };
    for (const QString& name : QDir(sourcePath(QStringLiteral("docs"))).entryList({ QStringLiteral("*.md") }))
        names << QStringLiteral("docs/") + name;
    return names;
}

QString textOf(const QString& document)
{
    return QString::fromUtf8(fileBytes(sourcePath(document)));
}

QList<DocumentBlock> blocksOf(const QString& document)
{
    QList<DocumentBlock> blocks;
    bool inside = false;
    int number = 0;
    for (const QString& line : textOf(document).split(QLatin1Char('\n'))) {
        ++number;
        if (line.startsWith(QStringLiteral("```"))) {
            inside = !inside;
            if (inside)
                blocks.append(
                    { line.mid(3).section(QLatin1Char(' '), 0, 0), line.section(QLatin1Char(' '), 1), {}, number + 1 });
        } else if (inside) {
            blocks.last().lines << line;
        }
    }
    return blocks;
}

QList<ConsoleCommand> commandsOf(const DocumentBlock& block)
{
    QList<ConsoleCommand> commands;
    bool goesOn = false;
    for (int i = 0; i < block.lines.size(); ++i) {
        const QString& line = block.lines[i];
        if (goesOn)
            commands.last().text += QLatin1Char('\n') + line;
        else if (line.startsWith(QStringLiteral("$ ")))
            commands.append({ line.mid(2), {}, block.line + i });
        else if (!commands.isEmpty())
            commands.last().shown << line;
        goesOn = (goesOn || line.startsWith(QStringLiteral("$ "))) && line.endsWith(QLatin1Char('\\'));
    }
    return commands;
}

/// The first shown line that is not printed where it should be; empty if all are.
QString missingLine(const QStringList& shown, const QStringList& printed)
{
    if (shown.isEmpty())
        return {};
    int at = 0;
    bool skipping = false;
    for (const QString& line : shown) {
        if (line.trimmed() == QStringLiteral("...")) {
            skipping = true;
            continue;
        }
        const int found = skipping ? static_cast<int>(printed.indexOf(line, at)) : at;
        if (found < 0 || found >= printed.size() || printed[found] != line)
            return line;
        at = found + 1;
        skipping = false;
    }
    return skipping || at == printed.size() ? QString() : QStringLiteral("(more is printed than shown)");
}

Ran runInShell(const QString& command, const QString& folder)
{
    QProcessEnvironment environment = bareEnvironment("offscreen");
    environment.insert(QStringLiteral("PATH"),
        QFileInfo(QStringLiteral(SHARDSCOPE_BINARY)).absolutePath() + QLatin1Char(':')
            + environment.value(QStringLiteral("PATH")));
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setWorkingDirectory(folder);
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(
        QStringLiteral("bash"), { QStringLiteral("-o"), QStringLiteral("pipefail"), QStringLiteral("-c"), command });
    Ran ran;
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
        return ran;
    ran.code = process.exitCode();
    ran.out = QString::fromUtf8(process.readAllStandardOutput());
    return ran;
}

/// What stands between backquotes outside of blocks.
QStringList codeOf(const QString& document)
{
    static const QRegularExpression fenced(QStringLiteral("^```.*?^```$"),
        QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression code(QStringLiteral("`([^`]+)`"));
    QStringList out;
    for (auto found = code.globalMatch(textOf(document).remove(fenced)); found.hasNext();)
        out << found.next().captured(1).simplified().replace(QStringLiteral("\\|"), QStringLiteral("|"));
    return out;
}

} // namespace

class DocsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void commandsDoWhatTheDocumentsShow_data()
    {
        QTest::addColumn<QString>("document");
        for (const QString& name : documents())
            QTest::newRow(qPrintable(name)) << name;
    }
    void commandsDoWhatTheDocumentsShow()
    {
        QFETCH(QString, document);
        static const QRegularExpression exits(QStringLiteral("# exits with (\\d+)\\s*$"));
        const QTemporaryDir folder;
        const Ran help = runInShell(QStringLiteral("./dev help"), QStringLiteral(SHARDSCOPE_SOURCE_DIR));
        QCOMPARE(help.code, 0);
        QStringList verbs;
        for (const QString& line : help.out.split(QLatin1Char('\n')))
            if (line.startsWith(QStringLiteral("  ")) && !line.startsWith(QStringLiteral("   ")))
                verbs << line.simplified().section(QLatin1Char(' '), 0, 0);
        for (const DocumentBlock& block : blocksOf(document)) {
            if (!block.file.isEmpty())
                writeFile(folder, block.file, (block.lines.join(QLatin1Char('\n')) + QLatin1Char('\n')).toUtf8());
            if (block.language != QStringLiteral("console"))
                continue;
            for (const ConsoleCommand& command : commandsOf(block)) {
                if (command.text.startsWith(
                        QStringLiteral("./dev "))) { // which built this test: that it knows the verb
                    QVERIFY2(verbs.contains(command.text.section(QLatin1Char(' '), 1, 1)), qPrintable(command.text));
                    continue;
                }
                const QString place = QStringLiteral("%1:%2: %3\n").arg(document).arg(command.line).arg(command.text);
                const Ran ran = runInShell(command.text, folder.path());
                const auto code = exits.match(command.text);
                QVERIFY2(ran.code == (code.hasMatch() ? code.captured(1).toInt() : 0),
                    qPrintable(place + QStringLiteral("exit code %1\n").arg(ran.code) + ran.out));
                QString printed = ran.out;
                if (printed.endsWith(QLatin1Char('\n')))
                    printed.chop(1);
                QStringList shown = command.shown;
                while (!shown.isEmpty() && shown.last().isEmpty())
                    shown.removeLast();
                const QString missing = missingLine(shown, printed.split(QLatin1Char('\n')));
                QVERIFY2(missing.isEmpty(),
                    qPrintable(place + QStringLiteral("does not print: ") + missing + QLatin1Char('\n') + ran.out));
            }
        }
    }

    void linesAreCompared()
    {
        const QStringList printed{ "a", "b", "c", "d" };
        QCOMPARE(missingLine({}, printed), QString());
        QCOMPARE(missingLine({ "a", "b", "c", "d" }, printed), QString());
        QCOMPARE(missingLine({ "a", "...", "d" }, printed), QString());
        QCOMPARE(missingLine({ "...", "c", "..." }, printed), QString());
        QCOMPARE(missingLine({ "a", "c", "..." }, printed), QStringLiteral("c"));
        QCOMPARE(missingLine({ "b", "..." }, printed), QStringLiteral("b"));
        QCOMPARE(missingLine({ "...", "d", "a" }, printed), QStringLiteral("a"));
        QVERIFY(!missingLine({ "a", "b", "c" }, printed).isEmpty());
    }

    /// A command in another block would not be run.
    void everyCommandStandsInAConsoleBlock()
    {
        static const QRegularExpression command(QStringLiteral("^\\s*(\\$ |shardscope |build/release/bin/)"));
        static const QRegularExpression indented(
            QStringLiteral("^(?:    |\\t)\\s*(?:\\$ |shardscope )"), QRegularExpression::MultilineOption);
        int commands = 0;
        for (const QString& document : documents()) {
            for (const DocumentBlock& block : blocksOf(document)) {
                if (block.language == QStringLiteral("console")) {
                    commands += static_cast<int>(commandsOf(block).size());
                    continue;
                }
                for (const QString& line : block.lines)
                    QVERIFY2(!command.match(line).hasMatch(), qPrintable(document + QStringLiteral(": ") + line));
            }
            QVERIFY2(!indented.match(textOf(document)).hasMatch(), qPrintable(document));
        }
        QVERIFY(commands > 20);
    }

    /// `shardscope COMMAND --option ...` in a sentence or a table names what there is.
    void synopsesNameWhatThereIs()
    {
        static const QRegularExpression option(QStringLiteral("(?<![\\w-])--?[a-zA-Z][\\w-]*"));
        const QStringList commands = commandNames();
        QMap<QString, QSet<QString>> options{ { QString(), listedOptions(helpOf()) } };
        for (const QString& command : commands)
            options[command] = listedOptions(helpOf(command));
        for (const QString& document : documents()) {
            for (const QString& code : codeOf(document)) {
                if (!code.startsWith(QStringLiteral("shardscope ")))
                    continue;
                const QString first = code.section(QLatin1Char(' '), 1, 1);
                static const QRegularExpression word(QStringLiteral("^[a-z]+$"));
                const QString command = word.match(first).hasMatch() ? first : QString();
                QVERIFY2(command.isEmpty() || commands.contains(command),
                    qPrintable(document + QStringLiteral(": ") + code));
                for (auto found = option.globalMatch(code); found.hasNext();) {
                    const QString name = found.next().captured(0);
                    QVERIFY2(options.value(command).contains(name),
                        qPrintable(document + QStringLiteral(": ") + code + QStringLiteral(": ") + name));
                }
            }
        }
    }

    void everyCommandIsDescribed()
    {
        const QString document = QStringLiteral("docs/command_line.md");
        const QString text = textOf(document);
        for (const QString& command : commandNames())
            QVERIFY2(
                codeOf(document).filter(QRegularExpression(QStringLiteral("^shardscope %1\\b").arg(command))).size()
                    > 0,
                qPrintable(command));
    }

    void linksLeadSomewhere()
    {
        static const QRegularExpression link(QStringLiteral("\\]\\(([^)#]+)(#[^)]*)?\\)"));
        int links = 0;
        for (const QString& document : documents())
            for (auto found = link.globalMatch(textOf(document)); found.hasNext(); ++links) {
                const QString target = found.next().captured(1);
                const QDir folder = QFileInfo(sourcePath(document)).dir();
                QVERIFY2(folder.exists(target), qPrintable(document + QStringLiteral(": ") + target));
            }
        QVERIFY(links >= 6);
    }

    /// Each is shown somewhere, and small enough to come with the source and every package.
    void picturesAreShownAndSmall()
    {
        const QDir folder(sourcePath(QStringLiteral("docs/pictures")));
        QString all;
        for (const QString& document : documents())
            all += textOf(document);
        qint64 bytes = 0;
        const QFileInfoList pictures = folder.entryInfoList(QDir::Files);
        for (const QFileInfo& picture : pictures) {
            const QString name = picture.fileName();
            QVERIFY2(name.endsWith(QStringLiteral(".png")), qPrintable(name));
            QVERIFY2(all.contains(QStringLiteral("](pictures/%1)").arg(name)), qPrintable(name));
            QVERIFY2(!QImage(picture.filePath()).isNull(), qPrintable(name));
            QVERIFY2(picture.size() <= 120 * 1024, qPrintable(name));
            bytes += picture.size();
        }
        QVERIFY(pictures.size() >= 11);
        QVERIFY2(bytes < 1024 * 1024, qPrintable(QString::number(bytes)));
    }
};

REGISTER_TEST(DocsTest)
#include "test_docs.moc"
