// SPDX-License-Identifier: GPL-3.0-or-later
// What a command says while it takes its time.
#include <sys/stat.h>

#include <csignal>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "registered_test.h"
#include "terminal.h"

using namespace shardscope;

class ProgressTest : public QObject {
    Q_OBJECT

    const QStringList m_waiting{ QStringLiteral("run"), QStringLiteral("-"), QStringLiteral("--no-timeit") };

private Q_SLOTS:
    /// It waits for its input, which is what takes long here, and says so in a line that is gone in the end.
    void isToldInATerminal()
    {
        InTerminal run(m_waiting, 100);
        QVERIFY2(run.waitFor("run: reading standard input, 1 s"), run.printed().constData());
        run.process.write(smallMlp());
        const Ran ran = run.finish();
        QCOMPARE(ran.code, 0);
        const qsizetype last = ran.out.lastIndexOf(QStringLiteral("\r\x1b[K"));
        QVERIFY2(last > 0 && !ran.out.mid(last).contains(QStringLiteral("run: ")), qPrintable(ran.out));
        QVERIFY2(ran.out.mid(last).contains(QStringLiteral("Small MLP")), qPrintable(ran.out));
    }

    /// A line that is broken could not be written over.
    void fitsTheTerminal()
    {
        InTerminal run(m_waiting, 20);
        QVERIFY2(run.waitFor("\x1b[Krun: reading standa\r"), run.printed().constData());
        run.process.kill();
    }

    /// "%1" in the name of a file is no place for a number.
    void namesFilesAsTheyAreCalled()
    {
        const QTemporaryDir folder;
        const QString pipe = folder.filePath(QStringLiteral("%1.mlir"));
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        InTerminal run({ QStringLiteral("run"), pipe }, 400);
        QVERIFY2(run.waitFor("/%1.mlir, 1 s"), run.printed().constData());
        run.process.kill();
    }

    void searchingIsTold()
    {
        InTerminal search({ QStringLiteral("search"), QStringLiteral("-") }, 100);
        QVERIFY2(search.waitFor("search: reading standard input, 1 s"), search.printed().constData());
        search.process.write(smallMlp());
        const Ran ran = search.finish();
        QCOMPARE(ran.code, 0);
        const qsizetype last = ran.out.lastIndexOf(QStringLiteral("\r\x1b[K"));
        QVERIFY2(last > 0 && ran.out.mid(last).contains(QStringLiteral("Sends least")), qPrintable(ran.out));
    }

    void isNotToldElsewhere()
    {
        QProcess process;
        process.setProcessEnvironment(bareEnvironment());
        process.start(QStringLiteral(SHARDSCOPE_BINARY), m_waiting);
        QVERIFY(process.waitForStarted());
        QTest::qWait(1500);
        process.write(smallMlp());
        process.closeWriteChannel();
        const Ran ran = outcomeOf(process);
        QCOMPARE(ran.code, 0);
        QVERIFY2(!ran.error.contains(QStringLiteral("reading")), qPrintable(ran.error));
    }

    void canBeInterrupted()
    {
        InTerminal run(m_waiting, 100);
        QVERIFY(run.waitFor("reading standard input"));
        QCOMPARE(::kill(static_cast<pid_t>(run.process.processId()), SIGINT), 0);
        QVERIFY(run.process.waitForFinished(10'000));
        QCOMPARE(run.process.exitStatus(), QProcess::CrashExit); // ended by the signal, as the shell expects
        QCOMPARE(run.process.exitCode(), SIGINT);
    }
};

REGISTER_TEST(ProgressTest)
#include "test_progress.moc"
