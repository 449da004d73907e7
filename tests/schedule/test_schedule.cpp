// SPDX-License-Identifier: GPL-3.0-or-later
// Plans: replayed on symbols, memory counted again, state in place, fusion, and random programs.
#include <random>

#include <QtTest>

#include "base/codes.h"
#include "partition/on_mesh.h"
#include "program/program_text.h"
#include "program/stacks.h"
#include "random_properties.h"
#include "registered_test.h"
#include "schedule/flat_network.h"
#include "schedule/replay.h"

using namespace shardscope;

namespace {

std::vector<ValueId> gradients(const Program& program)
{
    std::vector<ValueId> list;
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (program.values[v].role == Role::Gradient)
            list.emplace_back(v);
    return list;
}

/// Lives and bytes counted again from the instructions alone.
std::string memoryFlaw(const Plan& plan)
{
    const auto end = static_cast<std::int32_t>(plan.instructions.size());
    std::vector<std::int32_t> first(plan.slots.size(), end + 1), last(plan.slots.size(), -2);
    const auto touch = [&](SlotId slot, std::int32_t at) {
        first[slot.index] = std::min(first[slot.index], at);
        last[slot.index] = std::max(last[slot.index], at);
    };
    for (std::int32_t i = 0; i < end; ++i) {
        const Instruction& instruction = plan.instructions[static_cast<std::size_t>(i)];
        for (const SlotId slot : instruction.operands)
            touch(slot, i);
        for (const SlotId slot : instruction.results)
            touch(slot, i);
        if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action)) {
            for (const auto& input : fused->inputs)
                if (input.slot.valid())
                    touch(input.slot, i);
            for (const auto& output : fused->outputs)
                touch(output.slot, i);
        }
    }
    for (const SlotId slot : plan.arguments) {
        touch(slot, -1);
        touch(slot, end);
    }
    for (const SlotId slot : plan.results)
        touch(slot, end);
    std::vector<std::int64_t> live(plan.instructions.size(), 0);
    std::int64_t peak = 0, peakWithoutKept = 0;
    for (std::int32_t i = 0; i < end; ++i) {
        std::int64_t withoutKept = 0;
        for (std::size_t s = 0; s < plan.slots.size(); ++s) {
            const Slot& slot = plan.slots[s];
            const bool outlives = slot.lastUse == end; // values to keep do, though nothing reads them
            const bool isReturned = slot.lastRead == end; // results, those too that are copied over an argument
            if (first[s] != slot.firstUse || (!outlives && last[s] != slot.lastUse)
                || (!isReturned && last[s] != slot.lastRead))
                return "interval of slot " + std::to_string(s);
            if (first[s] <= i && (outlives || i <= last[s]))
                live[static_cast<std::size_t>(i)] += slot.bytes;
            if (first[s] <= i && (isReturned || i <= last[s]))
                withoutKept += slot.bytes;
        }
        peak = std::max(peak, live[static_cast<std::size_t>(i)]);
        peakWithoutKept = std::max(peakWithoutKept, withoutKept);
    }
    if (live != plan.memory.live)
        return "live bytes";
    if (end > 0 && peak != plan.memory.peakBytes)
        return "peak";
    if (end > 0 && peakWithoutKept != plan.memory.peakWithoutKept)
        return "peak without what is kept";
    std::int64_t sum = 0;
    for (const std::int64_t bytes : plan.memory.atPeak)
        sum += bytes;
    if (sum != plan.memory.peakBytes)
        return "owners at the peak";
    if (plan.memory.arenaBytes < plan.memory.peakBytes)
        return "arena";
    return {};
}

std::string flawOf(const Plan& plan, std::span<const ValueId> keep)
{
    ScheduleReplay replay(plan);
    std::string flaw = replay.run();
    if (!flaw.empty())
        return flaw;
    for (const ValueId value : keep) {
        if (!replay.holds(value))
            return "kept value is gone: " + plan.program->program->value(value).path;
        if (!plan.observable(value))
            return "kept value is not called observable";
    }
    for (std::uint32_t v = 0; v < plan.program->program->values.size(); ++v) {
        const bool replaced = std::any_of(plan.program->program->state.begin(), plan.program->program->state.end(),
            [&](const StatePair& pair) { return pair.argument.index == v; });
        if (!replaced && plan.observable(ValueId(v)) && !replay.holds(ValueId(v)))
            return "called observable, but gone: " + std::to_string(v);
    }
    return memoryFlaw(plan);
}

struct RandomProgram {
    Program program;
    std::vector<ValueId> keep;
};

RandomProgram randomProgram(std::mt19937& random)
{
    const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
    const auto annotation = [&]() -> Annotation {
        DeviceAxes axes;
        const std::array entries{ SpecEntry::none(), SpecEntry::axis("x"), SpecEntry::axis("y") };
        const std::size_t first = draw(3);
        const std::size_t second = draw(3);
        axes.spec.entries = { entries[first], entries[second == first ? 0 : second] };
        return axes;
    };
    const TensorType matrix{ DType::F32, { 8, 8 } };
    const TensorType scalar{ DType::F32, {} };
    Builder b("random");
    std::vector<ValueId> matrices, scalars, predicates;
    const std::size_t arguments = 2 + draw(3);
    for (std::size_t i = 0; i < arguments; ++i)
        matrices.push_back(b.argument(matrix, "a" + std::to_string(i), Role::Parameter, {}, annotation()));
    for (std::size_t i = 0; i < 2; ++i)
        scalars.push_back(b.argument(scalar, "s" + std::to_string(i), Role::Count));
    const std::vector<ValueId> stateMatrices = matrices;
    const std::vector<ValueId> stateScalars = scalars;
    const auto pick = [&](const std::vector<ValueId>& from) { return from[draw(from.size())]; };
    const std::size_t operations = draw(24);
    for (std::size_t i = 0; i < operations; ++i)
        switch (draw(12)) {
        case 0:
            matrices.push_back(b.unary(OpKind::Negate, pick(matrices)));
            break;
        case 1:
            matrices.push_back(b.binary(OpKind::Add, pick(matrices), pick(matrices)));
            break;
        case 2:
            matrices.push_back(b.binary(OpKind::Multiply, pick(matrices), b.constant(matrix, 0.5)));
            break;
        case 3:
            matrices.push_back(b.binary(OpKind::Maximum, pick(matrices), b.broadcastScalar(pick(scalars), { 8, 8 })));
            break;
        case 4:
            matrices.push_back(b.dot(pick(matrices), pick(matrices)));
            break;
        case 5:
            scalars.push_back(b.reduce(ReduceKind::Sum, pick(matrices), { 0, 1 }));
            break;
        case 6:
            scalars.push_back(b.binary(OpKind::Divide, pick(scalars), pick(scalars)));
            break;
        case 7:
            predicates.push_back(b.compare(Comparison::Less, pick(matrices), pick(matrices)));
            break;
        case 8:
            if (!predicates.empty())
                matrices.push_back(b.select(pick(predicates), pick(matrices), pick(matrices)));
            break;
        case 9:
            matrices.push_back(b.constrain(pick(matrices), annotation()));
            break;
        case 10: { // along rows or columns
            const auto d = static_cast<std::int64_t>(draw(2));
            const ValueId sums = b.reduce(ReduceKind::Sum, pick(matrices), { 1 - d });
            matrices.push_back(b.broadcast(sums, { 8, 8 }, { static_cast<std::int64_t>(draw(2)) }));
            break;
        }
        default:
            matrices.push_back(b.constant(matrix, 2));
            break;
        }
    RandomProgram made;
    for (const ValueId argument : stateMatrices)
        if (draw(3) != 0)
            b.state(argument, b.result(pick(matrices)));
    for (const ValueId argument : stateScalars)
        if (draw(3) != 0)
            b.state(argument, b.result(pick(scalars)));
    b.result(pick(matrices));
    b.result(pick(scalars));
    made.program = std::move(b).finish();
    for (std::size_t v = 0; v < made.program.values.size(); ++v)
        if (draw(8) == 0 && made.program.values[v].definition.valid())
            made.keep.emplace_back(v);
    return made;
}

} // namespace

class TestSchedule : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void mlp_data()
    {
        QTest::addColumn<int>("pod");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("model");
        QTest::newRow("1x8") << 0 << 1 << 8;
        QTest::newRow("2x4") << 0 << 2 << 4;
        QTest::newRow("2x2x2") << 2 << 2 << 2;
    }
    void mlp()
    {
        QFETCH(int, pod);
        QFETCH(int, data);
        QFETCH(int, model);
        const auto device = flatNetwork(mlpOnMesh({}, mlpMesh(pod, data, model))).value();
        const std::vector<ValueId> all = gradients(*device->program);
        QCOMPARE(all.size(), std::size_t(8));
        for (const bool fuse : { true, false })
            for (const bool keep : { true, false }) {
                ScheduleOptions options;
                options.fuse = fuse;
                if (keep)
                    options.keep = all;
                const auto plan = schedule(device, options);
                QVERIFY(plan);
                const std::string flaw = flawOf(*plan, options.keep);
                QVERIFY2(flaw.empty(), flaw.c_str());
            }
    }

    void adamIsOneInstruction()
    {
        const auto device = flatNetwork(mlpOnMesh({}, mlpMesh(0, 2, 4))).value();
        const Plan plan = schedule(device).value();
        const Program& program = *device->program;
        int updates = 0;
        for (const Instruction& instruction : plan.instructions) {
            const auto* fused = std::get_if<FusedInstruction>(&instruction.action);
            if (!fused || fused->outputs.size() != 3 || fused->elements != 256 * 1024)
                continue;
            ++updates;
            int slots = 0, scalars = 0, constants = 0;
            for (const auto& input : fused->inputs)
                ++(!input.slot.valid() ? constants : input.scalar ? scalars : slots);
            QCOMPARE(slots, 4); // p, m, v, g
            QCOMPARE(scalars, 2); // bias corrections
            QVERIFY(constants > 0);
            for (const auto& output : fused->outputs) {
                const Slot& slot = plan.slot(output.slot);
                QCOMPARE(slot.firstUse, -1); // the argument's own slot
                QVERIFY(std::any_of(fused->inputs.begin(), fused->inputs.end(),
                    [&](const auto& input) { return input.slot == output.slot && !input.scalar; }));
            }
        }
        QCOMPARE(updates, 8);
        // No copies, and nothing elementwise but the updates, relu forward and backward and the scalars.
        for (const Instruction& instruction : plan.instructions)
            if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
                QVERIFY(!fused->steps.empty());
        for (const StatePair& pair : program.state)
            QVERIFY(plan.results[pair.result] == plan.slotOf[pair.argument.index]);
    }

    void memoryByOwner()
    {
        const auto device = flatNetwork(mlpOnMesh({}, mlpMesh(0, 2, 4))).value();
        constexpr std::int64_t mebi = 1 << 20;
        const auto of = [](const Plan& plan, Owner owner) {
            return plan.memory.atPeak[static_cast<std::size_t>(owner)];
        };
        const Plan kept = schedule(device, { true, gradients(*device->program) }).value();
        QCOMPARE(of(kept, Owner::Parameters), 8 * mebi);
        QCOMPARE(of(kept, Owner::Mu), 8 * mebi);
        QCOMPARE(of(kept, Owner::Nu), 8 * mebi);
        QCOMPARE(of(kept, Owner::Gradients), 8 * mebi);
        QCOMPARE(kept.memory.stateBytes, 24 * mebi + 8);
        const Plan reused = schedule(device).value();
        QVERIFY(of(reused, Owner::Gradients) <= 2 * mebi);
        QCOMPARE(kept.memory.peakWithoutKept, reused.memory.peakBytes);
        QCOMPARE(reused.memory.peakWithoutKept, reused.memory.peakBytes);
        QVERIFY(reused.memory.arenaBytes < kept.memory.arenaBytes - 5 * mebi);
        QVERIFY(reused.memory.arenaBytes < reused.memory.peakBytes + mebi);
        const Plan unfused = schedule(device, { false, {} }).value();
        QVERIFY(unfused.memory.peakBytes > reused.memory.peakBytes);
    }

    void swappedState()
    {
        // a <- b, b <- a, and the old a is returned too.
        Builder b("swap");
        const ValueId one = b.argument({ DType::F32, { 16 } }, "one", Role::Parameter);
        const ValueId two = b.argument({ DType::F32, { 16 } }, "two", Role::Parameter);
        b.state(one, b.result(two));
        b.state(two, b.result(one));
        b.result(one);
        const auto device = flatNetwork(annotated(std::move(b).finish(), meshOf({ { "x", 2 } }))).value();
        const Plan plan = schedule(device).value();
        const std::string flaw = flawOf(plan, {});
        QVERIFY2(flaw.empty(), flaw.c_str());
    }

    /// A stack of which a slice is written stands where it stood, unless somebody needs it as it was.
    void slicesAreWrittenInPlace()
    {
        const auto planOf = [](bool needsOld) {
            Builder b("stack");
            const ValueId stack = b.argument({ DType::F32, { 4, 8 } }, "stack", Role::Parameter);
            const ValueId element = b.argument({ DType::F32, { 8 } }, "element", Role::Input);
            const ValueId first = b.constant({ DType::I32, {} }, 0), second = b.constant({ DType::I32, {} }, 1);
            const ValueId once = updatedAt(b, stack, element, first);
            b.state(stack, b.result(updatedAt(b, once, b.unary(OpKind::Negate, element), second)));
            if (needsOld)
                b.result(b.transpose(stack, { 1, 0 }));
            return schedule(flatNetwork(annotated(std::move(b).finish(), meshOf({ { "x", 2 } }))).value()).value();
        };
        for (const bool needsOld : { false, true }) {
            const Plan plan = planOf(needsOld);
            const std::string flaw = flawOf(plan, {});
            QVERIFY2(flaw.empty(), flaw.c_str());
            int updates = 0;
            for (const Instruction& instruction : plan.instructions) {
                const auto* kernel = std::get_if<KernelInstruction>(&instruction.action);
                if (!kernel || plan.program->local->operation(kernel->operation).kind != OpKind::DynamicUpdateSlice)
                    continue;
                ++updates;
                QVERIFY(instruction.operands[0] == instruction.results[0]);
                QVERIFY(instruction.results[0] == plan.arguments[0]);
            }
            QCOMPARE(updates, 2);
            // The transposed old one is read before.
            QVERIFY(plan.memory.peakBytes < 3 * 4 * 8 * 4);
        }
    }

    /// What a slice is written into is nothing to be looked at afterwards.
    void arraysThatAreOverwrittenAreNotObservable()
    {
        Builder b("stack");
        const ValueId stack = b.argument({ DType::F32, { 4, 8 } }, "stack", Role::Parameter);
        const ValueId element = b.argument({ DType::F32, { 8 } }, "element", Role::Input);
        const ValueId doubled = b.binary(OpKind::Add, stack, stack);
        const ValueId first = updatedAt(b, doubled, element, b.constant({ DType::I32, {} }, 0));
        const ValueId second = updatedAt(b, first, element, b.constant({ DType::I32, {} }, 1));
        b.result(second);
        const Plan plan =
            schedule(flatNetwork(annotated(std::move(b).finish(), meshOf({ { "x", 2 } }))).value()).value();
        const std::string flaw = flawOf(plan, {});
        QVERIFY2(flaw.empty(), flaw.c_str());
        QVERIFY(!plan.observable(doubled));
        QVERIFY(!plan.observable(first));
        QVERIFY(plan.observable(second));
    }

    void nothingFusesAcrossCollectives()
    {
        // exp, sum over a sharded dimension, divide by it: two groups around the all-reduce.
        Builder b("softmax");
        DeviceAxes sharded;
        sharded.spec.entries = { SpecEntry::none(), SpecEntry::axis("x") };
        const ValueId a = b.argument({ DType::F32, { 4, 8 } }, "a", Role::Input, {}, sharded);
        const ValueId e = b.unary(OpKind::Exponential, b.unary(OpKind::Negate, a));
        const ValueId sum = b.reduce(ReduceKind::Sum, e, { 1 });
        b.result(b.binary(OpKind::Divide, e, b.broadcast(sum, { 4, 8 }, { 0 })));
        const auto device = flatNetwork(annotated(std::move(b).finish(), meshOf({ { "x", 2 } }))).value();
        const Plan plan = schedule(device).value();
        const std::string flaw = flawOf(plan, {});
        QVERIFY2(flaw.empty(), flaw.c_str());
        std::vector<std::size_t> steps;
        for (const Instruction& instruction : plan.instructions)
            if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
                steps.push_back(fused->steps.size());
        QCOMPARE(steps, (std::vector<std::size_t>{ 2, 1 }));
    }

    void broadcastsAreReadInPlace()
    {
        // x / (the sum of its rows) + a row, and the sums once more for somebody who needs them as a matrix.
        Builder b("rows");
        const ValueId x = b.argument({ DType::F32, { 4, 8 } }, "x", Role::Input);
        const ValueId row = b.argument({ DType::F32, { 8 } }, "row", Role::Parameter);
        const ValueId sums = b.broadcast(b.reduce(ReduceKind::Sum, x, { 1 }), { 4, 8 }, { 0 });
        const ValueId rows = b.broadcast(row, { 4, 8 }, { 1 });
        b.result(b.binary(OpKind::Add, b.binary(OpKind::Divide, x, sums), rows));
        b.result(b.transpose(sums, { 1, 0 }));
        const auto device = flatNetwork(annotated(std::move(b).finish(), meshOf({ { "x", 2 } }))).value();
        const Plan plan = schedule(device).value();
        const std::string flaw = flawOf(plan, {});
        QVERIFY2(flaw.empty(), flaw.c_str());
        using Dimensions = SmallVector<FusedInstruction::Dimension, 4>;
        std::vector<Dimensions> repeats;
        int broadcasts = 0;
        for (const Instruction& instruction : plan.instructions) {
            if (const auto* kernel = std::get_if<KernelInstruction>(&instruction.action))
                broadcasts += device->local->operation(kernel->operation).kind == OpKind::BroadcastInDim ? 1 : 0;
            if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
                for (const auto& input : fused->inputs)
                    repeats.push_back(input.repeats);
        }
        QCOMPARE(broadcasts, 1); // for the transpose
        QCOMPARE(repeats.size(), std::size_t(3));
        QVERIFY(repeats[0] == Dimensions());
        QVERIFY(repeats[1] == (Dimensions{ { 4, 1 }, { 8, 0 } }));
        QVERIFY(repeats[2] == (Dimensions{ { 8, 1 } }));
    }

    void tooLarge()
    {
        Builder b("huge");
        const ValueId a = b.argument({ DType::F32, { std::int64_t{ 1 } << 39 } }, "a", Role::Input);
        b.result(b.unary(OpKind::Negate, a));
        const auto device = flatNetwork(annotated(std::move(b).finish(), meshOf({ { "x", 2 } }))).value();
        const auto plan = schedule(device);
        QVERIFY(!plan);
        QVERIFY(plan.error().code == Code::TooLarge);
    }

    void randomPrograms()
    {
        const MeshPtr mesh = meshOf({ { "x", 2 }, { "y", 2 } });
        QVERIFY(test::propertyHolds(
            100, "fused and unfused plans compute what the device program says", [&](std::uint32_t seed) {
                std::mt19937 random(seed);
                for (int i = 0; i < 8; ++i) {
                    RandomProgram made = randomProgram(random);
                    const auto flat = flatNetwork(annotated(std::move(made.program), mesh));
                    RC_ASSERT(flat.has_value());
                    const auto& device = *flat;
                    std::vector<ValueId> keep;
                    for (const ValueId value : made.keep)
                        for (const FlatOp& op : device->main().ops)
                            if (op.results[0].index == value.index)
                                keep.push_back(value); // made in its own form
                    for (const bool fuse : { true, false }) {
                        const auto plan = schedule(device, { fuse, keep });
                        RC_ASSERT(plan.has_value());
                        const std::string flaw = flawOf(*plan, keep);
                        if (!flaw.empty())
                            RC_FAIL(flaw + "\n" + print(*device->program));
                    }
                }
            }));
    }

    void fast()
    {
        const auto device = flatNetwork(mlpOnMesh({}, mlpMesh(0, 2, 4))).value();
        QBENCHMARK
        {
            QVERIFY(schedule(device));
        }
    }
};

REGISTER_TEST(TestSchedule)
#include "test_schedule.moc"
