// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives on random meshes and shardings: every device ends up with what its layout says.
#include <QtTest>

#include <cstring>
#include <random>
#include <set>

#include "base/codes.h"
#include "partition/partition.h"
#include "partition/reshard.h"
#include "program/builder.h"
#include "random_cases.h"
#include "registered_test.h"
#include "simulate/element.h"
#include "simulate/exchange.h"
#include "simulate/mlp_plan.h"
#include "simulate/run.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

/// A plan of one collective between two slots, with memory for all devices.
struct OneCollective {
    std::shared_ptr<DeviceProgram> program = std::make_shared<DeviceProgram>();
    Plan plan;
    std::vector<std::vector<std::byte>> memory; ///< [position * 2 + slot]
    std::vector<std::byte*> addresses;

    OneCollective(const MeshPtr& mesh, const TensorType& type, const TensorSharding& from, const TensorSharding& to,
        const Collective& collective, bool inPlace)
    {
        auto ir = std::make_shared<Program>();
        for (int v = 0; v < 2; ++v)
            ir->values.push_back({ type, {}, 0, Role::Temporary, {}, {} });
        program->program = ir;
        program->mesh = mesh;
        for (std::uint32_t v = 0; v < 2; ++v) {
            const TensorSharding& sharding = v == 0 ? from : to;
            DeviceValue& value = program->values.emplace_back();
            value.origin = ValueId(v);
            value.localType = { type.dtype, shardShape(sharding, type.shape) };
            value.sharding = sharding;
        }
        DeviceOp op;
        op.action = collective;
        op.operands.push_back(DeviceValueId(0));
        op.results.push_back(DeviceValueId(1));
        program->ops.push_back(op);
        plan.program = program;
        std::int64_t offset = 0;
        for (std::uint32_t v = 0; v < 2; ++v) {
            const std::int64_t bytes = program->values[v].localType.byteCount();
            plan.slots.push_back({ offset, bytes, DeviceValueId(v), 0, 0 });
            offset += inPlace ? 0 : bytes + 64;
        }
        Instruction instruction;
        instruction.action = CollectiveInstruction{ DeviceOpId(0) };
        instruction.operands.push_back(SlotId(0));
        instruction.results.push_back(SlotId(inPlace ? 0 : 1));
        plan.instructions.push_back(instruction);
        const auto devices = static_cast<std::size_t>(mesh->deviceCount());
        for (std::size_t d = 0; d < devices; ++d)
            for (std::uint32_t v = 0; v < 2; ++v)
                memory.emplace_back(
                    static_cast<std::size_t>(program->values[v].localType.byteCount() + 8), std::byte(0xa5));
        for (std::size_t d = 0; d < devices; ++d)
            for (std::size_t v = 0; v < 2; ++v)
                addresses.push_back(memory[d * 2 + (inPlace ? 0 : v)].data());
    }

    [[nodiscard]] Layout layout(std::uint32_t value) const { return program->layout(DeviceValueId(value)); }

    /// Calls f(global index, local index) for what a device holds.
    template <class F>
    void forEachElement(std::uint32_t value, std::int64_t position, const F& f) const
    {
        const Layout where = layout(value);
        const auto ranges = where.rangesAt(position);
        const Shape strides = rowMajorStrides(where.shape());
        const Shape localStrides = rowMajorStrides(program->values[value].localType.shape);
        std::int64_t count = 1;
        for (const IndexRange& range : ranges)
            count *= range.size();
        for (std::int64_t i = 0; i < count; ++i) {
            std::int64_t rest = i, global = 0, local = 0;
            for (std::size_t d = ranges.size(); d-- > 0;) {
                const std::int64_t index = rest % ranges[d].size();
                rest /= ranges[d].size();
                global += (ranges[d].begin + index) * strides[d];
                local += index * localStrides[d];
            }
            f(global, local);
        }
    }

    Result<Exchange> run(bool backwards)
    {
        MemoryBudget budget(std::int64_t{ 1 } << 30);
        auto exchange = Exchange::prepare(plan, plan.instructions[0], kernelSet(), budget);
        if (!exchange)
            return exchange;
        MemoryBudget counter = MemoryBudget::counter(0);
        if (!Exchange::prepare(plan, plan.instructions[0], kernelSet(), counter) || counter.taken() != budget.taken())
            return fail(Code::OutOfMemory, { { "detail", "another size was counted than is taken" } });
        std::vector<std::byte> scratch(static_cast<std::size_t>(exchange->scratchBytes() + 64));
        for (std::int64_t t = 0; t < exchange->taskCount(); ++t)
            exchange->run(backwards ? exchange->taskCount() - 1 - t : t, addresses.data(), 2, scratch.data());
        return exchange;
    }
};

PlanPtr allGather(std::int64_t devices)
{
    Builder builder("gather");
    const ValueId x =
        builder.argument({ DType::F32, { devices } }, "x", Role::Input, {}, onAxes({ SpecEntry::axis("data") }));
    builder.result(builder.binary(OpKind::Add, x, x), onAxes({ SpecEntry::none() }));
    return makePlan(onDevices(std::move(builder).finish(), makeMesh({ { "data", devices } })));
}

Mesh randomMesh(std::mt19937& random)
{
    std::vector<MeshAxis> axes;
    const std::size_t rank = 1 + random() % 3;
    constexpr std::int64_t sizes[] = { 2, 4, 3, 2 };
    for (std::size_t a = 0; a < rank; ++a)
        axes.push_back({ std::string(1, static_cast<char>('a' + a)), sizes[random() % 4] });
    return Mesh::create(axes).value();
}

TensorSharding randomSharding(std::mt19937& random, const Mesh& mesh, std::size_t rank)
{
    TensorSharding sharding = TensorSharding::fullyReplicated(rank);
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        if (const std::size_t d = random() % (rank + 1); d < rank)
            sharding.dims[d].axes.push_back(fullAxis(mesh, axis));
    for (DimensionSharding& dim : sharding.dims)
        if (dim.axes.size() > 1 && random() % 2 == 0)
            std::swap(dim.axes[0], dim.axes[1]);
    return sharding;
}

} // namespace

class TestExchange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsManyDevices();
    void stopsAmongManyDevices();
    void reshards();
    void sums_data();
    void sums();
    void reduceScatters();
    void refusesWhatDoesNotFit();
};

// Every device gets what every other one holds: a table of 65536 x 65536 moves, which is refused before
// the test's time is over.
void TestExchange::countsManyDevices()
{
    const PlanPtr plan = allGather(65536);
    RunOptions options;
    options.threads = 2;
    options.memoryLimit = std::int64_t{ 16 } << 30;
    const auto refused = Run::create(plan, options);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, Code::OutOfMemory);
    QVERIFY(refused.error().number("bytes") > std::int64_t{ 65536 } * 65536 * 64);
}

void TestExchange::stopsAmongManyDevices()
{
    const PlanPtr plan = allGather(256);
    const auto& instructions = plan->instructions;
    const auto exchanges = std::find_if(instructions.begin(), instructions.end(),
        [](const Instruction& i) { return std::holds_alternative<CollectiveInstruction>(i.action); });
    QVERIFY(exchanges != instructions.end());
    MemoryBudget budget(1e9);
    std::stop_source source;
    QCOMPARE(
        Exchange::prepare(*plan, *exchanges, kernelSet(), budget, source.get_token())->taskCount(), std::int64_t(256));
    source.request_stop();
    QCOMPARE(
        Exchange::prepare(*plan, *exchanges, kernelSet(), budget, source.get_token())->taskCount(), std::int64_t(0));
}

void TestExchange::reshards()
{
    std::mt19937 random(31);
    std::set<CollectiveKind> seen;
    for (int round = 0; round < test::randomCases(150); ++round) {
        const auto mesh = std::make_shared<const Mesh>(randomMesh(random));
        const std::size_t rank = 1 + random() % 3;
        TensorType type{ round % 3 == 0 ? DType::F64 : round % 3 == 1 ? DType::F32 : DType::Pred, {} };
        for (std::size_t d = 0; d < rank; ++d)
            type.shape.push_back(round % 4 == 0 ? static_cast<std::int64_t>(1 + random() % 20) // uneven mostly
                                                : static_cast<std::int64_t>(12 << (random() % 2)));
        TensorSharding at = randomSharding(random, *mesh, rank);
        const TensorSharding to = randomSharding(random, *mesh, rank);
        for (const ReshardStep& step : reshardSteps(at, to, type, *mesh)) {
            seen.insert(step.collective.kind);
            OneCollective one(mesh, type, at, step.after, step.collective, false);
            const std::int64_t devices = mesh->deviceCount();
            for (std::int64_t p = 0; p < devices; ++p)
                one.forEachElement(0, p, [&](std::int64_t global, std::int64_t local) {
                    storeElement(type.dtype, one.addresses[static_cast<std::size_t>(p * 2)], local,
                        type.dtype == DType::Pred ? static_cast<double>(global * 7 % 5 % 2)
                                                  : static_cast<double>(global));
                });
            const auto exchange = one.run(round % 2 == 0);
            QVERIFY2(exchange.has_value(), name(step.collective.kind).data());
            bool right = true;
            std::int64_t moved = 0;
            for (std::int64_t p = 0; p < devices; ++p)
                one.forEachElement(1, p, [&](std::int64_t global, std::int64_t local) {
                    const double expected = type.dtype == DType::Pred ? static_cast<double>(global * 7 % 5 % 2)
                                                                      : static_cast<double>(global);
                    right = right
                        && loadElement(type.dtype, one.addresses[static_cast<std::size_t>(p * 2 + 1)], local)
                            == expected;
                    moved += byteSize(type.dtype);
                });
            QVERIFY2(right, name(step.collective.kind).data());
            QCOMPARE(exchange->copiedBytes(), moved);
            at = step.after;
        }
    }
    // The sample has to have met everything that moves data.
    for (const CollectiveKind kind : { CollectiveKind::AllGather, CollectiveKind::AllSlice, CollectiveKind::AllToAll,
             CollectiveKind::CollectivePermute })
        QVERIFY2(seen.count(kind) == 1 || !test::triesAllRandomCases(), name(kind).data());
}

void TestExchange::sums_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("dtype");
    for (int kind = 0; kind < 6; ++kind)
        for (const DType dtype : { DType::F32, DType::F64, DType::I32, DType::Pred })
            if (!(isFloat(dtype) && kind >= 4))
                QTest::addRow("%d %s", kind, name(dtype).data()) << kind << static_cast<int>(dtype);
}

// In the order of the group, element by element: the same bits as a loop over the members.
void TestExchange::sums()
{
    QFETCH(int, kind);
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    std::mt19937 random(37);
    for (int round = 0; round < test::randomCases(30); ++round) {
        const auto mesh = std::make_shared<const Mesh>(randomMesh(random));
        Collective collective;
        collective.reduction = static_cast<ReduceKind>(kind);
        for (std::size_t axis = 0; axis < mesh->rank(); ++axis)
            if (random() % 2 == 0)
                collective.axes.push_back(fullAxis(*mesh, axis));
        TensorSharding from = TensorSharding::fullyReplicated(1);
        const TensorSharding to = from;
        from.unreduced = collective.axes;
        const auto elements = static_cast<std::int64_t>(1 + random() % (round % 10 == 0 ? 20000 : 50));
        const bool inPlace = round % 2 == 0;
        OneCollective one(mesh, { type, { elements } }, from, to, collective, inPlace);
        const std::int64_t devices = mesh->deviceCount();
        std::vector<std::vector<double>> operands;
        for (std::int64_t p = 0; p < devices; ++p) {
            operands.emplace_back();
            for (std::int64_t i = 0; i < elements; ++i) {
                storeElement(type, one.addresses[static_cast<std::size_t>(p * 2)], i,
                    isFloat(type) ? std::uniform_real_distribution<double>(-1, 1)(random)
                                  : static_cast<double>(random() % (type == DType::Pred ? 2 : 9)));
                operands.back().push_back(loadElement(type, one.addresses[static_cast<std::size_t>(p * 2)], i));
            }
        }
        const auto exchange = one.run(round % 3 == 0);
        QVERIFY(exchange.has_value());
        QCOMPARE(exchange->copiedBytes(), devices * elements * byteSize(type));
        const auto combined = [&](double a, double b) -> double {
            switch (collective.reduction) {
            case ReduceKind::Sum:
                return type == DType::Pred ? std::max(a, b) : a + b;
            case ReduceKind::Product:
                return a * b;
            case ReduceKind::Max:
                return std::max(a, b);
            case ReduceKind::Min:
                return std::min(a, b);
            case ReduceKind::And:
                return static_cast<double>(static_cast<int>(a) & static_cast<int>(b));
            case ReduceKind::Or:
                return static_cast<double>(static_cast<int>(a) | static_cast<int>(b));
            }
            return 0;
        };
        for (const auto& group : axisGroups(*mesh, collective.axes)) {
            bool right = true;
            for (std::int64_t i = 0; i < elements; ++i) {
                double expected = operands[static_cast<std::size_t>(group[0])][static_cast<std::size_t>(i)];
                for (std::size_t m = 1; m < group.size(); ++m) {
                    expected =
                        combined(expected, operands[static_cast<std::size_t>(group[m])][static_cast<std::size_t>(i)]);
                    if (type == DType::F32)
                        expected = static_cast<double>(static_cast<float>(expected));
                    if (type == DType::I32) // wraps
                        expected = static_cast<double>(
                            static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(expected))));
                }
                for (const std::int32_t p : group)
                    right =
                        right && loadElement(type, one.addresses[static_cast<std::size_t>(p) * 2 + 1], i) == expected;
            }
            QVERIFY(right);
        }
    }
}

void TestExchange::reduceScatters()
{
    std::mt19937 random(41);
    for (int round = 0; round < test::randomCases(60); ++round) {
        const auto mesh = std::make_shared<const Mesh>(randomMesh(random));
        const std::size_t rank = 1 + random() % 3;
        TensorType type{ DType::I32, {} };
        for (std::size_t d = 0; d < rank; ++d)
            type.shape.push_back(static_cast<std::int64_t>(4 + random() % 30));
        const AxisRef axis = fullAxis(*mesh, random() % mesh->rank());
        TensorSharding from = TensorSharding::fullyReplicated(rank);
        TensorSharding to = from;
        from.unreduced.push_back(axis);
        const std::size_t dim = random() % rank;
        to.dims[dim].axes.push_back(axis);
        Collective collective;
        collective.kind = CollectiveKind::ReduceScatter;
        collective.perDimension.resize(rank);
        collective.perDimension[dim].push_back(axis);
        OneCollective one(mesh, type, from, to, collective, false);
        const std::int64_t devices = mesh->deviceCount();
        for (std::int64_t p = 0; p < devices; ++p)
            one.forEachElement(0, p, [&](std::int64_t global, std::int64_t local) {
                storeElement(type.dtype, one.addresses[static_cast<std::size_t>(p * 2)], local,
                    static_cast<double>(global * 3 + p * 1000));
            });
        QVERIFY(one.run(false).has_value());
        const AxisList axes{ axis };
        for (const auto& group : axisGroups(*mesh, axes)) {
            std::int64_t positions = 0;
            for (const std::int32_t p : group)
                positions += p;
            bool right = true;
            for (const std::int32_t p : group)
                one.forEachElement(1, p, [&](std::int64_t global, std::int64_t local) {
                    const std::int64_t expected =
                        global * 3 * static_cast<std::int64_t>(group.size()) + positions * 1000;
                    right = right
                        && loadElement(type.dtype, one.addresses[static_cast<std::size_t>(p) * 2 + 1], local)
                            == static_cast<double>(expected);
                });
            QVERIFY(right);
        }
    }
}

void TestExchange::refusesWhatDoesNotFit()
{
    const auto mesh = std::make_shared<const Mesh>(Mesh::create({ { "a", 2 }, { "b", 2 } }).value());
    const TensorType type{ DType::F32, { 8 } };
    TensorSharding cut = TensorSharding::fullyReplicated(1);
    cut.dims[0].axes.push_back(fullAxis(*mesh, 0));
    const TensorSharding whole = TensorSharding::fullyReplicated(1);
    Collective gather;
    gather.kind = CollectiveKind::AllGather;
    gather.perDimension.resize(1);
    gather.perDimension[0].push_back(fullAxis(*mesh, 1)); // but the array is cut over the other axis
    QCOMPARE(OneCollective(mesh, type, cut, whole, gather, false).run(false).error().code, Code::VersionMismatch);
    gather.perDimension[0][0] = fullAxis(*mesh, 0);
    QVERIFY(OneCollective(mesh, type, cut, whole, gather, false).run(false).has_value());
    QCOMPARE(OneCollective(mesh, type, cut, whole, gather, true).run(false).error().code, Code::VersionMismatch);
}

REGISTER_TEST(TestExchange)
#include "test_exchange.moc"
