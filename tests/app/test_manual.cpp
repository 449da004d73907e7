// SPDX-License-Identifier: GPL-3.0-or-later
// The manual page and the completion know what the help knows.
#include <QStandardPaths>
#include <QTest>

#include "experiment_file/gallery.h"
#include "help.h"
#include "registered_test.h"

using namespace shardscope;

class ManualTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    static Ran ranTool(const QString& program, const QStringList& arguments)
    {
        QProcess process;
        process.start(program, arguments);
        return outcomeOf(process);
    }

private Q_SLOTS:
    void pageNamesEveryOption()
    {
        const Ran page = runProgram({ QStringLiteral("--man-page") });
        QCOMPARE(page.code, 0);
        QString text = page.out;
        text.replace(QStringLiteral("\\-"), QStringLiteral("-"));
        // One section for the program's options, one for each command.
        QMap<QString, QSet<QString>> sections;
        QString section;
        for (const QString& line : text.split(QLatin1Char('\n'))) {
            if (line.startsWith(QStringLiteral(".SS ")))
                section = line.mid(4);
            else if (line.startsWith(QStringLiteral(".SH ")))
                section = line == QStringLiteral(".SH OPTIONS") ? QString() : QStringLiteral(" ");
            else if (line.startsWith(QStringLiteral("\\fB-")))
                sections[section].unite(listedOptions(
                    QStringLiteral("  ") + QString(line.mid(3)).replace(QStringLiteral("\\fR"), QStringLiteral(" "))));
        }
        QStringList names = commandNames();
        QVERIFY(names.size() >= 16);
        for (const QString& command : names << QString()) {
            const QSet<QString> listed = listedOptions(helpOf(command));
            QVERIFY2(!listed.isEmpty(), qPrintable(command));
            QVERIFY2(sections.value(command) == listed, qPrintable(command));
        }
        QCOMPARE(sections.size(), names.size());
    }

    /// Programs are read in two forms, and the help of whatever reads them says so.
    void helpNamesBothFormsOfPrograms()
    {
        int told = 0;
        QStringList commands = commandNames();
        commands << QString(); // the program itself
        for (const QString& command : commands) {
            const QString help = helpOf(command);
            told += help.contains(QStringLiteral(".mlir")) ? 1 : 0;
            QVERIFY2(
                help.contains(QStringLiteral(".mlir")) == help.contains(QStringLiteral(".hlo")), qPrintable(command));
        }
        QVERIFY(told >= 10);
    }

    /// The help lists the views that a picture can show: those that are there.
    void helpListsViews()
    {
        const auto refused =
            runProgram({ QStringLiteral("screenshot"), QStringLiteral("rule-lab"), QStringLiteral("-o"),
                           m_folder.filePath(QStringLiteral("x.png")), QStringLiteral("--steps"), QStringLiteral("0"),
                           QStringLiteral("--dock"), QStringLiteral("there-is-none"), QStringLiteral("--json") },
                {}, bareEnvironment("offscreen"))
                .json();
        const auto& known = refused.at("problems").at(0).at("args").at("known");
        QString listed = helpOf(QStringLiteral("screenshot")).simplified();
        listed = listed.mid(listed.indexOf(QStringLiteral("--dock ID")));
        listed = listed.mid(listed.indexOf(QLatin1Char(':')) + 1);
        listed.truncate(listed.indexOf(QStringLiteral(" --")));
        QStringList wanted,
            found = listed.replace(QStringLiteral(" or "), QStringLiteral(", "))
                        .split(QLatin1Char(','), Qt::SkipEmptyParts);
        for (QString& id : found)
            id = id.trimmed();
        for (const auto& id : known)
            wanted << QString::fromStdString(id.get<std::string>());
        QCOMPARE(found, wanted);
    }

    void manReadsThePageWithoutWarnings()
    {
        const QString man = QStandardPaths::findExecutable(QStringLiteral("man"));
        if (man.isEmpty())
            QSKIP("man is not installed");
        const QString page = writeFile(
            m_folder, QStringLiteral("shardscope.1"), runProgram({ QStringLiteral("--man-page") }).out.toUtf8());
        const Ran read = ranTool(man,
            { QStringLiteral("--warnings"), QStringLiteral("-E"), QStringLiteral("UTF-8"), QStringLiteral("-l"),
                QStringLiteral("-Tutf8"), page });
        QCOMPARE(read.code, 0);
        QCOMPARE(read.error, QString());
        QVERIFY(read.out.contains(QStringLiteral("explore how array programs are sharded")));
    }

    void completion_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("commands") << "sche" << QStringList{ "schema" };
        QTest::newRow("examples") << "rule-lab-c" << QStringList{ "rule-lab-cpu" };
        QTest::newRow("examples of a command") << "run rule-lab-c" << QStringList{ "rule-lab-cpu" };
        QTest::newRow("after a flag") << "run --check rule-lab-c" << QStringList{ "rule-lab-cpu" };
        QTest::newRow("options") << "comms x --gr" << QStringList{ "--groups" };
        QTest::newRow("general options") << "--vers" << QStringList{ "--version" };
        QTest::newRow("values") << "propagate x --strategy op" << QStringList{ "op-priority" };
        QTest::newRow("values after =") << "propagate x --strategy = op" << QStringList{ "op-priority" };
        QTest::newRow("no value begun") << "screenshot x --theme = =" << QStringList{ "light", "dark" };
        QTest::newRow("rule sets") << "resolve --rules flax-lm" << QStringList{ "flax-lm1b" };
        QTest::newRow("words of a command") << "schema out" << QStringList{ "output" };
        QTest::newRow("no such word") << "run --unheard-of" << QStringList{};
        QTest::newRow("files") << "verify a_fi" << QStringList{ "a_file with blanks.mlir" };
    }
    void completion()
    {
        QFETCH(QString, line);
        QFETCH(QStringList, expected);
        const Ran script = runProgram({ QStringLiteral("--bash-completion") });
        QCOMPARE(script.code, 0);
        writeFile(m_folder, QStringLiteral("completion"), script.out.toUtf8());
        writeFile(m_folder, QStringLiteral("a_file with blanks.mlir"), "module {}");
        QStringList arguments{ QStringLiteral("-uc"),
            QStringLiteral("cd \"$0\"; . ./completion; COMP_WORDS=(shardscope \"$@\"); COMP_CWORD=$#; _shardscope; "
                           "[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\""),
            m_folder.path() };
        arguments += line.split(QLatin1Char(' '));
        const Ran completed = ranTool(QStringLiteral("bash"), arguments);
        QCOMPARE(completed.error, QString());
        QCOMPARE(completed.out.split(QLatin1Char('\n'), Qt::SkipEmptyParts), expected);
    }

    void completionKnowsEveryNameAndOption()
    {
        const QString script = runProgram({ QStringLiteral("--bash-completion") }).out;
        for (const GalleryExample& example : gallery())
            QVERIFY(script.contains(QString::fromUtf8(example.id.data(), static_cast<int>(example.id.size()))));
        for (const QString& command : commandNames())
            for (const QString& option : listedOptions(helpOf(command)))
                QVERIFY2(script.contains(QRegularExpression(QStringLiteral("\\n    %1\\) options='[^']*%2[ ']")
                                                                .arg(command, QRegularExpression::escape(option)))),
                    qPrintable(command + QLatin1Char(' ') + option));
    }
};

REGISTER_TEST(ManualTest)
#include "test_manual.moc"
