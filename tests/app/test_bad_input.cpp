// SPDX-License-Identifier: GPL-3.0-or-later
// Every subcommand with everything that can be wrong about its input: it says what is wrong and ends with 2, writes no
// result, and leaves files that are there alone.
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTest>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

QStringList split(const char* text)
{
    return QString::fromUtf8(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

/// All subcommands as they are right; FILE stands for an experiment, TABLE for a table, PNG for a picture.
const char* const rightCommands[] = { "run FILE --no-timeit", "show FILE", "check FILE", "explain FILE --tensor x",
    "explain FILE --collective 1", "comms FILE", "partition FILE", "screenshot FILE -o PNG --steps 0",
    "convert FILE --from experiment", "resolve --rules FILE --names batch", "resolve --rules FILE --table TABLE",
    "rules", "mesh --devices cpu:8 --shape data=8", "sharding --spec P('x') --shape 8 --mesh x=2", "schema",
    "examples" };

/// Those that read a file, whatever its form.
const char* const readingCommands[] = { "run FILE", "show FILE", "check FILE", "explain FILE --tensor x",
    "explain FILE --collective 1", "comms FILE", "partition FILE", "screenshot FILE -o PNG --steps 0",
    "convert FILE --from experiment", "convert FILE --from table --mesh x=2", "convert FILE --from flax --mesh x=2",
    "convert FILE --from t5x --mesh x=2", "convert FILE --from maxtext", "resolve --rules FILE --names batch",
    "resolve --rules () --mesh x=2 --table FILE", "mesh --devices @FILE --shape x=2" };

/// The beginning of what such a command reads, cut off in the middle of a word, a list or a line.
QByteArray truncated(const QString& command)
{
    if (command.contains(QLatin1String("--from table")) || command.contains(QLatin1String("--table FILE")))
        return "path,shape,names\na,8x16,\"batch,em";
    if (command.contains(QLatin1String("--from maxtext")))
        return "mesh_axes: ['data', 'fsdp']\nlogical_axis_rules: [\n  ['batch', ['data', 'fs";
    if (command.contains(QLatin1String("--from flax")) || command.contains(QLatin1String("--from t5x")))
        return "rules = (('batch', 'data'), ('embed', ('mod";
    if (command.contains(QLatin1String("@FILE")))
        return "kind: TPU v4\n0 0 0 0 0\n1 0 1 0";
    const QByteArray full = smallMlp();
    return full.left(full.size() / 2);
}

/// Cause and remedy under a code, about the file.
const QRegularExpression sentence(QStringLiteral("E\\d{3}: .+\\. .+\\.\\n"));

} // namespace

class BadInputTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QProcessEnvironment m_offscreen = bareEnvironment("offscreen");

    QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }

    /// Runs a command of the tables; whatever it is, it must come to an end soon.
    Ran run(const char* command, const QString& file, const QStringList& more = {}, const QByteArray& input = {})
    {
        QStringList arguments = split(command);
        for (QString& argument : arguments) {
            argument.replace(QStringLiteral("FILE"), file);
            argument.replace(QStringLiteral("TABLE"), path("table.csv"));
            argument.replace(QStringLiteral("PNG"), path("picture.png"));
        }
        QElapsedTimer timer;
        timer.start();
        Ran ran = runProgram(arguments + more, input, m_offscreen);
        if (timer.elapsed() > 20'000)
            ran.code = -2;
        return ran;
    }
    static QString told(const Ran& ran)
    {
        return QStringLiteral("code %1\n%2\n%3").arg(ran.code).arg(ran.out.left(300), ran.error);
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeFile(m_folder, QStringLiteral("right.json"), smallMlp());
        writeFile(m_folder, QStringLiteral("table.csv"), "path,shape,names\na,8,batch\n");
    }
    void cleanup() { QFile::remove(path("picture.png")); }

    /// What the tables below break is right before.
    void rightCommandsSucceed()
    {
        for (const char* command : rightCommands) {
            const Ran ran = run(command, path("right.json"));
            QVERIFY2(ran.code == 0, qPrintable(QString::fromUtf8(command) + QLatin1Char('\n') + told(ran)));
        }
    }

    void files_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("kind");
        for (const char* command : readingCommands)
            for (const char* kind : { "missing", "directory", "empty", "binary", "long", "truncated" })
                QTest::addRow("%s: %s", kind, command) << QString::fromUtf8(command) << QString::fromLatin1(kind);
    }
    void files()
    {
        QFETCH(QString, command);
        QFETCH(QString, kind);
        QString file = path("there-is-none.json");
        if (kind == QLatin1String("directory")) {
            file = m_folder.path();
        } else if (kind != QLatin1String("missing")) {
            QByteArray bytes;
            if (kind == QLatin1String("binary"))
                for (int i = 0; i < 4096; ++i)
                    bytes += static_cast<char>(i * 37 + i / 256);
            if (kind == QLatin1String("long")) // brackets in brackets
                bytes = QByteArray(2'000'000, '[');
            if (kind == QLatin1String("truncated"))
                bytes = truncated(command);
            file = writeFile(m_folder, QStringLiteral("bad"), bytes);
        }
        const Ran ran = run(command.toUtf8(), file);
        QVERIFY2(ran.code == 2, qPrintable(told(ran)));
        QVERIFY2(ran.out.isEmpty(), qPrintable(told(ran)));
        QVERIFY2(sentence.match(ran.error).hasMatch(), qPrintable(told(ran)));
        QVERIFY2(ran.error.contains(file), qPrintable(told(ran)));
        QVERIFY2(ran.error.size() < 4000, "far too much of it");
        QVERIFY(!QFile::exists(path("picture.png")));
    }

    void unknownOptions()
    {
        for (const char* command : rightCommands) {
            const Ran ran = run(command, path("right.json"), { QStringLiteral("--jsno") });
            const QString all = QString::fromUtf8(command) + QLatin1Char('\n') + told(ran);
            QVERIFY2(ran.code == 2 && ran.out.isEmpty(), qPrintable(all));
            QVERIFY2(ran.error.contains(QStringLiteral("--jsno")), qPrintable(all));
            QVERIFY2(ran.error.contains(QStringLiteral("Did you mean --json?")), qPrintable(all));
            QVERIFY2(ran.error.contains(QStringLiteral("--help` tells more")), qPrintable(all));
        }
    }

    void arguments_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("stated");
        const auto row = [](const char* command, const char* stated) {
            QTest::newRow(command) << QString::fromUtf8(command) << QString::fromUtf8(stated);
        };
        // Names that are not known, with the one that was meant.
        row("run rule-lap", "Did you mean the example “rule-lab”?");
        row("show rule-lap", "“rule-lab”");
        row("check rule-lap", "“rule-lab”");
        row("explain rule-lap --tensor array", "“rule-lab”");
        row("screenshot rule-lap -o PNG", "“rule-lab”");
        row("convert rule-lap --from experiment", "“rule-lab”");
        row("examples rule-lap", "“rule-lab”");
        row("show rule-lab --tensor arary", "E143");
        row("explain rule-lab --tensor arary", "Did you mean “array”?");
        row("screenshot rule-lab -o PNG --tensor arary --steps 0", "Did you mean “array”?");
        row("rules missing.hlo", "E129: ");
        row("rules t5x-a1p3", "Did you mean “t5x-a1p");
        row("resolve --rules t5x-a1p3 --names a", "Did you mean “t5x-a1p");
        row("resolve --rules maxtext-bas --names a", "Did you mean “maxtext-base-2026-08”?");
        row("convert t5x-a1p3 --from preset --mesh x=2", "Did you mean “t5x-a1p");
        row("resolve --rules () --names a --dialect flux", "is none of: flax, t5x, maxtext");
        row("convert FILE --from experimant", "is none of: ");
        row("convert FILE --from experiment --to yaml", "is none of: ");
        row("mesh --devices tpv-v4:4x4x4 --shape data=64", "tpv-v4");
        row("screenshot rule-lab -o PNG --axis nope --steps 0", "E124: ");
        row("screenshot rule-lab -o PNG --steps 1.5", "is no whole number");
        row("mesh --devices cpu:8 --method jaxx --shape data=8", "is none of: jax, make, hybrid, t5x");
        row("sharding --spec P('x') --shape 8 --mesh y=2", "E104");
        row("sharding --spec P('x') --shape 8 --mesh x=2 --platform tpv", "is none of: cpu, gpu, tpu");
        row("sharding --spec P('x') --shape 8 --mesh x=2 --memory-kind host", "E404");
        row("screenshot rule-lab -o PNG --theme drak", "is none of: light, dark");
        // Numbers out of range.
        row("run FILE --steps -1", "--steps");
        row("run FILE --steps 99999999999999999999", "--steps");
        row("run FILE --threads 4000", "--threads");
        row("run FILE --runs 0", "--runs");
        row("run FILE --loops 0", "--loops");
        row("run FILE --steps many", "--steps");
        row("explain FILE --collective 0", "E125");
        row("explain FILE --collective 99999", "E125");
        row("explain FILE --collective none", "--collective");
        row("comms FILE --by size", "is none of: kind, axes, layer, source");
        row("comms rule-lap", "“rule-lab”");
        row("partition rule-lap", "“rule-lab”");
        row("partition FILE --plan best", "is none of: shardy, optimal");
        row("partition FILE --device 8", "E408");
        row("partition FILE --device -1", "E408");
        row("screenshot FILE -o PNG --size 1x1", "E125");
        row("screenshot FILE -o PNG --size big", "1600x1000");
        for (const char* scale : { "9", "0", "-1", "nan", "inf", "-inf", "1e999", "2x", "" })
            row(("screenshot FILE -o PNG --scale=" + std::string(scale)).c_str(), "--scale");
        row("screenshot FILE -o PNG --steps -1", "--steps");
        row("resolve --rules () --names a --mesh x=0", "E115");
        row("resolve --rules () --names a --mesh x=99999999999", "E126: ");
        row("resolve --rules () --names a --mesh x=99999999999999999999999", "E126: ");
        row("resolve --rules () --names a --mesh x=2 --shape -1", "--shape");
        row("resolve --rules () --names a --mesh x=2 --shape 8 --hosts 0", "--hosts");
        row("resolve --rules () --names a --devices 0", "--devices");
        row("convert FILE --from flax --devices 0", "--devices");
        row("convert FILE --from flax --slices -3", "--slices");
        row("mesh --devices cpu:0 --shape x=1", "E125: ");
        row("mesh --devices cpu:99999999999 --shape x=1", "E125: ");
        row("mesh --devices cpu:8 --shape x=0", "E115: ");
        row("mesh --devices cpu:8 --shape x=3", "E150: ");
        row("mesh --devices tpu-v4:4x4x4 --partitions 0", "E168: ");
        row("mesh --devices tpu-v4:4x4x4 --submesh 0,0,0,0", "E171: ");
        row("sharding --spec P('x') --shape -8 --mesh x=2", "E125: ");
        row("sharding --spec P('x') --shape 99999999999999999999 --mesh x=2", "E125: ");
        row("sharding --spec P('x') --shape 7 --mesh x=2", "E101");
        row("sharding --spec P('x') --shape 8 --mesh x=0", "E115: ");
        row("sharding --spec P('x' --shape 8 --mesh x=2", "E120");
        // Arguments that are missing, or too many.
        row("run", "FILE");
        row("show", "FILE");
        row("check", "FILE");
        row("explain FILE", "--tensor");
        row("screenshot FILE", "--output");
        row("convert FILE", "--from");
        row("resolve --names a", "--rules");
        row("resolve --rules ()", "--names");
        row("mesh --shape x=2", "--devices");
        row("sharding --shape 8", "--spec");
        row("schema extra", "extra");
        row("examples rule-lab extra", "extra");
        row("rules t5x-a1p1 extra", "extra");
        // A table of arrays has no step.
        for (const char* option : { "--steps 4", "--calls 2", "--jit layers.*", "--out there", "--trace there.json" })
            row(("run rule-lab " + std::string(option)).c_str(), "there is no step to run");
        row("show FILE --tensor", "--tensor needs a value.");
        row("comms FILE --csv --json=/there/is/none", "--csv does not go with --json.");
        row("partition FILE --device x", "'x' is no whole number");
        row("mesh --devices cpu:8 --shape x", "holds nothing");
        row("resolve --rules / --names a", "is a directory");
        row("sharding --spec P('y') --shape 8 --mesh x=2", "lacks. The mesh has x.");
        // What is a file of another kind.
        row("screenshot FILE -o picture.jpg", "ends in .png, .svg or .pdf");
        row("screenshot FILE -o picture.webp", "ends in .png");
        row("screenshot FILE --alone -o picture.png", "--dock");
        row("export FILE --view tensors --as py", "csv, md, txt, png, svg or pdf would");
        row("export FILE --view grid --as csv", "png, svg or pdf would");
        row("export FILE --view report --as svg", "md would");
        row("export FILE --view grid --as svg", "-o grid.svg");
        row("export FILE --view grid", "--view grid is a picture, which needs a file: -o grid.png");
        row("export FILE --view grid --as svg -o picture.png", "does not end in .svg");
        row("export FILE --view code --as csv", "py would");
        row("run FILE --steps 0", "'0' is not from 1 to ");
        row("export FILE --view maxtext --as py", "yml or sh would");
        row("new --preset llama3-8b --mesh data=2 --layers 0", "'0' is not from 1 to 4096");
        row("new --preset llama3-8b --mesh data=2 --layers 1000000000", "'1000000000' is not from 1 to 4096");
        row("resolve --rules nope --names a", "Give a file of rules, the rules themselves, or the id of a rule set: ");
        row("mesh --devices tpu-v9:2x2 --shape x=4", "“tpu-v9”, which is not known. Known: cpu, ");
        row("mesh --devices tpu-v44:2x2 --shape x=4", "Did you mean “tpu-v4”?");
        row("export FILE --view nothing", "collectives");
        row("convert FILE --from flax", "--from experiment");
        row("convert FILE --from t5x", "--from experiment");
        row("convert FILE --from maxtext", "--from experiment");
    }
    /// Text of another kind than is meant says what it is.
    void otherKinds()
    {
        const QTemporaryDir folder;
        const auto checked = [&](const char* name, const QByteArray& content) {
            return runProgram({ QStringLiteral("check"), writeFile(folder, QString::fromLatin1(name), content) }).error;
        };
        const QString list = checked("list.json", "[]"), bytecode = checked("binary.mlir", "ML\xefR\x01StableHLO");
        QVERIFY2(list.contains(QStringLiteral("the text is an empty list. An experiment is JSON text that begins")),
            qPrintable(list));
        QVERIFY2(bytecode.contains(QStringLiteral("the file is binary: MLIR bytecode")), qPrintable(bytecode));
        const QString gzip = checked("packed.hlo", "\x1f\x8b\x08\x08"), wide = checked("wide.mlir", "\xff\xfem\x01o");
        QVERIFY2(gzip.contains(QStringLiteral("the file is compressed by gzip")), qPrintable(gzip));
        QVERIFY2(wide.contains(QStringLiteral("the file is text in UTF-16")), qPrintable(wide));
        // The mark that editors put in front of UTF-8 is no part of a text.
        for (const auto& [name, text] : { std::pair{ "marked.mlir",
                                              "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n  return %a : "
                                              "tensor<8xf32>\n}\n" },
                 std::pair{ "marked.hlo",
                     "HloModule m\n\nENTRY %main (p: f32[8]) -> f32[8] {\n"
                     "  ROOT %p = f32[8] parameter(0)\n}\n" } }) {
            const Ran marked = runProgram({ QStringLiteral("verify"),
                writeFile(folder, QString::fromLatin1(name), QByteArray("\xef\xbb\xbf") + text) });
            QVERIFY2(marked.code == 0, qPrintable(told(marked)));
        }
    }

    void arguments()
    {
        QFETCH(QString, command);
        QFETCH(QString, stated);
        const Ran ran = run(command.toUtf8(), path("right.json"));
        QVERIFY2(ran.code == 2, qPrintable(told(ran)));
        QVERIFY2(ran.out.isEmpty(), qPrintable(told(ran)));
        QVERIFY2(ran.error.contains(stated), qPrintable(told(ran)));
        QVERIFY(!QFile::exists(path("picture.png")));
        QVERIFY(!QFile::exists(QStringLiteral("picture.jpg")) && !QFile::exists(QStringLiteral("picture.webp")));
    }

    /// The name says what is expected: how HLO text begins, and no function of StableHLO.
    void hloTextThatIsNone_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("binary") << QByteArray("\x08\x12\x00\xff\xfe\x91", 6);
        QTest::newRow("words") << QByteArray("ENTRY main {\n}\n");
    }
    void hloTextThatIsNone()
    {
        QFETCH(QByteArray, bytes);
        const QString file = writeFile(m_folder, QStringLiteral("bad.hlo"), bytes);
        for (const char* command : { "show FILE", "check FILE", "comms FILE", "verify FILE", "propagate FILE",
                 "partition FILE", "run FILE", "screenshot FILE -o PNG --steps 0" }) {
            const Ran ran = run(command, file);
            const QString all = ran.out + ran.error;
            QVERIFY2(ran.code == 2, qPrintable(told(ran)));
            QVERIFY2(all.contains(file) && all.contains(QStringLiteral("HLO text begins with HloModule")),
                qPrintable(told(ran)));
            QVERIFY2(!all.contains(QStringLiteral("func.func")), qPrintable(told(ran)));
        }
    }

    /// What other commands read is told by what it is, with the command that does.
    void filesOfOtherKinds_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("stated");
        const auto row = [](const char* name, const QByteArray& bytes, const char* stated) {
            QTest::newRow(name) << QString::fromUtf8(name) << bytes << QString::fromUtf8(stated);
        };
        row("arrays.csv", "path,shape,dtype,names\nw,8x4,f32,\"a,b\"\n", "convert FILE --from table");
        row("arrays.json", R"([{ "path": "w", "shape": [8, 4], "dtype": "f32", "names": ["a", "b"] }])",
            "convert FILE --from table");
        row("config.json", R"({ "model_type": "llama", "hidden_size": 64 })", "convert FILE --from hf");
        row("run.yml", "ici_fsdp_parallelism: 4\n", "convert FILE --from maxtext");
        row("picture.jpeg", QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), "the file is binary");
        row("picture.mlir", QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), "the file is binary");
    }
    void filesOfOtherKinds()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, stated);
        const QString file = writeFile(m_folder, name, bytes);
        for (const char* command : { "show FILE", "check FILE", "comms FILE", "run FILE", "search FILE" }) {
            const Ran ran = run(command, file);
            const QString all = ran.out + ran.error;
            QVERIFY2(
                ran.code == 2 && all.contains(QStringLiteral("E197")) && all.contains(stated), qPrintable(told(ran)));
            QVERIFY2(!all.contains(QStringLiteral("func.func")), qPrintable(told(ran)));
        }
    }

    void outputThatCannotBeWritten()
    {
        for (const char* command : rightCommands)
            for (const QString& output : { QStringLiteral("/there/is/no/folder/out.json"), m_folder.path() }) {
                const Ran ran = run(command, path("right.json"), { QStringLiteral("--json=") + output });
                const QString all = QString::fromUtf8(command) + QLatin1Char('\n') + told(ran);
                QVERIFY2(ran.code == 2 && ran.out.isEmpty(), qPrintable(all));
                QVERIFY2(ran.error.contains(QStringLiteral("E130")) && ran.error.contains(output), qPrintable(all));
            }
        for (const char* output : { "/there/is/no/folder/out.png", "FOLDER" })
            for (const char* command : { "convert FILE --from experiment -o", "screenshot FILE --steps 0 -o" }) {
                const QString name = QString::fromLatin1(output).replace(QStringLiteral("FOLDER"), m_folder.path());
                const Ran ran = run(command, path("right.json"), { name });
                QVERIFY2(ran.code == 2 && ran.out.isEmpty(), qPrintable(told(ran)));
                QVERIFY2(ran.error.contains(QStringLiteral("E130")), qPrintable(told(ran)));
            }
    }

    /// An output that was there before is as it was when there is nothing to put in its place.
    void outputsStayAsTheyAre()
    {
        const QByteArray precious = "precious\n";
        const QString broken = writeFile(m_folder, QStringLiteral("broken.json"), "{");
        for (const char* name : { "old.png", "old.json" }) {
            const QString old = writeFile(m_folder, QString::fromLatin1(name), precious);
            for (const char* command : { "convert FILE --from experiment -o", "convert FILE --from flax --mesh x=2 -o",
                     "convert FILE --from table -o", "screenshot FILE --steps 0 -o" }) {
                const Ran ran = run(command, broken, { old });
                QVERIFY2(ran.code == 2, qPrintable(told(ran)));
                QCOMPARE(fileBytes(old), precious);
            }
        }
        // The same for options that are wrong: nothing is opened before all of them are read.
        const QString old = writeFile(m_folder, QStringLiteral("old.json"), precious);
        for (const char* command : rightCommands) {
            const Ran ran =
                run(command, path("right.json"), { QStringLiteral("--json=") + old, QStringLiteral("--no") });
            QCOMPARE(ran.code, 2);
            QCOMPARE(fileBytes(old), precious);
        }
    }

    /// With --json, what is wrong is in the JSON as well.
    void jsonOfWhatIsWrong()
    {
        for (const char* command : readingCommands) {
            const Ran ran = run(command, path("there-is-none.json"), { QStringLiteral("--json") });
            const auto json = ran.json();
            QVERIFY2(ran.code == 2 && json.is_object(), qPrintable(told(ran)));
            QVERIFY2(json.at("problems").at(0).at("code") == "E129", qPrintable(told(ran)));
        }
    }

    /// Errors are findings and warnings are not, whatever the command; for check warnings are, too.
    void exitCodes()
    {
        struct Case {
            const char* what;
            QByteArray text;
            int code; ///< of all commands but check
            int check;
        };
        const Case cases[] = { { "nothing", smallMlp(), 0, 0 },
            { "a warning", smallMlp("\"title\"", "\"titel\""), 0, 1 },
            { "a rule for an axis that the mesh lacks",
                smallMlp("\"list\": [[\"batch\", \"data\"]", "\"list\": [[\"batch\", \"dota\"]"), 0, 1 },
            { "an error", smallMlp("\"hidden\": 32", "\"hidden\": 30"), 1, 1 } };
        for (const Case& each : cases) {
            const QString file = writeFile(m_folder, QStringLiteral("case.json"), each.text);
            for (const char* command : { "run FILE --no-timeit", "show FILE", "explain FILE --tensor x",
                     "screenshot FILE -o PNG --steps 0" }) {
                const Ran ran = run(command, file);
                QVERIFY2(ran.code == each.code,
                    qPrintable(
                        QStringLiteral("%1: %2\n%3").arg(QLatin1String(each.what), QLatin1String(command), told(ran))));
            }
            QCOMPARE(run("check FILE", file).code, each.check);
        }
        // resolve and its tables, which have no experiment.
        const auto resolve = [this](const char* more) {
            return run((QByteArray("resolve --rules [('batch','data')] ") + more).constData(), {}).code;
        };
        QCOMPARE(resolve("--names batch --mesh data=2 --shape 8"), 0);
        QCOMPARE(resolve("--names batch --mesh dota=2"), 0);
        QCOMPARE(resolve("--names batch --mesh data=2 --shape 7"), 1);
        QCOMPARE(resolve("--names batch --mesh data=2 --shape 7 --dialect maxtext"), 0);
        QCOMPARE(resolve("--names other --fallback raise_error"), 1);
        QCOMPARE(resolve("--table TABLE --mesh data=2"), 0);
        QCOMPARE(resolve("--table TABLE --mesh dota=2"), 0);
        QCOMPARE(resolve("--table TABLE --mesh data=3"), 1);
    }
};

REGISTER_TEST(BadInputTest)
#include "test_bad_input.moc"
