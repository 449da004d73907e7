// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that is not there is a message: no command aborts, whatever it is given to read and however little it may
// take.
#include <QTest>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool isSanitized = true; // whose shadow memory takes all addresses there are
#else
constexpr bool isSanitized = false;
#endif

/// A shell's line, the program as "$0".
Ran shell(const QString& line, const QStringList& arguments = {})
{
    QProcess process;
    process.setProcessEnvironment(bareEnvironment("offscreen"));
    process.start(QStringLiteral("/bin/sh"),
        QStringList{ QStringLiteral("-c"), line, QStringLiteral(SHARDSCOPE_BINARY) } + arguments);
    return outcomeOf(process);
}

} // namespace

class MemoryLimitsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void endlessDevices()
    {
        for (const char* command : { "verify /dev/zero", "run /dev/zero", "check /dev/zero", "show /dev/zero",
                 "comms /dev/zero", "partition /dev/zero", "propagate /dev/zero", "explain /dev/zero --tensor x",
                 "rules /dev/zero", "convert /dev/zero --from experiment", "convert /dev/zero --from table --mesh x=2",
                 "resolve --rules /dev/zero --names a", "mesh --devices @/dev/zero --shape x=2",
                 "screenshot /dev/zero -o /dev/null" }) {
            const Ran ran =
                runProgram(QString::fromUtf8(command).split(QLatin1Char(' ')), {}, bareEnvironment("offscreen"));
            QVERIFY2(ran.code == 2,
                qPrintable(QStringLiteral("%1: %2 %3").arg(QLatin1String(command)).arg(ran.code).arg(ran.error)));
            QVERIFY2(ran.error.contains(QStringLiteral("E126")) && ran.error.contains(QStringLiteral("/dev/zero")),
                qPrintable(QLatin1String(command) + ran.error));
        }
        // A program by its suffix.
        const QString link = m_folder.filePath(QStringLiteral("endless.mlir"));
        QVERIFY(QFile::link(QStringLiteral("/dev/zero"), link));
        for (const char* command : { "verify", "run", "show" }) {
            const Ran ran = runProgram({ QString::fromUtf8(command), link });
            QVERIFY2(ran.code == 2 && ran.error.contains(QStringLiteral("E126")), qPrintable(ran.error));
        }
    }

    void endlessPipes()
    {
        for (const char* command : { "verify", "run", "check", "propagate" }) {
            const Ran ran = shell(QStringLiteral("yes | \"$0\" %1 -").arg(QLatin1String(command)));
            QVERIFY2(ran.code == 2,
                qPrintable(QStringLiteral("%1: %2 %3").arg(QLatin1String(command)).arg(ran.code).arg(ran.error)));
            QVERIFY2(ran.error.contains(QStringLiteral("standard input")) && ran.error.contains(QStringLiteral("E126")),
                qPrintable(ran.error));
        }
    }

    /// From what the program needs to begin with upwards, in steps that meet each command in the middle of its work.
    void addressSpace()
    {
        if (isSanitized)
            QSKIP("a sanitizer needs all addresses");
        const auto limited = [](qint64 kilobytes, const QStringList& arguments) {
            return shell(QStringLiteral("ulimit -v %1; exec \"$0\" \"$@\"").arg(kilobytes), arguments);
        };
        qint64 least = 64 * 1024;
        while (limited(least, { QStringLiteral("--version") }).code != 0) {
            least += 16 * 1024;
            QVERIFY(least < 4096 * 1024);
        }
        // Large enough that there is something to refuse.
        const QString file = writeFile(m_folder, QStringLiteral("large.json"),
            smallMlp("\"layers\": 2, \"dims\": { \"batch\": 8, \"embed\": 16, \"hidden\": 32 }",
                "\"layers\": 600, \"dims\": { \"batch\": 8, \"embed\": 16, \"hidden\": 32 }"));
        QByteArray table = "path,shape,names\n";
        for (int i = 0; i < 30'000; ++i)
            table += "a" + QByteArray::number(i) + ",8,batch\n";
        const QString rows = writeFile(m_folder, QStringLiteral("table.csv"), table);
        QByteArray text = "func.func @main(%v0: tensor<8xf32>) -> tensor<8xf32> {\n";
        constexpr int operations = 20'000;
        for (int i = 0; i < operations; ++i)
            text += "  %v" + QByteArray::number(i + 1) + " = stablehlo.negate %v" + QByteArray::number(i)
                + " : tensor<8xf32>\n";
        text += "  return %v" + QByteArray::number(operations) + " : tensor<8xf32>\n}\n";
        const QString program = writeFile(m_folder, QStringLiteral("long.mlir"), text);

        int refused = 0;
        QStringList never;
        for (const char* command : { "run FILE --no-timeit", "show FILE", "check FILE", "comms FILE", "partition FILE",
                 "explain FILE --tensor x", "propagate FILE", "verify FILE", "rules FILE",
                 "convert FILE --from experiment", "resolve --rules FILE --names batch",
                 "resolve --rules (('batch','x'),) --mesh x=2 --table TABLE", "convert TABLE --from table --mesh x=2",
                 "screenshot FILE -o PNG --steps 0", "run PROGRAM", "show PROGRAM", "check PROGRAM", "verify PROGRAM",
                 "propagate PROGRAM", "rules PROGRAM", "rules PROGRAM --json", "show FILE --json",
                 "sharding --spec P('x') --shape 262144 --mesh x=262144 --json",
                 "mesh --devices cpu:262144 --shape x=262144 --hosts --json" }) {
            const int before = refused;
            QStringList arguments = QString::fromUtf8(command).split(QLatin1Char(' '));
            for (QString& argument : arguments) {
                argument.replace(QStringLiteral("FILE"), file).replace(QStringLiteral("TABLE"), rows);
                argument.replace(QStringLiteral("PROGRAM"), program);
                argument.replace(QStringLiteral("PNG"), m_folder.filePath(QStringLiteral("picture.png")));
            }
            for (qint64 more = 2; more <= 96; more += more / 2 + 1) {
                const Ran ran = limited(least + more * 1024, arguments);
                const QString all = QStringLiteral("%1 with %2 MiB more: %3\n%4")
                                        .arg(QLatin1String(command))
                                        .arg(more)
                                        .arg(ran.code)
                                        .arg(ran.error.left(500));
                QVERIFY2(ran.code >= 0 && ran.code <= 2, qPrintable(all));
                if (ran.error.contains(QStringLiteral("E145"))) {
                    ++refused;
                    QVERIFY2(ran.code != 0, qPrintable(all));
                }
            }
            if (refused == before)
                never << QLatin1String(command);
        }
        // A quarter of them may fit into what the allocator reserves before they begin.
        QVERIFY2(refused >= 40 && never.size() <= 6,
            qPrintable(QString::number(refused) + QStringLiteral(", never: ") + never.join(QStringLiteral("; "))));
    }
};

REGISTER_TEST(MemoryLimitsTest)
#include "test_memory_limits.moc"
