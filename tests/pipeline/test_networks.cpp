// SPDX-License-Identifier: GPL-3.0-or-later
// Networks on their devices: the MLP's train step on five meshes, constraints, pinned results, uneven shards, text.
#include <QtTest>

#include "base/codes.h"
#include "partition/axis_text.h"
#include "partition/on_mesh.h"
#include "pipeline/annotate.h"
#include "pipeline/listed_network.h"
#include "program/scan.h"
#include "program/verify_shardings.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "simulate/run/run.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;
using test::listedNetwork;
using test::ListedNetwork;

namespace {

std::map<std::string, int> allReduces(const ListedNetwork& network, bool& onlyAllReduces)
{
    std::map<std::string, int> counts;
    for (const CollectiveEntry& entry : network.list.entries) {
        onlyAllReduces = onlyAllReduces && entry.kind == CollectiveKind::AllReduce;
        if (entry.scalarLoss)
            continue;
        std::string key = network.scopeOf(entry).starts_with("backward") ? "backward" : "forward";
        for (const AxisRef& axis : entry.axes)
            key += ' ' + network.list.mesh->axis(static_cast<std::size_t>(axis.axis)).name;
        ++counts[key];
    }
    return counts;
}

/// What every device runs, as StableHLO; what is wrong with that.
std::string textOf(const AnnotatedInput& input)
{
    const auto parts =
        shardPropagated(*PropagationInput(input).program, propagate(input)).and_then([](ShardedProgram sharded) {
            return partitionProgram(std::move(sharded));
        });
    if (!parts)
        return std::string(parts.error().id());
    PrintOptions options;
    options.names = PrintedNames::AsComments;
    std::string text = printStableHlo(parts->device.program, options);
    const Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        return std::string(read.error().id()) + '\n' + text;
    return verify(read->program).empty() && verifyShardings(read->program).empty() ? text : "illegal\n" + text;
}

/// Every operation reads what was made before it; every value is made once, and is what its sharding says.
std::string firstFlaw(const ListedNetwork& network)
{
    const FlatProgram& flat = *network.flat;
    std::vector<bool> made(flat.values.size());
    for (const FlatValueId argument : flat.main().arguments)
        made[argument.index] = true;
    for (const FlatOp& op : flat.main().ops) {
        for (const FlatValueId operand : op.operands)
            if (!made[operand.index])
                return "reads a value that is not there: %" + std::to_string(operand.index);
        for (const FlatValueId result : op.results) {
            if (made[result.index])
                return "makes a value twice: %" + std::to_string(result.index);
            made[result.index] = true;
            const FlatValue& value = flat.value(result);
            if (value.isShard && value.localType.shape != shardShape(value.sharding, value.fullShape))
                return "local shape";
        }
    }
    for (const FlatValueId result : flat.main().results) {
        if (!made[result.index])
            return "returns what is not there";
        if (!flat.value(result).sharding.unreduced.empty())
            return "returns a partial sum";
    }
    for (const CollectiveEntry& entry : network.list.entries)
        if (entry.axes.empty())
            return "a collective over nothing";
    return {};
}

} // namespace

class TestNetworks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void mlp_data()
    {
        QTest::addColumn<int>("pod");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("model");
        QTest::addColumn<qlonglong>("sent");
        QTest::addColumn<int>("loss");
        QTest::newRow("1x8") << 0 << 1 << 8 << 401'408LL << 0;
        QTest::newRow("2x4") << 0 << 2 << 4 << 8'560'640LL << 4;
        QTest::newRow("4x2") << 0 << 4 << 2 << 25'223'168LL << 6;
        QTest::newRow("8x1") << 0 << 8 << 1 << 58'720'256LL << 7;
        QTest::newRow("2x2x2") << 2 << 2 << 2 << 25'223'168LL << 6;
    }
    void mlp()
    {
        QFETCH(int, pod);
        QFETCH(int, data);
        QFETCH(int, model);
        QFETCH(qlonglong, sent);
        QFETCH(int, loss);
        for (const MlpSettings::Axes axes : { MlpSettings::Axes::Logical, MlpSettings::Axes::Device }) {
            MlpSettings settings;
            settings.axes = axes;
            const auto network = listedNetwork(mlpOnMesh(settings, mlpMesh(pod, data, model)));
            QVERIFY(network);
            QCOMPARE(firstFlaw(*network), std::string());
            const SentBytes bytes = sentBytes(network->list);
            QCOMPARE(bytes.step, Rational(sent));
            QCOMPARE(bytes.scalarLoss, Rational(loss));
            bool onlyAllReduces = true;
            const auto counts = allReduces(*network, onlyAllReduces);
            QVERIFY(onlyAllReduces);
            std::map<std::string, int> expected;
            if (model > 1)
                expected = { { "forward model", 4 }, { "backward model", 3 } };
            if (data > 1)
                expected[pod > 1 ? "backward pod data" : "backward data"] = 8;
            QCOMPARE(counts, expected);
        }
    }

    void otherForms()
    {
        MlpSettings settings;
        settings.layers = 2;
        settings.batch = 8;
        settings.embed = settings.hidden = 64;
        settings.loss = LossKind::HalfSumOfSquares;
        settings.inputGradient = true;
        const auto network = listedNetwork(mlpOnMesh(settings, mlpMesh(0, 2, 4)));
        QVERIFY(network);
        QCOMPARE(firstFlaw(*network), std::string());
        bool onlyAllReduces = true;
        const std::map<std::string, int> expected{ { "forward model", 2 }, { "backward model", 2 },
            { "backward data", 4 } };
        QCOMPARE(allReduces(*network, onlyAllReduces), expected);
        QCOMPARE(sentBytes(network->list).scalarLoss, Rational(4));
    }

    void reasonsAndText()
    {
        MlpSettings settings;
        settings.layers = 1;
        const AnnotatedInput input = mlpOnMesh(settings, mlpMesh(0, 2, 4));
        const auto network = listedNetwork(input);
        QVERIFY(network);
        for (const CollectiveEntry& entry : network->list.entries) {
            QVERIFY(entry.reason);
            QVERIFY(entry.reason->kind == Reason::Kind::ReducedFactor);
            QVERIFY(entry.reason->factor >= 0);
        }
        const std::string text = textOf(input);
        for (const char* part : { "mhlo.num_partitions = 8 : i32", "tensor<1024x256xf32>", "stablehlo.all_reduce",
                 "shardscope.axes = \"model\"", "dense<[[0, 1, 2, 3], [4, 5, 6, 7]]>", "shardscope.axes = \"data\"",
                 "dense<[[0, 4], [1, 5], [2, 6], [3, 7]]>", "// layers.0/h" })
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }

    void deviceOrderInGroups()
    {
        Builder b("sum");
        DeviceAxes sharded;
        sharded.spec.entries = { SpecEntry::axis("x"), SpecEntry::axis("y") };
        const ValueId a = b.argument({ DType::F32, { 4, 4 } }, "a", Role::Input, {}, sharded);
        b.result(b.reduce(ReduceKind::Max, a, { 0 }));
        auto mesh = std::make_shared<const Mesh>(Mesh::create({ { "x", 2 }, { "y", 2 } }, { 3, 1, 0, 2 }).value());
        const AnnotatedInput input = annotated(std::move(b).finish(), mesh);
        const auto network = listedNetwork(input);
        QVERIFY(network);
        const auto& uses = network->list.entries;
        QCOMPARE(uses.size(), std::size_t(1));
        QVERIFY(!uses[0].scalarLoss);
        QVERIFY(uses[0].collective.reduction == ReduceKind::Max);
        const std::string text = textOf(input);
        QVERIFY2(text.find("dense<[[3, 0], [1, 2]]>") != std::string::npos, text.c_str());
        QVERIFY2(text.find("stablehlo.maximum") != std::string::npos, text.c_str());
    }

    void constraintsAndPinnedResults()
    {
        // a [x,-], constrained to [-,y] where nothing else reads it, returned as [y,-]: one exchange.
        Builder b("moves");
        const auto axes = [](SpecEntry first, SpecEntry second) {
            DeviceAxes device;
            device.spec.entries = { std::move(first), std::move(second) };
            return device;
        };
        const ValueId a =
            b.argument({ DType::F32, { 8, 8 } }, "a", Role::Input, {}, axes(SpecEntry::axis("x"), SpecEntry::none()));
        const ValueId moved = b.constrain(a, axes(SpecEntry::none(), SpecEntry::axis("y")));
        b.named(moved, "moved", Role::Activation);
        b.result(moved, axes(SpecEntry::axis("y"), SpecEntry::none()));
        const auto network = listedNetwork(annotated(std::move(b).finish(), meshOf({ { "x", 2 }, { "y", 2 } })));
        QVERIFY(network);
        QCOMPARE(firstFlaw(*network), std::string());
        std::vector<std::pair<CollectiveKind, Reason::Kind>> kinds;
        for (const CollectiveEntry& entry : network->list.entries)
            kinds.emplace_back(entry.kind, entry.reason->kind);
        const std::vector<std::pair<CollectiveKind, Reason::Kind>> expected{
            { CollectiveKind::CollectivePermute, Reason::Kind::ReturnReshard },
        };
        QVERIFY(kinds == expected);
        QCOMPARE(toText(*network->flat->mesh, network->flat->value(network->flat->main().results[0]).sharding),
            (AxisTexts{ { "y" }, {} }));
    }

    void constraintsInLoops()
    {
        Builder b("loop");
        const ValueId x = b.argument({ DType::F32, { 8, 8 } }, "x", Role::Input);
        DeviceAxes rows;
        rows.spec.entries = { SpecEntry::axis("x") };
        const Scanned done = scan(b, 3, std::array{ x }, {}, [&](Builder& in, const Trip& trip) {
            return TripResults{ { in.constrain(in.unary(OpKind::Tanh, trip.carried[0]), rows) }, {} };
        });
        b.result(done.carried[0]);
        const Program program = std::move(b).finish();
        const Annotations annotations = resolveAnnotations(program, *meshOf({ { "x", 2 } }), Experiment());
        QCOMPARE(annotations.constraints.size(), std::size_t(1));
        QVERIFY(annotations.constraints[0].spec.has_value());
        QVERIFY(!annotations.constraints[0].problem);
        const Region& body = program.regions[program.operation(done.loop).regions[1].index];
        QCOMPARE(annotations.constraints[0].operation, body.operations[1]);
    }

    void reduceScatter()
    {
        // Fully sharded data parallelism: the weight's gradient is summed over data and stays sharded over data.
        Builder b("fsdp");
        const auto along = [](const char* axis) {
            DeviceAxes device;
            device.spec.entries = { SpecEntry::axis(axis) };
            return device;
        };
        const ValueId x = b.argument({ DType::F32, { 16, 32 } }, "x", Role::Input, {}, along("data"));
        const ValueId dy = b.argument({ DType::F32, { 16, 8 } }, "dy", Role::Input, {}, along("data"));
        DotGeneralAttributes overBatch;
        overBatch.lhsContracting = { 0 };
        overBatch.rhsContracting = { 0 };
        b.result(b.dotGeneral(x, dy, overBatch), along("data"));
        const auto network = listedNetwork(annotated(std::move(b).finish(), meshOf({ { "data", 4 } })));
        QVERIFY(network);
        QCOMPARE(firstFlaw(*network), std::string());
        const auto& uses = network->list.entries;
        QCOMPARE(uses.size(), std::size_t(1));
        QVERIFY(uses[0].kind == CollectiveKind::ReduceScatter);
        QCOMPARE(uses[0].sentBytes, Rational(32 * 8 * 4 * 3 / 4));
    }

    void followersCostNothing()
    {
        // A constant, an iota and a spread scalar used in two shardings are made twice, not moved.
        Builder b("followers");
        const auto along = [](const char* axis) {
            DeviceAxes device;
            device.spec.entries = { SpecEntry::axis(axis) };
            return device;
        };
        const TensorType type{ DType::F32, { 8 } };
        const ValueId one = b.argument(type, "one", Role::Input, {}, along("x"));
        const ValueId two = b.argument(type, "two", Role::Input, {}, along("y"));
        const ValueId s = b.argument({ DType::F32, {} }, "s", Role::Input);
        const ValueId constant = b.constant(type, std::vector<double>{ 0, 1, 2, 3, 4, 5, 6, 7 });
        const ValueId counted = b.iota(type, 0);
        const ValueId spread = b.broadcastScalar(s, { 8 });
        std::vector<std::pair<ValueId, ValueId>> sides; // value, and the argument whose sharding it has
        for (const ValueId v : { one, two }) {
            ValueId sum = v;
            for (const ValueId follower : { constant, counted, spread }) {
                const ValueId product = b.binary(OpKind::Multiply, v, follower);
                sum = b.binary(OpKind::Add, sum, product);
                sides.insert(sides.end(), { { product, v }, { sum, v } });
            }
            b.result(sum);
        }
        const AnnotatedInput input = annotated(std::move(b).finish(), meshOf({ { "x", 2 }, { "y", 4 } }));
        PropagationResult shardings = propagate(input);
        for (const auto& [value, argument] : sides)
            shardings.shardings[value.index] = *input.arguments[argument.index];
        const auto network = listedNetwork(input, shardings);
        QVERIFY(network);
        QCOMPARE(firstFlaw(*network), std::string());
        QVERIFY(network->list.entries.empty());
    }

    void uneven()
    {
        // Ten elements on four devices, three on each of the first ones: what is returned stays padded, and a sum
        // leaves the padding out.
        const auto build = [](bool sum) {
            Builder b("uneven");
            DeviceAxes sharded;
            sharded.spec.entries = { SpecEntry::axis("x") };
            const ValueId a = b.argument({ DType::F32, { 10 } }, "a", Role::Input);
            const ValueId c = b.named(b.constrain(a, sharded), "c", Role::Activation);
            const ValueId e = b.unary(OpKind::Negate, c);
            b.result(sum ? b.reduce(ReduceKind::Sum, e, { 0 }) : e);
            return listedNetwork(annotated(std::move(b).finish(), meshOf({ { "x", 4 } })));
        };
        const auto even = build(false);
        QVERIFY(even);
        QCOMPARE(firstFlaw(*even), std::string());
        const TensorSharding& returned = even->flat->value(even->flat->main().results[0]).sharding;
        QCOMPARE(shardCount(returned.dims[0]), 4);
        const auto summed = build(true);
        QVERIFY(summed);
        RunOptions options;
        options.initial.byPath["a"] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
        auto run = Run::create(std::make_shared<const Plan>(schedule(summed->flat).value()), options).value();
        run->step();
        QCOMPARE(run->gatherResult(0), std::vector<double>{ -55 });
    }

    void fast()
    {
        const AnnotatedInput input = mlpOnMesh({}, mlpMesh(0, 2, 4));
        const PropagationResult shardings = propagate(input);
        QBENCHMARK
        {
            QVERIFY(listedNetwork(input, shardings));
        }
    }
};

REGISTER_TEST(TestNetworks)
#include "test_networks.moc"
