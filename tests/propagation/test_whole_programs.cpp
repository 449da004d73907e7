// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with bodies, functions, groups, barriers and several meshes, propagated as a whole.
#include <QtTest>

#include "benchmarks/large_transformer.h"
#include "propagation/pass_pipelines.h"
#include "propagation/propagate_program.h"
#include "propagation/records.h"
#include "propagation/replay.h"
#include "propagation/sharding_groups.h"
#include "propagation/whole_programs.h"
#include "registered_test.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;
using full_programs::Maker;

class TestFullPrograms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void throughLoops();
    void throughBranchesBothWays();
    void loopsNeedEdges();
    void throughManualComputations();
    void manualAxesNeverGoInside();
    void throughNamedComputations();
    void throughCalls();
    void callsWithoutEdges();
    void barriersHaveADirection();
    void groupsShareOneSharding();
    void groupsThatDisagreeAreConstrained();
    void meshesDoNotMix();
    void emptyMeshTakesTheOther();
    void priorities();
    void basicThenAggressive();
    void conservative();
    void unknownTypesStopAxes();
    void unknownTypesStayThemselves();
    void writtenBack();
    void stepsAndOrigins();
    void edgesOfSeveralOwners();
    void changedAnnotationsActAsChangedText_data();
    void changedAnnotationsActAsChangedText();
};

namespace {

const char* const ab = "a=2 b=2 c=2";

} // namespace

void TestFullPrograms::throughLoops()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8, 8 }, "[{a,?},{?}]");
    const ValueId y = m.loop(x);
    m.returns(y, "[{?},{b,?}]");
    const PropagationResult result = propagate(m.input());
    QCOMPARE(m.text(result, x), std::string("[{a,?},{b,?}]"));
    QCOMPARE(m.text(result, y), std::string("[{a,?},{b,?}]"));
    const ValueId carried = m.program.regions[2].arguments[0];
    QCOMPARE(result.representativeOf(carried), y);
    QCOMPARE(m.text(result, m.program.regions[2].results[0]), std::string("[{a,?},{b,?}]"));
    // The value in the body goes back to the argument of the program.
    const AxisRef a = fullAxis(*m.program.meshes[0].mesh, 0);
    const std::vector<PropagationStep> chain = provenance(result, m.program.regions[2].results[0], 0, a);
    QVERIFY(chain.size() >= 2);
    QCOMPARE(chain.front().to, x);
    QVERIFY(chain.front().seed == SeedKind::Argument);
}

void TestFullPrograms::throughBranchesBothWays()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8 }, "[{a,?}]");
    const ValueId y = m.argument({ 8 });
    const ValueId chosen = m.branch(x, y);
    m.returns(chosen);
    const PropagationResult result = propagate(m.input(Strategy::Basic));
    QCOMPARE(m.text(result, chosen), std::string("[{a,?}]"));
    QCOMPARE(m.text(result, y), std::string("[{a,?}]"));
    QCOMPARE(result.resultMeshes[0], 1U);
}

void TestFullPrograms::loopsNeedEdges()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8 }, "[{a,?}]");
    const ValueId y = m.loop(x);
    m.returns(y);
    PropagationInput input = m.input();
    input.options.implicitEdges = false;
    QCOMPARE(m.text(propagate(input), y), std::string("none"));
}

void TestFullPrograms::throughManualComputations()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8, 8 }, "[{?},{b,?}]");
    const ValueId y = m.manual(x, { 4, 8 }, "[{a,?},{?}]", "[{a,?},{?}]", { "a" });
    m.returns(y);
    const PropagationResult result = propagate(m.input());
    const ValueId inside = m.program.regions[1].arguments[0];
    QCOMPARE(m.text(result, inside), std::string("[{?},{b,?}]"));
    QCOMPARE(m.text(result, x), std::string("[{a,?},{b,?}]"));
    QCOMPARE(m.text(result, y), std::string("[{a,?},{b,?}]"));
    // The axis that the computation takes over goes back to it; the argument of its body never held it.
    const AxisRef a = fullAxis(*m.program.meshes[0].mesh, 0);
    const std::vector<PropagationStep> chain = provenance(result, x, 0, a);
    QCOMPARE(chain.size(), std::size_t{ 2 });
    QVERIFY(chain[0].seed == SeedKind::Constraint);
    QCOMPARE(chain[0].operation, m.program.value(y).definition);
    QCOMPARE(chain[0].from, x);
    QCOMPARE(chain[0].to, inside);
    QCOMPARE(chain[1].to, x);
    QVERIFY(Replay(result).axesAt(inside, 0, result.steps).empty());
    QVERIFY(provenance(result, inside, 0, a).empty());
}

void TestFullPrograms::manualAxesNeverGoInside()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8, 8 }, "[{b,?},{a,?}]");
    const ValueId y = m.manual(x, { 8, 8 }, "[{?},{?}]", "[{?},{?}]", { "a" }); // a replicated at the boundary
    m.returns(y);
    const PropagationResult result = propagate(m.input());
    const ValueId inside = m.program.regions[1].arguments[0];
    QCOMPARE(m.text(result, inside), std::string("[{b,?},{?}]"));
    QCOMPARE(m.text(result, y), std::string("[{b,?},{?}] replicated={a}"));
}

void TestFullPrograms::throughNamedComputations()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8, 8 });
    const ValueId y = m.named(x);
    m.returns(y, "[{a},{}]");
    const PropagationResult result = propagate(m.input());
    QCOMPARE(m.text(result, x), std::string("[{a,?},{?}]"));
    QCOMPARE(m.text(result, m.program.regions[1].arguments[0]), std::string("[{a,?},{?}]"));
}

void TestFullPrograms::throughCalls()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8, 8 }, "[{a,?},{?}]");
    const ValueId z = m.argument({ 8, 8 }, "[{?},{b,?}]");
    m.function("inner", { 8, 8 });
    const ValueId first = m.call("inner", x);
    const ValueId second = m.call("inner", z);
    m.returns(first);
    m.returns(second);
    const PropagationResult result = propagate(m.input());
    // One body for all calls: what one brings, all get.
    QCOMPARE(m.text(result, first), std::string("[{a,?},{b,?}]"));
    QCOMPARE(m.text(result, second), std::string("[{a,?},{b,?}]"));
    QCOMPARE(m.text(result, z), std::string("[{a,?},{b,?}]"));
}

void TestFullPrograms::callsWithoutEdges()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8 }, "[{a,?}]");
    m.function("inner", { 8 });
    const ValueId y = m.call("inner", x);
    m.returns(y);
    PropagationInput input = m.input();
    input.options.implicitCallEdges = false;
    const PropagationResult result = propagate(input);
    QCOMPARE(m.text(result, y), std::string("none"));
    QCOMPARE(m.text(result, m.program.regions[1].arguments[0]), std::string("none"));
}

void TestFullPrograms::barriersHaveADirection()
{
    for (const auto& [direction, forward, backward] : { std::tuple{ BarrierDirection::Forward, true, false },
             { BarrierDirection::Backward, false, true }, { BarrierDirection::None, false, false } }) {
        Maker m(ab);
        const ValueId x = m.argument({ 8, 8 }, "[{a,?},{?}]");
        const ValueId y = m.result(m.operation(
            OpKind::PropagationBarrier, { x }, 0, otherAttributes(PropagationBarrierAttributes{ direction })));
        m.returns(y, "[{?},{b,?}]");
        const PropagationResult result = propagate(m.input());
        QCOMPARE(m.text(result, x), std::string(backward ? "[{a,?},{b,?}]" : "[{a,?},{?}]"));
        QCOMPARE(m.text(result, y), std::string(forward ? "[{a,?},{b,?}]" : "[{?},{b,?}]"));
    }
}

void TestFullPrograms::groupsShareOneSharding()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8, 8 }, "[{a,?},{?}]");
    const ValueId y = m.argument({ 8, 8 });
    const ValueId z = m.unary(y);
    m.group(3, x);
    m.group(3, y);
    m.returns(z);
    const PropagationResult result = propagate(m.input());
    QCOMPARE(m.text(result, y), std::string("[{a,?},{?}]"));
    QCOMPARE(m.text(result, z), std::string("[{a,?},{?}]"));
    QVERIFY(resolveShardingGroups(m.program).conflicts.empty());
    // Groups with a common member are one.
    Maker n(ab);
    std::vector<ValueId> members;
    for (int i = 0; i < 3; ++i)
        members.push_back(n.argument({ 8 }));
    n.group(1, members[0]);
    n.group(2, members[1]);
    n.group(2, members[2]);
    n.group(1, members[2]);
    const std::vector<ShardingGroup> groups = shardingGroups(n.program);
    QCOMPARE(groups.size(), std::size_t{ 1 });
    QCOMPARE(groups[0].members.size(), std::size_t{ 3 });
}

void TestFullPrograms::groupsThatDisagreeAreConstrained()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8 }, "[{a}]");
    const ValueId y = m.argument({ 8 }, "[{b}]");
    m.group(0, x);
    m.group(0, y);
    m.returns(m.unary(x));
    const ResolvedGroups resolved = resolveShardingGroups(m.program);
    QCOMPARE(resolved.conflicts, std::vector<std::int64_t>{ 0 });
    QCOMPARE(resolved.program.operations.size(), m.program.operations.size() + 2);
    const std::vector<ShardingGroup> groups = shardingGroups(resolved.program);
    QCOMPARE(groups.size(), std::size_t{ 1 });
    for (const ValueId member : groups[0].members)
        QVERIFY(
            resolved.program.operation(resolved.program.value(member).definition).kind == OpKind::ShardingConstraint);
    const PropagatedProgram propagated = propagateProgram(m.program, Strategy::Full);
    QCOMPARE(propagated.groupConflicts.size(), std::size_t{ 1 });
    QCOMPARE(propagated.program.shardingOf(x)->sharding, m.sharding("[{a}]").sharding);
}

void TestFullPrograms::meshesDoNotMix()
{
    Maker m("a=2");
    const std::uint32_t other = m.addMesh("other", "a=4");
    const std::uint32_t same = m.addMesh("same", "a=2");
    const std::uint32_t single = m.addMesh("single", "", 0);
    const ValueId x = m.argument({ 8 }, "[{a,?}]");
    const ValueId y = m.argument({ 8 });
    m.give(y, "[{?}]", other);
    const ValueId sum = m.binary(x, y);
    const ValueId z = m.argument({ 8 });
    m.give(z, "[{?}]", same);
    const ValueId fine = m.binary(x, z);
    const ValueId w = m.argument({ 8 });
    m.give(w, "[]", single);
    const ValueId alone = m.binary(x, w);
    m.returns(sum);
    m.returns(fine);
    m.returns(alone);
    const PropagationResult result = propagate(m.input());
    QCOMPARE(m.text(result, sum), std::string("none"));
    QCOMPARE(m.text(result, alone), std::string("none"));
    QCOMPARE(m.text(result, fine), std::string("[{a,?}]"));
    QCOMPARE(result.meshes[fine.index], 1U); // the first one's
    QCOMPARE(result.meshes[z.index], 1U);
}

void TestFullPrograms::emptyMeshTakesTheOther()
{
    Maker m("a=2 b=2");
    const std::uint32_t empty = m.addMesh("empty", "");
    const ValueId x = m.argument({ 8, 8 }, "[{a},{b}]");
    const ValueId y = m.argument({ 8, 8 });
    m.give(y, "[{?},{}]", empty);
    m.returns(m.binary(y, x));
    const PropagationResult result = propagate(m.input(Strategy::Basic));
    QCOMPARE(m.text(result, y), std::string("[{a,?},{}]"));
    QCOMPARE(result.meshes[y.index], 1U);
}

void TestFullPrograms::priorities()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8, 8 }, "[{a}p1,{?}]");
    const ValueId y = m.argument({ 8, 8 }, "[{b}p0,{?}]");
    const ValueId sum = m.binary(x, y);
    m.returns(sum);
    const PropagationResult result = propagate(m.input());
    QCOMPARE(m.text(result, sum), std::string("[{b,?},{?}]"));
    QVERIFY(std::any_of(result.log.begin(), result.log.end(),
        [](const PropagationStep& step) { return step.priority == 0 && !step.seed; }));
    // All at once the two want different things of the sum.
    QCOMPARE(m.text(propagate(m.input(Strategy::OperationPriority)), sum), std::string("none"));
}

void TestFullPrograms::basicThenAggressive()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8, 8 }, "[{a,?},{?}]");
    const ValueId y = m.argument({ 8, 8 }, "[{?},{?}] replicated={a}");
    const ValueId sum = m.binary(x, y);
    m.returns(sum);
    PropagationInput input = m.input(Strategy::Aggressive);
    input.options.resolution = ConflictResolution::Basic;
    QCOMPARE(m.text(propagate(input), sum), std::string("none"));
    input.options.resolution = ConflictResolution::BasicThenAggressive;
    const PropagationResult result = propagate(input);
    QCOMPARE(m.text(result, sum), std::string("[{a,?},{?}]"));
    QVERIFY(!result.log.back().basic);
}

void TestFullPrograms::conservative()
{
    Maker m("a=4 b=2");
    const ValueId x = m.argument({ 8 }, "[{a}]");
    const ValueId y = m.result(m.operation(OpKind::Reshape, { x }, 0, {}, { { 2, 4 } }));
    m.returns(y);
    PropagationInput input = m.input(Strategy::Basic);
    QCOMPARE(m.text(propagate(input), y), std::string("[{a:(1)2,?},{a:(2)2,?}]"));
    input.options.conservative = true;
    QCOMPARE(m.text(propagate(input), y), std::string("none"));
}

/// Whatever stands for the type of a product: axes do not come through it, and come everywhere else.
void TestFullPrograms::unknownTypesStopAxes()
{
    const auto read = readStableHlo(R"(
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x4xf32>) -> (!foo.bar, tensor<8x16xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> !foo.bar
  %1 = stablehlo.tanh %a : tensor<8x16xf32>
  return %0, %1 : !foo.bar, tensor<8x16xf32>
})");
    QVERIFY(read.has_value());
    QVERIFY(verify(read->program).empty());
    const PropagatedProgram propagated = propagateProgram(read->program, Strategy::Full);
    const std::vector<ValueId>& results = read->program.main().results;
    QCOMPARE(propagated.result.shardings[results[0].index].rank(), std::size_t(0));
    QVERIFY(!propagated.result.shardings[results[1].index].dims[0].axes.empty());
}

/// A value of a type that nobody knows cannot become one of another type on its way through a loop or a call.
void TestFullPrograms::unknownTypesStayThemselves()
{
    const std::string loop = R"(
func.func @main(%a: !foo.bar) -> OUT {
  %0 = stablehlo.while(%i = %a) : !foo.bar
    cond {
      %t = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %n = "foo.next"(%i) : (!foo.bar) -> OUT
      stablehlo.return %n : OUT
    }
  %1 = call @f(%0) : (!foo.bar) -> OUT
  return %1 : OUT
}
func.func private @f(%a: OUT) -> OUT {
  return %a : OUT
})";
    const auto problems = [&](const char* type) {
        QString text = QString::fromStdString(loop);
        const auto read = readStableHlo(text.replace("OUT", type).toStdString());
        return read ? verify(read->program).size() : 99;
    };
    QCOMPARE(problems("!foo.bar"), std::size_t(0));
    QCOMPARE(problems("!foo.other"), std::size_t(2));
    QCOMPARE(problems("tensor<8xf32>"), std::size_t(2));
}

void TestFullPrograms::writtenBack()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8, 8 }, "[{?},{b,?}]");
    const ValueId y = m.manual(x, { 4, 8 }, "[{a,?},{?}]", "[{a,?},{?}]", { "a" });
    const ValueId z = m.constrain(y, "[{?},{?}]");
    m.returns(z);
    const PropagatedProgram propagated = propagateProgram(m.program, Strategy::Full);
    const Program& program = propagated.program;
    QCOMPARE(notation::print(*program.meshes[0].mesh, program.shardingOf(x)->sharding), std::string("[{a,?},{b,?}]"));
    const Operation& manual = program.operation(program.value(y).definition);
    const auto* attributes = attributesAs<ManualComputationAttributes>(manual.attributes);
    QVERIFY(attributes);
    QCOMPARE(attributes->in[0].sharding, m.sharding("[{a,?},{b,?}]").sharding);
    QCOMPARE(attributes->out[0].sharding, m.sharding("[{a,?},{b,?}]").sharding);
    const Operation& constraint = program.operation(program.value(z).definition);
    const auto* specified =
        std::get_if<ExplicitSharding>(&std::get<ConstraintAttributes>(constraint.attributes).annotation);
    QVERIFY(specified);
    QCOMPARE(specified->specified->sharding, m.sharding("[{a,?},{b,?}]").sharding);
    QCOMPARE(
        program.shardings[program.functions[0].resultShardings[0] - 1].sharding, m.sharding("[{a,?},{b,?}]").sharding);
    // The same again changes nothing.
    QCOMPARE(propagateProgram(program, Strategy::Full).result.steps, 0U);
}

void TestFullPrograms::stepsAndOrigins()
{
    Maker m(ab);
    const ValueId x = m.argument({ 8, 8 }, "[{a,b,?},{?}]");
    const OperationId add = m.operation(OpKind::Add, { x, x });
    m.returns(m.result(add), "[{a,?},{?}]");
    const PropagationInput input = m.input(Strategy::Aggressive);
    const PropagationResult result = propagate(input);
    const AxisRef a = fullAxis(*m.program.meshes[0].mesh, 0);
    const AxisRef b = fullAxis(*m.program.meshes[0].mesh, 1);
    QCOMPARE(
        propagationEdges(input, result)[add.index], (std::vector<StepEdges>{ { 2, { AxisEdge{ b, 0, { 2 } } } } }));
    QCOMPARE(resultEdges(result, 0),
        (std::vector<StepEdges>{ { 1, { AxisEdge{ a, 1, { 0 } } } }, { 3, { AxisEdge{ b, 0, { 1 } } } } }));
    const ShardingOrigins origins(input, result);
    const ShardingOrigin output{ ShardingOrigin::Kind::Output, 0, 0 };
    const ShardingOrigin specified{ ShardingOrigin::Kind::Input, 0, 0 };
    QCOMPARE(
        origins.ofValue(m.result(add)), (std::vector<AxisOrigin>{ { a, output, false }, { b, specified, false } }));
    QCOMPARE(origins.ofResult(0), (std::vector<AxisOrigin>{ { a, output, true }, { b, specified, false } }));
    QCOMPARE(toString(specified), std::string("input: 0"));
}

/// A loop passes two values through along edges of their own: each is counted by itself, and neither keeps the other
/// from being recorded.
void TestFullPrograms::edgesOfSeveralOwners()
{
    const auto read = readStableHlo(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %n: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:3 = stablehlo.while(%i = %n, %p = %a, %q = %b) : tensor<i32>, tensor<8xf32>, tensor<8xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.tanh %p : tensor<8xf32>
      stablehlo.return %i, %1, %q : tensor<i32>, tensor<8xf32>, tensor<8xf32>
    }
  return %0#1, %0#2 : tensor<8xf32>, tensor<8xf32>
})");
    QVERIFY(read);
    const PropagatedProgram done = propagateProgram(read->program, Strategy::Full);
    PropagationInput input;
    input.program = std::make_shared<const Program>(done.program);
    const Operation& loop = done.program.operations[0];
    QVERIFY(loop.kind == OpKind::While);
    const std::vector<StepEdges> edges = propagationEdges(input, done.result)[0];
    std::vector<ValueId> owners;
    for (const StepEdges& step : edges) {
        owners.push_back(step.owner);
        QCOMPARE(step.sources.size(), std::size_t{ 2 }); // what comes in, and what the body returns
        QCOMPARE(operandCount(loop, step), std::size_t{ 2 });
        QCOMPARE(step.edges.size(), std::size_t{ 1 });
        const AxisEdge& edge = step.edges[0];
        QCOMPARE(edge.source, std::int16_t{ 0 });
        QCOMPARE(edge.targets, (std::vector<std::int16_t>{ 1, 2 })); // what the body returns, and the result
        const bool first = step.owner == loop.results[1];
        QCOMPARE(tensorOf(loop, step, edge.source), loop.operands[first ? 1 : 2]);
        QCOMPARE(tensorOf(loop, step, 2), step.owner);
    }
    std::sort(owners.begin(), owners.end());
    QCOMPARE(owners, (std::vector<ValueId>{ loop.results[1], loop.results[2] }));
}

void TestFullPrograms::changedAnnotationsActAsChangedText_data()
{
    QTest::addColumn<bool>("fourAxes");
    QTest::newRow("data x model") << false;
    QTest::newRow("data x fsdp x tensor x sequence") << true;
}

void TestFullPrograms::changedAnnotationsActAsChangedText()
{
    QFETCH(bool, fourAxes);
    bench::TransformerSettings settings;
    settings.layers = 2;
    settings.fourAxes = fourAxes;
    const auto first = readStableHlo(printStableHlo(bench::largeTransformer(settings)));
    QVERIFY(first.has_value());
    const auto full = passes::propagationPipeline(first->program);
    QVERIFY(full.has_value());
    int different = 0;
    for (const ValueId argument : first->program.main().arguments) {
        // What is at hand with another annotation, and the text that has it, read anew.
        Program program = first->program;
        ShardingIndex& annotation = program.valueShardings[argument.index];
        QVERIFY(annotation != 0);
        annotation = 0;
        const auto again = readStableHlo(printStableHlo(program));
        QVERIFY(again.has_value());
        const auto changed = passes::propagationPipeline(std::move(program));
        const auto fromText = passes::propagationPipeline(again->program);
        QVERIFY(changed.has_value() && fromText.has_value());
        QVERIFY(changed->propagation.log == fromText->propagation.log);
        QVERIFY(changed->propagation.resultLog == fromText->propagation.resultLog);
        QCOMPARE(changed->propagation.steps, fromText->propagation.steps);
        QVERIFY(changed->propagation.shardings == fromText->propagation.shardings);
        QVERIFY(changed->propagation.results == fromText->propagation.results);
        QCOMPARE(printStableHlo(changed->program), printStableHlo(fromText->program));
        different += changed->propagation.log == full->propagation.log ? 0 : 1;
    }
    QVERIFY(different > 0);
}

REGISTER_TEST(TestFullPrograms)
#include "test_whole_programs.moc"
