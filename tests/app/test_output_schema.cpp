// SPDX-License-Identifier: GPL-3.0-or-later
// What every command prints with --json fits the one schema, whether it succeeds or not.
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <map>
#include <set>
#include <string>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

/// FILE is an experiment, TABLE a table, GOLDENS a folder of MaxText's, PNG a picture; AFTER is what XLA has compiled
/// of the program BEFORE.
const char* const everyCommand[] = { "run FILE --runs 1 --loops 1",
    "run FILE --no-timeit --difference 0,1 --calls 2 --jit layers.* --variables", "run FILE --no-timeit --initialise",
    "resolve --rules FILE --names batch --add-axis 0=layers", "run jax-layer-program --per-device",
    "run jax-memory-transfer", "show FILE", "show FILE --tensor params/**", "show jax-memory-transfer",
    "show rule-lab-parts", "check FILE", "explain FILE --tensor x", "explain FILE --collective 1", "comms FILE",
    "comms jax-layer-program --groups", "partition FILE", "partition jax-layer-program --device 1",
    "propagate jax-layer-program --steps --edges --origins --compare basic",
    "propagate jax-layer-program --explain arg0", "screenshot FILE -o PNG --steps 0", "convert FILE --from experiment",
    "convert FILE --from experiment --to maxtext", "convert TABLE --from table --mesh x=2 -o OUT",
    "resolve --rules FILE --names batch --trace",
    "resolve --rules (('batch','data'),('embed','model')) --dialect t5x --names batch,embed --ici-shape 1,4,2 "
    "--dcn-shape 2,1,1 --shape 16,32",
    "resolve --rules (('batch','data'),) --names batch --mesh data=4 --shape 16 --hosts 2",
    "resolve --rules FILE --table TABLE --trace", "rules", "rules t5x-a1p1", "rules jax-layer-program",
    "mesh --devices tpu-v4:4x4x4 --shape data=8,model=8 --allow-split --hosts",
    "mesh --devices cpu:8 --shape 2x4 --coordinates", "mesh --devices tpu-v4:4x4x4 --partitions 4",
    "mesh --devices 2*tpu-v5e:4x4 --shape 1x16 --dcn-shape 2x1", "sharding --spec P('x') --shape 8 --mesh x=2",
    "sharding --spec {devices=[2,2]<=[4]} --shape 8,8",
    "sharding --spec {replicated} --shape 8,8 --mesh x=2 --names a,None", "schema", "schema output", "examples",
    "examples rule-lab", "tasks", "tasks fit-the-step", "tasks two-dimensions t5x-a2p2", "new",
    "new --preset llama3-8b --mesh data=2,model=2 --rules t5x-a2p2", "new --from transformer-t5x --layers 1",
    "show AFTER", "check AFTER", "partition AFTER", "propagate AFTER", "verify AFTER", "params AFTER",
    "explain AFTER --collective 1", "run rule-lab", "run jax-layer-program --values", "comms FILE --by layer",
    "explain jax-layer-program --tensor 1", "partition FILE --plan optimal", "convert FILE --from experiment --to flax",
    "convert FILE --from experiment --to table", "mesh --devices cpu:8 --shape data=8 --batch 64",
    "mesh --devices gpu:2x8 --method t5x --partitions 4", "resolve --dialect penzai --mesh x=2,y=2 --names x,y",
    "resolve --rules t5x-a1p1 --names batch --own-rules (('mlp','model'),) --own-as linen",
    "resolve --rules t5x-a1p1 --names batch --unbox value", "sharding --spec P('x') --shape 8 --mesh x=2 --grid",
    "train transformer-t5x --steps 1 --fixed", "rules BEFORE --conservative", "params FILE", "params transformer-t5x",
    "train FILE --steps 2", "train transformer-t5x --steps 2", "diff FILE FILE", "diff FILE GOLDENS", "search FILE",
    "search rule-lab", "export FILE", "export FILE --view tensors --as md", "export FILE --view mesh --as txt",
    "export FILE --view maxtext", "verify jax-data-sharding --explicit", "verify FILE", "comms AFTER",
    "compare-hlo BEFORE AFTER" };

/// Of every command that reads something, with a NAME that is not there.
const char* const readingNothing[] = { "run NAME", "show NAME", "check NAME", "explain NAME --tensor x", "comms NAME",
    "partition NAME", "propagate NAME", "verify NAME", "rules NAME", "screenshot NAME -o PNG",
    "convert NAME --from experiment", "resolve --rules NAME --names batch", "mesh --devices @NAME --shape x=2",
    "examples NAME", "tasks NAME", "tasks fit-the-step NAME", "new --preset NAME", "params NAME", "train NAME",
    "diff NAME FILE", "search NAME", "compare-hlo NAME AFTER", "sharding --spec NAME --shape 8", "schema NAME" };

/// Errors of an experiment, which are findings.
const char* const finding[] = { "run FILE", "show FILE", "check FILE", "explain FILE --tensor x", "comms FILE",
    "partition FILE", "propagate FILE", "verify FILE", "rules FILE", "screenshot FILE -o PNG --steps 0", "params FILE",
    "train FILE" };

/// Documents that the envelope has as they are, arguments of sentences, which are named by their codes, and maps, whose
/// keys are data.
const std::set<std::string> foreign{ "args", "experiment", "schema", "at_peak", "coordinates", "axis_origins" };

using Types = std::map<std::string, std::map<std::string, std::string>>; ///< per member per type: where

std::string typeOf(const nlohmann::json& value)
{
    if (!value.is_array())
        return value.is_number() ? "number" : value.type_name();
    // Of rows of numbers, and of nulls among them, only that they are an array.
    return value.front().is_object() ? "array of objects" : "array of values";
}

/// The types of all members, whatever stands around them.
void collect(const nlohmann::json& json, const std::string& where, Types& types)
{
    if (json.is_array())
        for (const auto& item : json)
            collect(item, where, types);
    if (!json.is_object())
        return;
    for (const auto& [key, value] : json.items()) {
        // A member that is null has no type; whole numbers are numbers; numbers of an array are nested by its rank.
        if (!value.is_null() && !(value.is_array() && value.empty()) && key != "value")
            types[key].emplace(typeOf(value), where + '/' + key);
        if (!foreign.contains(key))
            collect(value, where + '/' + key, types);
    }
}

} // namespace

class OutputSchemaTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    valijson::Schema m_schema;
    Types m_types;
    QProcessEnvironment m_offscreen = bareEnvironment("offscreen");

    Ran run(QString command, const QStringList& more = { QStringLiteral("--json") })
    {
        command.replace(QStringLiteral("FILE"), m_folder.filePath(QStringLiteral("right.json")));
        command.replace(QStringLiteral("TABLE"), m_folder.filePath(QStringLiteral("table.csv")));
        command.replace(QStringLiteral("GOLDENS"), m_folder.filePath(QStringLiteral("goldens")));
        command.replace(QStringLiteral("PNG"), m_folder.filePath(QStringLiteral("picture.png")));
        command.replace(QStringLiteral("OUT"), m_folder.filePath(QStringLiteral("out.json")));
        command.replace(QStringLiteral("BEFORE"), m_folder.filePath(QStringLiteral("before.mlir")));
        command.replace(QStringLiteral("AFTER"), m_folder.filePath(QStringLiteral("after.hlo")));
        command.replace(QStringLiteral("NAME"), QStringLiteral("there-is-none.mlir"));
        return runProgram(command.split(QLatin1Char(' ')) + more, {}, m_offscreen);
    }
    /// What is wrong with the JSON; nothing where it fits.
    QString wrong(const Ran& ran, const QString& command)
    {
        const nlohmann::json json = ran.json();
        if (!json.is_object())
            return QStringLiteral("no JSON: ") + ran.out.left(500) + ran.error;
        valijson::adapters::NlohmannJsonAdapter adapter(json);
        valijson::ValidationResults results;
        QString stated;
        if (!valijson::Validator(valijson::Validator::kStrongTypes).validate(m_schema, adapter, &results)) {
            valijson::ValidationResults::Error error;
            while (results.popError(error))
                stated += QString::fromStdString([&] {
                    std::string text;
                    for (const std::string& part : error.context)
                        text += part;
                    return text + ": " + error.description + '\n';
                }());
        }
        if (json.value("command", "") != command.toStdString())
            stated += QStringLiteral("another command\n");
        if (!stated.isEmpty())
            stated += ran.out.left(3000) + ran.error;
        collect(json, command.toStdString(), m_types);
        return stated;
    }
    static QString word(const char* command) { return QString::fromUtf8(command).section(QLatin1Char(' '), 0, 0); }

private Q_SLOTS:
    void initTestCase()
    {
        writeFile(m_folder, QStringLiteral("right.json"), smallMlp());
        writeFile(m_folder, QStringLiteral("table.csv"), "path,shape,dtype,names\na,8x32,float32,\"batch,hidden\"\n");
        QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("goldens")));
        writeFile(m_folder, QStringLiteral("goldens/named_shardings.json"),
            "{\".params/['params']/['w']\": {\"mesh\": {\"axis_names\": [\"data\"], \"shape\": {\"data\": 3}}, "
            "\"partition_spec\": [\"data\"], \"shape\": [8]}}");
        writeFile(m_folder, QStringLiteral("before.mlir"),
            "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, "
            "[{\"x\"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {\n"
            "  %y = stablehlo.negate %x : tensor<8xf32>\n  return %y : tensor<8xf32>\n}\n");
        writeFile(m_folder, QStringLiteral("after.hlo"),
            "HloModule m, is_scheduled=true, num_partitions=2\n\nENTRY %main (x: f32[4]) -> f32[8] {\n"
            "  %x = f32[4]{0} parameter(0)\n  %y = f32[4]{0} negate(%x)\n"
            "  ROOT %g = f32[8]{0} all-gather(%y), replica_groups={{0,1}}, dimensions={0}\n}\n");
        const Ran ran = run(QStringLiteral("schema output"), {});
        QCOMPARE(ran.code, 0);
        QCOMPARE(
            ran.out.toUtf8(), fileBytes(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/resources/schema/output.schema.json")));
        const nlohmann::json document = ran.json();
        valijson::adapters::NlohmannJsonAdapter adapter(document);
        valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, m_schema);
    }

    /// A command that is added is to be added here.
    void everyCommandIsTested()
    {
        QSet<QString> tested;
        for (const char* command : everyCommand)
            tested << word(command);
        const QString help = run(QStringLiteral("--help"), {}).out;
        int commands = 0;
        QRegularExpressionMatchIterator found =
            QRegularExpression(QStringLiteral("^  ([a-z-]+)  +\\S"), QRegularExpression::MultilineOption)
                .globalMatch(help.mid(help.indexOf(QStringLiteral("Subcommands:"))));
        for (; found.hasNext(); ++commands) {
            const QString name = found.next().captured(1);
            QVERIFY2(tested.contains(name), qPrintable(name));
        }
        QVERIFY(commands >= 16);
    }

    void success()
    {
        for (const char* command : everyCommand) {
            const Ran ran = run(QString::fromUtf8(command));
            const QString stated = wrong(ran, word(command));
            const int expected = strstr(command, "GOLDENS") ? 1 : 0; // which the experiment differs from
            QVERIFY2(stated.isEmpty() && ran.code == expected,
                qPrintable(QString::fromUtf8(command) + QLatin1Char('\n') + stated));
        }
    }

    void findings()
    {
        for (const QByteArray from : { "\"hidden\": 32", "\"batch\", \"data\"" }) {
            const bool indivisible = from.contains("32");
            writeFile(m_folder, QStringLiteral("bad.json"),
                smallMlp(from, indivisible ? "\"hidden\": 30" : "\"batch\", [\"data\", \"data\"]"));
            for (const char* command : finding) {
                const Ran ran = run(QString::fromUtf8(command).replace(
                    QStringLiteral("FILE"), m_folder.filePath(QStringLiteral("bad.json"))));
                const QString stated = wrong(ran, word(command));
                QVERIFY2(stated.isEmpty(), qPrintable(QString::fromUtf8(command) + QLatin1Char('\n') + stated));
                // What is wrong with the experiment keeps its program legal, and the rules of its operations known.
                const bool legal = word(command) == QLatin1String("rules") || word(command) == QLatin1String("verify");
                QVERIFY2(ran.code == 1 || ran.code == 2 || legal,
                    qPrintable(QString::fromUtf8(command) + QString::number(ran.code)));
                QVERIFY2(ran.code == 0 || !ran.json().at("problems").empty(), command);
            }
        }
    }

    void unreadable()
    {
        for (const char* command : readingNothing) {
            const Ran ran = run(QString::fromUtf8(command));
            const QString stated = wrong(ran, word(command));
            QVERIFY2(
                stated.isEmpty() && ran.code == 2, qPrintable(QString::fromUtf8(command) + QLatin1Char('\n') + stated));
            QVERIFY2(!ran.json().at("problems").empty(), command);
        }
    }

    /// The same version as where it succeeds.
    void usage()
    {
        std::map<QString, std::string> versions;
        for (const char* command : everyCommand) {
            const Ran ran = run(QString::fromUtf8(command), { QStringLiteral("--json"), QStringLiteral("--no-such") });
            const QString stated = wrong(ran, word(command));
            QVERIFY2(
                stated.isEmpty() && ran.code == 2, qPrintable(QString::fromUtf8(command) + QLatin1Char('\n') + stated));
            const nlohmann::json json = ran.json();
            QVERIFY2(json.at("problems").at(0).at("code") == "E131", qPrintable(ran.out));
            QVERIFY2(json.at("format") == "shardscope-" + word(command).toStdString(), qPrintable(ran.out));
            versions[word(command)] = json.at("version");
        }
        for (const char* command : { "check FILE", "schema", "mesh --devices cpu:8 --shape 8", "examples" })
            QVERIFY(run(QString::fromUtf8(command)).json().at("version") == versions.at(word(command)));
        // Found only once the input is read.
        for (const char* command :
            { "run jax-layer-program --state none --steps 2", "explain FILE", "mesh --devices cpu:8" }) {
            const Ran ran = run(QString::fromUtf8(command));
            QVERIFY2(wrong(ran, word(command)).isEmpty() && ran.code == 2, qPrintable(ran.out + ran.error));
            QVERIFY2(ran.json().at("problems").at(0).at("code") == "E131", qPrintable(ran.out));
        }
        // What is asked for in a file leaves it alone: nothing was understood.
        const QString old = writeFile(m_folder, QStringLiteral("old.json"), "old");
        const Ran ran = run(QStringLiteral("check FILE"), { QStringLiteral("--no"), QStringLiteral("--json=") + old });
        QCOMPARE(ran.code, 2);
        QVERIFY(ran.out.isEmpty() && ran.error.contains(QStringLiteral("E131")));
        QCOMPARE(fileBytes(old), QByteArray("old"));
    }

    void unknownCommands()
    {
        const Ran ran = run(QStringLiteral("rnu x"));
        QVERIFY2(wrong(ran, {}).isEmpty() && ran.code == 2, qPrintable(ran.out + ran.error));
        QVERIFY2(ran.json().at("problems").at(0).at("code") == "E132", qPrintable(ran.out));
        QVERIFY2(ran.json().at("problems").at(0).at("args").at("nearest") == "run", qPrintable(ran.out));
        QVERIFY(ran.json().at("format") == "shardscope");
        const auto stated = [this](const char* command) { return run(QString::fromUtf8(command), {}).error; };
        QVERIFY2(
            stated("rnu x").startsWith(QStringLiteral("E132: there is no command “rnu”")), qPrintable(stated("rnu x")));
        QVERIFY(stated("rnu x").contains(QStringLiteral("Did you mean “run”?")));
        QVERIFY(stated("rule-lap").contains(QStringLiteral("Did you mean “rule-lab”?")));
        QVERIFY(stated("no/such/file.json").contains(QStringLiteral("E129: no/such/file.json cannot be read")));
        // A file or an example comes first; what follows it is what is wrong.
        QVERIFY2(stated("rule-lab x").contains(QStringLiteral("E131")), qPrintable(stated("rule-lab x")));
        QVERIFY2(stated("FILE x").contains(QStringLiteral("E131")), qPrintable(stated("FILE x")));
    }

    /// Files are called as they were typed.
    void namesOfFiles()
    {
        const QByteArray wrongText =
            "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n  return %b : tensor<8xf32>\n}\n";
        writeFile(m_folder, QStringLiteral("wrong.mlir"), wrongText);
        const QString name = QDir::current().relativeFilePath(m_folder.filePath(QStringLiteral("wrong.mlir")));
        for (const char* command : { "show", "check", "run", "verify", "propagate", "partition", "comms" }) {
            const Ran ran = runProgram({ QString::fromUtf8(command), name, QStringLiteral("--json") });
            QVERIFY2(wrong(ran, QString::fromUtf8(command)).isEmpty(), qPrintable(ran.out));
            const nlohmann::json json = ran.json();
            QVERIFY2(json.at("input").at("name") == name.toStdString(), qPrintable(ran.out));
            QVERIFY2(json.at("problems").at(0).at("where").at("file") == name.toStdString(), qPrintable(ran.out));
        }
        // A program that an experiment names is called as the experiment calls it.
        writeFile(m_folder, QStringLiteral("around.json"),
            experimentText(R"("model": { "preset": "program", "file": "there-is-none.mlir" })"));
        const Ran ran = runProgram({ QStringLiteral("check"), m_folder.filePath(QStringLiteral("around.json")) });
        QVERIFY2(ran.error.contains(QStringLiteral(" there-is-none.mlir cannot be read")), qPrintable(ran.error));
    }

    /// Warnings that are repeated are one line, in text and in JSON.
    void repeatedWarnings()
    {
        QByteArray rules = "[\"batch\", \"data\"]";
        constexpr int unused = 9'998; // beside the two of the MLP as many as there may be
        for (int i = 0; i < unused; ++i)
            rules += ", [\"n" + QByteArray::number(i) + "\", \"data\"]";
        const QString file = writeFile(m_folder, QStringLiteral("many.json"),
            smallMlp("[\"batch\", \"data\"]", rules).replace(", \"axes\": \"device\"", ""));
        const Ran text = runProgram({ QStringLiteral("check"), file });
        QCOMPARE(text.code, 1);
        QCOMPARE(text.out.count(QStringLiteral("W202")), 1);
        QVERIFY2(text.out.contains(QStringLiteral("rule 2 (n0) is never used")), qPrintable(text.out.left(2000)));
        QVERIFY2(text.out.contains(QStringLiteral("9,997 more like it: n1, n2, n3, n4 and so on")),
            qPrintable(text.out.left(2000)));
        const Ran shown = runProgram({ QStringLiteral("show"), file });
        QCOMPARE(shown.error.count(QStringLiteral("W202")), 1);
        const Ran ran = runProgram({ QStringLiteral("check"), file, QStringLiteral("--json") });
        QVERIFY2(wrong(ran, QStringLiteral("check")).isEmpty(), qPrintable(ran.out.left(2000)));
        int found = 0;
        const nlohmann::json json = ran.json();
        for (const nlohmann::json& problem : json.at("problems"))
            if (problem.at("code") == "W202") {
                ++found;
                QVERIFY(problem.at("count") == unused);
            }
        QCOMPARE(found, 1);
    }

    /// A number beyond all ranges is told the range of its key.
    void rangesOfKeys()
    {
        const auto stated = [this](const QByteArray& from, const QByteArray& to) {
            return runProgram(
                { QStringLiteral("check"), writeFile(m_folder, QStringLiteral("range.json"), smallMlp(from, to)) })
                .error;
        };
        const QString layers = stated("\"layers\": 2", "\"layers\": 99999999999999999999");
        QVERIFY2(layers.contains(QStringLiteral("from 1 to 4096")), qPrintable(layers));
        QCOMPARE(layers.count(QStringLiteral("E125")), 1);
        const QString axis = stated("[\"data\", 2]", "[\"data\", 99999999999999999999]");
        QVERIFY2(axis.contains(QStringLiteral("from 1 to 1048576")), qPrintable(axis));
        const QString runs = stated("\"runs\": 3", "\"runs\": 1" + QByteArray(60, '0'));
        QVERIFY2(runs.contains(QStringLiteral("E125")) && !runs.contains(QStringLiteral("9223372036854775807")),
            qPrintable(runs));
    }

    /// A member has the same type wherever it stands. The last one: it looks at all that was printed before.
    void types()
    {
        QString conflicts;
        for (const auto& [member, types] : m_types)
            if (types.size() > 1) {
                conflicts += QString::fromStdString(member) + QLatin1Char(':');
                for (const auto& [type, where] : types)
                    conflicts +=
                        QStringLiteral(" %1 (%2)").arg(QString::fromStdString(type), QString::fromStdString(where));
                conflicts += QLatin1Char('\n');
            }
        QVERIFY(m_types.contains("axes") && m_types.contains("devices") && m_types.contains("program"));
        QVERIFY2(conflicts.isEmpty(), qPrintable(conflicts));
    }
};

REGISTER_TEST(OutputSchemaTest)
#include "test_output_schema.moc"
