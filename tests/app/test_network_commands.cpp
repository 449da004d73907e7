// SPDX-License-Identifier: GPL-3.0-or-later
// new, params, train, diff, and convert of a configuration: transformers on the command line.
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

const QString tensorColumns =
    QStringLiteral("path,role,dtype,shape,dimensions,names,spec,bytes_per_device,bytes,copies");

Ran ranWith(const QString& command)
{
    return runProgram(command.split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

nlohmann::json tensorAt(const nlohmann::json& out, const std::string& path)
{
    for (const auto& tensor : out.at("tensors"))
        if (tensor.at("path") == path)
            return tensor;
    return {};
}

std::vector<double> lossesOf(const Ran& ran)
{
    std::vector<double> losses;
    const auto report = ran.json();
    for (const auto& step : report.at("steps"))
        losses.push_back(step.at("loss"));
    return losses;
}

const char* const configuration = R"({ "architectures": ["LlamaForCausalLM"], "model_type": "llama",
  "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
  "intermediate_size": 128, "vocab_size": 320, "rope_theta": 500000.0, "rms_norm_eps": 1e-5, "hidden_act": "silu",
  "tie_word_embeddings": false, "max_position_embeddings": 512, "bos_token_id": 1 })";

} // namespace

class NetworkCommandsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    /// The small transformer of the gallery, on a mesh of other sizes.
    QString onOtherMesh()
    {
        QByteArray text = ranWith(QStringLiteral("examples transformer-t5x")).out.toUtf8();
        text.replace("[\"data\", 2], [\"model\", 4]", "[\"data\", 4], [\"model\", 2]");
        return writeFile(m_folder, QStringLiteral("other.json"), text);
    }

private Q_SLOTS:
    void newListsPresets()
    {
        const Ran list = ranWith(QStringLiteral("new"));
        QCOMPARE(list.code, 0);
        QVERIFY(list.out.contains(QStringLiteral("llama3-8b")) && list.out.contains(QStringLiteral("8,030,261,248")));
        const nlohmann::json presets = ranWith(QStringLiteral("new --json")).json().at("presets");
        QVERIFY(std::any_of(presets.begin(), presets.end(),
            [](const auto& each) { return each.at("id") == "llama3-8b" && each.at("parameter_count") == 8030261248; }));
        const Ran unknown = ranWith(QStringLiteral("new --preset lama3-8b --mesh data=2"));
        QCOMPARE(unknown.code, 2);
        QVERIFY2(unknown.error.contains(QStringLiteral("llama3-8b")), qPrintable(unknown.error));
        QCOMPARE(ranWith(QStringLiteral("new --preset llama3-8b")).code, 2); // no mesh
        // 8 sequences do not divide into 3 parts.
        QCOMPARE(ranWith(QStringLiteral("new --preset llama3-8b --mesh data=2 --batch 8 --microbatches 3")).code, 2);
    }

    /// Two layers of Llama 3 8B: 2 · 128256 · 4096 of embedding and logits, 4096 of the last norm, and per layer
    /// 2 · 4096² + 2 · 4096 · 1024 + 3 · 4096 · 14336 + 2 · 4096.
    void newAndParams()
    {
        const QString file = path("llama.json");
        const Ran made = ranWith(
            QStringLiteral("new --preset llama3-8b --mesh data=8,model=4 --rules t5x-a2p2 --layers 2 --optimizer adamw "
                           "--form unrolled -o ")
            + file);
        QVERIFY2(made.code == 0, qPrintable(made.error));
        const nlohmann::json written = nlohmann::json::parse(fileBytes(file).toStdString());
        QVERIFY(written.at("step").at("optimizer") == "adamw");
        QVERIFY(written.at("rules").at("dialect") == "t5x");
        QVERIFY(written.at("model").at("layers") == 2);

        const Ran params = ranWith(QStringLiteral("params --json ") + file);
        QVERIFY2(params.code == 0, qPrintable(params.out.left(2000) + params.error));
        const nlohmann::json out = params.json();
        QVERIFY(out.at("parameter_count") == 1486901248);
        QVERIFY(out.at("bytes") == 2973802496);
        const nlohmann::json wi = tensorAt(out, "params/decoder/layers.1/mlp/wi_0/kernel");
        QVERIFY(wi.at("shape") == nlohmann::json({ 4096, 14336 }));
        QVERIFY(wi.at("dtype") == "bf16");
        QVERIFY(wi.at("logical_axes") == nlohmann::json({ "embed", "mlp" }));
        QVERIFY(wi.at("dimension_axes") == nlohmann::json::parse(R"([["data"], ["model"]])"));
        QVERIFY(wi.at("bytes") == 117440512 && wi.at("bytes_per_device") == 3670016);
        std::int64_t perDevice = 0;
        for (const auto& tensor : out.at("tensors"))
            perDevice += tensor.at("bytes_per_device").get<std::int64_t>();
        QVERIFY(out.at("bytes_per_device") == perDevice);

        // A preset's layers are a loop, unless it is asked for what a loop cannot do.
        const QString begin = QStringLiteral("new --preset llama3-8b --mesh data=8,model=4 --layers 2 ");
        const auto form = [&](const char* more) {
            return ranWith(begin + QLatin1String(more)).json().at("model").value("form", "unrolled");
        };
        QCOMPARE(form(""), "scanned");
        QCOMPARE(form("--remat full"), "scanned");
        QCOMPARE(form("--remat gathered"), "unrolled");
        QCOMPARE(ranWith(begin + QStringLiteral("-o ") + file).code, 0);
        const nlohmann::json scanned = ranWith(QStringLiteral("params --json ") + file).json();
        QVERIFY(scanned.at("parameter_count") == 1486901248);
        QVERIFY(tensorAt(scanned, "params/decoder/layers/mlp/wi_0/kernel").at("shape")
            == nlohmann::json({ 2, 4096, 14336 }));
    }

    void newWithChosenShardings()
    {
        const QString file = path("constrained.json");
        const QString begin =
            QStringLiteral("new --preset llama3-8b --mesh data=8,model=4 --layers 2 --form unrolled ");
        const Ran made = ranWith(begin
            + QStringLiteral("--constrain decoder/layers.*=batch,-,- --constrain **/mlp=P('data') "
                             "--spec decoder/layers.*/mlp/wo/kernel=P('model') -o ")
            + file);
        QVERIFY2(made.code == 0, qPrintable(made.error));
        const nlohmann::json model = nlohmann::json::parse(fileBytes(file).toStdString()).at("model");
        QVERIFY(model.at("constraints")
            == nlohmann::json::parse(R"([{ "at": "decoder/layers.*", "names": ["batch", null, null] },
                { "at": "**/mlp", "spec": ["data"] }])"));
        QVERIFY(model.at("parameter_specs")
            == nlohmann::json::parse(R"([{ "at": "decoder/layers.*/mlp/wo/kernel", "spec": ["model"] }])"));
        // Whatever the rules of the mesh make of it.
        const nlohmann::json out = ranWith(QStringLiteral("params --json ") + file).json();
        QVERIFY(tensorAt(out, "params/decoder/layers.1/mlp/wo/kernel").at("dimension_axes")
            == nlohmann::json::parse(R"([["model"], []])"));
        QCOMPARE(ranWith(begin + QStringLiteral("--constrain decoder/layers.*")).code, 2);
        const Ran unknown = ranWith(begin + QStringLiteral("--constrain decoder/layer.*=batch"));
        QCOMPARE(unknown.code, 2);
        QVERIFY2(unknown.error.contains(QStringLiteral("decoder/layers.*")), qPrintable(unknown.error));
    }

    /// An experiment in the place of a preset: what is not asked for stays.
    void newFromAnExperiment()
    {
        const nlohmann::json before = ranWith(QStringLiteral("examples penzai-transformer")).json();
        const auto from = [](const char* more) {
            return ranWith(QStringLiteral("new --from penzai-transformer ") + QLatin1String(more));
        };
        QVERIFY(from("").json() == before);
        const nlohmann::json free = from("--without-constraint decoder/layers.*").json();
        QVERIFY(!free.at("model").contains("constraints"));
        QVERIFY(free.at("rules") == before.at("rules") && free.at("mesh") == before.at("mesh"));
        // One of both layers keeps its constraint; a new one comes after it.
        const nlohmann::json one =
            from("--without-constraint decoder/layers.0 --constrain **/mlp=P('devices')").json().at("model");
        QVERIFY(one.at("constraints")
            == nlohmann::json::parse(R"([{ "at": "decoder/layers.1", "spec": ["devices", null, null] },
                { "at": "**/mlp", "spec": ["devices"] }])"));
        QVERIFY(from("--batch 32 --layers 3").json().at("model").at("layers") == 3);
        QCOMPARE(from("--without-constraint decoder").code, 2); // there is none
        QCOMPARE(from("--without-spec **").code, 2);
        QCOMPARE(from("--mesh data=2").code, 2);
        QCOMPARE(from("--preset llama3-8b").code, 2);
        QCOMPARE(ranWith(QStringLiteral("new --from rule-lab")).code, 2); // no transformer
        const nlohmann::json other = from("--remat gathered --embed-by-one-hot").json().at("model");
        QVERIFY(other.at("remat") == "gathered" && other.at("embed_by_one_hot") == true);
        QVERIFY(
            from("--without-constraint decoder/layers.* --form scanned").json().at("model").at("form") == "scanned");
        QCOMPARE(from("--remat most").code, 2);
    }

    /// DeepSeek V3 has three layers without experts before those with experts.
    void fewerLayersLeaveOneWithExperts()
    {
        const auto dense = [](const char* layers) {
            const Ran ran = ranWith(
                QStringLiteral("new --preset deepseek-v3 --mesh data=2 --json --layers ") + QLatin1String(layers));
            const nlohmann::json out = ran.json();
            const nlohmann::json experts =
                nlohmann::json::parse(out.at("text").get<std::string>()).at("model").at("experts");
            return std::pair<std::int64_t, std::int64_t>(
                experts.value("dense_layers", std::int64_t{ 0 }), out.value("dense_layers", std::int64_t{ -1 }));
        };
        QVERIFY(dense("4") == std::pair(std::int64_t{ 3 }, std::int64_t{ -1 }));
        QVERIFY(dense("3") == std::pair(std::int64_t{ 2 }, std::int64_t{ 2 }));
        QVERIFY(dense("1") == std::pair(std::int64_t{ 0 }, std::int64_t{ 0 }));
        const Ran told = ranWith(QStringLiteral("new --preset deepseek-v3 --mesh data=2 --layers 2"));
        QCOMPARE(told.code, 0);
        QVERIFY2(told.error.contains(QStringLiteral("Layers without experts: 1 of 2")), qPrintable(told.error));
    }

    /// What no machine can run is written, and it is said as `run` refuses it.
    void tooLargeToRun()
    {
        const QString said = QStringLiteral("Too large to be run here: the run needs ");
        const QString file = m_folder.filePath(QStringLiteral("large.json"));
        const Ran large = ranWith(
            QStringLiteral("new --preset llama3.1-405b --mesh data=8,model=4 --rules t5x-a2p2 -o %1").arg(file));
        QVERIFY2(large.code == 0 && large.error.count(said) == 1, qPrintable(large.error));
        const QString needs =
            large.error.mid(large.error.indexOf(said) + said.size()).section(QLatin1String(","), 0, 0);
        const Ran run = ranWith(QStringLiteral("run ") + file);
        QVERIFY2(run.code == 1 && run.error.contains(QStringLiteral("the run needs ") + needs), qPrintable(run.error));
        // What has errors says so where it is made.
        const Ran uneven =
            ranWith(QStringLiteral("new --preset llama3-8b --layers 1 --mesh data=3 --batch 7 --rules t5x-a2p2"));
        QVERIFY2(uneven.code == 0 && uneven.error.contains(QStringLiteral("The experiment has 2 errors: E101: ")),
            qPrintable(uneven.error));
        const Ran small = ranWith(QStringLiteral("new --from transformer-t5x"));
        QVERIFY2(small.code == 0 && !small.error.contains(said), qPrintable(small.error));
    }

    /// What of rules and mesh does not go together is said where the file is made.
    void rulesOfAnotherMesh()
    {
        const auto said = [](const char* mesh) {
            return ranWith(
                QStringLiteral("new --preset llama3-8b --layers 1 --rules t5x-a2p2 --mesh ") + QLatin1String(mesh))
                .error;
        };
        const QString other = said("data=2,tp=4");
        QVERIFY2(other.contains(QStringLiteral("names the mesh axis “model”, which the mesh lacks"))
                && other.contains(QStringLiteral("(check lists 5 more of rules and mesh)")),
            qPrintable(other));
        const QString unused = said("data=2,model=4,x=2");
        QVERIFY2(unused.contains(QStringLiteral("no array is sharded along x"))
                && !unused.contains(QStringLiteral("check lists")),
            qPrintable(unused));
        QVERIFY(!said("data=2,model=4").contains(QStringLiteral("rules and mesh")));
    }

    void rulesChooseNames()
    {
        const auto names = [](const char* rules, const char* more) {
            const Ran ran =
                ranWith(QStringLiteral("new --preset llama3-8b --layers 1 --mesh data=2,fsdp=4,tensor=2 --rules ")
                    + QLatin1String(rules) + QLatin1String(more));
            return ran.code == 0 ? ran.json().at("model").value("axis_names", "t5x") : ran.error.toStdString();
        };
        QCOMPARE(names("maxtext-base-2026-08", ""), "maxtext");
        QCOMPARE(names("maxtext-base-2026-08", " --axes maxtext-2025"), "maxtext-2025");
        QCOMPARE(names("(('batch','data'),('embed','fsdp'))", ""), "t5x");
    }

    /// Those of the axes' project, and it is said; "()" is none.
    void rulesThatNobodyGave()
    {
        const auto made = [](const char* more) {
            return ranWith(QStringLiteral("new --preset llama3-8b --layers 1 ") + QLatin1String(more));
        };
        const Ran t5x = made("--mesh data=8");
        QCOMPARE(t5x.code, 0);
        QVERIFY2(t5x.error.contains(QStringLiteral("t5x-a2p2")), qPrintable(t5x.error));
        QVERIFY(t5x.json().at("rules").at("dialect") == "t5x");
        QVERIFY(t5x.json().at("mesh").at("axes") == nlohmann::json::parse(R"([["data", 8], ["model", 1]])"));
        QVERIFY(made("--mesh data=2,fsdp=4 --json").json().at("default_rules") == "maxtext-base-2026-08");
        QVERIFY(made("--mesh data=2,fsdp=4").json().at("model").at("axis_names") == "maxtext");
        // MaxText's mesh has its order, whoever names its rules, unless all axes are named.
        const auto declared =
            runProgram({ QStringLiteral("rules"), QStringLiteral("maxtext-base-2026-08"), QStringLiteral("--json") })
                .json()
                .at("rule_set")
                .at("mesh_axes");
        const auto meshOf = [](const Ran& ran) {
            std::pair<nlohmann::json, nlohmann::json> axes; // all of them, and those of more than one device
            const auto printed = ran.json();
            for (const auto& axis : printed.at("mesh").at("axes")) {
                axes.first.push_back(axis.at(0));
                if (axis.at(1) != 1)
                    axes.second.push_back(axis);
            }
            return axes;
        };
        for (const char* more : { "--mesh tensor=2,fsdp=4", "--mesh tensor=2,fsdp=4 --rules maxtext-base-2026-08" }) {
            const auto axes = meshOf(made(more));
            QVERIFY2(axes.first == declared, axes.first.dump().c_str());
            QVERIFY2(
                axes.second == nlohmann::json::parse(R"([["fsdp", 4], ["tensor", 2]])"), axes.second.dump().c_str());
        }
        std::string all = "tensor=2";
        for (const auto& axis : declared)
            if (axis != "tensor")
                all += ',' + axis.get<std::string>() + (axis == "fsdp" ? "=4" : "=1");
        const auto chosen = meshOf(made(("--rules maxtext-base-2026-08 --mesh " + all).c_str()));
        QVERIFY2(chosen.first.at(0) == "tensor" && chosen.second.at(0).at(0) == "tensor", chosen.first.dump().c_str());
        const Ran none = made("--mesh data=8 --rules ()");
        QVERIFY2(none.code == 0 && !none.error.contains(QStringLiteral("rules")), qPrintable(none.error));
        QVERIFY(none.json().at("rules").at("list").empty());
        const Ran other = made("--mesh x=8");
        QCOMPARE(other.code, 0);
        QVERIFY(other.error.contains(QStringLiteral("nothing is sharded")));

        // The sizes of a run of MaxText, over base.yml.
        const QString sizes =
            writeFile(m_folder, QStringLiteral("run.yml"), "ici_fsdp_parallelism: 4\nici_tensor_parallelism: 2\n");
        const Ran over = made(("--devices 8 --rules " + sizes.toUtf8()).constData());
        QVERIFY2(over.code == 0 && over.error.contains(QStringLiteral("W217")), qPrintable(over.error));
        QVERIFY(over.json().at("mesh").at("axes").at(3) == nlohmann::json::parse(R"(["fsdp", 4])"));
        QVERIFY(over.json().at("rules").at("list").size() > 50);
        // All of it is within a slice, as convert of the same file has it; sizes between slices, and --slices, divide
        // it.
        const auto hostsOf = [](const Ran& ran) {
            const auto hardware = ran.json().at("hardware");
            return std::pair(hardware.at("hosts").get<int>(), hardware.at("devices_per_host").get<int>());
        };
        QCOMPARE(hostsOf(over), std::pair(1, 8));
        QCOMPARE(hostsOf(ranWith(QStringLiteral("convert --from maxtext --devices 8 ") + sizes)), std::pair(1, 8));
        const QString sliced = writeFile(m_folder, QStringLiteral("sliced.yml"),
            "dcn_data_parallelism: 2\nici_fsdp_parallelism: 4\nici_tensor_parallelism: 2\n");
        QCOMPARE(hostsOf(made(("--devices 16 --slices 2 --rules " + sliced.toUtf8()).constData())), std::pair(2, 8));
        QCOMPARE(hostsOf(made("--mesh data=8 --slices 4")), std::pair(4, 2));
        QVERIFY(made("--mesh data=8 --slices 3").error.contains(QStringLiteral("E102")));
        // Batch and rematerialisation are said by options: what the file says of them is named.
        QVERIFY2(!over.error.contains(QStringLiteral("use --")), qPrintable(over.error));
        const QString full = writeFile(m_folder, QStringLiteral("full.yml"),
            "ici_fsdp_parallelism: 4\nici_tensor_parallelism: 2\nper_device_batch_size: 4\nremat_policy: 'full'\n");
        const QByteArray read = "--devices 8 --rules " + full.toUtf8();
        const Ran batch = made(read.constData());
        QVERIFY2(batch.error.contains(QStringLiteral("not per_device_batch_size, remat_policy: use --batch, --remat")),
            qPrintable(batch.error));
        QVERIFY(!made((read + " --batch 32 --remat full").constData()).error.contains(QStringLiteral("use --")));
        QVERIFY(made((read + " --batch 32 --json").constData()).json().at("not_taken")
            == nlohmann::json::array({ "remat_policy" }));

        const QString file = writeFile(m_folder, QStringLiteral("config.json"), configuration);
        const Ran converted = ranWith(QStringLiteral("convert --from hf --mesh data=2,model=4 ") + file);
        QVERIFY2(converted.error.contains(QStringLiteral("t5x-a2p2")), qPrintable(converted.error));
        const QString experiment = writeFile(m_folder, QStringLiteral("usual.json"), converted.out.toUtf8());
        const nlohmann::json params = ranWith(QStringLiteral("params --json ") + experiment).json();
        const nlohmann::json wi = tensorAt(params, "params/decoder/layers/mlp/wi_0/kernel");
        QVERIFY(wi.at("dimension_axes") == nlohmann::json::parse(R"([[], ["data"], ["model"]])"));
    }

    void paramsOfEveryKind()
    {
        const Ran csv = ranWith(QStringLiteral("params transformer-t5x --csv"));
        QCOMPARE(csv.code, 0);
        const QStringList lines = csv.out.split(QLatin1Char('\n'));
        QCOMPARE(lines.front(), tensorColumns);
        QVERIFY2(lines.at(1).startsWith(QStringLiteral("params/token_embedder/embedding,parameter,f32,256x64,")),
            qPrintable(lines.at(1)));
        QVERIFY(lines.at(1).contains(QStringLiteral(",\"vocab,embed\",")));
        QVERIFY(lines.at(1).endsWith(QStringLiteral(",8192,65536,1")));
        // Rows of what the view exports.
        const Ran all = ranWith(QStringLiteral("export transformer-t5x --view tensors"));
        for (const QString& line : lines)
            QVERIFY2(all.out.contains(line), qPrintable(line));
        // It is a table that rules are resolved for.
        const QString table = writeFile(m_folder, QStringLiteral("params.csv"), csv.out.toUtf8());
        const Ran resolved = ranWith(QStringLiteral("resolve --rules t5x-a1p2 --mesh data=2,model=4 --table ") + table);
        QVERIFY2(resolved.code == 0, qPrintable(resolved.error));

        const Ran text = ranWith(QStringLiteral("params transformer-t5x"));
        QCOMPARE(text.code, 0);
        QVERIFY2(text.out.trimmed().endsWith(QStringLiteral(" per device")), qPrintable(text.out.right(200)));
        for (const char* other : { "flax-mlp-logical", "flax-mlp-program", "rule-lab" })
            QCOMPARE(ranWith(QStringLiteral("params ") + QLatin1String(other)).code, 0);
        const nlohmann::json mlp = ranWith(QStringLiteral("params flax-mlp-logical --json")).json();
        QVERIFY(mlp.at("parameter_count") == 8 * 1024 * 1024);
    }

    void training()
    {
        const Ran ran = ranWith(QStringLiteral("train transformer-t5x --steps 30 --json"));
        QVERIFY2(ran.code == 0, qPrintable(ran.error + ran.out.left(2000)));
        const nlohmann::json steps = ran.json().at("steps");
        QCOMPARE(steps.size(), 30U);
        for (const auto& step : steps) {
            QVERIFY(std::isfinite(step.at("loss").get<double>()));
            QVERIFY(step.at("parameter_norm").get<double>() > 0);
            QVERIFY(step.at("gradient_norm").get<double>() > 0);
        }
        // Before it has learned anything, all 256 bytes are about as likely: log(256) = 5.5, and the variance of the
        // logits adds about a half.
        const double first = steps.front().at("loss"), last = steps.back().at("loss");
        QVERIFY2(first > 5 && first < 8, qPrintable(QString::number(first)));
        QVERIFY2(last < first - 0.5, qPrintable(QString::number(last)));
    }

    /// The mesh changes nothing but rounding; the seed, the text and fixed inputs do.
    void trainingOnOtherMeshes()
    {
        const std::vector<double> here = lossesOf(ranWith(QStringLiteral("train transformer-t5x --steps 3 --json")));
        const std::vector<double> there = lossesOf(ranWith(QStringLiteral("train --steps 3 --json ") + onOtherMesh()));
        QCOMPARE(there.size(), here.size());
        for (std::size_t i = 0; i < here.size(); ++i)
            QVERIFY2(std::abs(here[i] - there[i]) < 1e-3 * here[i], qPrintable(QString::number(there[i])));
        const QString text = writeFile(m_folder, QStringLiteral("own.txt"), QByteArray("abcdefgh ").repeated(40));
        for (const QString& other :
            { QStringLiteral("--seed 5"), QStringLiteral("--fixed"), QStringLiteral("--text ") + text }) {
            const std::vector<double> losses =
                lossesOf(ranWith(QStringLiteral("train transformer-t5x --steps 3 --json ") + other));
            QCOMPARE(losses.size(), here.size());
            QVERIFY2(losses[1] != here[1], qPrintable(other));
        }
    }

    // Updates that are far too large: which operation of which step gives the first infinity or NaN.
    void divergenceIsLocated()
    {
        QString text = ranWith(QStringLiteral("examples flax-mlp-logical")).out;
        text.replace(QStringLiteral("\"learning_rate\": 0.001"), QStringLiteral("\"learning_rate\": 1e12"));
        text.replace(QStringLiteral("1024"), QStringLiteral("64"));
        const QString file = writeFile(m_folder, QStringLiteral("diverging.json"), text.toUtf8());
        const Ran told = ranWith(QStringLiteral("train --steps 4 ") + file);
        QCOMPARE(told.code, 0);
        QVERIFY2(told.out.contains(QStringLiteral("  Step 2: The first infinity is %layers.")), qPrintable(told.out));
        QVERIFY2(told.out.contains(QStringLiteral(": stablehlo.dot_general in layers.1 makes it of finite operands.")),
            qPrintable(told.out));
        const nlohmann::json diverged = ranWith(QStringLiteral("train --steps 4 --json ") + file).json().at("diverged");
        QCOMPARE(diverged.at("step").get<int>(), 2);
        QVERIFY(diverged.at("kind") == "infinity" && diverged.at("operation") == "stablehlo.dot_general");
        QVERIFY(diverged.at("run") == "devices" && diverged.at("element").size() == 2);
        QVERIFY(told.out.contains(QString::fromStdString(diverged.at("sentence").get<std::string>())));
        // `run` as well, and nothing where all is finite.
        QVERIFY(ranWith(QStringLiteral("run --no-check --steps 3 ") + file).out.contains(QStringLiteral("  Step 2: ")));
        QVERIFY(!ranWith(QStringLiteral("train flax-mlp-logical --steps 2 --json")).json().contains("diverged"));
    }

    void trainingIsTold()
    {
        const Ran ran = ranWith(QStringLiteral("train transformer-experts --steps 4"));
        QVERIFY2(ran.code == 0, qPrintable(ran.error));
        QVERIFY(ran.out.contains(QStringLiteral("Gradients")));
        QVERIFY2(ran.out.contains(QStringLiteral("after 4 steps.")), qPrintable(ran.out));
        // Other networks train on what their inputs begin with.
        QCOMPARE(ranWith(QStringLiteral("train flax-mlp-logical --steps 2")).code, 0);
        const Ran arrays = ranWith(QStringLiteral("train rule-lab"));
        QCOMPARE(arrays.code, 2);
        QVERIFY2(arrays.error.contains(QStringLiteral("without operations")), qPrintable(arrays.error));
    }

    void whatCannotBeTrained()
    {
        const QString text = writeFile(m_folder, QStringLiteral("text.txt"), QByteArray("abcdefgh ").repeated(40));
        const Ran noTokens = ranWith(QStringLiteral("train flax-mlp-logical --steps 2 --text ") + text);
        QCOMPARE(noTokens.code, 2);
        QVERIFY2(noTokens.error.contains(QStringLiteral("--text")), qPrintable(noTokens.error));
        const QString few = writeFile(m_folder, QStringLiteral("few.txt"), "abc");
        const Ran tooFew = ranWith(QStringLiteral("train transformer-t5x --text ") + few);
        QCOMPARE(tooFew.code, 2);
        QVERIFY2(tooFew.error.contains(
                     QStringLiteral("the text has 3 bytes, and sequences of 32 tokens take at least 33 bytes")),
            qPrintable(tooFew.error));
        QCOMPARE(ranWith(QStringLiteral("train transformer-t5x --text ") + path("there-is-none")).code, 2);
        QCOMPARE(ranWith(QStringLiteral("train transformer-t5x --steps 0")).code, 2);
        // One without a state trains nothing, however many steps are asked for, unless it is told what its state is.
        for (const char* steps : { "", "--steps 1", "--steps 2" }) {
            const Ran ran = ranWith(QStringLiteral("train jax-layer-program ") + QLatin1String(steps));
            QCOMPARE(ran.code, 2);
            QVERIFY2(ran.out.isEmpty() && ran.error.contains(QStringLiteral("no step to train"))
                    && ran.error.contains(QStringLiteral("--state")),
                qPrintable(ran.error));
        }
        const QString product = writeFile(m_folder, QStringLiteral("product.mlir"),
            "func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
            "  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> "
            "tensor<4x4xf32>\n  return %y : tensor<4x4xf32>\n}\n");
        const Ran told = ranWith(QStringLiteral("train --steps 2 --state 0=0 ") + product);
        QVERIFY2(told.code == 0, qPrintable(told.error));
    }

    void differences()
    {
        const Ran same = ranWith(QStringLiteral("diff transformer-t5x transformer-t5x"));
        QCOMPARE(same.code, 0);
        QVERIFY(same.out.startsWith(QStringLiteral("no differences")));
        const Ran text = ranWith(QStringLiteral("diff transformer-t5x ") + onOtherMesh());
        QCOMPARE(text.code, 1);
        QVERIFY(text.out.contains(QStringLiteral("/mesh/axes/0/1\n    - 2\n    + 4\n")));
        const Ran ran = ranWith(QStringLiteral("diff --json transformer-t5x ") + onOtherMesh());
        QCOMPARE(ran.code, 1);
        const nlohmann::json found = ran.json().at("differences");
        const auto at = [&](const char* section, const char* where) {
            return std::any_of(found.begin(), found.end(),
                [&](const auto& each) { return each.at("section") == section && each.at("path") == where; });
        };
        QVERIFY(at("mesh", "/mesh/axes/0/1") && at("mesh", "/mesh/axes/1/1"));
        QVERIFY(at("shardings", "params/token_embedder/embedding")); // 64x32 becomes 128x16
        QVERIFY(!at("model", "/model/layers"));
        QVERIFY(at("bytes", "parameters per device"));
        QVERIFY(std::any_of(found.begin(), found.end(), [](const auto& each) {
            return each.at("section") == "collectives" && each.at("bytes_before").is_number();
        }));
        const QString sentence = QString::fromStdString(ran.json().at("largest_difference").get<std::string>());
        QVERIFY2(sentence.startsWith(QStringLiteral("Each device ")), qPrintable(sentence));
        // Totals come first, alike or not; then the window's own sentence, in both forms.
        QVERIFY2(text.out.startsWith(QStringLiteral("In all ")), qPrintable(text.out));
        QVERIFY(text.out.contains(QStringLiteral("\n\n") + sentence + QLatin1Char('\n')));
        const nlohmann::json totals = ran.json().at("totals");
        QVERIFY(totals.at(0).at("name") == "state and gradients per device"
            && totals.at(1).at("name") == "peak per device");
        QVERIFY(totals.at(2).at("name") == "sent per device and step");
        double before = 0, after = 0;
        for (std::size_t i = 3; i < totals.size(); ++i) {
            before += totals[i].at("bytes_before").get<double>();
            after += totals[i].at("bytes_after").get<double>();
        }
        QVERIFY(before > 0 && std::abs(before - totals[2].at("bytes_before").get<double>()) < 1);
        QVERIFY(std::abs(after - totals[2].at("bytes_after").get<double>()) < 1);
        QVERIFY(ran.json().at("renamed_axes").empty());
        QCOMPARE(ranWith(QStringLiteral("diff transformer-t5x there-is-none")).code, 2);
        QCOMPARE(ranWith(QStringLiteral("diff transformer-t5x")).code, 2);
    }

    /// The same layout under other names is no saving.
    void axesOfOtherNames()
    {
        QByteArray content = ranWith(QStringLiteral("examples transformer-t5x")).out.toUtf8();
        content.replace("\"data\"", "\"rows\"")
            .replace("\"model\"]", "\"columns\"]")
            .replace("\"model\",", "\"columns\",");
        const QString file = writeFile(m_folder, QStringLiteral("renamed.json"), content);
        const Ran ran = ranWith(QStringLiteral("diff --json transformer-t5x ") + file);
        QVERIFY2(ran.code == 1, qPrintable(ran.error));
        const nlohmann::json found = ran.json();
        QVERIFY(found.at("renamed_axes") == nlohmann::json::parse(R"([{"before": "data", "after": "rows", "size": 2},
                                         {"before": "model", "after": "columns", "size": 4}])"));
        for (const auto& each : found.at("totals"))
            QVERIFY2(each.at("bytes_before") == each.at("bytes_after"), each.dump().c_str());
        for (const auto& each : found.at("differences"))
            QVERIFY2(each.at("section") != "shardings" && each.at("section") != "bytes"
                    && each.at("section") != "collectives",
                each.dump().c_str());
        const Ran text = ranWith(QStringLiteral("diff transformer-t5x ") + file);
        QVERIFY2(text.out.contains(QStringLiteral("count as the same: data is rows in B, model is columns.")),
            qPrintable(text.out));
    }

    void trainNeedsAStep()
    {
        const Ran ran = ranWith(QStringLiteral("train rule-lab --steps 2"));
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.error.contains(QStringLiteral("there is no step to train")), qPrintable(ran.error));
        const nlohmann::json json = ranWith(QStringLiteral("train rule-lab --steps 2 --json")).json();
        QVERIFY(json.at("problems").size() == 1);
    }

    void variants()
    {
        QByteArray content = ranWith(QStringLiteral("examples transformer-t5x")).out.toUtf8();
        const qsizetype end = content.lastIndexOf("\n}");
        content.insert(end,
            ",\n  \"variants\": [{ \"name\": \"4x2\", \"patch\": { \"mesh\": { \"axes\": [[\"data\", 4], "
            "[\"model\", 2]] } } }, { \"name\": \"broken\", \"patch\": { \"mesh\": 3 } }]");
        const QString file = writeFile(m_folder, QStringLiteral("variants.json"), content);
        // The variant is what the other file is, by either name.
        for (const QString& name : { file + QStringLiteral("#4x2"), QStringLiteral("--variant 4x2 ") + file }) {
            const Ran shown = ranWith(QStringLiteral("show --json ") + name);
            QVERIFY2(shown.code == 0, qPrintable(shown.error));
            const nlohmann::json printed = shown.json();
            QVERIFY(printed.at("mesh").at("shape") == nlohmann::json({ 4, 2 }));
            QVERIFY(printed.at("input").at("name").get<std::string>() == (file + QStringLiteral("#4x2")).toStdString());
        }
        QCOMPARE(ranWith(QStringLiteral("diff %1#4x2 %2").arg(file, onOtherMesh())).code, 0);
        QCOMPARE(ranWith(QStringLiteral("diff %1 %1#4x2").arg(file)).code, 1);
        const Ran none = ranWith(QStringLiteral("show --variant 4x3 ") + file);
        QCOMPARE(none.code, 2);
        QVERIFY2(none.error.contains(QStringLiteral("4x2")), qPrintable(none.error));
        const Ran broken = ranWith(QStringLiteral("show --variant broken ") + file);
        QCOMPARE(broken.code, 2);
        QVERIFY2(broken.error.contains(QStringLiteral("mesh")), qPrintable(broken.error));
        QCOMPARE(ranWith(QStringLiteral("show --variant x rule-lab")).code, 2); // an example, which has none
    }

    /// What a patch says wrongly does nothing in silence: check of the file tells it.
    void checkLooksAtVariants()
    {
        const auto checked = [this](const QByteArray& patch, const QByteArray& more = {}) {
            const QByteArray content = smallMlp("\n}",
                more
                    + ",\n  \"variants\": [{ \"name\": \"4x2\", \"patch\": { \"mesh\": { \"axes\": [[\"data\", 4], "
                      "[\"model\", 2]] } } }, "
                      "{ \"name\": \"other\", \"patch\": "
                    + patch + " }]\n}");
            return ranWith(QStringLiteral("check ") + writeFile(m_folder, QStringLiteral("checked.json"), content));
        };
        const Ran fine = checked("{ \"title\": \"B\" }");
        const Ran misspelled = checked("{ \"mehs\": { \"axes\": [[\"data\", 4], [\"model\", 2]] } }");
        QCOMPARE(misspelled.code, 1);
        QVERIFY2(misspelled.out.contains(QStringLiteral("checked.json#other: W220"))
                && misspelled.out.contains(QStringLiteral("Did you mean “mesh”?")),
            qPrintable(misspelled.out + misspelled.error));
        QVERIFY2(!fine.out.contains(QLatin1Char('#')), qPrintable(fine.out));
        const Ran broken = checked("{ \"mesh\": 3 }");
        QVERIFY2(broken.code == 1 && broken.out.contains(QStringLiteral("checked.json#other: E")),
            qPrintable(broken.out + broken.error));
        // A key that nobody knows in the file itself is told once, not again for each variant.
        const Ran once = checked("{ \"title\": \"B\" }", ",\n  \"mehs\": 1");
        QCOMPARE(once.out.count(QStringLiteral("W220")), 1);
    }

    void configurations()
    {
        const QString file = writeFile(m_folder, QStringLiteral("config.json"), configuration);
        const Ran ran = ranWith(QStringLiteral("convert --from hf --mesh data=2,model=2 --rules t5x-a1p1 ") + file);
        QVERIFY2(ran.code == 0, qPrintable(ran.error));
        const nlohmann::json made = ran.json();
        QVERIFY(made.at("title") == "config");
        const nlohmann::json model = made.at("model");
        QVERIFY(model.at("preset") == "transformer" && model.at("layers") == 3);
        QVERIFY(model.at("dims").at("embed") == 64 && model.at("dims").at("kv_heads") == 2
            && model.at("dims").at("head_size") == 16 && model.at("dims").at("vocab") == 320);
        QVERIFY(model.at("rotary_base") == 500000.0);
        QVERIFY(made.at("mesh").at("axes") == nlohmann::json::parse(R"([["data", 2], ["model", 2]])"));
        QVERIFY(
            made.at("hardware").at("hosts").get<int>() * made.at("hardware").at("devices_per_host").get<int>() == 4);
        const QString experiment = writeFile(m_folder, QStringLiteral("made.json"), ran.out.toUtf8());
        const nlohmann::json params = ranWith(QStringLiteral("params --json ") + experiment).json();
        QVERIFY(params.at("parameter_count")
            == 2 * 320 * 64 + 64 + 3 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128 + 2 * 64));

        const nlohmann::json read =
            ranWith(QStringLiteral("convert --from hf --mesh data=2 --json ") + file).json().at("read");
        QVERIFY(std::any_of(read.at("passed_over").begin(), read.at("passed_over").end(),
            [](const auto& each) { return each.at("key") == "bos_token_id" && each.at("line") == 4; }));
        QVERIFY(ranWith(QStringLiteral("convert --from hf --mesh data=2 --to csv ") + file)
                    .out.contains(QStringLiteral("decoder/layers/mlp/wo/kernel")));
        QCOMPARE(ranWith(QStringLiteral("convert --from hf ") + file).code, 2); // no mesh
        const QString other = writeFile(m_folder, QStringLiteral("bad.json"), "{ \"model_type\": \"mamba\" }");
        const Ran unknown = ranWith(QStringLiteral("convert --from hf --mesh data=2 ") + other);
        QCOMPARE(unknown.code, 2);
        QVERIFY2(unknown.error.contains(QStringLiteral("bad.json")), qPrintable(unknown.error));
    }

    void searchesForMeshes()
    {
        const Ran text = ranWith(QStringLiteral("search flax-mlp-logical"));
        QCOMPARE(text.code, 0);
        for (const char* part :
            { "data 1 × model 8", "data 2 × model 4 (the experiment's)", "16 MiB", "beaten by data 1 × model 8",
                "data 1 × model 8 sends least with a batch of 2; from a batch of 293 on it is data 2 × model 4" })
            QVERIFY2(text.out.contains(QString::fromUtf8(part)), qPrintable(text.out));
        const nlohmann::json json = ranWith(QStringLiteral("search flax-mlp-logical --json")).json();
        QCOMPARE(json.at("meshes").size(), std::size_t{ 4 });
        QVERIFY(json.at("meshes")[0].at("is_front") == true && json.at("meshes")[0].at("beaten_by").is_null());
        QVERIFY(json.at("meshes")[1].at("beaten_by").at("shape") == nlohmann::json({ 1, 8 }));
        QVERIFY(json.at("meshes")[1].at("state_and_gradient_bytes") == std::int64_t{ 32 } << 20);
        const nlohmann::json shown = ranWith(QStringLiteral("show flax-mlp-logical --json")).json();
        QVERIFY(json.at("meshes")[1].at("peak_bytes") == shown.at("memory_per_device").at("peak_bytes"));
        QVERIFY(json.at("batches").at(0).at("batch_size") == 2 && !json.at("batches").at(0).contains("changes"));
        const nlohmann::json& change = json.at("batches").at(4).at("changes").at(0); // at most 512
        QVERIFY(change.at("from_batch_size") == 293 && change.at("mesh").at("shape") == nlohmann::json({ 2, 4 }));
        QCOMPARE(ranWith(QStringLiteral("search there-is-none")).code, 2);
    }

    /// What JAX refuses for the arguments of jit, and more rows than anybody reads.
    void searchesOfManyMeshes()
    {
        const QString rows = writeFile(m_folder, QStringLiteral("rows.mlir"),
            "sdy.mesh @mesh = <[\"data\"=2, \"model\"=2]>\n"
            "func.func @main(%x: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {\"model\"}]>}) -> "
            "tensor<6x4xf32> {\n  %y = stablehlo.add %x, %x : tensor<6x4xf32>\n  return %y : tensor<6x4xf32>\n}\n");
        const Ran refused = ranWith(QStringLiteral("search --json ") + rows);
        QVERIFY2(refused.code == 0, qPrintable(refused.error));
        const nlohmann::json meshes = refused.json().at("meshes");
        QCOMPARE(meshes.size(), std::size_t{ 3 });
        QVERIFY2(meshes.back().at("mesh").at("shape") == nlohmann::json({ 4, 1 }) && meshes.back().contains("why_not")
                && meshes.back().at("is_front") == false,
            meshes.dump(1).c_str());

        const QString many = writeFile(m_folder, QStringLiteral("many.json"),
            ranWith(QStringLiteral("new --preset llama3.2-1b --layers 1 --batch 8 --mesh fsdp=2,tensor=4 --rules "
                                   "maxtext-base-2026-08"))
                .out.toUtf8());
        const Ran few = ranWith(QStringLiteral("search ") + many),
                  all = ranWith(QStringLiteral("search --all ") + many);
        QVERIFY2(few.code == 0, qPrintable(few.error));
        QVERIFY2(few.out.contains(QStringLiteral(" more (--all)\n")), qPrintable(few.out));
        QVERIFY(!all.out.contains(QStringLiteral("--all")));
        QVERIFY(all.out.count(QLatin1Char('\n')) > few.out.count(QLatin1Char('\n')) + 50);
        for (const QString& out : { few.out, all.out }) { // the front stands first
            QVERIFY2(out.section(QLatin1Char('\n'), 1, 1).endsWith(QStringLiteral("  front")), qPrintable(out));
            QVERIFY(out.contains(QStringLiteral("(the experiment's)")));
        }
    }

    /// Where nothing fits, that is said once, with both numbers, and no rows without figures.
    void searchesWithoutRoom()
    {
        QByteArray content = ranWith(QStringLiteral("examples flax-mlp-logical")).out.toUtf8();
        content.replace("\"16 GiB\"", "\"1 MiB\"");
        const Ran ran = ranWith(QStringLiteral("search ") + writeFile(m_folder, QStringLiteral("small.json"), content));
        QVERIFY2(ran.out.contains(QStringLiteral("does not fit: ")) && ran.out.contains(QStringLiteral(" of 1 MiB")),
            qPrintable(ran.out));
        QVERIFY2(ran.out.contains(QStringLiteral("None of the meshes can be used.")), qPrintable(ran.out));
        QVERIFY2(ran.out.contains(QStringLiteral("With a batch of 2 to 8,192 none of the meshes can be used. With 2, "
                                                 "data 1 × model 8 does not fit: ")),
            qPrintable(ran.out));
        QVERIFY(!ran.out.contains(QStringLiteral("Sends least")));
    }

    void exportsNamesForMaxText()
    {
        const Ran t5x = ranWith(QStringLiteral("export transformer-t5x --view maxtext"));
        QVERIFY2(t5x.error.contains(QStringLiteral("annotates nothing with these names of rules: batch, ")),
            qPrintable(t5x.error));
        const auto names = [&](const QString& example) {
            return ranWith(QStringLiteral("export %1 --view maxtext --json").arg(example))
                .json()["exported"]["unknown_names"];
        };
        QCOMPARE(names(QStringLiteral("transformer-t5x")).at(0).get<std::string>(), std::string("batch"));
        QVERIFY(names(QStringLiteral("maxtext-llama3-8b")).is_array());
        QVERIFY(names(QStringLiteral("maxtext-llama3-8b")).empty());
        // A key for an axis that MaxText does not have would be one too many for it.
        QByteArray mine = ranWith(QStringLiteral("examples flax-mlp-logical")).out.toUtf8();
        mine.replace("\"data\"", "\"mine\"");
        const QString file = writeFile(m_folder, QStringLiteral("mine.json"), mine);
        const auto exported = ranWith(QStringLiteral("export %1 --view maxtext --json").arg(file)).json()["exported"];
        QCOMPARE(exported["unknown_axes"].dump(), std::string("[\"mine\"]"));
        QVERIFY(exported["text"].get<std::string>().find("\nici_mine") == std::string::npos);
        QVERIFY(exported["text"].get<std::string>().find("\nici_tensor_parallelism") != std::string::npos);
        const Ran own = ranWith(QStringLiteral("export maxtext-llama3-8b --view maxtext"));
        QVERIFY2(!own.error.contains(QStringLiteral("annotates nothing")), qPrintable(own.error));
    }

    /// A program's code has the shardings of its arguments and results, with their names, and its constraints.
    void exportsProgramsAsCode()
    {
        const QString file = writeFile(m_folder, QStringLiteral("constrained.mlir"),
            "sdy.mesh @mesh = <[\"data\"=2, \"model\"=2]>\n"
            "func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}]>}, "
            "%w: tensor<4x4xf32>) -> (tensor<8x4xf32> {jax.result_info = \"out\"}) {\n"
            "  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> "
            "tensor<8x4xf32>\n"
            "  %z = sdy.sharding_constraint %y <@mesh, [{?}, {\"model\"}]> : tensor<8x4xf32>\n"
            "  return %z : tensor<8x4xf32>\n}\n");
        const Ran ran = ranWith(QStringLiteral("export --view code ") + file);
        QVERIFY2(ran.code == 0, qPrintable(ran.error));
        for (const char* part :
            { "\nin_shardings = (\n    NamedSharding(mesh, P('data', None)),  # x\n    NamedSharding(mesh, P(",
                ")),  # w, as propagated\n)\n",
                "\nout_shardings = (\n    NamedSharding(mesh, P('data', 'model')),  # out",
                "\nconstraints = {\n    \"y\": NamedSharding(mesh, P(UNCONSTRAINED, 'model')),  # line 4\n}\n",
                "\nUNCONSTRAINED = P.UNCONSTRAINED\n" })
            QVERIFY2(ran.out.contains(QLatin1String(part)), qPrintable(ran.out));
    }

    /// A token is no array: nothing is propagated to it.
    void exportsTokensAsCode()
    {
        const QString file = writeFile(m_folder, QStringLiteral("token.mlir"),
            "sdy.mesh @mesh = <[\"data\"=2]>\n"
            "func.func @main(%x: tensor<8xf32>, %t: !stablehlo.token) -> tensor<8xf32> {\n"
            "  %y = stablehlo.negate %x : tensor<8xf32>\n  return %y : tensor<8xf32>\n}\n");
        const Ran ran = ranWith(QStringLiteral("export --view code ") + file);
        QVERIFY2(ran.code == 0, qPrintable(ran.error));
        QVERIFY2(ran.out.contains(QStringLiteral("    None,  # t, which is no array\n")), qPrintable(ran.out));
        QVERIFY2(ran.out.contains(QStringLiteral("  # x, as propagated\n")), qPrintable(ran.out));
    }

    /// A result and a constraint on another mesh are written along the axes of the program's own.
    void exportsShardingsOfOtherMeshes()
    {
        const QString file = writeFile(m_folder, QStringLiteral("meshes.mlir"),
            "sdy.mesh @m = <[\"x\"=8]>\nsdy.mesh @n = <[\"a\"=2, \"b\"=4]>\n"
            "func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}) -> "
            "(tensor<8x8xf32> "
            "{sdy.sharding = #sdy.sharding<@n, [{\"a\"}, {}]>}) {\n"
            "  %y = sdy.sharding_constraint %x <@n, [{}, {\"a\"}]> : tensor<8x8xf32>\n"
            "  return %y : tensor<8x8xf32>\n}\n");
        const Ran ran = ranWith(QStringLiteral("export --view code ") + file);
        QVERIFY2(ran.code == 0, qPrintable(ran.error));
        for (const char* part : { "\nout_shardings = (\n    NamedSharding(mesh, P('x_1', None)),",
                 "    \"x\": NamedSharding(mesh, P(None, 'x_1'))," })
            QVERIFY2(ran.out.contains(QLatin1String(part)), qPrintable(ran.out));
    }

    void exportsWhatViewsShow()
    {
        const Ran csv = ranWith(QStringLiteral("export flax-mlp-logical --view tensors"));
        QCOMPARE(csv.code, 0);
        QVERIFY(csv.out.startsWith(tensorColumns + QLatin1Char('\n')));
        QVERIFY(csv.out.contains(QStringLiteral("params/layers.0/W1")));
        QVERIFY(ranWith(QStringLiteral("export flax-mlp-logical")).out.startsWith(QStringLiteral("# ")));
        QVERIFY(ranWith(QStringLiteral("export transformer-t5x --view maxtext"))
                    .out.contains(QStringLiteral("\nlogical_axis_rules: [\n")));
        QVERIFY(ranWith(QStringLiteral("export transformer-t5x --view maxtext --as sh"))
                    .out.contains(QStringLiteral("\n  ici_tensor_parallelism=4\n")));
        const QString file = path("code.py");
        QCOMPARE(runProgram({ QStringLiteral("export"), QStringLiteral("flax-mlp-logical"), QStringLiteral("--view"),
                                QStringLiteral("code"), QStringLiteral("-o"), file })
                     .code,
            0);
        QFile code(file);
        QVERIFY(code.open(QIODevice::ReadOnly) && code.readAll().contains("jax.make_mesh((2, 4)"));
        // One view as a drawing.
        const QString picture = path("grid.svg");
        const Ran drawn =
            runProgram({ QStringLiteral("screenshot"), QStringLiteral("flax-mlp-logical"), QStringLiteral("--steps"),
                           QStringLiteral("0"), QStringLiteral("--dock"), QStringLiteral("grid"),
                           QStringLiteral("--alone"), QStringLiteral("-o"), picture },
                {}, bareEnvironment("offscreen"));
        QVERIFY2(drawn.code == 0, qPrintable(drawn.error));
        QFile svg(picture);
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        QVERIFY(text.contains("<svg") && text.contains("d0, d4"));
    }

    /// What the window has goes out as a picture by the name that it has there, and tables as plain text.
    void exportsEveryViewAndForm()
    {
        const QString help = ranWith(QStringLiteral("export --help")).out.simplified();
        QFile guide(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/docs/window.md"));
        QVERIFY(guide.open(QIODevice::ReadOnly));
        static const QRegularExpression part(
            QStringLiteral("^\\| [^|]+ \\| `(\\w+)` \\|"), QRegularExpression::MultilineOption);
        QStringList parts;
        for (const auto& match : part.globalMatch(QString::fromUtf8(guide.readAll())))
            parts << match.captured(1);
        QCOMPARE(parts.size(), 23);
        for (const QString& id : parts + QStringList{ QStringLiteral("inputs"), QStringLiteral("layout") })
            QVERIFY2(help.contains(QLatin1Char(' ') + id), qPrintable(id));

        QCOMPARE(ranWith(QStringLiteral("export flax-mlp-logical --view mesh --as txt")).out,
            QStringLiteral("Mesh axis  Size\ndata          2\nmodel         4\n"));
        const std::pair<QString, QByteArray> forms[] = { { QStringLiteral("png"), "\x89PNG" },
            { QStringLiteral("svg"), "<?xml" }, { QStringLiteral("pdf"), "%PDF-" } };
        for (const auto& [form, begin] : forms) {
            const QString file = path("memory.") + form;
            const Ran ran =
                runProgram({ QStringLiteral("export"), QStringLiteral("flax-mlp-logical"), QStringLiteral("--view"),
                               QStringLiteral("memory"), QStringLiteral("--as"), form, QStringLiteral("-o"), file },
                    {}, bareEnvironment("offscreen"));
            QVERIFY2(ran.code == 0, qPrintable(ran.error));
            QFile picture(file);
            QVERIFY(picture.open(QIODevice::ReadOnly));
            const QByteArray content = picture.readAll();
            QVERIFY2(content.startsWith(begin), qPrintable(form));
            if (form == QStringLiteral("svg"))
                QVERIFY(content.contains("parameters") && !content.contains("Run step")); // that view alone
        }
    }
};

REGISTER_TEST(NetworkCommandsTest)
#include "test_network_commands.moc"
