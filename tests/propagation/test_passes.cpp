// SPDX-License-Identifier: GPL-3.0-or-later
// The passes around propagation: programs with calls, errors, and what holds for any program. What each pass does is in
// the reference's cases.
#include <set>

#include <QtTest>

#include "base/codes.h"
#include "program/editor.h"
#include "program/program_text.h"
#include "program/verify_shardings.h"
#include "propagation/calls/call_graph.h"
#include "propagation/import/manual_regions.h"
#include "propagation/pass_pipelines.h"
#include "propagation/passes.h"
#include "propagation/random_program.h"
#include "random_properties.h"
#include "registered_test.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;

class TestPasses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void edgesGoAsTheyCame();
    void callsGetBodiesOfTheirOwn();
    void copiesThatWouldNeverEnd();
    void sharedBodiesAreCopied();
    void callsComeBack();
    void functionsThatCallThemselvesStay();
    void shardingsCrossCalls_data();
    void shardingsCrossCalls();
    void groupsMustFit();
    void groupsThatDisagree();
    void customCallsOfShardy();
    void manualRegionsOfXla();
    void oneNameForTwoComputations();
    void axesOfSizeOneMeanNothing();
    void everyProgramStaysLegal();
};

namespace {

const TensorType f32{ DType::F32, { 8, 4 } };

ProgramMesh meshOf(const Mesh& mesh)
{
    ProgramMesh made;
    made.name = "mesh";
    made.mesh = std::make_shared<const Mesh>(mesh);
    return made;
}

// main(x): y = call f(x); z = call f(y); return z        f(a): return abs(a)
Program twoCalls()
{
    Builder builder("calls");
    const ValueId x = builder.argument(f32, "x", Role::Input);
    builder.result(builder.unary(OpKind::Tanh, builder.unary(OpKind::Tanh, x)));
    Editor edit(std::move(builder).finish());
    for (Operation& operation : edit.raw().operations) {
        operation.kind = OpKind::Call;
        operation.attributes = otherAttributes(CallAttributes{ "f" });
    }
    const RegionId body = edit.addRegion({});
    const ValueId argument = edit.addArgument(body, f32);
    const OperationId abs = edit.addLike(OpKind::Abs, { argument }, {});
    edit.placeLast(body, abs);
    edit.raw().regions[body.index].results = { edit.result(abs) };
    Function main, f;
    main.name = "main";
    main.body = RegionId(std::size_t{ 0 });
    f.name = "f";
    f.isPublic = false;
    f.body = body;
    edit.raw().functions = { main, f };
    edit.raw().meshes = { meshOf(Mesh::create({ { "a", 2 }, { "b", 2 } }).value()) };
    return std::move(edit).finish();
}

std::vector<std::string> calleesOf(const Program& program)
{
    std::vector<std::string> names;
    for (const OperationId id : program.main().operations)
        if (const auto* call = attributesAs<CallAttributes>(program.operation(id).attributes))
            names.push_back(call->callee);
    return names;
}

std::string functionNames(const Program& program)
{
    std::string text;
    for (const Function& function : program.functions)
        text += (text.empty() ? "" : " ") + function.name;
    return text;
}

std::vector<std::optional<TensorSharding>> shardingsOf(const Program& program)
{
    std::vector<std::optional<TensorSharding>> list;
    for (const ValueId argument : program.main().arguments)
        list.push_back(
            program.shardingOf(argument) ? std::optional(program.shardingOf(argument)->sharding) : std::nullopt);
    for (const OperationId id : program.main().operations)
        for (const ValueId result : program.operation(id).results)
            list.push_back(
                program.shardingOf(result) ? std::optional(program.shardingOf(result)->sharding) : std::nullopt);
    return list;
}

} // namespace

void TestPasses::edgesGoAsTheyCame()
{
    const Program calls = passes::importFunctionCalls(passes::flattenCallGraph(twoCalls()));
    const Program without = passes::sinkDataFlowEdges(calls);
    const Program with = passes::addDataFlowEdges(without);
    QVERIFY(verify(with).empty());
    const auto count = [](const Program& program) {
        std::size_t edges = 0;
        walk(program, RegionId(std::size_t{ 0 }),
            [&](OperationId id) { edges += program.operation(id).kind == OpKind::DataFlowEdge ? 1U : 0U; });
        return edges;
    };
    QCOMPARE(count(calls), 4U);
    QCOMPARE(count(with), 4U);
    QCOMPARE(count(without), 0U);
    QCOMPARE(print(passes::sinkDataFlowEdges(with)), print(without));
}

void TestPasses::callsGetBodiesOfTheirOwn()
{
    const Program flat = passes::flattenCallGraph(twoCalls());
    QCOMPARE(functionNames(flat), std::string("main f f_0"));
    QCOMPARE(calleesOf(flat), (std::vector<std::string>{ "f", "f_0" }));
    QCOMPARE(flat.functions[2].originalName, std::string("f"));
    QVERIFY(verify(flat).empty());
    const Program inlined = passes::importFunctionCalls(flat);
    QCOMPARE(functionNames(inlined), std::string("main"));
    QVERIFY(verify(inlined).empty());
    for (const OperationId id : inlined.main().operations)
        if (const auto* named = attributesAs<NamedComputationAttributes>(inlined.operation(id).attributes))
            QCOMPARE(named->name, std::string("f"));
}

/// Functions that call the next one twice each: refused before anything is copied.
void TestPasses::copiesThatWouldNeverEnd()
{
    std::string text = "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
                       "  %0 = call @f0(%a) : (tensor<8xf32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
    for (int i = 0; i < 70; ++i) {
        const std::string next = i == 69
            ? "stablehlo.tanh %a : tensor<8xf32>"
            : "call @f" + std::to_string(i + 1) + "(%a) : (tensor<8xf32>) -> tensor<8xf32>";
        text += "func.func private @f" + std::to_string(i) + "(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = " + next
            + "\n  %1 = " + next + "\n  return %1 : tensor<8xf32>\n}\n";
    }
    const Result<ReadProgram> read = readStableHlo(text);
    QVERIFY(read.has_value());
    for (const Result<Program>& refused :
        { passes::prepareInPlace(read->program), passes::importProgram(read->program) }) {
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().code, Code::TooLarge);
        QVERIFY(refused.error().number("count") > refused.error().number("limit"));
    }
    QVERIFY(passes::checkFlattened(twoCalls()).has_value());

    // Each function calls the next one: as deep as that the bodies would stand in each other.
    for (const int depth : { 100, 2'000 }) {
        std::string chain = "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
                            "  %0 = call @f0(%a) : (tensor<8xf32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
        for (int i = 0; i < depth; ++i)
            chain += "func.func private @f" + std::to_string(i) + "(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = "
                + (i + 1 == depth ? "stablehlo.tanh %a : tensor<8xf32>"
                                  : "call @f" + std::to_string(i + 1) + "(%a) : (tensor<8xf32>) -> tensor<8xf32>")
                + "\n  return %0 : tensor<8xf32>\n}\n";
        const Result<ReadProgram> deep = readStableHlo(chain);
        QVERIFY(deep.has_value());
        const Result<Program> flattened = passes::prepareInPlace(deep->program);
        QCOMPARE(flattened.has_value(), depth == 100);
        if (!flattened)
            QCOMPARE(flattened.error().number("count"), depth + 1);
    }
}

void TestPasses::sharedBodiesAreCopied()
{
    Editor edit(twoCalls());
    const RegionId body = edit.program().functions[1].body;
    const ProgramSharding specified{ 0, TensorSharding::fullyReplicated(2) };
    edit.setSharding(edit.region(body).arguments[0], specified);
    const Program inlined = passes::importFunctionCalls(std::move(edit).finish());
    QVERIFY(verify(inlined).empty());
    QCOMPARE(functionNames(inlined), std::string("main"));
    std::set<std::uint32_t> regions;
    for (const OperationId id : inlined.main().operations) {
        const auto* named = attributesAs<NamedComputationAttributes>(inlined.operation(id).attributes);
        if (!named)
            continue;
        QCOMPARE(named->in.size(), 1U);
        QVERIFY(named->in[0] == specified);
        QVERIFY(named->out.empty());
        QCOMPARE(inlined.operation(id).regions.size(), 1U);
        regions.insert(inlined.operation(id).regions[0].index);
    }
    QCOMPARE(regions.size(), 2U);
}

void TestPasses::callsComeBack()
{
    Program program = passes::importFunctionCalls(passes::flattenCallGraph(twoCalls()));
    program = passes::exportNamedComputations(std::move(program));
    QCOMPARE(functionNames(program), std::string("main f f_0"));
    QVERIFY(verify(program).empty());
    QCOMPARE(functionNames(passes::unflattenCallGraph(program)), std::string("main f"));
    QCOMPARE(calleesOf(passes::unflattenCallGraph(program)), (std::vector<std::string>{ "f", "f" }));

    // With another sharding the second one stays apart.
    Editor edit(program);
    const RegionId second = edit.program().functions[2].body;
    edit.setSharding(edit.region(second).arguments[0], { 0, TensorSharding::fullyReplicated(2) });
    QCOMPARE(functionNames(passes::unflattenCallGraph(std::move(edit).finish())), std::string("main f f_0"));
}

void TestPasses::functionsThatCallThemselvesStay()
{
    Program program = twoCalls();
    for (Operation& operation : program.operations)
        if (operation.kind == OpKind::Abs) {
            operation.kind = OpKind::Call;
            operation.attributes = otherAttributes(CallAttributes{ "f" });
        }
    program = passes::importFunctionCalls(passes::flattenCallGraph(std::move(program)));
    QCOMPARE(functionNames(program), std::string("main f"));
    QVERIFY(passes::propagationPipeline(std::move(program)));
}

void TestPasses::shardingsCrossCalls_data()
{
    QTest::addColumn<bool>("dedup");
    QTest::newRow("a body for each call") << false;
    QTest::newRow("one body for all") << true;
}

void TestPasses::shardingsCrossCalls()
{
    QFETCH(bool, dedup);
    Editor edit(twoCalls());
    ProgramSharding specified{ 0, TensorSharding::open(2) };
    specified.sharding.dims[0].axes = { AxisRef{ 0, 1, 2 } };
    edit.setSharding(edit.program().main().arguments[0], specified);
    passes::PipelineOptions options;
    options.dedupFunctionsFully = dedup;
    const auto outcome = passes::propagationPipeline(std::move(edit).finish(), options);
    QVERIFY(outcome);
    QVERIFY(outcome->warnings.empty());
    const Program& program = outcome->program;
    QVERIFY(verify(program).empty());
    QVERIFY(verifyShardings(program).empty());
    QCOMPARE(functionNames(program), std::string("main f"));
    TensorSharding wanted = TensorSharding::fullyReplicated(2);
    wanted.dims[0].axes = specified.sharding.dims[0].axes;
    for (const std::optional<TensorSharding>& sharding : shardingsOf(program)) {
        QVERIFY(sharding.has_value());
        QVERIFY(*sharding == wanted);
    }
    const ValueId argument = program.regions[program.functions[1].body.index].arguments[0];
    QVERIFY(program.shardingOf(argument) && program.shardingOf(argument)->sharding == wanted);
    QVERIFY(program.functions[1].resultShardings[0] != 0);
    QVERIFY(!outcome->propagation.log.empty());
    QCOMPARE(outcome->propagation.shardings.size(), outcome->propagated.values.size());
}

void TestPasses::groupsMustFit()
{
    const auto group = [](ValueId a, ValueId b, Program program) {
        Editor edit(std::move(program));
        for (const ValueId member : { a, b })
            edit.placeLast(RegionId(std::size_t{ 0 }),
                edit.add(OpKind::ShardingGroup, { &member, 1 }, {}, otherAttributes(ShardingGroupAttributes{ 17 })));
        return std::move(edit).finish();
    };
    Builder builder("groups");
    const ValueId x = builder.argument(f32, "x", Role::Input);
    const ValueId y = builder.argument({ DType::F32, { 4, 8 } }, "y", Role::Input);
    const ValueId z = builder.unary(OpKind::Abs, x);
    builder.result(z);
    const Program program = std::move(builder).finish();
    const auto wrong = passes::importShardingGroups(group(x, y, program));
    QVERIFY(!wrong);
    QVERIFY(wrong.error().code == Code::BadShardingGroup);
    QCOMPARE(wrong.error().text("wrong"), std::string("shape"));
    const auto right = passes::importShardingGroups(group(x, z, program));
    QVERIFY(right);
    for (const OperationId id : right->main().operations)
        if (const auto* attributes = attributesAs<ShardingGroupAttributes>(right->operation(id).attributes))
            QCOMPARE(attributes->group, 0);
}

void TestPasses::groupsThatDisagree()
{
    Editor edit(twoCalls());
    const ValueId x = edit.program().main().arguments[0], z = edit.program().main().results[0];
    ProgramSharding first{ 0, TensorSharding::fullyReplicated(2) }, second = first;
    first.sharding.dims[0].axes = { AxisRef{ 0, 1, 2 } };
    second.sharding.dims[0].axes = { AxisRef{ 1, 1, 2 } };
    edit.setSharding(x, first);
    edit.setSharding(z, second);
    for (const ValueId member : { x, z })
        edit.placeLast(RegionId(std::size_t{ 0 }),
            edit.add(OpKind::ShardingGroup, { &member, 1 }, {}, otherAttributes(ShardingGroupAttributes{ 3 })));
    const Program program = std::move(edit).finish();
    const std::vector<Diagnostic> warnings = passes::groupConflicts(program);
    QCOMPARE(warnings.size(), 1U);
    QVERIFY(warnings[0].code == Code::ShardingGroupConflict);
    QCOMPARE(warnings[0].number("group"), 3);
    QVERIFY(warnings[0].text("found").find('b') != std::string::npos);
    QVERIFY(warnings[0].text("expected").find('a') != std::string::npos);
}

/// What other tools carry in custom calls becomes what Shardy has for it.
void TestPasses::customCallsOfShardy()
{
    const auto read = readStableHlo(R"(module {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func @main(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[1]", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "21 : i64"}} : (tensor<8x16xf32>) -> ()
    %1 = stablehlo.custom_call @Sharding(%0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b"}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.tanh %2 : tensor<8x16xf32>
    return %3, %2 : tensor<8x16xf32>, tensor<8x16xf32>
  }
})");
    QVERIFY(read);
    const auto wanted = readStableHlo(R"(module {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func @main(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"a"}, {"b", ?}]> : tensor<8x16xf32>
    sdy.sharding_group %0 group_id=21 : tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {?}]> : tensor<8x16xf32>
    %3 = stablehlo.tanh %1 : tensor<8x16xf32>
    return %3, %1 : tensor<8x16xf32>, tensor<8x16xf32>
  }
})");
    QVERIFY(wanted);
    QCOMPARE(printStableHlo(passes::importCustomCalls(read->program)), printStableHlo(wanted->program));
}

/// What XLA computes on parts is a manual computation: with copies of the constants that it reads; two of them where
/// one reads what the other makes. One whose parts have another size stays.
void TestPasses::manualRegionsOfXla()
{
    const std::string begin = R"(module {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
)";
    const std::string end = R"(    return %out : tensor<8x4xf32>
  }
})";
    const auto manual = [](const std::string& from, const std::string& to, int rows) {
        const std::string part = "tensor<" + std::to_string(rows) + "x4xf32>", n = "part_" + to;
        return "    %" + n + "a = stablehlo.custom_call @SPMDFullToShardShape(%" + from
            + ") {mhlo.sharding = \"{manual}\"} : (tensor<8x4xf32>) -> " + part + "\n    %" + n
            + "b = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> " + part + "\n    %" + n
            + "c = stablehlo.multiply %" + n + "a, %" + n + "b : " + part + "\n    %" + n
            + "d = stablehlo.custom_call @Sharding(%" + n + "c) {mhlo.sharding = \"{manual}\"} : (" + part + ") -> "
            + part + "\n    %" + to + " = stablehlo.custom_call @SPMDShardToFullShape(%" + n
            + "d) {mhlo.sharding = \"{devices=[2,1]<=[2]}\"} : (" + part + ") -> tensor<8x4xf32>\n";
    };
    const auto imported = [&](const std::string& middle) {
        const auto read = readStableHlo(begin + middle + end);
        return read ? passes::importManualRegions(read->program) : Program();
    };
    const auto count = [](const Program& program, OpKind kind) {
        int found = 0;
        for (const RegionId body : bodies(program))
            walk(program, body, [&](OperationId id) { found += program.operation(id).kind == kind ? 1 : 0; });
        return found;
    };
    const Program two = imported(manual("0", "1", 4) + manual("1", "out", 4));
    QCOMPARE(count(two, OpKind::ManualComputation), 2);
    QCOMPARE(count(two, OpKind::CustomCall), 1); // the sharding of %x
    QVERIFY(verify(two).empty());
    QVERIFY(verifyShardings(two).empty());
    for (const Operation& operation : two.operations)
        if (const auto* own = attributesAs<ManualComputationAttributes>(operation.attributes)) {
            QCOMPARE(own->manualAxes, std::vector<std::string>{ "axis_0" });
            QCOMPARE(own->in.size() + own->out.size(), std::size_t{ 2 });
            QCOMPARE(two.regions[operation.regions[0].index].operations.size(), std::size_t{ 3 });
        }
    const Program other = imported(manual("0", "out", 2));
    QCOMPARE(count(other, OpKind::ManualComputation), 0);
    QCOMPARE(count(other, OpKind::CustomCall), 4);
}

/// Only what computes the same becomes one function, whatever it is called.
void TestPasses::oneNameForTwoComputations()
{
    const auto functionsOf = [](const std::string& second) {
        const auto read = readStableHlo(R"(func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%x) (%a: tensor<8xf32>) {
    %1 = stablehlo.tanh %a : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.named_computation<"f">(%0) (%a: tensor<8xf32>) {
    %3 = stablehlo.)"
            + second + R"( : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
})");
        return read ? passes::unflattenCallGraph(passes::exportNamedComputations(read->program)).functions.size() : 0;
    };
    QCOMPARE(functionsOf("tanh %a"), std::size_t{ 2 }); // main and f
    QCOMPARE(functionsOf("abs %a"), std::size_t{ 3 });
    QCOMPARE(functionsOf("multiply %a, %a"), std::size_t{ 3 });
}

void TestPasses::axesOfSizeOneMeanNothing()
{
    QVERIFY(test::propertyHolds(100, "an axis of size 1 changes no sharding", [] {
        const AnnotatedInput input = random_program::anyInput();
        const Program program = input.annotated();
        Program more = program;
        std::vector<MeshAxis> axes(input.mesh->axes().begin(), input.mesh->axes().end());
        axes.push_back({ "one", 1 });
        const auto one = static_cast<std::int32_t>(axes.size() - 1);
        more.meshes = { meshOf(Mesh::create(axes).value()) };
        for (ProgramSharding& sharding : more.shardings)
            if (!sharding.sharding.dims.empty() && *rc::gen::arbitrary<bool>())
                sharding.sharding.dims.back().axes.push_back({ one, 1, 1 });
        const auto plain = passes::propagationPipeline(program), with = passes::propagationPipeline(more);
        RC_ASSERT(plain.has_value() == with.has_value());
        RC_ASSERT(plain.has_value());
        RC_ASSERT(shardingsOf(plain->program) == shardingsOf(with->program));
    }));
}

void TestPasses::everyProgramStaysLegal()
{
    QVERIFY(test::propertyHolds(100, "the pipeline's programs are legal and closed", [] {
        const Program program = random_program::anyInput().annotated();
        RC_ASSERT(verify(program).empty());
        const bool legal = verifyShardings(program).empty();
        passes::PipelineOptions options;
        options.dedupFunctionsFully = *rc::gen::arbitrary<bool>();
        const auto outcome = passes::propagationPipeline(program, options);
        RC_ASSERT(outcome.has_value());
        for (const Program* made : { &outcome->program, &outcome->propagated }) {
            RC_ASSERT(verify(*made).empty());
            RC_ASSERT(!legal || verifyShardings(*made).empty());
        }
        for (const std::optional<TensorSharding>& sharding : shardingsOf(outcome->program))
            if (sharding) {
                RC_ASSERT(sharding->replicated.empty());
                for (const DimensionSharding& dim : sharding->dims)
                    RC_ASSERT(!dim.open);
            }
        RC_ASSERT(outcome->program.main().results.size() == program.main().results.size());
    }));
}

REGISTER_TEST(TestPasses)
#include "test_passes.moc"
