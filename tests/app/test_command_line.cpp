// SPDX-License-Identifier: GPL-3.0-or-later
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

const QString docstringRules = QStringLiteral("(('batch', 'X'), ('features', 'X'), ('heads', 'Y'), ('batch', 'Z'))");
const QString docstringNames = QStringLiteral("batch,length,heads,features");

QStringList argumentsOf(const char* text)
{
    return QString::fromUtf8(text).split(QLatin1Char(' '));
}

} // namespace

class CommandLineTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString file(const QByteArray& bytes) { return writeFile(m_folder, QStringLiteral("experiment.json"), bytes); }

private Q_SLOTS:
    void helpAndVersion()
    {
        const Ran version = runProgram({ QStringLiteral("--version") });
        QCOMPARE(version.code, 0);
        QVERIFY(version.out.startsWith(QStringLiteral("shardscope 0.")));
        const Ran help = runProgram({ QStringLiteral("--help") });
        QCOMPARE(help.code, 0);
        QVERIFY(help.out.contains(QStringLiteral("Without a command")));
        QCOMPARE(runProgram({ QStringLiteral("help") }).out, help.out);
        const Ran misspelt = runProgram({ QStringLiteral("help"), QStringLiteral("rnu") });
        QCOMPARE(misspelt.code, 2);
        QVERIFY2(misspelt.error.contains(QStringLiteral("E132")) && misspelt.error.contains(QStringLiteral("run")),
            qPrintable(misspelt.error));
        QCOMPARE(runProgram({ QStringLiteral("help"), QStringLiteral("mesh") }).out,
            runProgram({ QStringLiteral("mesh"), QStringLiteral("--help") }).out);
        for (const char* part :
            { "\n  0  done", "\n  1  findings", "\n  2  arguments", "on standard\nerror", "--json=OUT" })
            QVERIFY2(help.out.contains(QLatin1String(part)), part);
        for (const char* command : { "run", "show", "resolve", "convert", "rules", "mesh", "sharding", "check",
                 "verify", "explain", "comms", "partition", "screenshot", "schema", "examples", "new", "params",
                 "train", "diff", "search", "tasks", "compare-hlo" }) {
            QVERIFY2(help.out.contains(QStringLiteral("\n  ") + QLatin1String(command)), command);
            const Ran each = runProgram({ QLatin1String(command), QStringLiteral("--help") });
            QCOMPARE(each.code, 0);
            QVERIFY(!each.out.contains(QLatin1Char('{')) && !each.out.contains(QStringLiteral("Without a command")));
            QVERIFY(each.out.contains(QStringLiteral("Usage: shardscope ") + QLatin1String(command)));
            QVERIFY2(each.out.contains(QStringLiteral("Exit codes: 0 ")), command);
            QVERIFY(!each.out.contains(QStringLiteral("TEXT")));
            for (const QString& line : each.out.split(QLatin1Char('\n')))
                QVERIFY2(line.size() <= (line.startsWith(QStringLiteral("    rows")) ? 125 : 119), qPrintable(line));
        }
    }

    void usage_data()
    {
        QTest::addColumn<QStringList>("arguments");
        for (const char* wrong : { "run", "run flax-mlp-logical --steps many", "run flax-mlp-logical --steps -1",
                 "run flax-mlp-logical --threads 4000", "run flax-mlp-logical another", "check", "explain rule-lab",
                 "resolve --rules ()", "resolve --names a", "resolve --rules () --names a --fallback raise",
                 "resolve --rules () --names a --flax-version 2023", "show rule-lab --unknown", "schema extra",
                 "screenshot rule-lab", "screenshot rule-lab -o x.png --theme blue", "--unknown" })
            QTest::newRow(wrong) << argumentsOf(wrong);
    }
    void usage()
    {
        QFETCH(QStringList, arguments);
        const Ran ran = runProgram(arguments);
        QCOMPARE(ran.code, 2);
        QVERIFY(ran.out.isEmpty());
        QVERIFY(!ran.error.isEmpty());
    }

    void examples()
    {
        const Ran list = runProgram({ QStringLiteral("examples") });
        QCOMPARE(list.code, 0);
        QVERIFY(list.out.count(QLatin1Char('\n')) > 20);
        const auto json = runProgram(argumentsOf("examples --json")).json();
        QVERIFY(json.at("format") == "shardscope-examples");
        for (const auto& example : json.at("examples")) {
            const QString id = QString::fromStdString(example.at("id").get<std::string>());
            QVERIFY(list.out.contains(id));
            const Ran printed = runProgram({ QStringLiteral("examples"), id });
            QCOMPARE(printed.code, 0);
            QCOMPARE(printed.out.toUtf8(),
                fileBytes(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/resources/examples/%1.json").arg(id)));
        }
        const Ran unknown = runProgram(argumentsOf("examples rule-lap"));
        QCOMPARE(unknown.code, 2);
        QVERIFY(unknown.error.contains(QStringLiteral("E124")) && unknown.error.contains(QStringLiteral("rule-lab")));
    }

    void schema()
    {
        const Ran ran = runProgram({ QStringLiteral("schema") });
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.out.toUtf8(),
            fileBytes(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/resources/schema/experiment.schema.json")));
        QVERIFY(runProgram(argumentsOf("schema --json")).json().at("schema").is_object());
    }

    void resolve_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("out");
        QTest::addColumn<int>("code");
        QTest::addColumn<bool>("warns");
        const auto row = [](const char* name, const QStringList& options, const char* out, int code = 0,
                             bool warns = false) {
            QTest::newRow(name) << options << QString::fromUtf8(out) << code << warns;
        };
        const auto with = [](const QString& rules, const QString& names, const char* more = "") {
            QStringList list{ QStringLiteral("--rules"), rules, QStringLiteral("--names"), names };
            if (*more)
                list += argumentsOf(more);
            return list;
        };
        const QString two = QStringLiteral("[[\"batch\", \"data\"], [\"embed\", null]]");
        row("docstring", with(docstringRules, docstringNames), "PartitionSpec('X', None, 'Y', None)\n");
        row("docstring, second rule first",
            with(QStringLiteral("(('features', 'X'), ('batch', 'X'), ('heads', 'Y'), ('batch', 'Z'))"), docstringNames),
            "PartitionSpec('Z', None, 'Y', 'X')\n");
        row("JSON", with(two, QStringLiteral("batch,embed")), "PartitionSpec('data', None)\n");
        row("a dimension without a name", with(two, QStringLiteral("None,batch")), "PartitionSpec(None, 'data')\n");
        row("a mesh", with(two, QStringLiteral("batch,embed"), "--mesh data=2,model=4"),
            "PartitionSpec('data', None)\n");
        row("an axis that the mesh lacks", with(two, QStringLiteral("batch,embed"), "--mesh x=8"),
            "PartitionSpec('data', None)\n", 0, true);
        row("fallback: error", with(two, QStringLiteral("batch,heads"), "--fallback raise_error"),
            "PartitionSpec('data', None)\n", 1);
        row("fallback: no constraint", with(two, QStringLiteral("batch,heads"), "--fallback no_constraint"),
            "PartitionSpec('data', None)\n");
        row("fallback: unsharded", with(two, QStringLiteral("batch,heads"), "--fallback axis_is_unsharded"),
            "PartitionSpec('data', None)\n");
        row("no rules", with(QStringLiteral("()"), QStringLiteral("foo")), "PartitionSpec(None,)\n");
        row("names as a tuple", with(two, QStringLiteral("('batch', None, 'heads')")),
            "PartitionSpec('data', None, None)\n");
        row("names as a list", with(two, QStringLiteral("[null, \"batch\"]")), "PartitionSpec(None, 'data')\n");
        row("a scalar", with(two, QStringLiteral("()")), "PartitionSpec()\n");
        row("names without quotes in a tuple", with(two, QStringLiteral("(batch, embed)")), "", 2);
        row("nested names", with(two, QStringLiteral("('batch', ('embed',))")), "", 2);
        row("a number as a name", with(two, QStringLiteral("batch,3")), "", 2);
        row("no name between commas", with(two, QStringLiteral("batch,,embed")), "", 2);
        row("rules as a mapping", with(QStringLiteral("{'batch': 'data'}"), QStringLiteral("batch")), "", 2);
        row("rules in a file that is not there", with(QStringLiteral("/nope.json"), QStringLiteral("batch")), "", 2);
        row("both versions", with(two, QStringLiteral("batch,embed"), "--flax-version 2024"),
            "PartitionSpec('data', None)\n");
        row("a name twice", with(two, QStringLiteral("batch,batch")), "", 2);
        row("rules that cannot be read", with(QStringLiteral("[[\"batch\", "), QStringLiteral("batch")), "", 2);
        row("a mesh that cannot be read", with(two, QStringLiteral("batch"), "--mesh data="), "", 2);
        row("a mesh of size zero", with(two, QStringLiteral("batch"), "--mesh data=0"), "", 2);
    }
    void resolve()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, out);
        QFETCH(int, code);
        QFETCH(bool, warns);
        const Ran ran = runProgram(QStringList{ QStringLiteral("resolve") } + options);
        QCOMPARE(ran.code, code);
        QCOMPARE(ran.out.section(QLatin1Char('\n'), 0, 0), out.section(QLatin1Char('\n'), 0, 0));
        const auto unruled = ran.out.count(QStringLiteral("\nno rule names "));
        QCOMPARE(ran.out.count(QLatin1Char('\n')), code == 2 ? 0 : 2 + unruled);
        QCOMPARE(ran.error.isEmpty(), code == 0 && !warns);
        const Ran json = runProgram(QStringList{ QStringLiteral("resolve"), QStringLiteral("--json") } + options);
        QCOMPARE(json.code, code);
        QVERIFY(json.json().at("format") == "shardscope-resolve");
        QCOMPARE(json.json().at("problems").empty(), code == 0 && !warns);
    }

    void resolveTrace()
    {
        const Ran ran = runProgram({ QStringLiteral("resolve"), QStringLiteral("--rules"), docstringRules,
            QStringLiteral("--names"), docstringNames, QStringLiteral("--trace") });
        QCOMPARE(ran.code, 0);
        const QStringList lines = ran.out.split(QLatin1Char('\n'));
        QVERIFY(lines[0].contains(QStringLiteral("batch")) && lines[0].contains(QStringLiteral("features")));
        QVERIFY(lines[2].contains(QStringLiteral("(X)")) && lines[2].contains(QStringLiteral("rule 1")));
        QVERIFY(lines[3].contains(QStringLiteral("[Y]")));
        QCOMPARE(lines[6], QStringLiteral("PartitionSpec('X', None, 'Y', None)"));
    }

    void resolveFromFileAndInput()
    {
        const QByteArray python =
            "# rules as they stand in Flax code\nrules = (\n    ('batch', 'data'),\n    ('embed', None),\n)\n";
        const QString path = writeFile(m_folder, QStringLiteral("rules.py"), python);
        for (const QString& source : { path, QStringLiteral("-") }) {
            const Ran ran = runProgram({ QStringLiteral("resolve"), QStringLiteral("--rules"), source,
                                           QStringLiteral("--names"), QStringLiteral("embed,batch") },
                python);
            QCOMPARE(ran.code, 0);
            QVERIFY(ran.out.startsWith(QStringLiteral("PartitionSpec(None, 'data')\n")));
        }
    }

    void resolveSays()
    {
        const auto resolve = [](const char* rules, const char* more = "--trace") {
            return runProgram({ QStringLiteral("resolve"), QStringLiteral("--rules"), QLatin1String(rules),
                QStringLiteral("--names"), QStringLiteral("foo"), QLatin1String(more) });
        };
        QVERIFY(resolve("()").out.contains(QStringLiteral("no rules are bound: the value is left alone")));
        QVERIFY(resolve("[('a','x')]", "--fallback=no_constraint").out.contains(QStringLiteral("no usable rule")));
        QVERIFY(resolve("[('foo','x')]").out.contains(QStringLiteral("constrains the value to PartitionSpec('x',)")));
        QVERIFY(resolve("/nope.json").error.contains(QStringLiteral("E129")));
        const QString version = resolve("()", "--flax-version=2023").error;
        QVERIFY2(version.contains(QStringLiteral("'2023' is none of: 2024, current")), qPrintable(version));
    }

    // Of what is wrong with the arguments: what, and where to read more.
    void usageHints()
    {
        const Ran missing = runProgram({ QStringLiteral("run") });
        QVERIFY2(
            missing.error.contains(QStringLiteral("`shardscope run --help` tells more.")), qPrintable(missing.error));
        const Ran unknown = runProgram({ QStringLiteral("--unknown") });
        QVERIFY(unknown.error.contains(QStringLiteral("`shardscope --help` tells more.")));
        const Ran json = runProgram(argumentsOf("check rule-lab --json out.json"));
        QVERIFY2(json.error.contains(QStringLiteral("--json=FILE")), qPrintable(json.error));
        const Ran example = runProgram(argumentsOf("show flax-mlp"));
        QCOMPARE(example.code, 2);
        QVERIFY2(example.error.contains(QStringLiteral("Did you mean the example “flax-mlp-scan”?")),
            qPrintable(example.error));
        const Ran typo = runProgram(argumentsOf("show rule-lap"));
        QVERIFY(typo.error.contains(QStringLiteral("“rule-lab”")));
        const Ran other = runProgram(argumentsOf("show something-else-entirely"));
        QVERIFY(!other.error.contains(QStringLiteral("Did you mean")));
    }

    // Results on standard output, problems on standard error; with --json both on the former.
    void warningsGoToStandardError()
    {
        for (const char* command : { "run flax-mlp-logical --no-check --no-timeit", "show flax-mlp-logical",
                 "explain flax-mlp-logical --tensor loss" }) {
            const Ran plain = runProgram(argumentsOf(command));
            QCOMPARE(plain.code, 0);
            QVERIFY2(plain.error.contains(QStringLiteral("W206")), command);
            QVERIFY2(!plain.out.contains(QStringLiteral("W206")), command);
            const Ran json = runProgram(argumentsOf(command) + QStringList{ QStringLiteral("--json") });
            QCOMPARE(json.code, 0);
            QVERIFY2(json.error.isEmpty(), qPrintable(json.error));
            QVERIFY(json.json().at("problems").at(0).at("code") == "I303");
            QVERIFY(json.json().at("problems").at(0).at("args").at("finding") == "W206");
        }
        // What the experiment acknowledges is told, and no finding.
        const Ran known = runProgram(argumentsOf("check flax-mlp-logical"));
        QCOMPARE(known.code, 0);
        QVERIFY(known.out.contains(QStringLiteral("I303: The rules are not bound")) && known.error.isEmpty());
        const Ran check = runProgram(argumentsOf("check rule-lab-cpu"));
        QCOMPARE(check.code, 1);
        QVERIFY(check.out.contains(QStringLiteral("W206")) && check.error.isEmpty());
    }

    void noFileOrExample()
    {
        const Ran typo = runProgram({ QStringLiteral("rnu") });
        QCOMPARE(typo.code, 2);
        QVERIFY2(typo.error.contains(QStringLiteral(
                     "E132: there is no command “rnu”, and no file or example of that name. Did you mean “run”?")),
            qPrintable(typo.error));
        const Ran example = runProgram({ QStringLiteral("rule-lap") });
        QCOMPARE(example.code, 2);
        QVERIFY(example.error.contains(QStringLiteral("Did you mean “rule-lab”?")));
    }

    void outputThatCannotBeWritten()
    {
        for (const char* command : { "examples", "schema", "--help", "examples --json" }) {
            QProcess process; // its standard output is closed
            process.setProcessEnvironment(bareEnvironment());
            process.start(QStringLiteral("/bin/sh"),
                { QStringLiteral("-c"),
                    QStringLiteral("exec '" SHARDSCOPE_BINARY "' %1 >&-").arg(QLatin1String(command)) });
            QVERIFY(process.waitForFinished());
            QCOMPARE(process.exitCode(), 2);
            QVERIFY(process.readAllStandardError().contains("cannot be written"));
        }
    }

    void devicesAreNotReplaced()
    {
        const Ran ran = runProgram({ QStringLiteral("examples"), QStringLiteral("--json=/dev/stdout") });
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.json().at("format") == "shardscope-examples");
    }

    void controlCharacters()
    {
        const Ran ran = runProgram({ QStringLiteral("show"), file(smallMlp("\"Small MLP\"", "\"\\u001b[31mred\"")) });
        QCOMPARE(ran.code, 0);
        QVERIFY(!ran.out.contains(QLatin1Char('\x1b')));
        QVERIFY(ran.out.contains(QStringLiteral("\\x1b[31mred")));
    }

    void showsWhatDoesNotDivide()
    {
        const QString path = file(smallMlp("\"hidden\": 32", "\"hidden\": 30"));
        const Ran shown = runProgram({ QStringLiteral("show"), path });
        QCOMPARE(shown.code, 1);
        QVERIFY2(shown.error.contains(QStringLiteral("E101")), qPrintable(shown.error));
        QVERIFY(!shown.out.contains(QStringLiteral("E101")));
        QVERIFY2(shown.out.contains(QRegularExpression(QStringLiteral(
                     "params/layers\\.0/W1 +f32 +\\[16, 30\\] +P\\(-, model\\) +\\[16, 8\\] +512 B +\\d+ +"
                     "hidden: 30 in 4 shards, 2 of 32 are padding"))),
            qPrintable(shown.out));
        QVERIFY(!shown.out.contains(QStringLiteral("Memory")) && !shown.out.contains(QStringLiteral("Communication")));
        const Ran one = runProgram(
            { QStringLiteral("show"), path, QStringLiteral("--tensor"), QStringLiteral("params/layers.0/W2") });
        QCOMPARE(one.code, 1);
        QVERIFY(one.out.contains(QStringLiteral("24–29, 0–15")));
        const Ran json = runProgram({ QStringLiteral("show"), path, QStringLiteral("--json") });
        QCOMPARE(json.code, 1);
        const auto out = json.json();
        QVERIFY(!out.contains("communication"));
        bool found = false;
        for (const auto& tensor : out.at("tensors"))
            if (tensor.at("path") == "params/layers.0/W1") {
                found = true;
                QVERIFY((tensor.at("shard_shape") == nlohmann::json{ 16, 8 }));
                QVERIFY(tensor.at("bytes_per_device") == 512);
            }
        QVERIFY(found);
    }

    void check_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("id");
        const auto row = [](const char* name, const QByteArray& text, int code, const char* id) {
            QTest::newRow(name) << text << code << QString::fromLatin1(id);
        };
        row("no problems", smallMlp(), 0, "no problems");
        row("devices that follow the mesh", smallMlp("[\"model\", 4]", "[\"model\", 2]"), 0, "no problems");
        row("indivisible dimension", smallMlp("\"hidden\": 32", "\"hidden\": 30"), 1, "E101");
        row("mesh does not fit the devices",
            smallMlp("[\"model\", 4]] }", "[\"model\", 3]] }, \"hardware\": { \"hosts\": 2, \"devices_per_host\": 4 }"),
            1, "E102");
        row("axis that the mesh lacks", smallMlp("[\"model\", 4]", "[\"tensor\", 4]"), 1, "E104");
        row("unknown key", smallMlp("\"layers\"", "\"layer\""), 1, "W220");
        row("unknown key like no other", smallMlp("\"layers\"", "\"zzzzzz\""), 1, "W220");
        row("device order too short", smallMlp("[\"model\", 4]]", "[\"model\", 4]], \"device_order\": [0, 1]"), 2,
            "E142");
        row("device twice in the order",
            smallMlp("[\"model\", 4]]", "[\"model\", 4]], \"device_order\": [0, 1, 2, 3, 4, 5, 6, 6]"), 2, "E142");
        row("comment", smallMlp("\"title\"", "// why\n \"title\""), 1, "W221");
        row("newer minor version", smallMlp("\"1.0\"", "\"1.4\""), 1, "W222");
        row("newer major version", smallMlp("\"1.0\"", "\"2.0\""), 2, "E127");
        row("no JSON", "hello", 2, "E120");
        row("empty", "", 2, "E120");
        row("truncated", smallMlp().left(200), 2, "E120");
        row("not UTF-8", "\xFF\xFE{", 2, "E120");
        row("another format", R"({ "format": "x", "version": "1.0" })", 2, "E128");
        row("wrong type", smallMlp("\"batch\": 8", "\"batch\": \"8\""), 2, "E122");
        row("unknown value", smallMlp("\"2024\"", "\"2023\""), 2, "E124");
        row("name used twice", smallMlp("[\"model\", 4]", "[\"data\", 4]"), 2, "E114");
        row("key used twice", smallMlp("\"layers\": 2", "\"layers\": 2, \"layers\": 3"), 2, "E121");
        row("mesh of billions", smallMlp("[\"model\", 4]", "[\"model\", 4000000000]"), 2, "E126");
        row("dimension beyond all bounds", smallMlp("\"batch\": 8", "\"batch\": 99999999999999999999"), 2, "E125");
    }
    void check()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, code);
        QFETCH(QString, id);
        const QString path = file(text);
        const Ran ran = runProgram({ QStringLiteral("check"), path });
        QCOMPARE(ran.code, code);
        const QString& stated = code == 2 ? ran.error : ran.out;
        QVERIFY2(stated.contains(id), qPrintable(stated));
        if (code == 2) { // place, cause and remedy
            QVERIFY(ran.out.isEmpty());
            QVERIFY2(stated.contains(QRegularExpression(
                         QRegularExpression::escape(path) + QStringLiteral(":\\d+:\\d+: E\\d+: .+\\. .+\\.?"))),
                qPrintable(stated));
        }
        // Without a name that ends in .json, what is no JSON is taken for a program, and told otherwise what it lacks.
        QCOMPARE(runProgram(argumentsOf("check - --json"), text).code, code);
        const auto json = runProgram({ QStringLiteral("check"), path, QStringLiteral("--json") }).json();
        QVERIFY(json.at("format") == "shardscope-check");
        QVERIFY(json.at("version") == "1.1");
        QCOMPARE(json.at("problems").empty(), code == 0);
        if (code != 0) {
            const auto& problems = json.at("problems");
            QVERIFY(std::any_of(problems.begin(), problems.end(), [&](const auto& problem) {
                return problem.at("code") == id.toStdString()
                    && !problem.at("cause").template get<std::string>().empty();
            }));
            for (const auto& problem : problems) {
                const auto remedy = problem.at("remedy").template get<std::string>();
                QVERIFY2(!remedy.empty(), problem.dump().c_str());
                QVERIFY2(stated.contains(QString::fromStdString(remedy)), qPrintable(stated));
            }
        }
        // The same file in the other commands: nothing crashes, and bad input is bad input.
        const Ran shown = runProgram({ QStringLiteral("show"), path });
        QVERIFY(shown.code >= 0);
        QCOMPARE(shown.code == 2, code == 2);
    }

    void unreadable()
    {
        const Ran missing = runProgram(argumentsOf("check /there/is/no/such.json"));
        QCOMPARE(missing.code, 2);
        QVERIFY(missing.error.contains(QStringLiteral("E129")));
        QCOMPARE(runProgram({ QStringLiteral("check"), m_folder.path() }).code, 2);
#if defined(Q_OS_LINUX)
        // Opens, but nothing lies at its beginning: an error while reading is not the end of the file.
        const Ran half = runProgram(argumentsOf("check /proc/self/mem"));
        QCOMPARE(half.code, 2);
        QVERIFY2(half.error.contains(QStringLiteral("E129")), qPrintable(half.error));
#endif
    }

    void show()
    {
        const Ran ran = runProgram({ QStringLiteral("show"), file(smallMlp()) });
        QCOMPARE(ran.code, 0);
        for (const char* part :
            { "Small MLP", "data 2 × model 4", "params/layers.1/W2", "P(model, -)", "[8, 16]", "opt/nu/layers.0/W1",
                "grad(params/layers.0/W1)", "Memory per device", "Communication per device", "all-reduce" })
            QVERIFY2(ran.out.contains(QString::fromUtf8(part)), part);
        for (const QString& line : ran.out.split(QLatin1Char('\n')))
            QVERIFY2(!line.endsWith(QLatin1Char(' ')), qPrintable(line));
        QVERIFY(!ran.out.contains(QLatin1Char('\x1b')));

        const auto json = runProgram({ QStringLiteral("show"), file(smallMlp()), QStringLiteral("--json") }).json();
        QVERIFY(json.at("format") == "shardscope-show");
        QVERIFY(json.at("version") == "2.0");
        QVERIFY(json.at("mesh").at("device_count") == 8);
        QVERIFY(json.at("rules").at("version") == "2024" && json.at("rules").at("bound_when_traced") == false);
        const auto& rules = json.at("rules").at("list");
        QCOMPARE(rules.size(), std::size_t{ 2 });
        QVERIFY(rules[1].at("name") == "hidden" && rules[1].at("axes") == nlohmann::json::parse("[\"model\"]"));
        QVERIFY(rules[1].at("unknown_axes").empty() && rules[1].at("uses") == 0); // the model has device axes
        const auto& memory = json.at("memory_per_device");
        std::int64_t peak = 0;
        for (const auto& owner : memory.at("at_peak"))
            peak += owner.get<std::int64_t>();
        QVERIFY(memory.at("peak_bytes") == peak && peak > 0);
        const auto& tensors = json.at("tensors");
        const auto w1 = std::find_if(tensors.begin(), tensors.end(),
            [](const auto& tensor) { return tensor.at("path") == "params/layers.0/W1"; });
        QVERIFY(w1 != tensors.end());
        QVERIFY(w1->at("spec") == "PartitionSpec(None, 'model')");
        QVERIFY(w1->at("shard_shape") == (nlohmann::json{ 16, 8 }));
        QVERIFY(w1->at("copies") == 2);
        QVERIFY(w1->at("bytes_per_device") == 16 * 8 * 4);
    }

    /// What the peak would be if gradients did not stay to the end of the step; nothing where there are none.
    void showPeakWithoutGradientsThatStay()
    {
        const auto shown = [](const QStringList& more) {
            return runProgram(QStringList{ QStringLiteral("show") } + more);
        };
        const QString example = QStringLiteral("flax-mlp-logical"), json = QStringLiteral("--json");
        const Ran ran = shown({ example });
        QVERIFY2(
            ran.out.contains(QStringLiteral(
                "  planned: 32 MiB (33,591,316 B), at instruction 58 of 60, dot_general, for Gradient of Layer 0 / "
                "W1\n  Gradients stay to the end of the step, so that they can be looked at; freed after their last "
                "reader, the peak would be 25.1 MiB.\n")),
            qPrintable(ran.out));
        const auto memory = shown({ example, json }).json().at("memory_per_device");
        QVERIFY(memory.at("peak_bytes") == 33'591'316);
        QVERIFY(memory.at("peak_without_kept_bytes") == 26'349'588);

        const QString forward = QStringLiteral("jax-contraction");
        QVERIFY(!shown({ forward }).out.contains(QStringLiteral("Gradients stay")));
        const auto same = shown({ forward, json }).json().at("memory_per_device");
        QVERIFY(same.at("peak_bytes") > 0);
        QVERIFY(same.at("peak_without_kept_bytes") == same.at("peak_bytes"));
    }

    /// What a file holds says how it is read, not its name alone.
    void showProgramOfAnyName()
    {
        QFile file(m_folder.filePath(QStringLiteral("program.txt")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "sdy.mesh @mesh = <[\"x\"=2]>\n"
            "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> tensor<8xf32> {\n"
            "  %0 = stablehlo.tanh %a : tensor<8xf32>\n"
            "  return %0 : tensor<8xf32>\n}\n");
        file.close();
        const Ran ran = runProgram({ QStringLiteral("show"), file.fileName() });
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.out.contains(QStringLiteral("P(x)")), qPrintable(ran.out));
    }

    void showTensor()
    {
        const QString path = file(smallMlp());
        const Ran one = runProgram({ QStringLiteral("show"), path, QStringLiteral("--tensor"), QStringLiteral("x") });
        QCOMPARE(one.code, 0);
        QVERIFY(one.out.contains(QStringLiteral("[batch 8@data, embed 16]")));
        QVERIFY(one.out.contains(QStringLiteral("CPU 0,1,2,3")));
        QVERIFY(one.out.contains(QStringLiteral("PartitionSpec('data', None)")));
        const Ran several =
            runProgram({ QStringLiteral("show"), path, QStringLiteral("--tensor"), QStringLiteral("params/**") });
        QCOMPARE(several.out.count(QStringLiteral("HLO")), 4);
        const Ran none = runProgram(
            { QStringLiteral("show"), path, QStringLiteral("--tensor"), QStringLiteral("params/layers.0/W3") });
        QCOMPARE(none.code, 2);
        QVERIFY(
            none.error.contains(QStringLiteral("E143")) && none.error.contains(QStringLiteral("params/layers.0/W")));
    }

    /// The end of a path that a parameter and its states share means the parameter.
    void endsOfPaths()
    {
        const auto explain = [](const QString& tensor) {
            return runProgram(
                { QStringLiteral("explain"), QStringLiteral("flax-mlp-logical"), QStringLiteral("--tensor"), tensor });
        };
        const Ran end = explain(QStringLiteral("layers.0/W1"));
        QVERIFY2(end.code == 0, qPrintable(end.error));
        QCOMPARE(end.out, explain(QStringLiteral("params/layers.0/W1")).out);
        const auto propagate = [](const QString& value) {
            return runProgram({ QStringLiteral("propagate"), QStringLiteral("flax-mlp-logical"),
                QStringLiteral("--explain"), value });
        };
        const Ran propagated = propagate(QStringLiteral("layers.0/W1"));
        QVERIFY2(propagated.code == 0, qPrintable(propagated.error));
        QCOMPARE(propagated.out, propagate(QStringLiteral("params/layers.0/W1")).out);
        const Ran several = explain(QStringLiteral("W1"));
        QCOMPARE(several.code, 2);
        QVERIFY2(several.error.contains(QStringLiteral("E143"))
                && several.error.contains(QStringLiteral("params/layers.0/W1")),
            qPrintable(several.error));
        const Ran other = explain(QStringLiteral("params/Layer_0/W1"));
        QCOMPARE(other.code, 2);
        QVERIFY2(other.error.contains(QStringLiteral("params/layers.0/W1")), qPrintable(other.error));
    }

    /// Large numbers are rounded for reading, and exact beside it.
    void exactBytes()
    {
        const Ran shown = runProgram(argumentsOf("show flax-mlp-logical"));
        static const QRegularExpression parameters(QStringLiteral("\\n  parameters +8 MiB +8,388,608\\n"));
        QVERIFY2(parameters.match(shown.out).hasMatch(), qPrintable(shown.out));
        static const QRegularExpression sent(QStringLiteral("params/layers\\.0/W1\\) +sum +1 +1 MiB +1,048,576\\n"));
        QVERIFY2(sent.match(shown.out).hasMatch(), qPrintable(shown.out));
        const Ran one = runProgram(argumentsOf("show flax-mlp-logical --tensor params/layers.0/W1"));
        QVERIFY2(one.out.contains(QStringLiteral("1 MiB (1,048,576 B) per device")), qPrintable(one.out));
    }

    /// The rules of an experiment, on its mesh unless another one is given.
    void resolveWithAnExperiment()
    {
        const QString path = file(smallMlp("[\"hidden\", \"model\"]", "[\"hidden\", \"modle\"]"));
        const auto resolve = [](const QString& rules, const char* more) {
            return runProgram(
                QStringList{ QStringLiteral("resolve"), QStringLiteral("--rules"), rules } + argumentsOf(more));
        };
        const Ran own = resolve(path, "--names batch,hidden");
        QCOMPARE(own.code, 0);
        QVERIFY2(own.out.startsWith(QStringLiteral("PartitionSpec('data', 'modle')")), qPrintable(own.out));
        QVERIFY2(own.error.contains(QStringLiteral("Did you mean “model”? The mesh has data, model.")),
            qPrintable(own.error));
        const Ran other = resolve(path, "--names batch,hidden --mesh data=2,modle=2");
        QVERIFY2(other.error.isEmpty(), qPrintable(other.error));
        QVERIFY(resolve(QStringLiteral("rule-lab"), "--names batch,length,heads,features")
                    .out.startsWith(QStringLiteral("PartitionSpec('X', None, 'Y', None)")));
        // What the file says of the version holds: Flax of 2024 leaves nameless dimensions alone in another way.
        const auto json = resolve(path, "--names batch --json").json();
        QVERIFY(json.at("dialect") == "flax-linen");
    }

    void explainNamesWhatIsAskedFor()
    {
        const Ran y = runProgram(argumentsOf("explain flax-mlp-logical --tensor layers.2/y"));
        QVERIFY2(y.out.startsWith(QStringLiteral("Why Layer 2 / y looks like this\n")), qPrintable(y.out));
        QVERIFY2(y.error.contains(QStringLiteral("Layer 2 / y")) && y.error.contains(QStringLiteral("Layer 2 / z")),
            qPrintable(y.error));
        QVERIFY2(!y.error.contains(QStringLiteral("Layer 0")), qPrintable(y.error));
        const Ran w = runProgram(argumentsOf("explain flax-mlp-logical --tensor opt/mu/layers.3/W2"));
        QVERIFY2(w.out.startsWith(QStringLiteral("Why mu of Layer 3 / W2 looks like this\n")), qPrintable(w.out));
    }

    void explainUnknownAxis()
    {
        QByteArray text = smallMlp("[\"hidden\", \"model\"]", "[\"hidden\", \"modle\"]");
        text.replace("\"device\"", "\"logical\"");
        const Ran ran = runProgram({ QStringLiteral("explain"), file(text), QStringLiteral("--tensor"),
            QStringLiteral("params/layers.1/W1") });
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.out.simplified().contains(QStringLiteral(
                     "Rule 2 maps hidden to modle, which the mesh lacks (it has model), so hidden stays replicated.")),
            qPrintable(ran.out));
        static const QRegularExpression decided(
            QStringLiteral("hidden +rule 2  hidden → modle, which the mesh lacks \\(it has model\\) +replicated\\n"));
        QVERIFY2(decided.match(ran.out).hasMatch(), qPrintable(ran.out));
    }

    void explain()
    {
        const Ran ran = runProgram(argumentsOf("explain flax-mlp-logical --tensor params/layers.0/W1"));
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.contains(QStringLiteral("rule 2")) && ran.out.contains(QStringLiteral("hidden → model")));
        const auto json = runProgram(argumentsOf("explain flax-mlp-logical --tensor params/layers.0/W1 --json")).json();
        QVERIFY(json.at("format") == "shardscope-explain");
        QCOMPARE(json.at("explanation").at("decided_by").size(), std::size_t{ 2 });
        QCOMPARE(runProgram(argumentsOf("explain flax-mlp-logical --tensor nothing")).code, 2);
    }
};

REGISTER_TEST(CommandLineTest)
#include "test_command_line.moc"
