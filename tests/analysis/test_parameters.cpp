// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of a transformer as a tree of modules, how far they are sharded, and heads that do not spread over a mesh.
#include <QTest>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/analysed.h"
#include "analysis/atoms.h"
#include "analysis/fixes.h"
#include "analysis/parameter_coverage.h"
#include "analysis/parameter_tree.h"
#include "analysis/select_modules.h"
#include "base/codes.h"
#include "experiment/network_edits.h"
#include "experiment/rule_edits.h"
#include "networks/transformer_parameters.h"
#include "registered_test.h"
#include "sharding/text.h"

using namespace shardscope;
using test::analysed;

namespace {

constexpr const char* twoWays = "[('batch', 'data'), ('vocab', 'model'), ('mlp', 'model'), ('heads', 'model'), "
                                "('embed', 'data')]";
constexpr const char* modelAlone = "[('batch', 'data'), ('vocab', 'model'), ('mlp', 'model'), ('heads', 'model')]";

// By hand: the embedding and the kernel of the logits have 256 · 64 elements. A layer has two norms of 64; query and
// out with 64 · 8 · 8, key and value with 64 · 4 · 8; three kernels of the MLP with 64 · 256.
constexpr std::int64_t embedding = 256 * 64, norms = 2 * 64, attention = 2 * 64 * 8 * 8 + 2 * 64 * 4 * 8,
                       mlp = 3 * 64 * 256, layer = norms + attention + mlp, layers = 3, finalNorm = 64,
                       inAll = 2 * embedding + layers * layer + finalNorm;

/// 3 layers, 8 heads, 4 KV heads, float32, on data x model.
Experiment smallDecoder(const char* rules, std::int64_t data = 2, std::int64_t model = 4)
{
    Experiment experiment;
    experiment.mesh.axes = { { "data", data }, { "model", model } };
    experiment.rules.rules = *parseRules(rules);
    TransformerTraining training;
    training.model.layers = layers;
    training.model.heads = 8;
    training.model.kvHeads = 4;
    training.model.headSize = 8;
    experiment.model = TransformerModel{ training };
    return experiment;
}

std::vector<const Problem*> found(const Snapshot& snapshot, Code code)
{
    std::vector<const Problem*> list;
    for (const Problem& problem : snapshot.problems)
        if (problem.diagnostic.code == code)
            list.push_back(&problem);
    return list;
}

const ParameterNode& childOf(const ParameterTree& tree, const ParameterNode& node, std::string_view name)
{
    for (const int child : node.children)
        if (tree.nodes[static_cast<std::size_t>(child)].name == name)
            return tree.nodes[static_cast<std::size_t>(child)];
    qFatal("no such child");
}

std::vector<std::string> namesBelow(const ParameterTree& tree, const ParameterNode& node)
{
    std::vector<std::string> names;
    for (const int child : node.children)
        names.push_back(tree.nodes[static_cast<std::size_t>(child)].name);
    return names;
}

/// Numbers of every node are the sums of those below, and parents and children agree.
void checkSumsOf(const ParameterTree& tree, int id)
{
    const ParameterNode& node = tree.nodes[static_cast<std::size_t>(id)];
    if (node.kind == ParameterNode::Kind::Array || node.children.empty())
        return;
    std::int64_t parameters = 0, bytes = 0, perDevice = 0;
    for (const int child : node.children) {
        const ParameterNode& below = tree.nodes[static_cast<std::size_t>(child)];
        QCOMPARE(below.parent, id);
        parameters += below.parameters;
        bytes += below.bytes;
        perDevice += below.bytesPerDevice;
        checkSumsOf(tree, child);
    }
    QCOMPARE(node.parameters, parameters);
    QCOMPARE(node.bytes, bytes);
    QCOMPARE(node.bytesPerDevice, perDevice);
}

std::int64_t chosen(const Snapshot& snapshot, std::string_view filter)
{
    return parameterTree(snapshot, filter).nodes.front().parameters;
}

} // namespace

class TestParameters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void treeOfModules()
    {
        const SnapshotPtr snapshot = analysed(smallDecoder(twoWays));
        QVERIFY(snapshot->laidOut());
        const ParameterTree tree = parameterTree(*snapshot);
        const ParameterNode& root = tree.nodes.front();
        QCOMPARE(root.parameters, inAll);
        QCOMPARE(
            root.parameters, parameterCount(std::get<TransformerModel>(snapshot->experiment->model).settings.model));
        QCOMPARE(root.bytes, 4 * inAll);
        checkSumsOf(tree, 0);

        QCOMPARE(namesBelow(tree, root), std::vector<std::string>({ "token_embedder", "decoder" }));
        const ParameterNode& decoder = childOf(tree, root, "decoder");
        QCOMPARE(decoder.path, "params/decoder");
        QCOMPARE(namesBelow(tree, decoder), std::vector<std::string>({ "layers.0", "decoder_norm", "logits_dense" }));
        const ParameterNode& repeated = childOf(tree, decoder, "layers.0");
        QCOMPARE(repeated.kind, ParameterNode::Kind::Repeated);
        QCOMPARE(repeated.last, "layers.2");
        QCOMPARE(repeated.path, "params/decoder/layers.*");
        QCOMPARE(repeated.parameters, layers * layer);
        QCOMPARE(namesBelow(tree, repeated), std::vector<std::string>({ "layers.0", "layers.1", "layers.2" }));
        const ParameterNode& second = childOf(tree, repeated, "layers.1");
        QCOMPARE(second.parameters, layer);
        const ParameterNode& own = childOf(tree, second, "mlp");
        QCOMPARE(own.parameters, mlp);
        QCOMPARE(own.bytesPerDevice, 4 * mlp / 8); // embed over data, mlp over model
        QCOMPARE(namesBelow(tree, own), std::vector<std::string>({ "wi_0", "wi_1", "wo" }));

        const int wo = tree.find(*snapshot, "params/decoder/layers.1/mlp/wo/kernel");
        QVERIFY(wo > 0);
        const ParameterNode& kernel = tree.nodes[static_cast<std::size_t>(wo)];
        QCOMPARE(kernel.kind, ParameterNode::Kind::Array);
        const TensorRow& row = snapshot->tensors[static_cast<std::size_t>(kernel.row)];
        QCOMPARE(namesOfDimensions(*snapshot, row), std::vector<std::string>({ "mlp", "embed" }));
        QCOMPARE(tree.find(*snapshot, "params/decoder"), -1);
        QCOMPARE(tree.find(*snapshot, "loss"), -1);
    }

    /// A layer that is sharded in another way stands apart.
    void unequalLayersStandApart()
    {
        const auto experiment = withInnerRules(
            smallDecoder(twoWays), "decoder/layers.1", { { LogicalName::of("embed"), SpecEntry::axis("data") } });
        QVERIFY(experiment.has_value());
        const SnapshotPtr snapshot = analysed(*experiment);
        QVERIFY(snapshot->laidOut());
        const ParameterTree tree = parameterTree(*snapshot);
        checkSumsOf(tree, 0);
        QCOMPARE(namesBelow(tree, childOf(tree, tree.nodes.front(), "decoder")),
            std::vector<std::string>({ "layers.0", "layers.1", "layers.2", "decoder_norm", "logits_dense" }));
    }

    /// Constraints stand at their modules, specs at their arrays; one layer that differs stands apart.
    void chosenShardings()
    {
        const Annotation overData = DeviceAxes{ { { SpecEntry::axis("data") } } };
        for (const LayerForm form : { LayerForm::Unrolled, LayerForm::Scanned }) {
            Experiment experiment = *withLayerForm(smallDecoder(modelAlone), form);
            experiment = *withConstraint(experiment, "decoder/layers.*/mlp", overData);
            experiment = *withParameterSpec(experiment, "**/wo/kernel", DeviceAxes{});
            const SnapshotPtr snapshot = analysed(experiment);
            QVERIFY(snapshot->laidOut());
            const ParameterTree tree = parameterTree(*snapshot);
            const bool loop = form == LayerForm::Scanned;
            const ParameterNode& decoder = childOf(tree, tree.nodes.front(), "decoder");
            const ParameterNode* layer = &childOf(tree, decoder, loop ? "layers" : "layers.0");
            if (!loop) {
                QCOMPARE(layer->kind, ParameterNode::Kind::Repeated);
                layer = &childOf(tree, *layer, "layers.2");
            }
            QCOMPARE(layer->constraint, -1);
            const ParameterNode& own = childOf(tree, *layer, "mlp");
            QCOMPARE(own.constraint, 0);
            QVERIFY(own.constrained >= 0);
            const TensorRow& output = snapshot->tensors[static_cast<std::size_t>(own.constrained)];
            QCOMPARE(output.path, loop ? "decoder/layers/mlp/constraint" : "decoder/layers.2/mlp/constraint");
            QCOMPARE(toColumn(output.spec), "P(data, -, -)");
            const ParameterNode& wo = childOf(tree, childOf(tree, own, "wo"), "kernel");
            QCOMPARE(wo.ownSpec, 0);
            QCOMPARE(snapshot->tensors[static_cast<std::size_t>(wo.row)].copies, 8); // though a rule would shard mlp
            QCOMPARE(childOf(tree, childOf(tree, own, "wi_0"), "kernel").ownSpec, -1);
        }
        const ParameterTree apart =
            parameterTree(*analysed(*withConstraint(smallDecoder(modelAlone), "decoder/layers.1", overData)));
        QCOMPARE(namesBelow(apart, childOf(apart, apart.nodes.front(), "decoder")),
            std::vector<std::string>({ "layers.0", "layers.1", "layers.2", "decoder_norm", "logits_dense" }));
    }

    void selectors()
    {
        const SnapshotPtr snapshot = analysed(smallDecoder(twoWays));
        const ParameterTree tree = parameterTree(*snapshot);
        const auto paths = [&](std::string_view selector) {
            std::vector<std::string> found;
            for (const int node : selectModules(tree, selector))
                found.push_back(tree.nodes[static_cast<std::size_t>(node)].path);
            std::sort(found.begin(), found.end());
            return found;
        };
        using Paths = std::vector<std::string>;
        const Paths attentions{ "params/decoder/layers.0/self_attention", "params/decoder/layers.1/self_attention",
            "params/decoder/layers.2/self_attention" };
        QCOMPARE(paths("attention"), attentions);
        QCOMPARE(paths(" every Attention "), attentions);
        QCOMPARE(paths("layers.*.attention"), attentions);
        QCOMPARE(paths("decoder/layers.*/attention"), attentions);
        QCOMPARE(paths("layers.1/attention"), Paths{ attentions[1] });
        QCOMPARE(paths("layers.*/self_attention"), attentions);
        QCOMPARE(paths("layers.2"), Paths{ "params/decoder/layers.2" });
        QCOMPARE(paths("layers.*"),
            Paths({ "params/decoder/layers.*", "params/decoder/layers.0", "params/decoder/layers.1",
                "params/decoder/layers.2" }));
        QCOMPARE(paths("decoder_norm"), Paths{ "params/decoder/decoder_norm" });
        QCOMPARE(paths("layers.0/*/wo/kernel"), Paths{ "params/decoder/layers.0/mlp/wo/kernel" });
        QCOMPARE(paths("norm").size(), std::size_t(2 * layers + 1));
        QVERIFY(paths("").empty() && paths("experts").empty() && paths("nothing").empty());
    }

    void filters()
    {
        const SnapshotPtr snapshot = analysed(smallDecoder(twoWays));
        QCOMPARE(chosen(*snapshot, ""), inAll);
        QCOMPARE(chosen(*snapshot, "attention"), layers * attention);
        QCOMPARE(chosen(*snapshot, " Attention "), layers * attention);
        QCOMPARE(chosen(*snapshot, "norm"), layers * norms + finalNorm);
        QCOMPARE(chosen(*snapshot, "mlp"), layers * mlp);
        QCOMPARE(chosen(*snapshot, "embedding"), embedding);
        QCOMPARE(chosen(*snapshot, "logits"), embedding);
        QCOMPARE(chosen(*snapshot, "experts"), 0);
        QCOMPARE(chosen(*snapshot, "decoder/layers.*/mlp"), layers * mlp);
        QCOMPARE(chosen(*snapshot, "params/decoder/layers.*/mlp/"), layers * mlp);
        QCOMPARE(chosen(*snapshot, "decoder/layers.1/**"), layer);
        QCOMPARE(chosen(*snapshot, "layers.*/mlp"), 0);
        QCOMPARE(chosen(*snapshot, "**/query"), layers * 64 * 8 * 8);
        QCOMPARE(chosen(*snapshot, "layers.2"), layer);
        QCOMPARE(chosen(*snapshot, "QUERY"), layers * 64 * 8 * 8);
        QCOMPARE(chosen(*snapshot, "nothing"), 0);
        QCOMPARE(parameterTree(*snapshot, "nothing").nodes.size(), std::size_t(1));
    }

    void kinds()
    {
        QVERIFY(isOfKind("encoder_decoder_attention", ModuleKind::Attention));
        QVERIFY(isOfKind("pre_self_attention_layer_norm", ModuleKind::Norm));
        QVERIFY(!isOfKind("pre_self_attention_layer_norm", ModuleKind::Attention));
        QVERIFY(!isOfKind("post_mlp_layer_norm", ModuleKind::Mlp));
        QVERIFY(isOfKind("position_embedder", ModuleKind::Embedding));
        QVERIFY(isOfKind("MoeBlock_0", ModuleKind::Experts));
        for (std::size_t i = 0; i < moduleKindCount; ++i) {
            const auto kind = static_cast<ModuleKind>(i);
            QCOMPARE(parseModuleKind(moduleKindName(kind)), std::optional(kind));
        }
        QVERIFY(!parseModuleKind("embed").has_value());
    }

    void coverageOfAShardedModel()
    {
        const ParameterCoverage coverage = parameterCoverage(*analysed(smallDecoder(twoWays)));
        // Norms have embed alone, all others a second dimension over model.
        const std::int64_t twofold = 4 * (layers * norms + finalNorm);
        QCOMPARE(coverage.devices, 8);
        QCOMPARE(coverage.bytes, 4 * inAll);
        QCOMPARE(coverage.arrays, 2 + 1 + layers * 9);
        QVERIFY(coverage.folds
            == std::vector<ParameterCoverage::Fold>(
                { { 8, 4 * inAll - twofold, 2 + layers * 7 }, { 2, twofold, 1 + layers * 2 } }));
        QVERIFY(coverage.replicated.empty());
        QCOMPARE(coverage.medianShards(), 8);
        QCOMPARE(coverage.bytesSharded(8), 4 * inAll - twofold);
        QCOMPARE(coverage.bytesSharded(2), 4 * inAll);
        QCOMPARE(coverage.bytesSharded(9), 0);
    }

    void whatIsReplicated()
    {
        const SnapshotPtr snapshot = analysed(smallDecoder(modelAlone));
        const ParameterCoverage coverage = parameterCoverage(*snapshot);
        const std::int64_t replicated = 4 * (layers * norms + finalNorm);
        QCOMPARE(coverage.medianShards(), 4);
        QCOMPARE(coverage.bytesSharded(2), 4 * inAll - replicated);
        QCOMPARE(coverage.replicated.size(), std::size_t(3));
        std::map<std::string, std::pair<std::int64_t, std::int64_t>> byPath;
        for (const ParameterCoverage::Replicated& array : coverage.replicated) {
            QVERIFY(snapshot->row(array.value));
            byPath[array.path] = { array.bytes, array.arrays };
        }
        const std::int64_t one = 4 * 64;
        QVERIFY(byPath
            == (std::map<std::string, std::pair<std::int64_t, std::int64_t>>{
                { "params/decoder/layers.*/pre_self_attention_layer_norm/scale", { 3 * one, 3 } },
                { "params/decoder/layers.*/pre_mlp_layer_norm/scale", { 3 * one, 3 } },
                { "params/decoder/decoder_norm/scale", { one, 1 } } }));
        QCOMPARE(coverage.replicated.back().path, "params/decoder/decoder_norm/scale"); // the smallest is the last
    }

    void coverageByHand()
    {
        ParameterCoverage coverage;
        coverage.bytes = 100;
        coverage.folds = { { 16, 30, 1 }, { 4, 20, 1 }, { 1, 50, 1 } };
        QCOMPARE(coverage.medianShards(), 4);
        coverage.folds = { { 16, 30, 1 }, { 4, 19, 1 }, { 1, 51, 1 } };
        QCOMPARE(coverage.medianShards(), 2);
        QCOMPARE(coverage.bytesSharded(2), 49);
        QCOMPARE(parameterCoverage({}).arrays, 0);
        QCOMPARE(withoutLayerNumbers("params/layers.31/mlp/wi_0"), "params/layers.*/mlp/wi_0");
        QCOMPARE(withoutLayerNumbers("a.1/b.2"), "a.*/b.*");
        QCOMPARE(withoutLayerNumbers("a.1b/v1.x/."), "a.1b/v1.x/.");
    }

    /// On one device nothing could be sharded, so nothing is left replicated.
    void oneDevice()
    {
        Experiment experiment = smallDecoder(twoWays, 1, 1);
        experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 1, 1 };
        const ParameterCoverage coverage = parameterCoverage(*analysed(experiment));
        QCOMPARE(coverage.devices, 1);
        QCOMPARE(coverage.bytes, 4 * inAll);
        QVERIFY(coverage.replicated.empty());
    }

    /// 4 KV heads over 8 devices are E105, and not E101 as well; with 4 devices along model they spread.
    void keyHeadsStayInOneShard()
    {
        const SnapshotPtr snapshot = analysed(smallDecoder(twoWays, 1, 8));
        QVERIFY(snapshot->laidOut());
        QVERIFY(!snapshot->ok());
        QVERIFY(found(*snapshot, Code::Indivisible).empty());
        const std::vector<const Problem*> split = found(*snapshot, Code::AtomSplit);
        QCOMPARE(split.size(), std::size_t(1));
        const Diagnostic& diagnostic = split.front()->diagnostic;
        QCOMPARE(diagnostic.severity(), Severity::Error);
        QCOMPARE(diagnostic.text("dim_name"), "kv_heads");
        QCOMPARE(diagnostic.number("size"), 4);
        QCOMPARE(diagnostic.number("partitions"), 8);
        QCOMPARE(diagnostic.number("largest"), 4);
        QCOMPARE(diagnostic.list("axes"), std::vector<std::string>{ "model" });
        QVERIFY(!split.front()->fixes.empty());
        for (const Fix& fix : split.front()->fixes) {
            const auto after = applyFix(*snapshot->experiment, fix);
            QVERIFY(after.has_value());
            const SnapshotPtr mended = analysed(*after);
            QVERIFY(found(*mended, Code::AtomSplit).empty());
        }
    }

    void otherDimensionsAreNoAtoms()
    {
        Experiment experiment = smallDecoder(twoWays);
        std::get<TransformerModel>(experiment.model).settings.model.vocab = 254;
        const SnapshotPtr snapshot = analysed(experiment);
        QVERIFY(found(*snapshot, Code::AtomSplit).empty());
        QVERIFY(!found(*snapshot, Code::Indivisible).empty());
        QVERIFY(countsAtoms(experiment, "heads") && countsAtoms(experiment, "expert"));
        QVERIFY(!countsAtoms(experiment, "kv") && !countsAtoms(test::example("rule-lab"), "heads"));
    }

    void largestNumberOfParts()
    {
        QCOMPARE(largestParts(12, 8), 6);
        QCOMPARE(largestParts(8, 16), 8);
        QCOMPARE(largestParts(7, 4), 1);
        QCOMPARE(largestParts(1, 4), 1);
    }
};

REGISTER_TEST(TestParameters)
#include "test_parameters.moc"
