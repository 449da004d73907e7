// SPDX-License-Identifier: GPL-3.0-or-later
// Explicit reshards and the export behind them: reasons, and what holds for any program. What the passes make of single
// operations is in the reference's cases.
#include <QtTest>

#include "base/codes.h"
#include "partition/common_sharding.h"
#include "partition/export/canonicalize_collectives.h"
#include "partition/export/export_program.h"
#include "program/editor.h"
#include "program/value_shardings.h"
#include "program/verify_shardings.h"
#include "propagation/random_program.h"
#include "random_properties.h"
#include "registered_test.h"
#include "stablehlo/print.h"

using namespace shardscope;
using passes::ReshardVersion;

class TestExplicitReshards : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reasonsNameTheCause();
    void collectivesKeepTheReason();
    void sumsAlongFurtherAxes();
    void loopsReshardWhatTheyTake();
    void twoSingleDevices();
    void everyProgramBecomesComputable();
    void everyProgramIsExported();
};

namespace {

Result<passes::Exported> exported(Program program, bool splitSums = false)
{
    Result<Program> final = passes::exportPipeline(std::move(program));
    if (!final)
        return tl::unexpected<Error>(std::move(final.error()));
    return passes::insertCollectives(std::move(*final), { .explicitCollectives = true, .splitSums = splitSums });
}

std::shared_ptr<const Mesh> meshOfAxes(std::vector<MeshAxis> axes)
{
    return std::make_shared<const Mesh>(Mesh::create(std::move(axes)).value());
}

ProgramSharding sharding(const Mesh& mesh, const std::vector<std::vector<std::string>>& dims)
{
    ProgramSharding made{ 0, TensorSharding::fullyReplicated(dims.size()) };
    for (std::size_t d = 0; d < dims.size(); ++d)
        for (const std::string& name : dims[d])
            made.sharding.dims[d].axes.push_back(fullAxis(mesh, mesh.axisIndex(name).value()));
    return made;
}

void addMain(Editor& edit, std::shared_ptr<const Mesh> mesh)
{
    ProgramMesh declared;
    declared.name = "mesh";
    declared.mesh = std::move(mesh);
    edit.raw().meshes = { declared };
    Function main;
    main.name = "main";
    main.body = RegionId(std::size_t{ 0 });
    main.resultShardings.assign(edit.program().main().results.size(), 0);
    edit.raw().functions = { main };
}

const TensorType square{ DType::F32, { 8, 8 } };

// y = dot(a, b); return y          a [{x}, {y}], b [{y}, {}], y [{x}, {y}]
Program product(const std::shared_ptr<const Mesh>& mesh)
{
    Builder builder("product");
    const ValueId a = builder.argument(square, "a", Role::Input);
    const ValueId b = builder.argument(square, "b", Role::Parameter);
    const ValueId y = builder.dot(a, b);
    builder.result(y);
    Editor edit(std::move(builder).finish());
    addMain(edit, mesh);
    edit.setSharding(a, sharding(*mesh, { { "x" }, { "y" } }));
    edit.setSharding(b, sharding(*mesh, { { "y" }, {} }));
    edit.setSharding(y, sharding(*mesh, { { "x" }, { "y" } }));
    edit.raw().functions[0].resultShardings = { edit.intern(sharding(*mesh, { {}, { "y" } })) };
    return std::move(edit).finish();
}

std::vector<OpKind> kindsOf(const Program& program)
{
    std::vector<OpKind> kinds;
    for (const OperationId id : program.main().operations)
        kinds.push_back(program.operation(id).kind);
    return kinds;
}

ValueId anyWideOperation(Builder& builder, const std::vector<ValueId>& values)
{
    const ValueId a = *rc::gen::elementOf(values);
    const TensorType type = builder.type(a);
    if (type.rank() == 0 || *rc::gen::arbitrary<bool>())
        return random_program::anyOperation(builder, values);
    const auto dim = *rc::gen::inRange<std::size_t>(0, type.rank());
    switch (*rc::gen::inRange(0, 4)) {
    case 0: {
        SliceAttributes slice;
        for (std::size_t d = 0; d < type.rank(); ++d) {
            slice.starts.push_back(0);
            slice.limits.push_back(d == dim && type.shape[d] > 1 ? type.shape[d] / 2 : type.shape[d]);
            slice.strides.push_back(1);
        }
        const std::array operands{ a };
        return builder.add(OpKind::Slice, operands, otherAttributes(std::move(slice)));
    }
    case 1: {
        const std::array operands{ a, a };
        return builder.add(
            OpKind::Concatenate, operands, otherAttributes(DimensionAttributes{ static_cast<std::int64_t>(dim) }));
    }
    case 2: {
        const std::array operands{ a };
        return builder.add(OpKind::Reverse, operands,
            otherAttributes(DimensionsAttributes{ { static_cast<std::int64_t>(dim) } }), type);
    }
    default: {
        PadAttributes pad;
        for (std::size_t d = 0; d < type.rank(); ++d) {
            pad.low.push_back(0);
            pad.high.push_back(d == dim ? 2 : 0);
            pad.interior.push_back(0);
        }
        const std::array operands{ a, builder.constant({ type.dtype, {} }, 0) };
        return builder.add(OpKind::Pad, operands, otherAttributes(std::move(pad)));
    }
    }
}

/// A closed sharding; sometimes partial over an axis.
ProgramSharding anySharding(const Mesh& mesh, std::size_t rank)
{
    ProgramSharding made{ 0, random_program::anySharding(mesh, rank) };
    if (*rc::gen::inRange(0, 6) == 0 && rank > 0)
        std::swap(made.sharding.unreduced, made.sharding.replicated);
    made.sharding.replicated.clear();
    for (DimensionSharding& dim : made.sharding.dims)
        dim.open = false;
    return made;
}

/// `twoOrders`: some of the shardings are over another order of the mesh's devices.
Program anyProgram(bool twoOrders)
{
    const std::vector<std::int64_t> sizes{ 2, 2, 3, 4 };
    std::vector<MeshAxis> axes;
    const auto count = *rc::gen::inRange<std::size_t>(1, 4);
    for (std::size_t i = 0; i < count; ++i)
        axes.push_back({ std::string(1, static_cast<char>('a' + axes.size())), *rc::gen::elementOf(sizes) });
    const Mesh mesh = Mesh::create(axes).value();
    std::vector<std::int32_t> order;
    for (std::int64_t i = mesh.deviceCount(); i-- > 0;)
        order.push_back(static_cast<std::int32_t>(i));

    Builder builder("random");
    std::vector<ValueId> values;
    for (int i = *rc::gen::inRange(1, 4); i-- > 0;)
        values.push_back(builder.argument({ DType::F32, { 4, *rc::gen::element<std::int64_t>(4, 6, 8) } },
            "argument" + std::to_string(i), Role::Input));
    for (int i = *rc::gen::inRange(1, 9); i-- > 0;)
        values.push_back(anyWideOperation(builder, values));
    for (int i = *rc::gen::inRange(1, 3); i-- > 0;)
        builder.result(*rc::gen::elementOf(values));

    Editor edit(std::move(builder).finish());
    addMain(edit, std::make_shared<const Mesh>(mesh));
    ProgramMesh other;
    other.name = "other";
    other.mesh = std::make_shared<const Mesh>(Mesh::create(axes, order).value());
    edit.raw().meshes.push_back(other);
    for (Operation& operation : edit.raw().operations)
        if (operation.kind == OpKind::ShardingConstraint) {
            const ProgramSharding specified = anySharding(mesh, edit.value(operation.results[0]).type.rank());
            operation.kind = OpKind::Reshard;
            operation.attributes = otherAttributes(OwnShardingAttributes{ specified });
        }
    for (std::size_t v = 0; v < edit.program().values.size(); ++v) {
        const ValueId value(v);
        const OperationId definition = edit.value(value).definition;
        if (*rc::gen::inRange(0, 3) > 0 && !(definition.valid() && edit.operation(definition).kind == OpKind::Reshard))
            edit.setSharding(value, anySharding(mesh, edit.value(value).type.rank()));
    }
    for (std::size_t i = 0; i < edit.program().shardings.size() && twoOrders; ++i)
        if (*rc::gen::inRange(0, 8) == 0)
            edit.raw().shardings[i].mesh = 1;
    for (std::size_t r = 0; r < edit.program().main().results.size(); ++r)
        if (*rc::gen::arbitrary<bool>())
            edit.raw().functions[0].resultShardings[r] =
                edit.intern(anySharding(mesh, edit.value(edit.program().main().results[r]).type.rank()));
    return std::move(edit).finish();
}

/// What keeps an operation from being computed on local shards, where its tensors are cut over one mesh.
std::string disagreement(const Program& program, const Operation& operation)
{
    const ValueShardings shardings(program);
    const FactorRule rule = factorRule(program, operation);
    if (!rule.exists() || rule.factors.empty())
        return {};
    std::vector<TensorSharding> current;
    std::vector<const Mesh*> meshes;
    std::vector<TensorInOperation> operands, results;
    current.reserve(rule.operands.size() + rule.results.size());
    const auto take = [&](std::vector<TensorInOperation>& list, ValueId value) {
        const ProgramSharding* specified = shardings.of(value);
        current.push_back(
            specified ? specified->sharding : TensorSharding::fullyReplicated(program.value(value).type.rank()));
        if (specified && !specified->sharding.isFullyReplicated())
            meshes.push_back(program.meshes[specified->mesh].mesh.get());
        list.push_back({ &current.back(), program.value(value).type.elementCount() });
    };
    for (const ValueId operand : operation.operands)
        take(operands, operand);
    for (const ValueId result : operation.results)
        take(results, result);
    for (const Mesh* mesh : meshes)
        if (!(*mesh == *meshes.front()))
            return "two orders of devices";
    return commonSharding(rule, operands, results).compatible
        ? std::string()
        : "factors are cut in different ways: " + qualifiedName(operation);
}

} // namespace

namespace {

/// What verification finds first.
std::string illegality(const Program& program)
{
    std::vector<Diagnostic> found = verify(program);
    if (found.empty())
        found = verifyShardings(program);
    if (found.empty())
        return {};
    std::string text(found.front().kind());
    for (const Arg& arg : found.front().args)
        text += " " + arg.name + "=" + found.front().text(arg.name);
    return text;
}

} // namespace

void TestExplicitReshards::reasonsNameTheCause()
{
    const auto mesh = meshOfAxes({ { "x", 2 }, { "y", 4 } });
    const auto outcome = passes::insertExplicitReshards(product(mesh), ReshardVersion::Full);
    QVERIFY(outcome.has_value());
    const std::vector<OpKind> kinds{ OpKind::DotGeneral, OpKind::SdyAllReduce, OpKind::Reshard, OpKind::Reshard };
    QCOMPARE(kindsOf(outcome->program), kinds);
    QCOMPARE(outcome->inserted.size(), 3U);
    const OperationId dot(std::size_t{ 0 });
    QVERIFY((outcome->inserted[0].reason == Reason{ Reason::Kind::ReducedFactor, dot, 2, 0 }));
    QVERIFY((outcome->inserted[1].reason == Reason{ Reason::Kind::ResultReshard, dot, 1, 0 }));
    QVERIFY((outcome->inserted[2].reason == Reason{ Reason::Kind::ReturnReshard, {}, -1, 0 }));
    for (std::size_t i = 0; i < 3; ++i)
        QCOMPARE(outcome->inserted[i].operation, outcome->program.main().operations[i + 1]);

    const auto minimal = passes::insertExplicitReshards(product(mesh), ReshardVersion::Minimal);
    QVERIFY(minimal.has_value() && minimal->inserted.empty());
}

void TestExplicitReshards::collectivesKeepTheReason()
{
    const auto mesh = meshOfAxes({ { "x", 2 }, { "y", 4 } });
    const auto outcome = exported(product(mesh));
    QVERIFY(outcome.has_value());
    // The sum over y is cut by y at once; what is returned has to be gathered over x.
    const std::vector<OpKind> kinds{ OpKind::DotGeneral, OpKind::SdyReduceScatter, OpKind::SdyAllGather };
    QCOMPARE(kindsOf(outcome->program), kinds);
    QCOMPARE(outcome->inserted.size(), 2U);
    std::vector<std::pair<OpKind, Reason::Kind>> reasons;
    for (const passes::Inserted& inserted : outcome->inserted)
        reasons.emplace_back(outcome->program.operation(inserted.operation).kind, inserted.reason.kind);
    std::sort(reasons.begin(), reasons.end());
    const std::vector<std::pair<OpKind, Reason::Kind>> expected{
        { OpKind::SdyAllGather, Reason::Kind::ReturnReshard },
        { OpKind::SdyReduceScatter, Reason::Kind::ReducedFactor },
    };
    QCOMPARE(reasons, expected);
}

void TestExplicitReshards::sumsAlongFurtherAxes()
{
    // Weights on {x: replicas, y: shards}: a gradient is summed over both, and each device keeps its part along y.
    const auto mesh = meshOfAxes({ { "x", 2 }, { "y", 4 } });
    Editor edit(product(mesh));
    const std::vector<ValueId> arguments = edit.program().main().arguments;
    edit.setSharding(arguments[0], sharding(*mesh, { {}, { "x", "y" } }));
    edit.setSharding(arguments[1], sharding(*mesh, { { "x", "y" }, {} }));
    edit.setSharding(edit.program().main().results[0], sharding(*mesh, { { "y" }, {} }));
    edit.raw().functions[0].resultShardings = { edit.intern(sharding(*mesh, { { "y" }, {} })) };
    const Program program = std::move(edit).finish();
    const auto shardy = exported(program), split = exported(program, true);
    QVERIFY(shardy.has_value() && split.has_value());
    QCOMPARE(kindsOf(shardy->program),
        (std::vector<OpKind>{ OpKind::DotGeneral, OpKind::SdyAllReduce, OpKind::SdyAllSlice }));
    QCOMPARE(kindsOf(split->program),
        (std::vector<OpKind>{ OpKind::DotGeneral, OpKind::SdyReduceScatter, OpKind::SdyAllReduce }));
    const auto collective = [&](std::size_t i) {
        const Operation& operation = split->program.operation(split->program.main().operations[i]);
        return *attributesAs<SdyCollectiveAttributes>(operation.attributes);
    };
    QCOMPARE(collective(1).axesPerDimension, (std::vector<AxisList>{ { fullAxis(*mesh, 1) }, {} }));
    QCOMPARE(collective(2).axes, AxisList{ fullAxis(*mesh, 0) });
    for (const passes::Inserted& inserted : split->inserted)
        QVERIFY(inserted.reason.kind == Reason::Kind::ReducedFactor);
    QCOMPARE(illegality(split->program), std::string());
}

void TestExplicitReshards::loopsReshardWhatTheyTake()
{
    const auto mesh = meshOfAxes({ { "x", 2 } });
    Builder builder("loop");
    const ValueId a = builder.argument(square, "a", Role::Input);
    builder.result(builder.unary(OpKind::Tanh, a));
    Editor edit(std::move(builder).finish());
    addMain(edit, mesh);
    const OperationId loop = edit.program().main().operations[0];
    edit.raw().operations[loop.index].kind = OpKind::While;
    const RegionId condition = edit.addRegion(loop), body = edit.addRegion(loop);
    edit.addArgument(condition, square);
    const ValueId inside = edit.addArgument(body, square);
    const OperationId negate = edit.addLike(OpKind::Negate, { inside }, {});
    edit.placeLast(body, negate);
    edit.raw().regions[body.index].results = { edit.result(negate) };
    edit.setSharding(edit.result(loop), sharding(*mesh, { { "x" }, {} }));
    edit.setSharding(edit.result(negate), sharding(*mesh, { {}, { "x" } }));
    edit.raw().functions[0].resultShardings = { edit.intern(sharding(*mesh, { { "x" }, {} })) };
    const auto outcome = passes::insertExplicitReshards(std::move(edit).finish(), ReshardVersion::Full);
    QVERIFY(outcome.has_value());
    QCOMPARE(kindsOf(outcome->program), (std::vector<OpKind>{ OpKind::Reshard, OpKind::While }));
    // The argument of the body is cut as the loop's result is, and the negation follows it: its result goes to the
    // sharding that it was given, and from there back to the loop's.
    std::vector<OpKind> kinds;
    for (const OperationId id : outcome->program.regions[body.index].operations)
        kinds.push_back(outcome->program.operation(id).kind);
    QCOMPARE(kinds, (std::vector<OpKind>{ OpKind::Negate, OpKind::Reshard, OpKind::Reshard }));
    for (const passes::Inserted& inserted : outcome->inserted)
        if (inserted.operation == outcome->program.main().operations[0])
            QVERIFY((inserted.reason == Reason{ Reason::Kind::BoundaryReshard, loop, -1, 0 }));
}

void TestExplicitReshards::twoSingleDevices()
{
    const auto mesh = meshOfAxes({ { "x", 2 } });
    Editor edit(product(meshOfAxes({ { "x", 2 }, { "y", 4 } })));
    for (const std::int64_t device : { 0, 1 }) {
        ProgramMesh single;
        single.name = "device" + std::to_string(device);
        single.mesh = std::make_shared<const Mesh>();
        single.onlyDevice = device;
        edit.raw().meshes.push_back(single);
    }
    const ValueId argument = edit.program().main().arguments[0];
    const std::array operands{ argument };
    const std::array types{ square, square };
    CustomCallAttributes attributes;
    attributes.target = "f";
    const OperationId call = edit.add(OpKind::CustomCall, operands, types, otherAttributes(std::move(attributes)));
    edit.placeLast(RegionId(std::size_t{ 0 }), call);
    edit.setSharding(edit.result(call, 0), { 1, {} });
    edit.setSharding(edit.result(call, 1), { 2, {} });
    const Program program = std::move(edit).finish();
    const auto outcome = passes::insertExplicitReshards(program, ReshardVersion::Full);
    QVERIFY(!outcome.has_value());
    QVERIFY(outcome.error().code == Code::MeshMismatch);
    QVERIFY(passes::insertExplicitReshards(program, ReshardVersion::Minimal).has_value());
}

void TestExplicitReshards::everyProgramBecomesComputable()
{
    QVERIFY(test::propertyHolds(100, "every operation's tensors agree, and once is enough", [] {
        // Partial values over two orders of devices, and reshapes whose axes overflow their factors, are left as Shardy
        // leaves them; what cannot be computed then is resharded once more before it is (partition/legalize.h).
        const Program program = anyProgram(false);
        RC_PRE(verify(program).empty() && verifyShardings(program).empty());
        const auto once = passes::insertExplicitReshards(program, ReshardVersion::Full);
        RC_ASSERT(once.has_value());
        RC_LOG() << printStableHlo(program) << printStableHlo(once->program);
        RC_ASSERT(illegality(once->program) == "");
        bool reshapesAgree = true;
        for (const OperationId id : once->program.main().operations) {
            const std::string found = disagreement(once->program, once->program.operation(id));
            if (once->program.operation(id).kind == OpKind::Reshape)
                reshapesAgree = reshapesAgree && found.empty();
            else
                RC_ASSERT(found == "");
        }
        std::size_t added = 0;
        for (const OperationId id : once->program.main().operations)
            added += id.index >= program.operations.size() ? 1U : 0U;
        RC_ASSERT(added == once->inserted.size());

        if (!reshapesAgree)
            return;
        const auto twice = passes::insertExplicitReshards(once->program, ReshardVersion::Full);
        RC_ASSERT(twice.has_value());
        RC_ASSERT(twice->inserted.empty());
        RC_ASSERT(twice->program.main().operations == once->program.main().operations);
        RC_ASSERT(twice->program.valueShardings == once->program.valueShardings);
    }));
}

void TestExplicitReshards::everyProgramIsExported()
{
    QVERIFY(test::propertyHolds(100, "no reshard is left, and every collective has a reason", [] {
        const Program program = anyProgram(false);
        RC_PRE(verify(program).empty() && verifyShardings(program).empty());
        // A value that is made partial after a reshard of it went has no sharding, which the verifier wants there.
        RC_PRE(printStableHlo(program).find("unreduced") == std::string::npos);
        const auto outcome = exported(program);
        if (!outcome) {
            RC_ASSERT(outcome.error().code == Code::UnreducedAxes);
            return;
        }
        RC_LOG() << printStableHlo(program) << printStableHlo(outcome->program);
        RC_ASSERT(illegality(outcome->program) == "");
        std::size_t exchanges = 0;
        for (const OperationId id : outcome->program.main().operations) {
            const OpKind kind = outcome->program.operation(id).kind;
            exchanges += kind >= OpKind::SdyAllGather && kind <= OpKind::ReplicatedToUnreduced ? 1U : 0U;
            exchanges += kind == OpKind::Reshard ? 1U : 0U;
        }
        RC_ASSERT(exchanges == outcome->inserted.size());
    }));
}

REGISTER_TEST(TestExplicitReshards)
#include "test_explicit_reshards.moc"
