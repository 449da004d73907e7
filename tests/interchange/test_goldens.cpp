// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of MaxText's goldens: paths, what is read and written, and what is refused, with its place.
#include <QtTest>

#include "experiment/network_rules.h"
#include "interchange/golden_keys.h"
#include "interchange/goldens_of.h"
#include "interchange/maxtext_goldens.h"
#include "registered_test.h"
#include "sharding/text.h"

using namespace shardscope;

namespace {

const std::string goldenMesh =
    R"("mesh": { "axis_names": ["data", "fsdp", "tensor"], "shape": { "data": 1, "fsdp": 8, "tensor": 1 } })";

const std::string named = R"json({
  ".step": { )json"
    + goldenMesh + R"json(, "partition_spec": [], "shape": [] },
  ".params/['params']/['decoder']/['wi']/['kernel']": { )json"
    + goldenMesh + R"json(, "partition_spec": [["fsdp", "data"], "tensor"], "shape": [64, 32] }
})json";
const std::string logical = R"json({
  ".params/['params']/['decoder']/['wi']/['kernel']": { "partition_spec": ["embed", "mlp"], "shape": [64, 32] }
})json";
const std::string inputs = R"json({
  "Activation Sharding Dump": [
    { "mlp/inputs: bfloat16[8,16,64]": { "logic_axes": "('batch', 'length', None)", "PartitionSpec": "P('fsdp', None, None)" } },
    { "mlp/inputs: int8[4]": { "logic_axes": "Unknown", "PartitionSpec": "P(None,)" } }
  ]
})json";

QString firstError(const GoldenTexts& texts)
{
    const ReadGoldens read = readMaxTextGoldens(texts);
    if (read)
        return QStringLiteral("none");
    const Diagnostic& error = read.error().front();
    return QStringLiteral("%1:%2:%3 %4")
        .arg(QString::fromStdString(error.where.file))
        .arg(error.where.line)
        .arg(error.where.column)
        .arg(QString::fromUtf8(error.id().data(), static_cast<qsizetype>(error.id().size())));
}

} // namespace

class TestGoldens : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void paths()
    {
        const std::pair<const char*, const char*> keys[] = { { ".step", "step" },
            { ".params/['params']/['decoder']/['wi']/['kernel']", "params/params/decoder/wi/kernel" },
            { ".opt_state/[0]/.mu/['params']/['x']", "opt_state/0/mu/params/x" },
            { ".opt_state/[0]/.count", "opt_state/0/count" } };
        for (const auto& [key, path] : keys) {
            QCOMPARE(pathOfKey(key), std::string(path));
            QCOMPARE(keyOfPath(path), std::string(key));
        }
        QCOMPARE(pathOfKey("params/params/x"), std::string("params/params/x"));
        const std::pair<const char*, const char*> own[] = { { "params/decoder/wi/kernel",
                                                                "params/params/decoder/wi/kernel" },
            { "params/decoder/layers.3/wi", "params/params/decoder/layers_3/wi" },
            { "opt/mu/decoder/wi", "opt_state/0/mu/params/decoder/wi" }, { "opt/count", "opt_state/0/count" },
            { "step", "step" } };
        for (const auto& [ours, theirs] : own)
            QCOMPARE(maxTextPath(ours), std::string(theirs));
    }

    void reads()
    {
        const ReadGoldens read = readMaxTextGoldens({ named, logical, inputs });
        QVERIFY(read.has_value());
        QCOMPARE(read->mesh.size(), std::size_t{ 3 });
        QCOMPARE(read->state.size(), std::size_t{ 2 });
        QCOMPARE(read->state[0].path, std::string("step"));
        QVERIFY(!read->state[0].names.has_value());
        const GoldenArray& kernel = read->state[1];
        QCOMPARE(kernel.path, std::string("params/params/decoder/wi/kernel"));
        QCOMPARE(toJax(kernel.spec), std::string("P(('fsdp', 'data'), 'tensor')")); // axes of size 1 stay
        QCOMPARE(kernel.type.shape, (Shape{ 64, 32 }));
        QCOMPARE((*kernel.names)[1], LogicalName::of("mlp"));
        QCOMPARE(kernel.where.line, 3);
        QCOMPARE(read->activations.size(), std::size_t{ 2 });
        QCOMPARE(read->activations[0].path, std::string("mlp/inputs"));
        QCOMPARE(read->activations[1].path, std::string("mlp/inputs#2"));
        QVERIFY(read->activations[0].names.has_value() && !read->activations[1].names.has_value());
        QVERIFY(read->activations[0].type.dtype == DType::BF16);
        QCOMPARE(toRows(*read).size(), std::size_t{ 2 }); // those with names

        const ReadGoldens again = readMaxTextGoldens(writeMaxTextGoldens(*read));
        QVERIFY(again.has_value());
        QVERIFY(*again == *read);
        // A number sign of a place is no count of what is constrained there.
        std::string signs = inputs;
        signs.replace(signs.find("mlp/inputs"), 10, "moe#route");
        signs.replace(signs.rfind("mlp/inputs"), 10, "moe#2");
        const ReadGoldens marked = readMaxTextGoldens({ named, logical, signs });
        QVERIFY(marked.has_value());
        const ReadGoldens markedAgain = readMaxTextGoldens(writeMaxTextGoldens(*marked));
        QVERIFY(markedAgain.has_value() && *markedAgain == *marked);
        QCOMPARE(markedAgain->activations[0].path, std::string("moe#route"));
        QCOMPARE(markedAgain->activations[1].path, std::string("moe#2"));
        const ReadGoldens alone = readMaxTextGoldens({ named, {}, {} });
        QVERIFY(alone.has_value() && alone->activations.empty() && !alone->state[1].names.has_value());
    }

    void refuses()
    {
        const auto with = [](std::string text, const std::string& from, const std::string& to) {
            const std::size_t at = text.find(from);
            return at == std::string::npos ? std::string("not found") : text.replace(at, from.size(), to);
        };
        const auto wrongNamed = [&](const char* from, const char* to) {
            return firstError({ with(named, from, to), logical, inputs });
        };
        QCOMPARE(
            wrongNamed("\"shape\": [64, 32]", "\"shape\": [64, 0]"), QStringLiteral("named_shardings.json:3:221 E125"));
        QVERIFY(wrongNamed("[[\"fsdp\", \"data\"]", "[[\"fsdp\", \"rows\"]")
                    .startsWith(QStringLiteral("named_shardings.json:3:")));
        QVERIFY(wrongNamed("[[\"fsdp\", \"data\"]", "[[\"fsdp\", \"fsdp\"]")
                    .startsWith(QStringLiteral("named_shardings.json:3:")));
        QVERIFY(wrongNamed("[[\"fsdp\", \"data\"]", "[5").startsWith(QStringLiteral("named_shardings.json:3:")));
        QVERIFY(wrongNamed("\"axis_names\"", "\"axes\"").startsWith(QStringLiteral("named_shardings.json:2:")));
        QVERIFY(firstError({ named.substr(0, named.size() - 2), {}, {} })
                    .startsWith(QStringLiteral("named_shardings.json:")));
        QVERIFY(firstError({ "[]", {}, {} }).startsWith(QStringLiteral("named_shardings.json:1:1 ")));
        QVERIFY(firstError({ "{}", {}, {} }).startsWith(QStringLiteral("named_shardings.json:1:1 ")));
        // Far too many axes and dimensions are refused where they begin, without being looked up one by one.
        std::string axes = "\"a\"", sizes = "1";
        for (int i = 0; i < 40; ++i) {
            axes += ", \"a\"";
            sizes += ", 1";
        }
        QCOMPARE(wrongNamed("[\"data\", \"fsdp\", \"tensor\"]", ('[' + axes + ']').c_str()),
            QStringLiteral("named_shardings.json:2:38 E126"));
        QVERIFY(wrongNamed("\"shape\": [64, 32]", ("\"shape\": [" + sizes + ']').c_str())
                    .endsWith(QStringLiteral(" E126")));
        QVERIFY(wrongNamed("[[\"fsdp\", \"data\"], \"tensor\"]", ('[' + axes + ']').c_str())
                    .endsWith(QStringLiteral(" E126")));
        // Two meshes in one dump.
        std::string two = named;
        two.replace(two.rfind("\"fsdp\": 8"), 9, "\"fsdp\": 4");
        QVERIFY(firstError({ two, {}, {} }).startsWith(QStringLiteral("named_shardings.json:3:")));
        // A name of an array that is not there, and names that are none.
        QVERIFY(firstError({ named, with(logical, "['wi']", "['wo']"), {} })
                    .startsWith(QStringLiteral("logical_shardings.json:2:")));
        QVERIFY(firstError({ named, with(logical, "\"embed\"", "3"), {} })
                    .startsWith(QStringLiteral("logical_shardings.json:2:")));
        QVERIFY(firstError({ named, logical, with(inputs, "bfloat16[8,16,64]", "bfloat16") })
                    .startsWith(QStringLiteral("input_shardings.json:3:")));
        QVERIFY(firstError({ named, logical, with(inputs, "bfloat16", "bfloat17") })
                    .startsWith(QStringLiteral("input_shardings.json:3:")));
        QVERIFY(firstError({ named, logical, with(inputs, "P('fsdp', None, None)", "P('fsdp'") })
                    .startsWith(QStringLiteral("input_shardings.json:3:")));
        QVERIFY(firstError({ named, logical, "{}" }).startsWith(QStringLiteral("input_shardings.json:1:1 ")));
    }

    /// Of a network: the state keeps axes of size 1, activations do not.
    void bothForms()
    {
        const PublishedRules* const rules = findPublishedRules("maxtext-base-2025-06");
        QVERIFY(rules);
        TransformerSettings settings;
        settings.form = LayerForm::Scanned;
        settings.layersAxis = 1;
        const Result<Experiment> experiment =
            networkExperiment(settings, "network", { { { "fsdp", 4 } }, {} }, boundRules(*rules), std::nullopt, rules);
        QVERIFY(experiment.has_value());
        const Result<MaxTextGoldens> goldens = goldensOf(*experiment);
        QVERIFY(goldens.has_value());
        const auto kernel = std::find_if(goldens->state.begin(), goldens->state.end(),
            [](const GoldenArray& array) { return array.path == "params/params/decoder/layers/mlp/wi_0/kernel"; });
        QVERIFY(kernel != goldens->state.end());
        QCOMPARE(kernel->type.rank(), std::size_t{ 3 });
        QVERIFY2(kernel->spec.axesOf(1) == std::vector<std::string>{ "stage" }, toJax(kernel->spec).c_str());
        QVERIFY(!goldens->activations.empty());
        for (const GoldenArray& array : goldens->activations)
            for (const SpecEntry& entry : array.spec.entries)
                QVERIFY(entry.axes.empty() || entry.axes == std::vector<std::string>{ "fsdp" });
        QVERIFY(std::any_of(goldens->state.begin(), goldens->state.end(),
            [](const GoldenArray& array) { return array.path.starts_with("opt_state/0/mu/params/decoder/"); }));
    }
};

REGISTER_TEST(TestGoldens)
#include "test_goldens.moc"
