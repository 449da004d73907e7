// SPDX-License-Identifier: GPL-3.0-or-later
// convert: rules, meshes and tables of other programs, and back.
#include <QTest>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

QStringList convertArguments(const char* text)
{
    return QString::fromUtf8(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

const char* const config =
    "run_name: ''\nsteps: 10\nmesh_axes: ['data', 'fsdp']\n"
    "logical_axis_rules: [\n  ['batch', ['data', 'fsdp']],\n  ['embed', 'fsdp'],\n  ['kv', []],\n]\n"
    "dcn_data_parallelism: -1\nici_fsdp_parallelism: -1\n";

} // namespace

class ConvertTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString file(const char* name, const QByteArray& bytes)
    {
        return writeFile(m_folder, QString::fromUtf8(name), bytes);
    }
    static Ran convert(const QString& input, const char* more, const QByteArray& standardInput = {})
    {
        return runProgram(QStringList{ QStringLiteral("convert"), input } + convertArguments(more), standardInput);
    }

private Q_SLOTS:
    void tableWithAMapping()
    {
        const QString csv = file("m.csv", "path,shape,names\na,8x8,\"one,two\"\n");
        const QString penzai =
            file("penzai.json", convert(QStringLiteral("penzai-name-to-name"), "--from experiment").out.toUtf8());
        const Ran made = convert(csv, ("--from table --rules " + penzai.toUtf8() + " --mesh foo=2,bar=2").constData());
        QVERIFY2(made.code == 0, qPrintable(made.error));
        const Ran flax = convert(file("made.json", made.out.toUtf8()), "--from experiment --to flax");
        QVERIFY2(
            flax.code == 0 && flax.error.contains(QStringLiteral("Penzai's mapping is written as a list of rules")),
            qPrintable(flax.error));
    }

    /// A folder of goldens: written of a network, read, compared with what it is of and with what was changed.
    void goldensOfMaxText()
    {
        const QString network = m_folder.filePath(QStringLiteral("network.json"));
        const QString folder = m_folder.filePath(QStringLiteral("goldens/llama/slice_1"));
        const QString named = folder + QStringLiteral("/named_shardings.json");
        QCOMPARE(runProgram({ QStringLiteral("new"), QStringLiteral("--preset"), QStringLiteral("llama3-8b"),
                                QStringLiteral("--mesh"), QStringLiteral("fsdp=4"), QStringLiteral("--layers"),
                                QStringLiteral("2"), QStringLiteral("-o"), network })
                     .code,
            0);
        QCOMPARE(convert(network, "--from experiment --to maxtext-goldens").code, 2); // where to?
        const Ran written =
            convert(network, ("--from experiment --to maxtext-goldens -o " + folder.toUtf8()).constData());
        QVERIFY2(written.code == 0 && written.out.isEmpty(), qPrintable(written.error));
        for (const char* name : { "named", "logical", "input" })
            QVERIFY(
                QFileInfo::exists(folder + QLatin1Char('/') + QLatin1String(name) + QStringLiteral("_shardings.json")));
        const auto diff = [&](const QString& other, const QStringList& more = {}) {
            return runProgram(QStringList{ QStringLiteral("diff"), network, other } + more);
        };
        const Ran same = diff(folder);
        QVERIFY2(same.code == 0 && same.out.contains(QStringLiteral("as in the goldens")),
            qPrintable(same.out + same.error));

        // The same files again, of what was read of them.
        const QString copy = m_folder.filePath(QStringLiteral("copy"));
        QCOMPARE(
            convert(folder, ("--from maxtext-goldens --to maxtext-goldens -o " + copy.toUtf8()).constData()).code, 0);
        for (const char* name : { "named", "logical", "input" }) {
            const QString file = QLatin1Char('/') + QLatin1String(name) + QStringLiteral("_shardings.json");
            QCOMPARE(fileBytes(copy + file), fileBytes(folder + file));
        }
        const QByteArray again = "--from maxtext-goldens --to maxtext-goldens -o " + copy.toUtf8();
        QCOMPARE(convert(folder, (again + " --mesh fsdp=2").constData()).code, 2); // there are no rules for that mesh
        // By other rules on another mesh: state is state, and activations are activations.
        QCOMPARE(convert(folder, (again + " --rules maxtext-base-2026-08 --mesh fsdp=2,tensor=2").constData()).code, 0);
        for (const char* name : { "named", "input" }) {
            const QString file = QLatin1Char('/') + QLatin1String(name) + QStringLiteral("_shardings.json");
            const QByteArray before = fileBytes(folder + file), after = fileBytes(copy + file);
            QVERIFY(after != before);
            QCOMPARE(after.contains("\"tensor\": 2"), name == QByteArray("named"));
            for (const char* key : { "\"partition_spec\"", "\"PartitionSpec\"" })
                QCOMPARE(after.count(key), before.count(key));
        }
        const auto table = convert(folder, "--from maxtext-goldens --to table").json();
        QVERIFY(table.size() > 10 && table[0].contains("names"));

        // What somebody has sharded otherwise since.
        QByteArray text = fileBytes(named);
        const qsizetype at = text.indexOf("\"partition_spec\": [", text.indexOf("['token_embedder']"));
        QVERIFY(at > 0);
        const qsizetype end = text.indexOf("\n    ],\n    \"shape\"", at);
        text.replace(at, end - at, "\"partition_spec\": [\n      null,\n      null");
        writeFile(m_folder, QStringLiteral("goldens/llama/slice_1/named_shardings.json"), text);
        const Ran differs = diff(folder);
        QCOMPARE(differs.code, 1);
        QVERIFY2(differs.out.contains(QStringLiteral("params/params/token_embedder/embedding"))
                && differs.out.contains(QStringLiteral("Sharded otherwise: ")),
            qPrintable(differs.out));
        const auto json = diff(folder, { QStringLiteral("--json") }).json();
        QVERIFY(json.at("goldens").at("other_spec") == 1);
        QVERIFY(json.at("differences").size() == 1 && json["differences"][0].at("kind") == "other_spec");
        QVERIFY(json["differences"][0].at("where").at("line") > 1);

        // Text that is none, with its place; a folder of such folders; a folder without any.
        writeFile(m_folder, QStringLiteral("goldens/llama/slice_1/named_shardings.json"), text.left(end));
        const Ran wrong = diff(folder);
        QVERIFY2(
            wrong.code == 2 && wrong.error.contains(QStringLiteral("named_shardings.json:")), qPrintable(wrong.error));
        const Ran above = diff(m_folder.filePath(QStringLiteral("goldens")));
        QVERIFY2(above.code == 2 && above.error.contains(QStringLiteral("slice_1")), qPrintable(above.error));
        QCOMPARE(diff(m_folder.path() + QStringLiteral("/none")).code, 2);
        QCOMPARE(convert(folder, "--from maxtext-goldens").code, 2);
    }

    void maxTextToExperiment()
    {
        const QString path = file("base.yml", config);
        const Ran ran = convert(path, "--from maxtext --devices 8 --slices 2");
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.error.contains(QStringLiteral("2 other keys")), qPrintable(ran.error));
        const auto json = ran.json();
        QVERIFY(json.at("rules").at("dialect") == "maxtext");
        QVERIFY(json.at("mesh").at("axes") == nlohmann::json::parse(R"([["data", 2], ["fsdp", 4]])"));
        QVERIFY(json.at("hardware").at("hosts") == 2);
        QCOMPARE(json.at("rules").at("list").size(), 3U);
        // The program takes what it wrote.
        const Ran check = runProgram({ QStringLiteral("show"), file("out.json", ran.out.toUtf8()) });
        QCOMPARE(check.code, 0);
        QVERIFY(check.out.contains(QStringLiteral("data 2 × fsdp 4")));
    }

    void passedOverKeys()
    {
        const auto json = convert(file("base.yml", config), "--from maxtext --devices 8 --json").json();
        QVERIFY(json.at("format") == "shardscope-convert");
        const auto& passed = json.at("read").at("passed_over");
        QCOMPARE(passed.size(), 2U);
        QVERIFY(passed.at(1).at("key") == "steps" && passed.at(1).at("line") == 2);
        QVERIFY(json.at("text").get<std::string>().find("\"maxtext\"") != std::string::npos);
    }

    void rulesBetweenForms()
    {
        const QString yaml = file("base.yml", config);
        const Ran flax = convert(yaml, "--from maxtext --to flax");
        QCOMPARE(flax.code, 0);
        QCOMPARE(flax.out,
            QStringLiteral(
                "rules = (\n    ('batch', ('data', 'fsdp')),\n    ('embed', 'fsdp'),\n    ('kv', ()),\n)\n"));
        const Ran t5x = convert(QStringLiteral("-"), "--from flax --to t5x", flax.out.toUtf8());
        QCOMPARE(t5x.out, QString(flax.out).replace(QStringLiteral("rules ="), QStringLiteral("logical_axis_rules =")));
        // To MaxText and back: nothing is lost but the sizes that were open.
        const Ran back = convert(file("rules.py", t5x.out.toUtf8()), "--from t5x --to maxtext --mesh data=2,fsdp=4");
        QCOMPARE(back.code, 0);
        QVERIFY(back.out.contains(QStringLiteral("ici_fsdp_parallelism: 4\n")));
        const Ran again = convert(file("again.yml", back.out.toUtf8()), "--from maxtext --to flax");
        QCOMPARE(again.out, flax.out);
        QVERIFY(again.error.isEmpty());
        // Open sizes stay open.
        const Ran open = convert(yaml, "--from maxtext --to maxtext");
        QVERIFY(open.out.contains(QStringLiteral("dcn_data_parallelism: -1\n")));
    }

    void presets()
    {
        const Ran ran = convert(QStringLiteral("maxtext-base-2026-08"), "--from preset --to flax");
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.out.count(QLatin1Char('\n')), 78);
        const Ran unknown = convert(QStringLiteral("maxtext-base"), "--from preset --to flax");
        QCOMPARE(unknown.code, 2);
        QVERIFY(unknown.error.contains(QStringLiteral("E124")));
    }

    void tables()
    {
        const QString csv = file("params.csv", "path,shape,dtype,names\nw,8x4,bfloat16,\"embed,mlp\"\nstep,,int32,\n");
        const Ran json = convert(csv, "--from table --to table");
        QCOMPARE(json.code, 0);
        QCOMPARE(json.json().size(), 2U);
        const Ran back = convert(file("params.json", json.out.toUtf8()), "--from table --to csv");
        QCOMPARE(back.out, QStringLiteral("path,shape,dtype,names\nw,8x4,bf16,\"embed,mlp\"\nstep,,i32,\n"));
        const Ran experiment = convert(csv, "--from table --rules t5x-a1p2 --mesh data=2,model=2");
        QCOMPARE(experiment.code, 0);
        QVERIFY(experiment.json().at("model").at("arrays").size() == 2);
        QVERIFY(experiment.json().at("rules").at("dialect") == "t5x");
        const QString path = file("out.json", experiment.out.toUtf8());
        const Ran shown = runProgram({ QStringLiteral("show"), path });
        QCOMPARE(shown.code, 0);
        QVERIFY(shown.out.contains(QStringLiteral("P(data, model)")));
        QCOMPARE(convert(path, "--from experiment --to csv").out, back.out);
        QCOMPARE(convert(path, "--from experiment").out, experiment.out);
        QVERIFY(convert(path, "--from experiment --to flax")
                    .out.startsWith(QStringLiteral("rules = (\n    ('batch', 'data'),\n")));
        QVERIFY(convert(path, "--from experiment --to maxtext")
                    .out.contains(QStringLiteral("mesh_axes: ['data', 'model']\n")));
    }

    /// An experiment of slices comes back as the slices that it was made of.
    /// What is not there is said, not what happens to be counted.
    void whatIsMissing()
    {
        const Ran table = convert(file("t.csv", "path,shape\na,8\n"), "--from table");
        QVERIFY2(
            table.error.contains(QStringLiteral("there is no mesh")) && table.error.contains(QStringLiteral("--mesh")),
            qPrintable(table.error));
        const Ran preset = convert(QStringLiteral("t5x-a1p1"), "--from preset");
        QVERIFY2(
            preset.error.contains(QStringLiteral("Give the mesh: --mesh data=2,model=4")), qPrintable(preset.error));
        const QString yaml = file("open.yml", config);
        const Ran slices = convert(yaml, "--from maxtext --devices 7 --slices 2");
        QVERIFY2(slices.error.contains(QStringLiteral("7 devices are not 2 slices of the same size")),
            qPrintable(slices.error));
        const QString open = file("ici.yml",
            "mesh_axes: ['data', 'fsdp']\nlogical_axis_rules: [['embed', 'fsdp']]\nici_data_parallelism: 2\n"
            "ici_fsdp_parallelism: -1\n");
        const Ran odd = convert(open, "--from maxtext --devices 9");
        QVERIFY2(odd.error.contains(QStringLiteral("the open size ici_fsdp_parallelism cannot be worked out")),
            qPrintable(odd.error));
        const Ran broken = convert(file("broken.yml", "mesh_axes: ['a'"), "--from maxtext");
        QVERIFY2(broken.error.contains(QStringLiteral("this is no YAML text: did not find expected")),
            qPrintable(broken.error));
    }

    /// A network has parameters with logical names as well.
    void networksAsTables()
    {
        const Ran json = convert(QStringLiteral("flax-mlp-logical"), "--from experiment --to table");
        QVERIFY2(json.code == 0 && json.out.contains(QStringLiteral("params/layers.0/W1")), qPrintable(json.error));
        const Ran csv = convert(QStringLiteral("flax-mlp-logical"), "--from experiment --to csv");
        QVERIFY2(csv.out.contains(QStringLiteral("embed,hidden")), qPrintable(csv.out));
        const Ran program = convert(QStringLiteral("jax-layer-program"), "--from experiment --to csv");
        QVERIFY2(program.code == 2 && program.error.contains(QStringLiteral("no parameters with logical names")),
            qPrintable(program.error));
    }

    /// Rules that are a mapping stay one in an experiment, and become a list where there are only lists.
    void mappings()
    {
        const Ran same = convert(QStringLiteral("penzai-name-to-name"), "--from experiment");
        QVERIFY2(same.out.contains(QStringLiteral("\"dialect\": \"penzai\"")), qPrintable(same.out));
        // The others have lists, which are read again.
        for (const char* to : { "flax", "t5x", "maxtext" }) {
            const Ran list = convert(
                QStringLiteral("penzai-name-to-name"), (QByteArray("--from experiment --to ") + to).constData());
            QCOMPARE(list.code, 0);
            QVERIFY2(list.error.contains(QStringLiteral("Penzai's mapping is written as a list of rules.")),
                qPrintable(list.error));
            const QString declared = file("list.txt", list.out.toUtf8());
            const Ran again = convert(declared, (QByteArray("--mesh foo=4,bar=2 --from ") + to).constData());
            QVERIFY2(again.code == 0 && again.out.contains(QStringLiteral("\"a\"")), qPrintable(again.error));
        }
    }

    void slicesAndBack()
    {
        const QString yaml = file("slices.yml",
            "mesh_axes: ['data', 'fsdp']\nlogical_axis_rules: [['a', 'fsdp']]\ndcn_data_parallelism: 2\n"
            "ici_fsdp_parallelism: 4\ndcn_fsdp_parallelism: 2\n");
        const Ran experiment = convert(yaml, "--from maxtext");
        QCOMPARE(experiment.code, 0);
        const QString path = file("slices.json", experiment.out.toUtf8());
        const Ran back = convert(path, "--from experiment --to maxtext");
        QVERIFY(back.error.isEmpty());
        for (const char* line : { "dcn_data_parallelism: 2\n", "ici_data_parallelism: 1\n", "dcn_fsdp_parallelism: 2\n",
                 "ici_fsdp_parallelism: 4\n" })
            QVERIFY2(back.out.contains(QString::fromUtf8(line)), qPrintable(back.out));
        const Ran again = convert(file("slices2.yml", back.out.toUtf8()), "--from maxtext");
        QVERIFY(again.json().at("mesh") == experiment.json().at("mesh"));
        QVERIFY(again.json().at("hardware") == experiment.json().at("hardware"));
    }

    void whatMaxTextCannotKeep()
    {
        const Ran experiment = convert(file("rules.py", "[('a', 'x')]"), "--from flax --mesh x=2,y=2");
        auto json = experiment.json();
        json["mesh"]["device_order"] = { 0, 3, 1, 2 };
        const QString path = file("order.json", QByteArray::fromStdString(json.dump()));
        const Ran ran = convert(path, "--from experiment --to maxtext");
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.error.contains(QStringLiteral("order of the devices is not kept")), qPrintable(ran.error));
        QVERIFY(convert(path, "--from experiment --to maxtext --json").json().at("read").at("not_kept")
            == nlohmann::json::array({ "device_order" }));
    }

    /// A slip that is only warned of may be why the rest does not fit: it is told as well.
    void slipsBesideErrors()
    {
        const QString path = file("slip.yml",
            "mesh_axes: ['data', 'fsdp', 'tensor']\nici_fspd_parallelism: 4\nici_tensor_parallelism: 4\n"
            "logical_axis_rules: [['mlp', ['tensor']]]\n");
        const Ran ran = convert(path, "--from maxtext --devices 16");
        QCOMPARE(ran.code, 2);
        QVERIFY(ran.out.isEmpty());
        for (const char* told : { "W213: ici_fspd_parallelism", "E102: the mesh has 4 devices" })
            QVERIFY2(ran.error.contains(QLatin1String(told)), qPrintable(ran.error));
        QCOMPARE(convert(path, "--from maxtext --devices 16 --json").json().at("problems").size(), std::size_t{ 2 });
    }

    /// The mesh is the one that resolve has under the same rules.
    void declaredAxes()
    {
        const Ran ran = convert(QStringLiteral("maxtext-base-2026-08"), "--from preset --mesh data=2,fsdp=4,tensor=2");
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.json().at("mesh").at("axes").size(), 12U);
        const Ran check = runProgram({ QStringLiteral("check"), file("declared.json", ran.out.toUtf8()) });
        QVERIFY2(!check.error.contains(QStringLiteral("W211")) && !check.out.contains(QStringLiteral("W211")),
            qPrintable(check.out + check.error));
    }

    void outputFile()
    {
        const QString out = m_folder.filePath(QStringLiteral("rules.py"));
        const Ran ran = runProgram({ QStringLiteral("convert"), QStringLiteral("t5x-a1p1"), QStringLiteral("--from"),
            QStringLiteral("preset"), QStringLiteral("--to"), QStringLiteral("t5x"), QStringLiteral("-o"), out });
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.isEmpty());
        QVERIFY(fileBytes(out).startsWith("logical_axis_rules = ("));
        const Ran refused = runProgram({ QStringLiteral("convert"), QStringLiteral("t5x-a1p1"),
            QStringLiteral("--from"), QStringLiteral("preset"), QStringLiteral("--to"), QStringLiteral("t5x"),
            QStringLiteral("-o"), QStringLiteral("/nowhere/rules.py") });
        QCOMPARE(refused.code, 2);
        QVERIFY(refused.error.contains(QStringLiteral("E130")));
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("stated");
        const auto row = [](const char* name, const char* text, const char* options, const char* stated) {
            QTest::newRow(name) << QByteArray(text) << options << stated;
        };
        row("sizes that are open", config, "--from maxtext", "E187");
        row("devices that do not fit", config, "--from maxtext --devices 7 --slices 2", "E102");
        row("YAML that is none", "mesh_axes: ['a'", "--from maxtext", ":1:16: E120");
        const char* const truncated = "E120: the text is truncated: it ends here, where";
        row("a name that is cut off", "{\n \"model_type\": \"llama\",\n \"num_at", "--from hf",
            (std::string(":3:9: ") + truncated).c_str());
        row("an object that is cut off", "{ \"model_type\": \"llama\",\n", "--from hf",
            (std::string(":1:25: ") + truncated).c_str());
        row("YAML without rules", "a: 1", "--from maxtext", "E123");
        row("an axis twice", "mesh_axes: ['a', 'a']", "--from maxtext", ":1:18: E114");
        row("rules that are none", "rules = (('a', ", "--from t5x", ":1:16: E120");
        row("rules without a mesh", "[('a', 'x')]", "--from flax", "E187");
        row("a mesh that is none", "[('a', 'x')]", "--from flax --mesh x=", "--mesh:1:3: E120");
        row("a rule of three", "[('a', 'x', 'y')]", "--from flax --mesh x=2", "E109");
        row("a mapping", "{'a': 'x'}", "--from flax --mesh x=2", "E110");
        row("what MaxText cannot say", "[(None, 'x')]", "--from flax --to maxtext --mesh x=2", "E122");
        row("rules as a table", "[('a', 'x')]", "--from flax --to csv", "E123");
        row("a table as rules", "path,shape\na,8\n", "--from table --to flax", "E123");
        row("a table that is none", "path,shape\na,?\n", "--from table", ":2:3: E120");
        row("a table without a mesh", "path,shape\na,8\n", "--from table", "E187");
        row("an experiment that is none", "{}", "--from experiment", "E123");
        row("slices that do not divide", "[('a', 'x')]", "--from flax --mesh x=6 --slices 4", "E102");
        row("rules that are no UTF-8", "[('\xff', 'x')]", "--from flax --to maxtext --mesh x=2", ":1:3: E120");
        row("a table that is no UTF-8", "path,shape\na\xff,8\n", "--from table --to table", ":2:1: E120");
    }
    void refuses()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, options);
        QFETCH(QString, stated);
        const Ran ran = convert(file("input", text), options.toUtf8());
        QCOMPARE(ran.code, 2);
        QVERIFY(ran.out.isEmpty());
        QVERIFY2(ran.error.contains(stated), qPrintable(ran.error));
        const Ran json = convert(file("input", text), (options + QStringLiteral(" --json")).toUtf8());
        QCOMPARE(json.code, 2);
        QVERIFY(!json.json().at("problems").empty());
    }

    void usage_data()
    {
        QTest::addColumn<QString>("arguments");
        for (const char* wrong : { "convert", "convert x", "convert x --from penzai", "convert x --from flax --to yaml",
                 "convert /nope.py --from flax", "convert x --from flax --devices 0", "rules a b" })
            QTest::newRow(wrong) << wrong;
    }
    void usage()
    {
        QFETCH(QString, arguments);
        const Ran ran = runProgram(convertArguments(arguments.toUtf8()));
        QCOMPARE(ran.code, 2);
        QVERIFY(ran.out.isEmpty());
        QVERIFY(!ran.error.isEmpty());
    }

    void warnings()
    {
        const Ran ran =
            convert(file("base.yml", QByteArray(config) + "ici_tensor_parallelism: 4\n"), "--from maxtext --devices 8");
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.error.contains(QStringLiteral(":11:25: W213")), qPrintable(ran.error));
    }
};

REGISTER_TEST(ConvertTest)
#include "test_convert.moc"
