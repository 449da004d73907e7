// SPDX-License-Identifier: GPL-3.0-or-later
// What is illegal about meshes, shardings, rules and Shardy's operations, beyond the reference cases: kinds of
// findings, their places, and how illegal things are held.
#include <QtTest>

#include "base/codes.h"
#include "program/declared_rule.h"
#include "program/f32.h"
#include "program/other_attributes.h"
#include "program/program_mesh.h"
#include "program/unreduced_axes.h"
#include "program/verify_shardings.h"
#include "registered_test.h"

using namespace shardscope;
using test::f32;

namespace {

/// A program of one function, made by hand.
class Made {
public:
    Made()
    {
        program.scopes = { "" };
        program.regions.emplace_back();
        program.functions.emplace_back();
        program.functions[0].name = "main";
        program.functions[0].body = RegionId(0);
        program.meshes.push_back(declaredMesh("mesh", { { "x", 8 }, { "y", 2 }, { "z", 4 } }));
    }
    ValueId value(TensorType type, OperationId definition, std::size_t index)
    {
        Value made;
        made.type = std::move(type);
        made.definition = definition;
        made.index = static_cast<std::uint32_t>(index);
        program.values.push_back(std::move(made));
        program.valueShardings.push_back(0);
        return ValueId(program.values.size() - 1);
    }
    ValueId argument(TensorType type, std::size_t region = 0)
    {
        const ValueId made = value(std::move(type), {}, program.regions[region].arguments.size());
        program.regions[region].arguments.push_back(made);
        return made;
    }
    OperationId operation(OpKind kind, std::vector<ValueId> operands, std::vector<TensorType> results,
        Attributes attributes = {}, std::size_t region = 0)
    {
        const OperationId id(program.operations.size());
        program.operations.emplace_back();
        Operation made;
        made.kind = kind;
        for (const ValueId operand : operands)
            made.operands.push_back(operand);
        for (std::size_t i = 0; i < results.size(); ++i)
            made.results.push_back(value(results[i], id, i));
        made.attributes = std::move(attributes);
        program.sources.push_back({ static_cast<std::uint32_t>(10 + id.index), 5, {} });
        made.source = static_cast<std::uint32_t>(program.sources.size() - 1);
        program.operations[id.index] = std::move(made);
        program.regions[region].operations.push_back(id);
        return id;
    }
    [[nodiscard]] ValueId result(OperationId id, std::size_t index = 0) const
    {
        return program.operation(id).results[index];
    }
    std::size_t body(OperationId owner)
    {
        program.regions.emplace_back();
        program.operations[owner.index].regions.push_back(RegionId(program.regions.size() - 1));
        return program.regions.size() - 1;
    }
    AxisRef ref(std::string_view name, std::optional<SubAxis> part = {})
    {
        return axisReference(program.meshes[0], name, part);
    }
    /// Closed; axes by name.
    ProgramSharding sharding(std::vector<std::vector<std::string>> dims)
    {
        ProgramSharding made;
        for (const auto& names : dims) {
            DimensionSharding dim;
            dim.open = false;
            for (const std::string& name : names)
                dim.axes.push_back(ref(name));
            made.sharding.dims.push_back(std::move(dim));
        }
        return made;
    }
    void shard(ValueId id, ProgramSharding sharding)
    {
        program.shardings.push_back(std::move(sharding));
        program.valueShardings[id.index] = static_cast<ShardingIndex>(program.shardings.size());
    }
    void extra(OperationId id, std::string name, std::string text)
    {
        program.dictionaries.push_back({ { std::move(name), std::move(text) } });
        program.operations[id.index].extra = static_cast<std::uint32_t>(program.dictionaries.size() - 1);
    }
    void returns(ValueId id) { program.regions[0].results.push_back(id); }

    Program program;
};

QString kinds(const std::vector<Diagnostic>& found)
{
    QStringList list;
    for (const Diagnostic& one : found) {
        const std::string wrong = one.text("wrong");
        list << QString::fromStdString(std::string(one.kind()) + (wrong.empty() ? "" : ":" + wrong));
    }
    return list.join(QLatin1Char(' '));
}

QString kindsOf(const Made& made)
{
    return kinds(verifyShardings(made.program));
}

} // namespace

class TestVerifyShardings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void invalidAxesKeepWhatIsWritten();
    void meshes_data();
    void meshes();
    void priorities();
    void placesAreStated();
    void sharedShardingsAreReportedWhereverTheyStand();
    void unmatchedShardings();
    void barriersAndEdges();
    void manualComputations_data();
    void manualComputations();
    void groupsAreUnitedThroughValues();
    void provenance_data();
    void provenance();
    void rules_data();
    void rules();
    void writtenRulesBecomeFactorRules();
    void differenceOfAxes();
    void transitions();
    void droppedPartialValues();
    void partialValuesGoThroughLinearOperations_data();
    void partialValuesGoThroughLinearOperations();
    void returnsOfBodies();
};

void TestVerifyShardings::invalidAxesKeepWhatIsWritten()
{
    ProgramMesh mesh = declaredMesh("m", { { "x", 8 }, { "y", 2 } });
    QCOMPARE(axisReference(mesh, "x"), (AxisRef{ 0, 1, 8 }));
    QCOMPARE(axisReference(mesh, "x", SubAxis{ 2, 4 }), (AxisRef{ 0, 2, 4 }));
    const AxisRef missing = axisReference(mesh, "w"), full = axisReference(mesh, "x", SubAxis{ 1, 8 }),
                  large = axisReference(mesh, "y", SubAxis{ 1, std::int64_t{ 1 } << 40 });
    QCOMPARE(axisReference(mesh, "w"), missing); // once each
    QCOMPARE(missing.axis, 2);
    QCOMPARE(mesh.invalidAxes.size(), std::size_t{ 3 });
    QCOMPARE(axisText(mesh, missing), std::string("w"));
    QCOMPARE(axisText(mesh, full), std::string("x:(1)8"));
    QCOMPARE(axisText(mesh, large), std::string("y:(1)1099511627776"));
    QCOMPARE(axisText(mesh, axisReference(mesh, "x", SubAxis{ 2, 4 })), std::string("x:(2)4"));
    QVERIFY(!invalidAxis(mesh, AxisRef{ 0, 1, 8 }));
}

void TestVerifyShardings::meshes_data()
{
    QTest::addColumn<QList<QPair<QString, int>>>("axes");
    QTest::addColumn<QList<int>>("ids");
    QTest::addColumn<QString>("found");
    using Axes = QList<QPair<QString, int>>;
    QTest::newRow("plain") << Axes{ { "a", 2 }, { "b", 2 } } << QList<int>{} << "";
    QTest::newRow("another order") << Axes{ { "a", 2 }, { "b", 2 } } << QList<int>{ 0, 2, 1, 3 } << "";
    QTest::newRow("single device") << Axes{} << QList<int>{ 3 } << "";
    QTest::newRow("no axes, no devices") << Axes{} << QList<int>{} << "";
    QTest::newRow("axis of no devices") << Axes{ { "a", 0 } } << QList<int>{} << "invalid_axis_size";
    QTest::newRow("a name twice") << Axes{ { "a", 2 }, { "a", 2 } } << QList<int>{} << "duplicate_axis";
    QTest::newRow("plain order listed") << Axes{ { "a", 2 } } << QList<int>{ 0, 1 } << "mesh:plain_order";
    QTest::newRow("a device twice") << Axes{ { "a", 2 } } << QList<int>{ 1, 1 } << "mesh:id_twice";
    QTest::newRow("a device beyond") << Axes{ { "a", 2 } } << QList<int>{ 1, 2 } << "mesh:id";
    QTest::newRow("a negative device") << Axes{ { "a", 2 } } << QList<int>{ 1, -1 } << "mesh:id";
    QTest::newRow("too few devices") << Axes{ { "a", 4 } } << QList<int>{ 1, 0 } << "mesh:ids";
    QTest::newRow("two devices without axes") << Axes{} << QList<int>{ 0, 1 } << "mesh:no_axes";
    QTest::newRow("a negative single device") << Axes{} << QList<int>{ -1 } << "mesh:id";
    QTest::newRow("too many devices") << Axes{ { "a", 2000000 } } << QList<int>{} << "too_large";
}

void TestVerifyShardings::meshes()
{
    using Axes = QList<QPair<QString, int>>;
    QFETCH(const Axes, axes);
    QFETCH(const QList<int>, ids);
    QFETCH(const QString, found);
    std::vector<MeshAxis> list;
    for (const auto& [name, size] : axes)
        list.push_back({ name.toStdString(), size });
    std::optional<std::vector<std::int64_t>> devices;
    if (!ids.isEmpty())
        devices.emplace(ids.begin(), ids.end());
    Made made;
    made.program.meshes.push_back(declaredMesh("other", std::move(list), std::move(devices)));
    // A sharding over a mesh that is none says nothing more.
    ProgramSharding over;
    over.mesh = 1;
    const ValueId argument = made.argument(f32({}));
    made.shard(argument, over);
    QCOMPARE(kindsOf(made), found);
}

void TestVerifyShardings::priorities()
{
    Made made;
    ProgramSharding sharding = made.sharding({ { "x" }, {}, {} });
    sharding.sharding.dims[0].priority = 0;
    sharding.sharding.dims[1].open = true;
    sharding.sharding.dims[1].priority = 2;
    made.shard(made.argument(f32({ 8, 8, 8 })), sharding);
    QCOMPARE(kindsOf(made), QString());
    sharding.sharding.dims[2].priority = 1; // closed and not cut
    made.shard(made.argument(f32({ 8, 8, 8 })), sharding);
    QCOMPARE(kindsOf(made), QStringLiteral("priority"));
}

void TestVerifyShardings::placesAreStated()
{
    Made made;
    const ValueId a = made.argument(f32({ 8 }));
    const OperationId add = made.operation(OpKind::Add, { a, a }, { f32({ 8 }) });
    made.program.values[made.result(add).index].path = "layer/y";
    made.shard(made.result(add), made.sharding({ { "w" } }));
    made.returns(made.result(add));
    made.program.shardings.push_back(made.sharding({ { "x" }, {} }));
    made.program.functions[0].resultShardings = { 2 };
    made.program.sources.push_back({ 3, 1, {} });
    made.program.functions[0].source = static_cast<std::uint32_t>(made.program.sources.size() - 1);
    const std::vector<Diagnostic> found = verifyShardings(made.program);
    QCOMPARE(kinds(found), QStringLiteral("rank_mismatch:rank unknown_axis"));
    QCOMPARE(found[0].text("function"), std::string("main"));
    QCOMPARE(found[0].text("role"), std::string("function_result"));
    QCOMPARE(found[0].number("index"), std::int64_t{ 0 });
    QCOMPARE(found[0].where.line, 3);
    QCOMPARE(found[0].number("sharding_rank"), std::int64_t{ 2 });
    QCOMPARE(found[1].text("op"), std::string("stablehlo.add"));
    QCOMPARE(found[1].text("role"), std::string("result"));
    QCOMPARE(found[1].where.line, 10);
    QCOMPARE(found[1].where.column, 5);
    QCOMPARE(found[1].where.path, std::string("layer/y"));
    QCOMPARE(found[1].text("axis"), std::string("w"));
    QCOMPARE(found[1].list("known"), (std::vector<std::string>{ "x", "y", "z" }));
}

void TestVerifyShardings::sharedShardingsAreReportedWhereverTheyStand()
{
    Made made;
    const ValueId a = made.argument(f32({ 8, 8 })), b = made.argument(f32({ 8, 8 })), c = made.argument(f32({ 8 }));
    made.shard(a, made.sharding({ { "x" }, { "x" } }));
    made.program.valueShardings[b.index] = made.program.valueShardings[a.index];
    made.shard(c, made.sharding({ { "x" } }));
    QCOMPARE(kindsOf(made), QStringLiteral("axis_used_twice axis_used_twice"));
    QCOMPARE(verifyShardings(made.program)[1].number("index"), std::int64_t{ 1 });
}

void TestVerifyShardings::unmatchedShardings()
{
    Made made;
    made.program.meshes.push_back(declaredMesh("one", {}, std::vector<std::int64_t>{ 0 }));
    ProgramSharding single;
    single.mesh = 1;
    made.program.shardings = { single, made.sharding({}), made.sharding({ { "x" } }) };
    const ValueId a = made.argument(f32({ 8 }));
    for (const ShardingIndex sharding : { 1U, 2U, 3U })
        made.program.unmatchedShardings.push_back({ made.operation(OpKind::CustomCall, { a }, {},
                                                        otherAttributes(CustomCallAttributes{ "f", false, "", 0, {} })),
            { sharding } });
    made.program.unmatchedShardings.push_back({ made.operation(OpKind::Add, { a, a }, { f32({ 8 }) }), { 3, 3 } });
    QCOMPARE(kindsOf(made), QStringLiteral("rank_mismatch:token sharding_count"));
}

void TestVerifyShardings::barriersAndEdges()
{
    Made made;
    const ValueId c = made.argument(f32({ 8 }));
    for (const BarrierDirection direction : { BarrierDirection::None, BarrierDirection::Both })
        made.operation(OpKind::PropagationBarrier, { c }, { f32({ 8 }) },
            otherAttributes(PropagationBarrierAttributes{ direction }));
    QCOMPARE(kindsOf(made), QStringLiteral("propagation_barrier"));

    Made edges;
    const ValueId p = edges.argument(f32({ 8 })), q = edges.argument(f32({ dynamicSize }));
    const OperationId add = edges.operation(OpKind::Add, { q, q }, { f32({ 8 }) });
    const auto edge = [&](OpKind kind, ValueId of) {
        return edges.operation(
            kind, { of }, { edges.program.value(of).type }, otherAttributes(OwnShardingAttributes{}));
    };
    edge(OpKind::FuncDataFlowEdge, p);
    QCOMPARE(kindsOf(edges), QString());
    edge(OpKind::FuncDataFlowEdge, q);
    QCOMPARE(kindsOf(edges), QStringLiteral("data_flow_edge:shape data_flow_edge:users"));
    edge(OpKind::FuncDataFlowEdge, edges.result(add));
    QVERIFY(kindsOf(edges).endsWith(QLatin1String("data_flow_edge:function")));
    const OperationId reshard = edges.operation(
        OpKind::Reshard, { p }, { f32({ 8 }) }, otherAttributes(OwnShardingAttributes{ edges.sharding({ { "x" } }) }));
    edge(OpKind::DataFlowEdge, edges.result(reshard));
    QVERIFY(kindsOf(edges).endsWith(QLatin1String("data_flow_edge:owner")));
}

void TestVerifyShardings::manualComputations_data()
{
    QTest::addColumn<QStringList>("manual");
    QTest::addColumn<QStringList>("axes");
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("inside");
    QTest::addColumn<QString>("found");
    QTest::newRow("legal") << QStringList{ "x" } << QStringList{ "x", "y" } << 16 << 2 << "";
    QTest::newRow("free only") << QStringList{ "x" } << QStringList{ "y" } << 16 << 16 << "";
    QTest::newRow("two") << QStringList{ "x", "y" } << QStringList{ "x", "y" } << 16 << 1 << "";
    QTest::newRow("unknown") << QStringList{ "x", "w" } << QStringList{ "x" } << 16 << 2 << "manual_axes:unknown";
    QTest::newRow("twice") << QStringList{ "x", "x" } << QStringList{ "x" } << 16 << 2 << "manual_axes:twice";
    QTest::newRow("order") << QStringList{ "x" } << QStringList{ "y", "x" } << 16 << 2
                           << "manual_axes:order manual_axes:order";
    QTest::newRow("indivisible") << QStringList{ "x" } << QStringList{ "x" } << 12 << 2
                                 << "manual_axes:divide manual_axes:divide";
    QTest::newRow("shape") << QStringList{ "x" } << QStringList{ "x" } << 16 << 16 << "local_shape local_shape";
}

void TestVerifyShardings::manualComputations()
{
    QFETCH(const QStringList, manual);
    QFETCH(const QStringList, axes);
    QFETCH(const int, size);
    QFETCH(const int, inside);
    QFETCH(const QString, found);
    Made made;
    std::vector<std::string> names;
    for (const QString& axis : axes)
        names.push_back(axis.toStdString());
    ManualComputationAttributes attributes;
    attributes.in = attributes.out = { made.sharding({ names }) };
    for (const QString& axis : manual)
        attributes.manualAxes.push_back(axis.toStdString());
    const ValueId a = made.argument(f32({ size }));
    const OperationId id =
        made.operation(OpKind::ManualComputation, { a }, { f32({ size }) }, otherAttributes(attributes));
    const std::size_t body = made.body(id);
    made.program.regions[body].results.push_back(made.argument(f32({ inside }), body));
    QCOMPARE(kindsOf(made), found);
}

void TestVerifyShardings::groupsAreUnitedThroughValues()
{
    Made made;
    const ValueId a = made.argument(f32({ 8 })), b = made.argument(f32({ 8 })), c = made.argument(f32({ 4 }));
    const auto group = [&](ValueId value, std::int64_t number) {
        made.operation(OpKind::ShardingGroup, { value }, {}, otherAttributes(ShardingGroupAttributes{ number }));
    };
    group(a, 1);
    group(b, 1);
    group(c, 2);
    QCOMPARE(kindsOf(made), QString());
    group(b, 2); // now both groups are one
    QCOMPARE(kindsOf(made), QStringLiteral("bad_sharding_group:shape"));
}

void TestVerifyShardings::provenance_data()
{
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("found");
    const auto row = [](const char* name, const char* steps, const char* found) {
        QTest::newRow(name) << QString::fromUtf8(steps) << QString::fromUtf8(found);
    };
    row("whole as a part",
        R"({step-0 = [{"x" = operand-0 -> [result-0]}], step-3 = [{"y":(1)2 = operand-1 -> [result-0]}]})",
        "bad_sub_axis");
    row("parts", R"({step-0 = [{"x":(1)4 = operand-0 -> [operand-1, result-0]}]})", "");
    row("several values", R"({step-0 = [{"x" = operand-0 -> [result-0]}]}, {step-0 = []})", "");
    row("negative", R"({step--1 = [{"x" = operand-0 -> [result-0]}]})", "provenance:negative");
    row("twice", R"({step-1 = [], step-1 = []})", "provenance:step_twice");
    row("self", R"({step-1 = [{"x" = operand-0 -> [operand-0]}]})", "provenance:self");
    row("target twice", R"({step-1 = [{"x" = operand-0 -> [result-0, result-0]}]})", "provenance:target_twice");
    row("range", R"({step-1 = [{"x" = operand-2 -> [result-0]}]})", "provenance:range");
    row("axis", R"({step-1 = [{"w" = operand-0 -> [result-0]}]})", "unknown_axis");
    row("garbage", R"({step-1 = [{"x" = operand-0)", "provenance:unreadable");
    row("empty", "", "");
}

void TestVerifyShardings::provenance()
{
    QFETCH(const QString, steps);
    QFETCH(const QString, found);
    Made made;
    const ValueId a = made.argument(f32({ 8 }));
    made.shard(a, made.sharding({ { "x" } }));
    const OperationId add = made.operation(OpKind::Add, { a, a }, { f32({ 8 }) });
    made.extra(add, "sdy.propagation_edges", "#sdy.propagation_edges<[" + steps.toStdString() + "]>");
    QCOMPARE(kindsOf(made), found);
}

void TestVerifyShardings::rules_data()
{
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("found");
    const auto row = [](const char* name, const char* rule, const char* found) {
        QTest::newRow(name) << QString::fromUtf8(rule) << QString::fromUtf8(found);
    };
    row("legal", "([i, j], [i, j])->([i, j]) {i=2, j=4}", "");
    row("wrapped",
        "#sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4} need_replication={i} "
        "blocked_propagation={i, j}, custom>",
        "");
    row("unused", "([i, j], [i, j])->([i, j]) {i=2, j=4, k=3}", "factor:unused");
    row("reduced result", "([i, j], [i, j])->([i, j]) {i=2, j=4} reduction={j}", "factor:reduced");
    row("two kinds", "([i, j], [i, j])->([i, j]) {i=2, j=4} need_replication={j} permutation={j}", "factor:two_kinds");
    row("rank", "([i, j, k], [i, j])->([i, j]) {i=2, j=4, k=1}", "rank_mismatch:mapping");
    row("list", "([i, j], [i, j])->([i, j]) {i=2, j=4} permutation={z_4}", "sharding_rule:list");
    row("operands", "([i, j])->([i, j]) {i=2, j=4}", "sharding_rule:operands");
    row("none", "([i, ], [i, j])->([i, j]) {i=2, j=4}", "factor:none");
    row("sizes out of order", "([i, j], [i, j])->([i, j]) {j=4, i=2}", "sharding_rule:unreadable");
    row("garbage", "([i, j]", "sharding_rule:unreadable");
}

void TestVerifyShardings::rules()
{
    QFETCH(const QString, rule);
    QFETCH(const QString, found);
    Made made;
    const ValueId a = made.argument(f32({ 2, 4 }));
    const OperationId add = made.operation(OpKind::Add, { a, a }, { f32({ 2, 4 }) });
    made.extra(add, "sdy.sharding_rule", rule.toStdString());
    QCOMPARE(kindsOf(made), found);
}

void TestVerifyShardings::writtenRulesBecomeFactorRules()
{
    const auto declared =
        parseDeclaredRule("#sdy.op_sharding_rule<([ik, z_2], [])->([i]) {i=2, j=1, k=8, l=1, m=1, n=1, o=1, p=1, q=1, "
                          "r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=1, z_2=5} reduction={k, z_2}, custom>");
    QVERIFY(declared.has_value());
    QVERIFY(declared->custom);
    QCOMPARE(declared->operands[0][0], (std::vector<std::int32_t>{ 0, 2 }));
    QCOMPARE(declared->operands[0][1], (std::vector<std::int32_t>{ 19 }));
    QVERIFY(declared->operands[1].empty());
    QCOMPARE(factorName(19), std::string("z_2"));
    QCOMPARE(factorName(17), std::string("z"));
    const FactorRule rule = toFactorRule(*declared);
    QCOMPARE(rule.factors.size(), std::size_t{ 20 });
    QCOMPARE(rule.factors[19].size, std::int64_t{ 5 });
    QVERIFY(rule.factors[19].kind == FactorKind::Reduction && rule.factors[2].kind == FactorKind::Reduction);
    QVERIFY(rule.factors[0].kind == FactorKind::PassThrough);
    QCOMPARE(rule.operands[0][0].size(), std::size_t{ 2 });
}

void TestVerifyShardings::differenceOfAxes()
{
    const AxisList all{ { 0, 1, 8 }, { 1, 1, 2 } };
    QVERIFY((axesMinus(all, { { 0, 2, 2 } }) == AxisList{ { 0, 1, 2 }, { 0, 4, 2 }, { 1, 1, 2 } }));
    QVERIFY((axesMinus(all, { { 0, 1, 2 }, { 1, 1, 2 } }) == AxisList{ { 0, 2, 4 } }));
    QVERIFY(axesMinus(all, all).empty());
    QVERIFY(axesMinus(all, {}) == all);
}

void TestVerifyShardings::transitions()
{
    Made made;
    ProgramSharding full = made.sharding({ {} }), sums = full, greatest = full;
    sums.sharding.unreduced = { made.ref("x") };
    greatest.sharding.unreduced = { made.ref("x", SubAxis{ 1, 2 }) };
    greatest.unreducedKind = ReduceKind::Max;
    const auto wrong = [&](const ProgramSharding* before, const ProgramSharding* after, std::optional<ReduceKind> add,
                           std::optional<ReduceKind> drop) {
        const auto found = checkTransition(made.program, { &before, 1 }, { &after, 1 }, add, drop);
        return found ? QString::fromStdString(Diagnostic{ Code::UnreducedAxes, *found, {} }.text("wrong")) : QString();
    };
    const auto none = std::nullopt;
    QCOMPARE(wrong(&full, &sums, ReduceKind::Sum, none), QString());
    QCOMPARE(wrong(nullptr, &sums, none, none), QStringLiteral("introduced"));
    QCOMPARE(wrong(&full, &greatest, ReduceKind::Sum, none), QStringLiteral("introduced_kind"));
    QCOMPARE(wrong(&sums, &full, ReduceKind::Sum, none), QStringLiteral("removed"));
    QCOMPARE(wrong(&sums, &full, none, ReduceKind::Sum), QString());
    QCOMPARE(wrong(&greatest, &full, none, ReduceKind::Sum), QStringLiteral("removed_kind"));
    QCOMPARE(wrong(&sums, &greatest, none, ReduceKind::Sum), QStringLiteral("kind"));
    made.program.meshes.push_back(declaredMesh("other", { { "u", 3 } }));
    ProgramSharding elsewhere;
    elsewhere.mesh = 1;
    QCOMPARE(wrong(&sums, &elsewhere, none, none), QString()); // not compared
}

void TestVerifyShardings::droppedPartialValues()
{
    Made made;
    ProgramSharding sums = made.sharding({ {} });
    sums.sharding.unreduced = { made.ref("y") };
    const ValueId a = made.argument(f32({ 8 }));
    made.shard(a, sums);
    // A barrier changes nothing; the negation forgets.
    const OperationId barrier = made.operation(
        OpKind::PropagationBarrier, { a }, { f32({ 8 }) }, otherAttributes(PropagationBarrierAttributes{}));
    QVERIFY(!verifyUnreduced(made.program));
    const OperationId negated = made.operation(OpKind::Negate, { made.result(barrier) }, { f32({ 8 }) });
    const auto found = verifyUnreduced(made.program);
    QVERIFY(found.has_value());
    QCOMPARE(found->text("wrong"), std::string("removed"));
    QCOMPARE(found->text("op"), std::string("stablehlo.negate"));
    QCOMPARE(found->text("axes"), std::string("y"));
    made.shard(made.result(negated), sums);
    QVERIFY(!verifyUnreduced(made.program));
    // Behind a constraint somebody has said what it is to be.
    const OperationId constraint = made.operation(OpKind::ShardingConstraint, { a }, { f32({ 8 }) },
        ConstraintAttributes{ ExplicitSharding{ std::make_shared<const ProgramSharding>(made.sharding({ {} })) } });
    made.operation(OpKind::Negate, { made.result(constraint) }, { f32({ 8 }) });
    QVERIFY(!verifyUnreduced(made.program));
}

/// What does not add up may not be made of parts.
void TestVerifyShardings::partialValuesGoThroughLinearOperations_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("partial"); // how many of the operands are
    QTest::addColumn<int>("full");
    QTest::addColumn<bool>("fine");
    const auto row = [](const char* name, OpKind kind, int partial, int full, bool fine) {
        QTest::newRow(name) << static_cast<int>(kind) << partial << full << fine;
    };
    row("negate", OpKind::Negate, 1, 0, true);
    row("tanh", OpKind::Tanh, 1, 0, false);
    row("a sum of parts", OpKind::Add, 2, 0, true);
    row("a sum of parts and what is whole", OpKind::Add, 1, 1, false);
    row("a product with what is whole", OpKind::Multiply, 1, 1, true);
    row("a product of parts", OpKind::Multiply, 2, 0, false);
    row("parts divided by what is whole", OpKind::Divide, 1, 1, true);
    row("a maximum of parts", OpKind::Maximum, 2, 0, false);
}

void TestVerifyShardings::partialValuesGoThroughLinearOperations()
{
    QFETCH(int, kind);
    QFETCH(int, partial);
    QFETCH(int, full);
    QFETCH(bool, fine);
    Made made;
    ProgramSharding sums = made.sharding({ {} });
    sums.sharding.unreduced = { made.ref("y") };
    std::vector<ValueId> operands;
    for (int i = 0; i < partial + full; ++i) {
        operands.push_back(made.argument(f32({ 8 })));
        if (i < partial)
            made.shard(operands.back(), sums);
    }
    const OperationId id = made.operation(static_cast<OpKind>(kind), operands, { f32({ 8 }) });
    made.shard(made.result(id), sums);
    const auto found = verifyUnreduced(made.program, PartsRule::Computable);
    QCOMPARE(!found.has_value(), fine);
    if (!fine)
        QCOMPARE(found->text("wrong"), std::string("nonlinear"));
    QVERIFY(!verifyUnreduced(made.program)); // Shardy has them all
}

void TestVerifyShardings::returnsOfBodies()
{
    Made made;
    ProgramSharding sums = made.sharding({ {} });
    sums.sharding.unreduced = { made.ref("x"), made.ref("y") };
    ManualComputationAttributes attributes;
    attributes.in = { made.sharding({ {} }) };
    attributes.out = { sums };
    attributes.manualAxes = { "x" };
    const ValueId a = made.argument(f32({ 8 }));
    const OperationId id =
        made.operation(OpKind::ManualComputation, { a }, { f32({ 8 }) }, otherAttributes(attributes));
    const std::size_t body = made.body(id);
    const ValueId inner = made.argument(f32({ 8 }), body);
    const OperationId add = made.operation(OpKind::Add, { inner, inner }, { f32({ 8 }) }, {}, body);
    made.program.regions[body].results.push_back(made.result(add));
    const auto found = verifyUnreduced(made.program); // x is manual, y is missing inside
    QVERIFY(found.has_value());
    QCOMPARE(found->text("wrong"), std::string("returned"));
    QCOMPARE(found->text("expected"), std::string("y"));
    ProgramSharding inside = made.sharding({ {} });
    inside.sharding.unreduced = { made.ref("y") };
    made.shard(made.result(add), inside);
    QVERIFY(!verifyUnreduced(made.program));
}

REGISTER_TEST(TestVerifyShardings)
#include "test_verify_shardings.moc"
