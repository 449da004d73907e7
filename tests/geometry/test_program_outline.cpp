// SPDX-License-Identifier: GPL-3.0-or-later
// The outline of programs: their parts, what repeats, and what a repetition says of itself.
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <map>

#include "analysis/analyse.h"
#include "experiment_file/gallery.h"
#include "program/differentiate.h"
#include "program/function_names.h"
#include "program/outline/block_comparison.h"
#include "program/outline/long_levels.h"
#include "program/outline/operation_scopes.h"
#include "program/outline/part_contents.h"
#include "program/outline/repeated_blocks.h"
#include "program/program_mesh.h"
#include "program_graph.h"
#include "random_cases.h"
#include "registered_test.h"
#include "stablehlo/read.h"
#include "transformer_program.h"
#include "words/definitions.h"
#include "words/graph_words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Graph;
using test::mlp;
using test::randomProgram;

namespace {

/// The same operation in the model of the repeated part that `index` stands in; -1 if it stands in none.
int likeInModel(const ProgramOutline& outline, int index)
{
    // From the part up to the repeated one, then the same way down from the model.
    std::vector<int> way;
    int at = index;
    while (at >= 0 && (outline.part(at).parent < 0 || outline.part(outline.part(at).parent).kind != PartKind::Repeat)) {
        way.push_back(outline.part(at).position);
        at = outline.part(at).parent;
    }
    if (at < 0)
        return -1;
    int like = outline.part(outline.part(at).parent).model;
    for (auto step = way.rbegin(); step != way.rend(); ++step) {
        const std::vector<int>& children = outline.part(like).children;
        if (static_cast<std::size_t>(*step) >= children.size())
            return -1;
        like = children[static_cast<std::size_t>(*step)];
    }
    return like;
}

Program scannedMlp()
{
    AnalysisCache cache;
    const Experiment& experiment = findExample("flax-mlp-scan-program")->experiment;
    return *analyse(std::make_shared<const Experiment>(experiment), 1, cache)->program;
}

/// Repetition among the operations of main, whatever they are called.
std::vector<RepeatedBlocks> repeats(const Program& program)
{
    std::vector<RepeatUnit> units;
    for (std::size_t i = 0; i < program.main().operations.size(); ++i)
        units.push_back({ i, 1, nullptr });
    RepeatFinder finder(program);
    return finder.find(program.main().operations, units);
}

/// Layers of the same random operations: each reads what the one before makes, a weight of its own and a mask that all
/// share.
Program layered(std::mt19937& random, int layers, bool backward)
{
    struct Step {
        unsigned kind;
        std::size_t other;
    };
    std::vector<Step> steps(4 + random() % 5);
    for (Step& step : steps)
        step = { static_cast<unsigned>(random() % 4), random() };
    Builder builder("layered");
    const TensorType type{ DType::F32, { 8 } };
    ValueId x = builder.argument(type, "x", Role::Input);
    const ValueId mask = builder.argument(type, "mask", Role::Input);
    std::vector<ValueId> weights;
    for (int layer = 0; layer < layers; ++layer) {
        weights.push_back(builder.argument(type, "params/layers." + std::to_string(layer) + "/w", Role::Parameter));
        std::vector<ValueId> values{ x, mask, weights.back(), builder.binary(OpKind::Multiply, x, weights.back()) };
        for (const Step& step : steps) {
            const ValueId newest = values.back(), other = values[step.other % values.size()];
            values.push_back(step.kind == 0 ? builder.unary(OpKind::Exponential, newest)
                    : step.kind == 1        ? builder.unary(OpKind::Logistic, newest)
                                     : builder.binary(step.kind == 2 ? OpKind::Add : OpKind::Multiply, newest, other));
        }
        x = builder.binary(OpKind::Add, builder.unary(OpKind::Logistic, values.back()), mask);
    }
    const ValueId loss = builder.reduce(ReduceKind::Sum, x, { 0 });
    if (backward) {
        const auto gradients = differentiate(builder, loss, weights);
        if (!gradients)
            qFatal("no gradients");
        for (const ValueId gradient : *gradients)
            builder.result(gradient);
    }
    builder.result(loss);
    Program program = std::move(builder).finish();
    for (Operation& operation : program.operations) // found by what they do alone
        operation.scope = 0;
    program.scopes = { "" };
    return program;
}

/// Operations that follow each other from one place.
struct From {
    std::string location;
    int count = 0;
    std::string reads = {}; ///< an argument that the first of them reads
};

/// A chain of random operations, which repeats nowhere. With `line` they stand in a text of its own lines.
Program chained(const std::vector<From>& stretches, bool line = false)
{
    constexpr OpKind kinds[] = { OpKind::Tanh, OpKind::Sine, OpKind::Cosine, OpKind::Exponential, OpKind::Abs,
        OpKind::Negate, OpKind::Logistic };
    std::mt19937 random(7);
    Builder builder("chained");
    const TensorType type{ DType::F32, { 8 } };
    ValueId x = builder.argument(type, "x", Role::Input);
    std::vector<std::string> locations;
    for (const From& from : stretches)
        for (int i = 0; i < from.count; ++i) {
            x = i == 0 && !from.reads.empty()
                ? builder.binary(OpKind::Multiply, x, builder.argument(type, from.reads, Role::Parameter))
                : builder.unary(kinds[random() % std::size(kinds)], x);
            locations.push_back(from.location);
        }
    builder.result(x);
    Program program = std::move(builder).finish();
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        program.operations[i].source = static_cast<std::uint32_t>(program.sources.size());
        program.sources.push_back({ line ? static_cast<std::uint32_t>(i + 1) : 0, 0, locations[i] });
    }
    return program;
}

/// Random operations from a few random places; neighbours are often from one.
Program scattered(unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<From> stretches;
    for (int i = 0; i < 200; ++i) {
        const std::string place = "\"lib" + std::to_string(random() % 3) + "/file" + std::to_string(random() % 4)
            + ".py\":" + std::to_string(random() % 20 + 1) + ":1";
        const std::string name = "\"jit(f)/net/part" + std::to_string(random() % 5) + "/op\"(" + place + ')';
        const unsigned kind = random() % 4;
        stretches.push_back({ kind == 0 ? std::string()
                : kind == 1             ? name
                                        : place,
            1 + static_cast<int>(random() % 9) });
    }
    return chained(stretches, seed % 2 == 0);
}

Program readOutlined(const std::string& text)
{
    auto read = readStableHlo(text);
    if (!read)
        qFatal("the text is not read");
    return std::move(read->program);
}

std::vector<OperationId> operationsIn(const ProgramOutline& outline, int part)
{
    std::vector<OperationId> found;
    const auto visit = [&](const auto& self, int at) -> void {
        if (outline.part(at).kind == PartKind::Operation)
            found.push_back(outline.part(at).operation);
        for (const int child : outline.part(at).children)
            self(self, child);
    };
    visit(visit, part);
    return found;
}

/// In what two stretches are not the same, looked at one by one; empty if in nothing.
QString unlikeness(const Program& program, const std::vector<OperationId>& a, const std::vector<OperationId>& b)
{
    if (a.size() != b.size())
        return u"another number of operations"_s;
    const auto placeIn = [&](const std::vector<OperationId>& operations, ValueId value) {
        const auto found = std::find(operations.begin(), operations.end(), program.value(value).definition);
        return found == operations.end() ? -1 : static_cast<int>(found - operations.begin());
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Operation &one = program.operation(a[i]), &other = program.operation(b[i]);
        if (one.kind != other.kind || !(one.attributes == other.attributes)
            || one.operands.size() != other.operands.size())
            return u"operations %1 and %2"_s.arg(a[i].index).arg(b[i].index);
        for (std::size_t k = 0; k < one.operands.size(); ++k)
            if (!(program.value(one.operands[k]).type == program.value(other.operands[k]).type)
                || placeIn(a, one.operands[k]) != placeIn(b, other.operands[k]))
                return u"operand %1 of operations %2 and %3"_s.arg(k).arg(a[i].index).arg(b[i].index);
    }
    return {};
}

} // namespace

class TestProgramOutline : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void partsOfTheNotebook()
    {
        const Graph graph(mlp());
        QCOMPARE(graph.lines().join(u'\n'),
            u"Layer 0 | 6 ops\n"
            "Layers 1–3 | same as Layer 0, folded × 3\n"
            "Loss | 1 op\n"
            "Backward | 41 ops\n"
            "  Loss | 2 ops\n"
            "  Layer 3 | 10 ops\n"
            "  Layers 1–2 | same as Layer 3, folded × 2\n"
            "  Layer 0 | 9 ops\n"
            "Optimizer | 177 ops\n"
            "  Layer 0 | 40 ops\n"
            "    W1 | 20 ops\n"
            "    W2 | 20 ops\n"
            "  Layers 1–3 | same as Layer 0, folded × 3"_s);
    }

    void everyOperationStandsOnce_data()
    {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < 11; ++kind)
            QTest::addRow("%d", kind) << kind;
    }
    void everyOperationStandsOnce()
    {
        QFETCH(int, kind);
        const Graph graph(kind == 0 ? mlp()
                : kind == 1         ? test::transformerProgram(5)
                : kind == 2         ? test::transformerProgram(5, false)
                : kind == 6         ? scannedMlp()
                : kind > 6          ? scattered(static_cast<unsigned>(kind))
                                    : randomProgram(static_cast<unsigned>(kind), 200));
        std::vector<OperationId> order;
        const auto visit = [&](const auto& self, int part) -> void {
            const ProgramPart& at = graph.outline->part(part);
            if (at.kind == PartKind::Operation)
                order.push_back(at.operation);
            int operations = at.kind == PartKind::Operation ? 1 : 0;
            for (std::size_t i = 0; i < at.children.size(); ++i) {
                const ProgramPart& child = graph.outline->part(at.children[i]);
                QCOMPARE(child.parent, part);
                QCOMPARE(child.position, static_cast<int>(i));
                self(self, at.children[i]);
                operations += child.operations;
            }
            QCOMPARE(at.operations, operations);
            if (at.kind == PartKind::Source)
                QVERIFY(operations >= smallestGroup);
            if (kind > 6)
                QVERIFY2(at.children.size() <= longLevel, graph.outline->key(part).c_str());
        };
        visit(visit, 0);
        std::vector<OperationId> declared; // in program order, so that no part needs a later one
        const auto follow = [&](const auto& self, const std::vector<OperationId>& operations) -> void {
            for (const OperationId id : operations) {
                declared.push_back(id);
                for (const RegionId region : graph.program->operation(id).regions)
                    self(self, graph.program->regions[region.index].operations);
            }
        };
        follow(follow, graph.program->main().operations);
        QVERIFY(order == declared);
        for (const OperationId id : order)
            QVERIFY(graph.outline->part(graph.outline->partOfOperation[id.index]).operation == id);
    }

    void blocksAreFoundWithoutScopes()
    {
        const Graph graph(test::transformerProgram(12, false));
        const ProgramPart& root = graph.outline->part(0);
        std::vector<int> repeats;
        for (const int child : root.children)
            if (graph.outline->part(child).kind == PartKind::Repeat)
                repeats.push_back(child);
        QVERIFY(!repeats.empty());
        int within = 0; // operations in blocks: the forward pass at least
        for (const int repeat : repeats) {
            const ProgramPart& part = graph.outline->part(repeat);
            QVERIFY(part.children.size() >= 2);
            within += part.operations + graph.outline->part(part.model).operations;
            QCOMPARE(
                graph.outline->part(part.model).operations * static_cast<int>(part.children.size()), part.operations);
            // The same operation in the model is of the same kind.
            for (const int block : part.children)
                for (const int child : graph.outline->part(block).children) {
                    const int like = likeInModel(*graph.outline, child);
                    QVERIFY(like >= 0);
                    const ProgramPart &a = graph.outline->part(child), &b = graph.outline->part(like);
                    QCOMPARE(a.kind, b.kind);
                    if (a.kind == PartKind::Operation)
                        QCOMPARE(static_cast<int>(graph.program->operation(a.operation).kind),
                            static_cast<int>(graph.program->operation(b.operation).kind));
                }
        }
        QVERIFY2(within > root.operations / 4, qPrintable(QString::number(within)));
        // The layers of the forward pass: the eleven after the first one.
        QCOMPARE(graph.outline->part(repeats.front()).children.size(), std::size_t{ 11 });
    }

    void whatDiffersIsNoRepetition()
    {
        Builder builder("chain");
        ValueId x = builder.argument({ DType::F32, { 8 } }, "x", Role::Input);
        const ValueId first = x;
        for (int i = 0; i < 8; ++i) { // the fifth block reads another value in the same place
            const ValueId a = builder.unary(OpKind::Tanh, x);
            const ValueId b = builder.binary(OpKind::Add, a, i == 4 ? a : x);
            const ValueId c = builder.unary(OpKind::Sine, b);
            x = builder.binary(OpKind::Multiply, c, first);
        }
        builder.result(x);
        const Program program = std::move(builder).finish();
        const auto found = repeats(program);
        QCOMPARE(found.size(), std::size_t{ 2 });
        QCOMPARE(found[0].first, 2); // in the first block two values are one
        QCOMPARE(found[0].length, 4);
        QCOMPARE(found[0].copies, 3);
        QCOMPARE(found[1].copies, 3);
        QVERIFY(found[1].first >= 17);
    }

    void whatIsReadFromElsewhereIsNoRepetition()
    {
        // Eight layers that read from the one before; the sixth reads from two before.
        for (const bool skips : { false, true }) {
            Builder builder("skip");
            const TensorType type{ DType::F32, { 8 } };
            std::vector<ValueId> outputs{ builder.argument(type, "x", Role::Input) };
            for (int i = 0; i < 8; ++i) {
                const ValueId weight = builder.argument(type, "w" + std::to_string(i), Role::Parameter);
                const ValueId from = outputs[outputs.size() - (skips && i == 5 ? 2 : 1)];
                const ValueId a = builder.binary(OpKind::Multiply, from, weight);
                const ValueId b = builder.unary(OpKind::Tanh, a);
                const ValueId c = builder.binary(OpKind::Add, b, a);
                outputs.push_back(builder.unary(OpKind::Sine, c));
            }
            builder.result(outputs.back());
            const auto found = repeats(std::move(builder).finish());
            QVERIFY(!found.empty());
            QCOMPARE(found[0].copies, skips ? 5 : 8);
        }
    }

    void backwardPassesAreFoundAndNumbered()
    {
        const Graph graph(test::transformerProgram(6, false));
        QStringList lines;
        for (const QString& line : graph.lines())
            lines << line.trimmed();
        QVERIFY2(lines.contains(u"Blocks 1–5 | same as Block 0, folded × 5"_s), qPrintable(lines.join(u'\n')));
        const qsizetype first = lines.indexOf(QRegularExpression(u"^Block \\d, backward \\|.*"_s));
        QVERIFY2(first > 0, qPrintable(lines.join(u'\n')));
        const QString number = lines[first].mid(6, 1);
        QVERIFY2(lines.indexOf(QRegularExpression(
                     u"^Blocks \\d–\\d, backward \\| same as Block %1, backward, folded.*"_s.arg(number)))
                > first,
            qPrintable(lines.join(u'\n')));
        // The larger part of the program is folded.
        int folded = 0;
        for (const ProgramPart& part : graph.outline->parts)
            if (part.kind == PartKind::Repeat && graph.outline->part(part.parent).kind != PartKind::Block)
                folded += part.operations;
        QVERIFY2(folded * 2 > graph.outline->part(0).operations, qPrintable(QString::number(folded)));
    }

    void whatComesBackIsLikeBefore()
    {
        // Three scopes that are the same, one that is not, four that are as before.
        Builder builder("again");
        const TensorType type{ DType::F32, { 8 } };
        ValueId x = builder.argument(type, "x", Role::Input);
        for (int i = 0; i < 8; ++i) {
            builder.setScope("layers." + std::to_string(i));
            x = builder.unary(OpKind::Tanh, x);
            if (i == 3)
                x = builder.unary(OpKind::Abs, x);
            x = builder.unary(OpKind::Sine, x);
        }
        builder.result(x);
        const Graph graph(std::move(builder).finish());
        QCOMPARE(graph.lines().join(u'\n'),
            u"Layer 0 | 2 ops\n"
            "Layers 1–2 | same as Layer 0, folded × 2\n"
            "Layer 3 | 3 ops\n"
            "Layers 4–7 | same as Layer 0, folded × 4"_s);
    }

    void locationsNameParts()
    {
        QCOMPARE(scopeNames("backward/layers.0"), (ScopeNames{ "backward", "layers.0" }));
        QCOMPARE(locationNames(R"("jit(step)/jit(main)/Net/layer_3/dot_general"("model.py":12:4))"),
            (ScopeNames{ "Net", "layer_3" }));
        QCOMPARE(locationNames(R"("jit(step)/jit(main)/transpose(jvp(Net))/layer_3/mul")"),
            (ScopeNames{ "backward", "Net", "layer_3" }));
        QCOMPARE(locationNames(R"("jit(step)/jit(main)/jvp(Net)/layer_3/mul")"), (ScopeNames{ "Net", "layer_3" }));
        QCOMPARE(locationNames(R"("model.py":12:4)"), ScopeNames());
        QCOMPARE(locationNames("unknown"), ScopeNames());
        QCOMPARE(locationNames(""), ScopeNames());
        QCOMPARE(
            sourceNames(R"("jit(f)/mul"("/lib/python3/site-packages/optax/_src/update.py":42:4))").package, "optax");
        QCOMPARE(sourceNames(R"("jit(f)/mul"("/lib/python3/site-packages/optax/_src/update.py":42:4))").line,
            "update.py:42");
        QCOMPARE(sourceNames(R"(callsite("f"("a/b.py":1:2) at "c.py":3:4))").file, "b.py");
        QCOMPARE(sourceNames(R"("/home/me/model.py":12:4)").package, "model.py");
        QCOMPARE(sourceNames(R"("jit(f)/mul")").file, "");

        Builder builder("located");
        ValueId x = builder.argument({ DType::F32, { 8 } }, "x", Role::Input);
        for (int i = 0; i < 4; ++i)
            x = builder.unary(OpKind::Sine, builder.unary(OpKind::Tanh, x));
        builder.result(x);
        Program program = std::move(builder).finish();
        for (std::size_t i = 0; i < program.operations.size(); ++i) {
            program.sources.push_back({ 1, 1, "\"jit(f)/layer_" + std::to_string(i / 2) + "/op\"(\"model.py\":3:1)" });
            program.operations[i].source = static_cast<std::uint32_t>(program.sources.size() - 1);
        }
        const Graph graph(std::move(program));
        QCOMPARE(graph.lines().join(u'\n'), u"Layer 0 | 2 ops\nLayers 1–3 | same as Layer 0, folded × 3"_s);
    }

    void longLevelsAreGrouped()
    {
        const std::string net = "\"jit(step)/jvp(Net)/", backward = "\"jit(step)/transpose(jvp(Net))/",
                          optax = "\"jit(step)/mul\"(\"/usr/lib/site-packages/optax/_src/";
        std::vector<From> stretches{ { net + "embed/x\"(\"net.py\":10:1)", 20 },
            { net + "head/x\"(\"net.py\":20:1)", 15 }, { "", 2 }, { net + "head/x\"(\"net.py\":22:1)", 5 },
            { backward + "head/x\"(\"net.py\":20:1)", 20 }, { optax + "clip.py\":9:1)", 2 },
            { backward + "embed/x\"(\"net.py\":10:1)", 10 } };
        for (int i = 0; i < 8; ++i) {
            stretches.push_back({ optax + "clip.py\":5:1)", 3, "params/stack/layer" + std::to_string(i) + "/w" });
            stretches.push_back({ optax + "transform.py\":30:1)", 4 });
            stretches.push_back({ optax + "transform.py\":31:1)", 3 });
        }
        const Graph graph(chained(stretches));
        QStringList expected{ u"Net | 42 ops"_s, u"  Embed | 20 ops"_s, u"  Head | 15 ops"_s, u"  Head | 5 ops"_s,
            u"Backward | 32 ops"_s, u"  Net | 20 ops"_s, u"    Head | 20 ops"_s, u"  Net | 10 ops"_s,
            u"    Embed | 10 ops"_s, u"optax | 80 ops"_s };
        for (int i = 0; i < 8; ++i)
            expected << u"  optax for layer%1/w | 10 ops"_s.arg(i);
        QCOMPARE(graph.lines().join(u'\n'), expected.join(u'\n'));
        const int optimizer = graph.outline->part(0).children.back();
        const int first = graph.outline->part(optimizer).children.front();
        QVERIFY(graph.words.tip(first).contains(words::operandName(*graph.program, graph.outline->part(first).about)));
    }

    void onlyLongLevelsAreGrouped()
    {
        const std::vector<From> stretches{ { "\"a.py\":1:1", 30 }, { "\"b.py\":2:1", 30 }, { "\"b.py\":3:1", 1 } };
        QCOMPARE(Graph(chained(stretches)).lines().join(u'\n'), u"a.py:1 | 30 ops\nb.py | 31 ops"_s);
        QCOMPARE(Graph(chained({ stretches[0], stretches[1] })).lines(), QStringList());
    }

    /// By its lines, and named by what is in it.
    void whatComesFromNowhereIsGrouped()
    {
        QCOMPARE(Graph(chained({ { "", 100 } })).lines(), QStringList());
        const Graph graph(chained({ { "", 100 } }, true));
        const std::vector<int>& groups = graph.outline->part(0).children;
        QCOMPARE(graph.lines().size(), 10);
        QVERIFY(graph.lines().front().endsWith(u" | 8 ops"_s));
        QVERIFY(graph.words.tip(groups.front()).contains(u"lines 1–8"_s));
        QVERIFY2(graph.words.tip(groups.back()).contains(u"–100"_s), qPrintable(graph.words.tip(groups.back())));
        for (const int group : groups) {
            QVERIFY2(!graph.words.title(group).contains(u"lines"_s), qPrintable(graph.words.title(group)));
            const std::vector<OperationId> within = operationsIn(*graph.outline, group);
            int told = 0;
            for (const PartContent& content : contentsOf(*graph.program, *graph.outline, group, 100)) {
                const OpKind kind = graph.program->operation(content.operation).kind;
                const auto count = std::count_if(within.begin(), within.end(),
                    [&](OperationId id) { return graph.program->operation(id).kind == kind; });
                QCOMPARE(content.count, static_cast<int>(count));
                told += content.count;
            }
            QCOMPARE(told, static_cast<int>(within.size()));
        }
    }

    /// Loops before products, these before collectives and calls; what moves data alone is not worth a word beside
    /// them.
    void partsAreNamedByWhatTellsMost()
    {
        const Graph graph(readOutlined(R"(
func.func public @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  %2 = call @silu(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = call @silu_0(%2) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.dot_general %3, %2, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.dot_general %4, %2, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = stablehlo.sine %5 : tensor<8x8xf32>
  return %6 : tensor<8x8xf32>
}
func.func private @silu(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.logistic %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @silu_0(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.cosine %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
})"));
        const auto told = [&](std::size_t most) {
            QStringList names;
            for (const PartContent& content : contentsOf(*graph.program, *graph.outline, 0, most))
                names << u"%1 %2"_s.arg(graph.words.title(graph.outline->partOfOperation[content.operation.index]))
                             .arg(content.count);
            return names.join(u", "_s);
        };
        QCOMPARE(told(1), u"dot_general 2"_s);
        QCOMPARE(told(5), u"dot_general 2, silu 2"_s); // and not what stands in them
        QCOMPARE(nameWithoutNumber("dynamic_index_in_dim_2_0"), std::string_view("dynamic_index_in_dim"));
        QCOMPARE(nameWithoutNumber("fused_computation.12"), std::string_view("fused_computation"));
        QCOMPARE(nameWithoutNumber("relu6"), std::string_view("relu6"));
        QCOMPARE(nameWithoutNumber("_1"), std::string_view("_1"));
    }

    /// A function stands where it is called. Such as several operations call stand beside main, equal ones folded.
    void functionsStandWhereTheyAreCalled()
    {
        const std::string once = R"(
func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @once(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.add %0, %a : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @once(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %a : tensor<8xf32>
  %1 = call @inner(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @inner(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
})";
        Graph within(readOutlined(once));
        QVERIFY(within.outline->part(0).kind == PartKind::Function); // main fills the view
        QCOMPARE(within.lines().join(u'\n'), u"once | 4 ops\n  inner | 2 ops"_s);
        QCOMPARE(within.outline->part(0).operations, static_cast<int>(operationCount(*within.program)));
        within.openAll();
        const int call = within.outline->part(0).children.front();
        const GraphLevel* level = within.layout.level(call);
        QVERIFY(level);
        // What is called with comes in, what it returns goes out.
        QVERIFY(std::any_of(level->items.begin(), level->items.end(),
            [](const GraphItem& item) { return item.kind == GraphItem::Kind::Value; }));
        QVERIFY(std::any_of(level->items.begin(), level->items.end(),
            [](const GraphItem& item) { return item.kind == GraphItem::Kind::Results; }));
        const RegionId body = within.outline->part(call).region;
        QVERIFY(body.valid());
        const auto places = within.layout.placesOf(within.program->regions[body.index].arguments[0]);
        QVERIFY(!places.empty());
        for (const GraphPlace& place : places)
            QCOMPARE(place.level, call);

        std::string several = "func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n";
        std::string functions, last = "%a";
        for (int i = 0; i < 12; ++i) {
            const std::string next = '%' + std::to_string(i);
            several += "  " + next + " = call @f" + std::to_string(i / 2) + '(' + last
                + ") : (tensor<8xf32>) -> tensor<8xf32>\n";
            last = next;
            if (i % 2 == 0)
                functions += "func.func private @f" + std::to_string(i / 2)
                    + "(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = stablehlo."
                    + (i == 0 || i == 10 ? "sine" : "tanh") + " %a : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
        }
        several += "  return " + last + " : tensor<8xf32>\n}\n";
        const Graph beside(readOutlined(several + functions));
        QVERIFY(beside.outline->part(0).kind == PartKind::Module);
        QCOMPARE(beside.lines().join(u'\n'),
            u"main | 12 ops\n"
            "6 functions | 6 ops\n"
            "  f0 | 1 op\n"
            "  f5 | 1 op\n"
            "  f1 | 1 op\n"
            "  f2 to f4 | same as f1, folded × 3"_s);

        // Functions that call each other in circles are shown as well.
        const Graph circle(readOutlined(R"(
func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})"));
        QCOMPARE(circle.outline->part(0).operations, 2);
    }

    /// Each of the layers calls a copy of its own.
    void layersThatCallCopiesRepeat()
    {
        std::string text = "func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n";
        std::string functions, last = "%a";
        for (int i = 0; i < 5; ++i) {
            const std::string n = std::to_string(i);
            text += "  %x" + n + " = stablehlo.tanh " + last + " : tensor<8xf32>\n  %y" + n + " = call @f" + n + "(%x"
                + n + ") : (tensor<8xf32>) -> tensor<8xf32>\n  %z" + n + " = stablehlo.add %y" + n + ", %x" + n
                + " : tensor<8xf32>\n  %w" + n + " = stablehlo.negate %z" + n + " : tensor<8xf32>\n";
            functions += "func.func private @f" + n
                + "(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = stablehlo.sine %a : "
                  "tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
            last = "%w" + n;
        }
        const Graph graph(readOutlined(text + "  return " + last + " : tensor<8xf32>\n}\n" + functions));
        QCOMPARE(graph.lines().filter(u"Block"_s).join(u'\n'),
            u"Block 0 | 5 ops\nBlocks 1–4 | same as Block 0, folded × 4"_s);
    }

    /// Each function calls the next one twice, and so do its copies: what is reached in many ways is compared once.
    void copiesThatCallCopies()
    {
        constexpr int depth = 40;
        std::string text = "func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n";
        for (const char* name : { "f", "g", "h" })
            text += "  %" + std::string(name) + " = call @" + name + "0(%a) : (tensor<8xf32>) -> tensor<8xf32>\n";
        text += "  return %f : tensor<8xf32>\n}\n";
        for (const std::string name : { "f", "g", "h" }) {
            for (int i = 0; i < depth; ++i) {
                const std::string call =
                    " = call @" + name + std::to_string(i + 1) + "(%a) : (tensor<8xf32>) -> tensor<8xf32>\n";
                text += "func.func private @" + name + std::to_string(i)
                    + "(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0" + call + "  %1" + call
                    + "  %2 = stablehlo.add %0, %1 : tensor<8xf32>\n  return %2 : tensor<8xf32>\n}\n";
            }
            text += "func.func private @" + name + std::to_string(depth)
                + "(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = stablehlo." + (name == "h" ? "cosine" : "sine")
                + " %a : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
        }
        const Program program = readOutlined(text);
        const FunctionNames functions(program);
        const auto bodyOf = [&](const char* name) { return functions.find(program, name)->body; };
        BlockComparison comparison(program);
        QVERIFY(comparison.same(bodyOf("f0"), bodyOf("g0")));
        QVERIFY(!comparison.same(bodyOf("f0"), bodyOf("h0")));
        QVERIFY(comparison.same(bodyOf("g1"), bodyOf("f1")));
    }

    /// A name of the program is written as the program has it.
    void namesKeepTheirLetters()
    {
        Program program = chained({ { "\"jit(f)/token_embedder/x\"", 4 }, { "\"jit(f)/layers_1/x\"", 4 } });
        program.namedByText = true;
        const Graph graph(std::move(program));
        QCOMPARE(graph.lines().join(u'\n'), u"token_embedder | 4 ops\nLayer 1 | 4 ops"_s);
    }

    void sharesBeginWhereFewValuesPass()
    {
        const std::vector<LevelPart> parts(100);
        std::vector<int> crossing(101, 5);
        crossing[11] = 1;
        const std::vector<LevelGroup> shares = sharesOf(parts, crossing);
        QCOMPARE(shares.size(), std::size_t{ 10 });
        QCOMPARE(shares[1].first, std::size_t{ 11 });
        QCOMPARE(shares.back().first + shares.back().count, parts.size());
    }

    void smallStretchesGoWithTheirNeighbours()
    {
        const auto groups = [](std::initializer_list<std::pair<int, int>> labels) { // and how many of each
            std::vector<LevelPart> parts;
            for (const auto& [label, count] : labels)
                parts.insert(parts.end(), static_cast<std::size_t>(count), LevelPart{ label, 1, false });
            QStringList found;
            for (const LevelGroup& group : groupsOf(parts))
                found << u"%1:%2"_s.arg(group.label).arg(group.count);
            return found.join(u' ');
        };
        QCOMPARE(groups({ { 0, 9 }, { 1, 3 }, { 0, 2 }, { 2, 8 } }), u"0:14 2:8"_s); // on both sides of it
        QCOMPARE(groups({ { 0, 9 }, { 1, 2 }, { 2, 5 } }), u"0:9 2:7"_s); // with the smaller one
        QCOMPARE(groups({ { 0, 9 }, { 1, 2 }, { 2, 3 }, { 3, 9 } }), u"0:9 2:5 3:9"_s); // with each other
        QCOMPARE(groups({ { 0, 9 }, { -1, 9 }, { 1, 9 } }), u"0:9 -1:9 1:9"_s); // nothing is made up
        QCOMPARE(groups({ { -1, 2 }, { 0, 9 }, { -1, 2 } }), u"0:13"_s);
    }

    void constantsWithoutANameBelongToWhatComesNext()
    {
        Builder builder("constants");
        const TensorType type{ DType::F32, { 8 } };
        ValueId x = builder.argument(type, "x", Role::Input);
        for (int i = 0; i < 4; ++i) {
            builder.setScope("");
            const ValueId half = builder.broadcast(builder.constant({ DType::F32, {} }, 0.5), type.shape, {});
            builder.setScope("layers." + std::to_string(i));
            x = builder.binary(OpKind::Multiply, builder.unary(OpKind::Tanh, x), half);
        }
        builder.result(x);
        const Graph graph(std::move(builder).finish());
        QCOMPARE(graph.lines().join(u'\n'), u"Layer 0 | 4 ops\nLayers 1–3 | same as Layer 0, folded × 3"_s);
    }

    void constantsInAWord()
    {
        const auto bytes = [](std::initializer_list<unsigned> specified) {
            ConstantAttributes constant;
            std::vector<std::byte> held;
            for (const unsigned each : specified)
                held.push_back(static_cast<std::byte>(each));
            constant.bytes = std::make_shared<const std::vector<std::byte>>(held);
            return constant;
        };
        QCOMPARE(splatText({ { 0.9 } }, DType::F32), u"0.9"_s);
        QCOMPARE(splatText({ { 1, 2 } }, DType::F32), QString());
        QCOMPARE(splatText(bytes({ 0, 0, 0xc0, 0x3f }), DType::F32), u"1.5"_s);
        QCOMPARE(splatText(bytes({ 0x80, 0xff }), DType::BF16), u"-inf"_s);
        QCOMPARE(splatText(bytes({ 0x00, 0x3f }), DType::BF16), u"0.5"_s);
        QCOMPARE(splatText(bytes({ 1 }), DType::Pred), u"true"_s);
        QCOMPARE(splatText(bytes({ 0xff, 0xff, 0xff, 0xff }), DType::I32), u"-1"_s);
        QCOMPARE(splatText(bytes({ 1, 2, 3, 4, 5, 6, 7, 8 }), DType::I32), QString()); // two elements
    }

    void aFoldNeverHidesADifference_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < test::randomCases(60); ++seed)
            QTest::addRow("%d", seed) << seed;
    }
    /// A random block eight times, forwards and in half of the cases backwards; then one thing in one of the copies is
    /// another one.
    void aFoldNeverHidesADifference()
    {
        QFETCH(int, seed);
        std::mt19937 random(static_cast<unsigned>(seed));
        Program program = layered(random, 8, seed % 2 == 0);
        const Graph before{ Program(program) };
        QVERIFY(std::any_of(before.outline->parts.begin(), before.outline->parts.end(),
            [](const ProgramPart& part) { return part.kind == PartKind::Repeat && part.children.size() >= 6; }));

        const int kind = seed / 2 % 4;
        std::size_t at = 0;
        ValueId sharded;
        bool done = false;
        for (int tried = 0; tried < 200 && !done; ++tried) {
            at = random() % program.operations.size();
            Operation& changed = program.operations[at];
            const bool isVector = program.value(changed.results[0]).type.rank() == 1;
            if (kind == 0 && changed.operands.size() == 1 && isVector && changed.attributes.index() == 0) {
                changed.kind = OpKind::Cosine;
                done = true;
            } else if (kind == 1 && !changed.operands.empty()) { // reads another value
                const std::size_t slot = random() % changed.operands.size();
                const ValueId was = changed.operands[slot];
                std::vector<ValueId> others;
                for (std::size_t i = 0; i < program.values.size(); ++i)
                    if (const Value& value = program.values[i]; ValueId(i) != was
                        && value.type == program.value(was).type
                        && (value.definition.valid() ? value.definition.index < at : value.role != Role::Parameter))
                        others.push_back(ValueId(i));
                if (program.value(was).path == "x" || others.empty()) // the end of the row reads what it likes
                    continue;
                changed.operands[slot] = others[random() % others.size()];
                done = true;
            } else if (kind == 2 && isVector) { // what it makes is cut otherwise
                sharded = changed.results[0];
                done = true;
            } else if (kind == 3) { // what it is given
                sharded = program.main().arguments[2 + random() % 8];
                done = true;
            }
        }
        QVERIFY(done);
        if (sharded.valid()) {
            program.meshes.push_back(declaredMesh("mesh", { { "x", 2 } }, {}, false));
            ProgramSharding sharding;
            sharding.sharding = TensorSharding::open(program.value(sharded).type.rank());
            sharding.sharding.dims[0].axes.push_back(fullAxis(*program.meshes[0].mesh, 0));
            program.shardings.push_back(sharding);
            program.valueShardings.assign(program.values.size(), 0);
            program.valueShardings[sharded.index] = 1;
        }
        const Graph graph(std::move(program));
        for (std::size_t i = 0; i < graph.outline->parts.size(); ++i) {
            const ProgramPart& repeat = graph.outline->parts[i];
            if (repeat.kind != PartKind::Repeat)
                continue;
            const auto differences = graph.words.differences(static_cast<int>(i));
            for (const int copy : repeat.children) {
                const std::vector<OperationId> inModel = operationsIn(*graph.outline, repeat.model),
                                               inCopy = operationsIn(*graph.outline, copy);
                const QString unlike = unlikeness(*graph.program, inModel, inCopy);
                QVERIFY2(unlike.isEmpty(), qPrintable(unlike));
                const bool told = std::any_of(differences.begin(), differences.end(),
                    [&](const RepeatDifference& difference) { return difference.part == copy; });
                const auto concerns = [&](const std::vector<OperationId>& operations) {
                    return sharded.valid() && std::any_of(operations.begin(), operations.end(), [&](OperationId id) {
                        const Operation& operation = graph.program->operation(id);
                        const bool reads = !graph.program->value(sharded).definition.valid()
                            && std::find(operation.operands.begin(), operation.operands.end(), sharded)
                                != operation.operands.end();
                        return reads || (!operation.results.empty() && operation.results[0] == sharded);
                    });
                };
                QCOMPARE(told, concerns(inModel) != concerns(inCopy));
                if (kind < 2) // shown by itself, not in a fold
                    QVERIFY(std::find(inCopy.begin(), inCopy.end(), OperationId(at)) == inCopy.end());
            }
        }
    }
};

REGISTER_TEST(TestProgramOutline)
#include "test_program_outline.moc"
