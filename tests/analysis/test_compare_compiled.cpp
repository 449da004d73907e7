// SPDX-License-Identifier: GPL-3.0-or-later
// Predicted collectives beside those of compiled programs, both small enough to be known by hand.
#include <QtTest>

#include <algorithm>

#include "analysis/analysed.h"
#include "analysis/compare_compiled.h"
#include "analysis/compiled_axes.h"
#include "analysis/compiled_reasons.h"
#include "analysis/exchange_remarks.h"
#include "experiment/network_rules.h"
#include "hlo/read.h"
#include "registered_test.h"
#include "sharding/text.h"

using namespace shardscope;

namespace {

using Kind = ExchangeRemark::Kind;

SnapshotPtr laidOut(const std::string& text)
{
    ProgramModel model;
    model.text = std::make_shared<const std::string>(text);
    const Result<Experiment> experiment = experimentOf(std::move(model), "before");
    if (!experiment)
        qFatal("the program cannot be read");
    return test::analysed(*experiment);
}

const std::string meshText = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n";

/// A sum over x, of which every device keeps all, or the part along x.
std::string product(bool isScattered)
{
    return meshText
        + "func.func @main(%p: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}, "
          "%w: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> (tensor<8x6xf32> {sdy.sharding "
          "= #sdy.sharding<@mesh, [{"
        + std::string(isScattered ? "\"x\"" : "")
        + "}, {}]>}) {\n  %r = stablehlo.dot_general %p, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
          "tensor<4x6xf32>) -> tensor<8x6xf32> loc(\"jit(f)/dot_general\")\n  return %r : tensor<8x6xf32>\n}\n";
}

/// An array that is gathered along x.
std::string gathered(const std::string& type)
{
    return meshText + "func.func @main(%p: tensor<" + type
        + "> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> (tensor<" + type
        + "> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {\n  %r = stablehlo.negate %p : tensor<" + type
        + ">\n  return %r : tensor<" + type + ">\n}\n";
}

const std::string adder = "%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
                          "  ROOT %s = f32[] add(%a, %b)\n}\n\n";
/// Along x and along y of the mesh.
const std::string alongX = "replica_groups=[2,2]<=[2,2]T(1,0)", alongY = "replica_groups=[2,2]<=[4]";

std::string compiledModule(const std::string& statements, int devices = 4)
{
    return "HloModule jit_f, is_scheduled=true, num_partitions=" + std::to_string(devices) + "\n\n" + adder
        + "ENTRY %main (p: f32[8,6], i: s32[]) -> f32[] {\n  %p = f32[8,6]{1,0} parameter(0)\n  %i = s32[] "
          "parameter(1)\n"
        + statements + "\n}\n";
}

struct Compared {
    SnapshotPtr before;
    std::string text;
    Result<CompiledComparison> result = CompiledComparison();

    [[nodiscard]] const std::vector<ExchangeRow>& rows() const { return result.value().rows; }
    [[nodiscard]] std::vector<Kind> remarks(std::size_t row = 0) const
    {
        std::vector<Kind> kinds;
        for (const ExchangeRemark& remark : rows().at(row).remarks)
            kinds.push_back(remark.kind);
        return kinds;
    }
};

Compared compare(const std::string& before, std::string after)
{
    Compared compared{ laidOut(before), std::move(after) };
    const Result<HloModule> module = readHlo(compared.text);
    if (!module)
        qFatal("the compiled text cannot be read");
    const Result<HloCollectives> found = collectivesOf(*module);
    if (!found || !compared.before->collectives)
        qFatal("there are no collectives");
    compared.result = compareCompiled(*compared.before, *compared.before->collectives, *module, *found);
    return compared;
}

std::optional<std::string> axesText(const std::string& attributes, const Mesh& mesh)
{
    const std::string text = attributes.starts_with("source")
        ? compiledModule("  ROOT %r = f32[8,6] collective-permute(%p), " + attributes, 8)
        : compiledModule("  ROOT %r = f32[8,6] all-reduce(%p), " + attributes + ", to_apply=%add", 8);
    const Result<HloModule> module = readHlo(text);
    const Result<HloCollectives> found = collectivesOf(module.value());
    const std::optional<AxisList> axes = axesOf(found.value().list.at(0), mesh);
    if (!axes)
        return std::nullopt;
    std::string names;
    for (const AxisRef& axis : *axes)
        names += (names.empty() ? "" : ", ") + toString(mesh, axis);
    return names;
}

} // namespace

class TestCompareCompiled : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void axes();
    void axesByDeviceIds();
    void same();
    void slicedAfterwards();
    void otherAxes();
    void noAxes();
    void otherTypes();
    void perLayer();
    void moreOften();
    void transposed();
    void weights();
    void weightsGatheredAgain();
    void embeddingByProduct();
    void merged();
    void namedOperations();
    void leftOver();
    void partsOfOneArray();
    void timesUnknown();
    void sizesOfOne();
    void forwardHasNoGradients();
    void devices();
};

void TestCompareCompiled::axes()
{
    using Names = std::optional<std::string>;
    const Mesh mesh = Mesh::create({ { "data", 2 }, { "one", 1 }, { "model", 4 } }).value();
    QCOMPARE(axesText("replica_groups=[2,4]<=[8]", mesh), Names("model"));
    QCOMPARE(axesText("replica_groups={{4,5,6,7},{3,2,1,0}}", mesh), Names("model"));
    QCOMPARE(axesText("replica_groups=[4,2]<=[2,4]T(1,0)", mesh), Names("data"));
    QCOMPARE(axesText("replica_groups={}", mesh), Names("data, model"));
    QCOMPARE(axesText("replica_groups=[1,8]<=[8]", mesh), Names("data, model"));
    QCOMPARE(axesText("replica_groups=[4,2]<=[8]", mesh), Names("model:(2)2"));
    QCOMPARE(axesText("replica_groups={{0,2},{1,3},{4,6},{5,7}}", mesh), Names("model:(1)2"));
    QCOMPARE(axesText("replica_groups={{0,3},{1,2},{4,7},{5,6}}", mesh), Names());
    QCOMPARE(axesText("source_target_pairs={{0,1},{1,2},{2,3},{3,0}}", mesh), Names("model"));
    QCOMPARE(axesText("source_target_pairs={{0,4},{4,0}}", mesh), Names("data"));
    QCOMPARE(axesText("source_target_pairs={{0,5}}", mesh), Names("data, model"));
}

void TestCompareCompiled::axesByDeviceIds()
{
    const Mesh mesh = Mesh::createOver({ { "a", 2 }, { "b", 2 } }, { 0, 3, 1, 2 }).value();
    const auto found = [&](const std::string& groups) {
        const std::string text =
            compiledModule("  ROOT %r = f32[8,6] all-reduce(%p), replica_groups=" + groups + ", to_apply=%add");
        const Result<HloModule> module = readHlo(text);
        return axesOf(collectivesOf(module.value()).value().list.at(0), mesh);
    };
    QCOMPARE(found("{{0,1},{2,3}}"), std::optional(AxisList{ fullAxis(mesh, 1) })); // by positions
    QCOMPARE(found("{{0,2},{1,3}}"), std::optional(AxisList{ fullAxis(mesh, 0) }));
    QCOMPARE(found("{{0,3},{1,2}}"), std::optional(AxisList{ fullAxis(mesh, 1) })); // by device ids
}

void TestCompareCompiled::same()
{
    const Compared compared =
        compare(product(false), compiledModule("  ROOT %r = f32[8,6] all-reduce(%p), " + alongX + ", to_apply=%add"));
    QCOMPARE(compared.rows().size(), std::size_t{ 1 });
    const ExchangeRow& row = compared.rows()[0];
    QVERIFY(row.exchange == ExchangeKind::Reduction);
    QCOMPARE(row.axes, std::string("x"));
    QCOMPARE(row.elements, 48);
    QCOMPARE(row.predicted.bytes, 192);
    QCOMPARE(row.compiled.bytes, 192);
    QCOMPARE(row.predicted.sent, Rational(192)); // there and back among two
    QCOMPARE(row.compiled.sent, Rational(192));
    QVERIFY(row.remarks.empty());
    const ExchangeSum& sum = compared.result->sums.at(0);
    QCOMPARE(sum.predictedBytes, sum.compiledBytes);
    QVERIFY(compared.result->timesKnown);
}

void TestCompareCompiled::slicedAfterwards()
{
    const std::string sum = "  %r = f32[8,6] all-reduce(%p), " + alongX + ", to_apply=%add\n";
    const Compared sliced = compare(product(true),
        compiledModule(sum + "  ROOT %d = f32[4,6] dynamic-slice(%r, %i, %i), dynamic_slice_sizes={4,6}"));
    QCOMPARE(sliced.rows().size(), std::size_t{ 1 });
    QCOMPARE(sliced.rows()[0].predicted.kinds, std::vector<std::string>{ "reduce_scatter" });
    QCOMPARE(sliced.rows()[0].predicted.sent, Rational(96));
    QCOMPARE(sliced.remarks(), std::vector<Kind>{ Kind::SlicedAfterwards });
    const Compared kept = compare(product(true), compiledModule(sum + "  ROOT %n = f32[8,6] negate(%r)"));
    QCOMPARE(kept.remarks(), std::vector<Kind>{ Kind::KeptInFull });
    const Compared scattered = compare(product(false),
        compiledModule("  ROOT %r = f32[4,6] reduce-scatter(%p), " + alongX + ", dimensions={0}, to_apply=%add"));
    QCOMPARE(scattered.remarks(), std::vector<Kind>{ Kind::Scattered });
}

void TestCompareCompiled::otherAxes()
{
    const Compared compared =
        compare(product(false), compiledModule("  ROOT %r = f32[8,6] all-reduce(%p), " + alongY + ", to_apply=%add"));
    QCOMPARE(compared.rows().size(), std::size_t{ 1 });
    QCOMPARE(compared.rows()[0].axes, std::string("x"));
    QCOMPARE(compared.rows()[0].compiledAxes, std::string("y"));
    QCOMPARE(compared.remarks(), std::vector<Kind>{ Kind::OtherAxes });
    QCOMPARE(compared.result->sums.size(), std::size_t{ 2 }); // sums are by the axes that each side has
}

void TestCompareCompiled::noAxes()
{
    const Compared compared = compare(product(false),
        compiledModule("  ROOT %r = f32[8,6] all-reduce(%p), replica_groups={{0,3},{1,2}}, to_apply=%add"));
    QCOMPARE(compared.rows().size(), std::size_t{ 1 });
    QCOMPARE(compared.rows()[0].compiledAxes, std::string("{{0,3},{1,2}}"));
    QCOMPARE(compared.remarks(), (std::vector<Kind>{ Kind::OtherAxes, Kind::NoAxes }));
}

/// An all-to-all whose operands are the parts for the devices of a group carries one array.
void TestCompareCompiled::partsOfOneArray()
{
    const std::string moved = meshText
        + "func.func @main(%p: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> "
          "(tensor<8x6xf32> "
          "{sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}) {\n  %r = stablehlo.negate %p : tensor<8x6xf32>\n  "
          "return %r : tensor<8x6xf32>\n}\n";
    const std::string parts = "  %a = f32[4,1,3] slice(%p)\n  %b = f32[4,1,3] slice(%p)\n";
    const Compared compared =
        compare(moved, compiledModule(parts + "  ROOT %r = (f32[4,1,3], f32[4,1,3]) all-to-all(%a, %b), " + alongX));
    QCOMPARE(compared.rows().size(), std::size_t{ 1 });
    const ExchangeRow& row = compared.rows()[0];
    QVERIFY(row.exchange == ExchangeKind::AllToAll);
    QVERIFY(row.remarks.empty());
    QCOMPARE(row.compiled.collectives, std::int64_t{ 1 });
    QCOMPARE(row.compiled.times, std::int64_t{ 1 });
    QCOMPARE(row.compiled.types, std::vector<std::string>{ "f32[2, 4, 1, 3]" });
    QCOMPARE(row.compiled.bytes, row.predicted.bytes);
    QCOMPARE(row.compiled.sent, row.predicted.sent);
    // Of other shapes they are arrays of their own.
    const Compared others = compare(moved,
        compiledModule("  %a = f32[4,1,3] slice(%p)\n  %b = f32[4,3] slice(%p)\n  ROOT %r = (f32[4,1,3], f32[4,3]) "
                       "all-to-all(%a, %b), "
            + alongX));
    QVERIFY(std::any_of(
        others.rows().begin(), others.rows().end(), [](const ExchangeRow& each) { return each.compiled.merged > 0; }));
}

void TestCompareCompiled::otherTypes()
{
    const Compared compared = compare(product(false),
        compiledModule(
            "  %h = bf16[8,6] convert(%p)\n  ROOT %r = bf16[8,6] all-reduce(%h), " + alongX + ", to_apply=%add"));
    QCOMPARE(compared.rows().size(), std::size_t{ 1 });
    QCOMPARE(compared.rows()[0].compiled.bytes, 96);
    QCOMPARE(compared.remarks(), std::vector<Kind>{ Kind::OtherTypes });
}

void TestCompareCompiled::perLayer()
{
    // 6 layers of 8 numbers at once, and one after the other in a loop of 6 trips.
    const std::string looped =
        "HloModule jit_f, is_scheduled=true, num_partitions=4\n\n"
        "%body (t: (s32[], f32[4])) -> (s32[], f32[4]) {\n  %t = (s32[], f32[4]{0}) parameter(0)\n"
        "  %i = s32[] get-tuple-element(%t), index=0\n  %x = f32[4]{0} get-tuple-element(%t), index=1\n"
        "  %one = s32[] constant(1)\n  %next = s32[] add(%i, %one)\n  %g = f32[8]{0} all-gather(%x), "
        + alongX
        + ", dimensions={0}\n  %y = f32[4]{0} slice(%g), slice={[0:4]}\n"
          "  ROOT %r = (s32[], f32[4]{0}) tuple(%next, %y)\n}\n\n"
          "%condition (t: (s32[], f32[4])) -> pred[] {\n  %t = (s32[], f32[4]{0}) parameter(0)\n"
          "  %i = s32[] get-tuple-element(%t), index=0\n  %n = s32[] constant(6)\n"
          "  ROOT %c = pred[] compare(%i, %n), direction=LT\n}\n\n"
          "ENTRY %main (p: f32[4]) -> (s32[], f32[4]) {\n  %p = f32[4]{0} parameter(0)\n  %zero = s32[] constant(0)\n"
          "  %init = (s32[], f32[4]{0}) tuple(%zero, %p)\n"
          "  ROOT %w = (s32[], f32[4]{0}) while(%init), condition=%condition, body=%body\n}\n";
    const Compared compared = compare(gathered("8x6xf32"), looped);
    QCOMPARE(compared.rows().size(), std::size_t{ 1 });
    QCOMPARE(compared.rows()[0].predicted.bytes, 192);
    QCOMPARE(compared.rows()[0].compiled.bytes, 192);
    QCOMPARE(compared.rows()[0].remarks, (std::vector<ExchangeRemark>{ { Kind::PerLayer, 6 } }));
}

void TestCompareCompiled::moreOften()
{
    const std::string twice = "  %q = f32[4,6] slice(%p), slice={[0:4], [0:6]}\n  %g = f32[8,6] all-gather(%q), "
        + alongX + ", dimensions={0}\n  ROOT %h = f32[8,6] all-gather(%q), " + alongX + ", dimensions={0}";
    const Compared compared = compare(gathered("8x6xf32"), compiledModule(twice));
    QCOMPARE(compared.rows().size(), std::size_t{ 1 });
    QCOMPARE(compared.rows()[0].compiled.times, 2);
    QCOMPARE(compared.rows()[0].remarks, (std::vector<ExchangeRemark>{ { Kind::MoreOften, 2 } }));
    QCOMPARE(compared.result->sums.at(0).compiledBytes, 2 * compared.result->sums.at(0).predictedBytes);
}

void TestCompareCompiled::transposed()
{
    // Twice the sum of [8, 6] and once that of [6, 8] on one side, the other way round on the other.
    ExchangeRow wide, tall;
    wide.exchange = tall.exchange = ExchangeKind::Reduction;
    wide.elements = tall.elements = 48;
    wide.predicted.times = tall.compiled.times = 2;
    wide.compiled.times = tall.predicted.times = 1;
    wide.predicted.types = { "f32[8, 6]" };
    wide.compiled.types = { "f32[8, 6]" };
    tall.predicted.types = tall.compiled.types = { "f32[6, 8]" };
    std::vector<ExchangeRow> rows{ wide, tall };
    swapTransposed(rows);
    QCOMPARE(rows[0].compiled.times, 2);
    QCOMPARE(rows[0].compiled.types, tall.compiled.types);
    QCOMPARE(rows[1].compiled.times, 1);
    // Of equally many elements in another shape nothing is swapped.
    tall.predicted.types = tall.compiled.types = { "f32[4, 12]" };
    rows = { wide, tall };
    swapTransposed(rows);
    QCOMPARE(rows[0].compiled.times, 1);
}

void TestCompareCompiled::weights()
{
    // The product's sum over x has the shape of no parameter; w is [4, 6] once it is gathered along x.
    const std::string adds = "  %r = f32[8,6] all-reduce(%p), " + alongX + ", to_apply=%add\n";
    const auto gathers = [](const std::string& type) {
        return "  ROOT %g = f32[" + type + "] all-gather(%p), " + alongX + ", dimensions={0}";
    };
    for (const char* type : { "4,6", "6,4" }) { // in its order, or transposed
        const Compared compared = compare(product(false), compiledModule(adds + gathers(type)));
        QCOMPARE(compared.rows().size(), std::size_t{ 2 });
        const auto row = std::find_if(compared.rows().begin(), compared.rows().end(),
            [](const ExchangeRow& each) { return each.exchange == ExchangeKind::Gather; });
        QVERIFY(row != compared.rows().end());
        QCOMPARE(row->weight, std::string("w"));
        for (const ExchangeSum& sum : compared.result->sums)
            QCOMPARE(sum.compiledWeights, sum.exchange == ExchangeKind::Gather ? 96 : 0);
    }
    const Compared other = compare(product(false), compiledModule(adds + gathers("4,12")));
    for (const ExchangeRow& row : other.rows())
        QCOMPARE(row.weight, std::string());
    // Rows sharded along y: a device has [4, 6] of the sum, as of the gathered w, but over all devices it is [8, 6].
    std::string byRows = product(false);
    const std::string columns = "[{}, {\"x\"}]", result = "[{}, {}]";
    byRows.replace(byRows.find(columns), columns.size(), "[{\"y\"}, {\"x\"}]");
    byRows.replace(byRows.find(result), result.size(), "[{\"y\"}, {}]");
    const Compared activations = compare(byRows,
        compiledModule("  %s = f32[4,6] slice(%p), slice={[0:4], [0:6]}\n  ROOT %r = f32[4,6] all-reduce(%s), " + alongX
            + ", to_apply=%add"));
    QCOMPARE(activations.rows().size(), std::size_t{ 1 });
    QCOMPARE(activations.rows()[0].predicted.times, 1);
    QCOMPARE(activations.rows()[0].compiled.times, 1);
    QCOMPARE(activations.rows()[0].weight, std::string());
    for (const ExchangeSum& sum : activations.result->sums) {
        QCOMPARE(sum.predictedWeights, 0);
        QCOMPARE(sum.compiledWeights, 0);
    }
}

namespace {

/// Two layers and an embedding of [512, 64], weights sharded along fsdp.
Experiment network(RematPolicy remat, bool embedByOneHot)
{
    TransformerSettings settings;
    settings.vocab = 512;
    settings.remat = remat;
    settings.embedByOneHot = embedByOneHot;
    const Result<LogicalRules> rules = parseRules("(('batch', 'fsdp'), ('embed', 'fsdp'))");
    RulesSetting setting;
    setting.rules = rules.value();
    return networkExperiment(settings, "network", { { { "fsdp", 4 } }, {} }, setting).value();
}

/// The collectives that are predicted of an experiment as a compiled program would have them.
std::string compiledAs(const Experiment& experiment)
{
    const SnapshotPtr snapshot = test::analysed(experiment);
    std::string statements;
    int number = 0;
    const auto type = [](const CollectiveEntry& entry, const TensorSharding& sharding) {
        std::string text = std::string(name(entry.type.dtype)) + "[";
        for (const std::int64_t size : shardShape(sharding, entry.type.shape))
            text += (text.ends_with('[') ? "" : ",") + std::to_string(size);
        return text + ']';
    };
    for (const CollectiveEntry& entry : snapshot->collectives->entries) {
        if (entry.kind != CollectiveKind::AllGather && entry.kind != CollectiveKind::ReduceScatter
            && entry.kind != CollectiveKind::AllReduce)
            continue;
        const bool gathers = entry.kind == CollectiveKind::AllGather;
        const std::string id = std::to_string(number++);
        statements += "  %o" + id + " = " + type(entry, entry.before) + " constant({...})\n  %c" + id + " = "
            + type(entry, gathers ? entry.after : entry.before) + (gathers ? " all-gather" : " all-reduce") + "(%o" + id
            + "), replica_groups=[1,4]<=[4], " + (gathers ? "dimensions={0}" : "to_apply=%add") + "\n";
    }
    return compiledModule(statements + "  ROOT %r = f32[8,6] negate(%p)");
}

struct Explained {
    CompiledComparison comparison;
    std::vector<CompiledReason> reasons;
};

Explained explained(const Experiment& before, const std::string& text)
{
    const SnapshotPtr snapshot = test::analysed(before);
    const Result<HloModule> module = readHlo(text);
    if (!module)
        qFatal("the compiled text cannot be read");
    const Result<HloCollectives> found = collectivesOf(*module);
    const Result<CompiledComparison> compared =
        compareCompiled(*snapshot, *snapshot->collectives, *module, found.value());
    return { compared.value(), reasonsFor(compared.value(), before) };
}

} // namespace

void TestCompareCompiled::weightsGatheredAgain()
{
    const Experiment keeps = network(RematPolicy::None, true), again = network(RematPolicy::Full, true);
    const std::string compiledAgain = compiledAs(again), compiledOnce = compiledAs(keeps);
    const Explained differs = explained(keeps, compiledAgain);
    QCOMPARE(differs.reasons.size(), std::size_t{ 1 });
    QVERIFY(differs.reasons[0].kind == CompiledReason::Kind::GathersAgain);
    QCOMPARE(differs.reasons[0].pointer, std::string("/model/remat"));
    QCOMPARE(differs.reasons[0].value, std::string("full"));
    QCOMPARE(differs.reasons[0].compiledBytes, 2 * differs.reasons[0].predictedBytes);
    // With the setting that is named both exchange the same.
    const Explained same = explained(again, compiledAgain);
    QCOMPARE(same.reasons.size(), std::size_t{ 0 });
    for (const ExchangeSum& sum : same.comparison.sums)
        QCOMPARE(sum.predictedWeights, sum.compiledWeights);
    const Explained fewer = explained(again, compiledOnce);
    QCOMPARE(fewer.reasons.size(), std::size_t{ 1 });
    QVERIFY(fewer.reasons[0].kind == CompiledReason::Kind::KeepsGathered);
    QCOMPARE(fewer.reasons[0].value, std::string("none"));
}

void TestCompareCompiled::embeddingByProduct()
{
    const Explained differs =
        explained(network(RematPolicy::None, false), compiledAs(network(RematPolicy::None, true)));
    QCOMPARE(differs.reasons.size(), std::size_t{ 1 });
    QVERIFY(differs.reasons[0].kind == CompiledReason::Kind::EmbedsByProduct);
    QCOMPARE(differs.reasons[0].pointer, std::string("/model/embed_by_one_hot"));
    // The table, and its gradient.
    QCOMPARE(differs.reasons[0].compiledBytes, 2 * 4 * 512 * 64);
    QCOMPARE(differs.reasons[0].predictedBytes, 0);
    // Both gather the table, and XLA alone adds its gradient up.
    CompiledComparison gathered;
    for (const ExchangeKind kind : { ExchangeKind::Gather, ExchangeKind::Reduction }) {
        ExchangeRow& row = gathered.rows.emplace_back();
        row.exchange = kind;
        row.weight = "params/token_embedder/embedding";
        row.compiled.times = 1;
        row.compiled.bytes = 1024;
        if (kind == ExchangeKind::Gather)
            row.predicted = row.compiled;
    }
    const std::vector<CompiledReason> reasons = reasonsFor(gathered, network(RematPolicy::None, false));
    QCOMPARE(reasons.size(), std::size_t{ 1 });
    QVERIFY(reasons[0].kind == CompiledReason::Kind::EmbedsByProduct);
    QCOMPARE(reasons[0].compiledBytes, 1024);
    gathered.endsEarly = true; // then the rest of it may be in what is missing
    QVERIFY(reasonsFor(gathered, network(RematPolicy::None, false)).empty());
}

void TestCompareCompiled::merged()
{
    const std::string both =
        "  %n = f32[2] slice(%p), slice={[0:2]}\n  ROOT %r = (f32[8,6], f32[2]) all-reduce(%p, %n), " + alongX
        + ", to_apply=%add";
    const Compared compared = compare(product(false), compiledModule(both));
    QCOMPARE(compared.rows().size(), std::size_t{ 2 });
    QCOMPARE(compared.remarks(0), std::vector<Kind>{ Kind::Merged });
    QCOMPARE(compared.remarks(1), (std::vector<Kind>{ Kind::Merged, Kind::OnlyCompiled }));
    QVERIFY(!compared.rows()[0].differs(false));
    QVERIFY(compared.rows()[1].differs(false));
    QVERIFY(compared.result->differs());
    // 192 and 8 bytes, each its share of what the collective sends.
    QCOMPARE(compared.rows()[0].compiled.sent, Rational(192));
    QCOMPARE(compared.rows()[1].compiled.sent, Rational(8));
    QCOMPARE(compared.rows()[0].compiled.collectives + compared.rows()[1].compiled.collectives, 1);
}

void TestCompareCompiled::namedOperations()
{
    // Of two arrays of one shape the one of the same operation.
    const std::string sums = "  %r = f32[8,6] all-reduce(%p), " + alongX
        + ", to_apply=%add, metadata={op_name=\"jit(f)/other\"}\n  ROOT %q = f32[8,6] all-reduce(%r), " + alongX
        + ", to_apply=%add, metadata={op_name=\"jit(f)/dot_general\"}";
    const Compared compared = compare(product(false), compiledModule(sums));
    QCOMPARE(compared.rows().size(), std::size_t{ 2 });
    const auto named = std::find_if(compared.rows().begin(), compared.rows().end(),
        [](const ExchangeRow& row) { return row.cause == "jit(f)/dot_general"; });
    QVERIFY(named != compared.rows().end());
    QVERIFY(named->remarks.empty());
    const ExchangeRow& other = compared.rows()[named == compared.rows().begin() ? 1 : 0];
    QCOMPARE(other.compiled.causes, std::vector<std::string>{ "jit(f)/other" });
    QCOMPARE(other.remarks, (std::vector<ExchangeRemark>{ { Kind::OnlyCompiled, 0 } }));
}

void TestCompareCompiled::leftOver()
{
    const Compared compared = compare(product(false),
        compiledModule("  %q = f32[4,3] slice(%p), slice={[0:4], [0:3]}\n  ROOT %g = f32[8,3] all-gather(%q), " + alongX
            + ", dimensions={0}"));
    QCOMPARE(compared.rows().size(), std::size_t{ 2 });
    QCOMPARE(compared.remarks(0), std::vector<Kind>{ Kind::OnlyPredicted });
    QCOMPARE(compared.remarks(1), std::vector<Kind>{ Kind::OnlyCompiled });
}

void TestCompareCompiled::timesUnknown()
{
    const std::string unknown = "HloModule jit_f, is_scheduled=true, num_partitions=4\n\n" + adder
        + "%main (p: f32[8,6]) -> f32[8,6] {\n  %p = f32[8,6]{1,0} parameter(0)\n  ROOT %r = f32[8,6] all-reduce(%p), "
        + alongX + ", to_apply=%add\n}\n";
    const Compared compared = compare(product(false), unknown);
    QVERIFY(!compared.result->timesKnown);
    QVERIFY(!compared.result->sums.at(0).timesKnown);
    QCOMPARE(compared.remarks(), std::vector<Kind>{ Kind::TimesUnknown });
    // The text ends before its entry: what is missing may stand in the rest.
    QVERIFY(compared.result->endsEarly);
    QVERIFY(!compared.result->differs());
    QVERIFY(compared.rows()[0].differs(false)); // of a text to its end that is a difference
    std::string gathers = unknown;
    const std::string adds = "all-reduce(%p), " + alongX + ", to_apply=%add";
    gathers.replace(gathers.find(adds), adds.size(), "all-gather(%p), " + alongX + ", dimensions={0}");
    const Compared missing = compare(product(false), gathers);
    QCOMPARE(missing.remarks(0), std::vector<Kind>{ Kind::NotInText });
    QCOMPARE(missing.remarks(1), (std::vector<Kind>{ Kind::OnlyCompiled, Kind::TimesUnknown }));
    QVERIFY(!missing.rows()[0].differs(true));
    QVERIFY(missing.result->differs()); // nothing of what it has is predicted
    QVERIFY(!compare(product(false), compiledModule("  ROOT %r = f32[8,6] negate(%p)")).result->endsEarly);
}

/// Of two arrays of as many elements the one of the same sizes above 1.
void TestCompareCompiled::sizesOfOne()
{
    const std::string sums = "  %a = f32[1,8,6] reshape(%p)\n  %b = f32[6,8] reshape(%p)\n"
                             "  %q = f32[6,8] all-reduce(%b), "
        + alongX + ", to_apply=%add\n  ROOT %r = f32[1,8,6] all-reduce(%a), " + alongX + ", to_apply=%add";
    const Compared compared = compare(product(false), compiledModule(sums));
    QCOMPARE(compared.rows().size(), std::size_t{ 2 });
    for (const ExchangeRow& row : compared.rows())
        QCOMPARE(row.predicted.times, row.compiled.types == std::vector<std::string>{ "f32[1, 8, 6]" } ? 1 : 0);
    // w is [4, 6] once it is gathered along x.
    const Compared weight = compare(
        product(false), compiledModule("  ROOT %g = f32[1,4,6] all-gather(%p), " + alongX + ", dimensions={1}"));
    const auto row = std::find_if(weight.rows().begin(), weight.rows().end(),
        [](const ExchangeRow& each) { return each.exchange == ExchangeKind::Gather; });
    QVERIFY(row != weight.rows().end());
    QCOMPARE(row->weight, std::string("w"));
}

/// What a forward pass adds up are activations, even where they have a weight's sizes; without names a cause is the
/// operation.
void TestCompareCompiled::forwardHasNoGradients()
{
    const std::string text = meshText
        + "func.func @main(%w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, "
          "%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}) -> (tensor<8x8xf32> "
          "{sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {\n"
          "  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> "
          "tensor<8x8xf32>\n  return %0 : tensor<8x8xf32>\n}\n";
    const Compared forward = compare(text, compiledModule("  ROOT %r = f32[8,6] negate(%p)"));
    QCOMPARE(forward.rows().size(), std::size_t{ 1 });
    QVERIFY(forward.rows()[0].exchange == ExchangeKind::Reduction);
    QCOMPARE(forward.rows()[0].weight, std::string());
    QCOMPARE(forward.rows()[0].predicted.causes, std::vector<std::string>{ "%0 = dot_general" });
}

void TestCompareCompiled::devices()
{
    const Compared compared = compare(
        product(false), compiledModule("  ROOT %r = f32[8,6] all-reduce(%p), replica_groups={}, to_apply=%add", 8));
    QVERIFY(!compared.result);
    QCOMPARE(std::string(compared.result.error().id()), std::string("E199"));
    QCOMPARE(compared.result.error().number("devices"), 8);
    QCOMPARE(compared.result.error().number("wanted"), 4);
}

REGISTER_TEST(TestCompareCompiled)
#include "test_compare_compiled.moc"
