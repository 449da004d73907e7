// SPDX-License-Identifier: GPL-3.0-or-later
// Plans of halo exchanges, carried out on numbers, against who needs what; and what devices run for them.
#include <QtTest>

#include <algorithm>
#include <iostream>
#include <numeric>

#include "partition/halo_plan.h"
#include "partition/partition_program.h"
#include "program/other_attributes.h"
#include "random_cases.h"
#include "registered_test.h"
#include "split_mix.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;

class TestHalo : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void windowReadsOneElementOnBothSides();
    void plansBringWhatIsRead();
    void partsOfSeveralArrays();
    void thereIsNoPlanForUnevenBlocksAndPhases();
    void stripsAreSentInsteadOfTheArray();
    void alignedSlicesSendNothing();
    void whatCostsAsMuchAsGatheringIsGathered();
    void longDimensionsAreCountedInLongNumbers();
    void windowsOverPaddingAreNotBroughtInParts();
};

namespace {

/// Result o of an operation reads `start + o * stride + tap * tapSpacing` for each tap below `taps`, as far as these
/// are multiples of `spread`.
struct Reads {
    std::int64_t outputSize = 0, start = 0, stride = 1, taps = 1, tapSpacing = 1, spread = 1;
};

/// What a plan gives to every device: numbers of elements (over all inputs), -1 where there is none.
std::vector<std::vector<std::int64_t>> carriedOut(const HaloReads& reads, const HaloPlan& plan)
{
    std::vector<std::int64_t> firsts; // numbers of the inputs' first elements
    std::int64_t all = 0;
    for (const HaloReads::Input& input : reads.inputs) {
        firsts.push_back(all);
        all += input.size;
    }
    std::vector<std::vector<std::int64_t>> current(
        static_cast<std::size_t>(plan.devices), std::vector<std::int64_t>(static_cast<std::size_t>(plan.length), -1));
    const auto carry = [&](const HaloPlan::Round& round) {
        for (const HaloPlan::Edge& edge : round.edges) {
            const HaloReads::Input& input = reads.inputs[edge.input];
            const std::int64_t block = input.sharded ? edge.source * (input.size / plan.devices) : 0;
            for (std::int64_t i = 0; i < edge.elements; ++i)
                current[static_cast<std::size_t>(edge.target)][static_cast<std::size_t>(edge.to + i)] =
                    firsts[edge.input] + block + edge.from + i;
        }
    };
    std::for_each(plan.rounds.begin(), plan.rounds.end(), carry);
    std::for_each(plan.own.begin(), plan.own.end(), carry);
    if (plan.uniform) // what a device has of its own is as long as the rest leaves it
        for (std::int64_t d = 0; d < plan.devices; ++d)
            for (std::int64_t i = 0; i < plan.length; ++i) {
                const std::int64_t element = plan.begin + d * plan.delta + i;
                if (element / plan.delta == d && element >= 0)
                    current[static_cast<std::size_t>(d)][static_cast<std::size_t>(i)] = element;
            }
    return current;
}

bool sendsAndReceivesOnce(const HaloPlan::Round& round)
{
    std::vector<std::int64_t> sources, targets;
    for (const HaloPlan::Edge& edge : round.edges) {
        sources.push_back(edge.source);
        targets.push_back(edge.target);
        if (edge.elements > round.elements || edge.elements < 1)
            return false;
    }
    for (auto* list : { &sources, &targets }) {
        std::sort(list->begin(), list->end());
        if (std::adjacent_find(list->begin(), list->end()) != list->end())
            return false;
    }
    return true;
}

PartitionedProgram partitioned(const std::string& text)
{
    Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        qFatal("%s", std::string(read.error().id()).c_str());
    Result<PartitionedProgram> parts = partitionProgram(std::move(read->program));
    if (!parts)
        qFatal("%s", std::string(parts.error().id()).c_str());
    return std::move(*parts);
}

std::vector<const Operation*> all(const Program& program, OpKind kind)
{
    std::vector<const Operation*> found;
    for (const OperationId id : program.main().operations)
        if (program.operation(id).kind == kind)
            found.push_back(&program.operation(id));
    return found;
}

} // namespace

void TestHalo::windowReadsOneElementOnBothSides()
{
    HaloReads reads;
    reads.inputs.push_back({ 16, true, 0 });
    reads.devices = 4;
    reads.first = -1;
    reads.step = 4;
    reads.span = 6;
    const auto plan = haloPlan(reads);
    QVERIFY(plan.has_value());
    QVERIFY(plan->uniform && plan->beyond);
    QCOMPARE(plan->sent(), std::int64_t{ 2 });
    QVERIFY(!plan->allSend()); // the devices at the ends have one neighbour
    QCOMPARE(plan->rounds.size(), std::size_t{ 2 });
    QCOMPARE(plan->rounds[0].edges.size(), std::size_t{ 3 });
    QCOMPARE(plan->left, std::int64_t{ 1 });
    QCOMPARE(plan->right, std::int64_t{ 1 });
    for (const std::int64_t devices : { 4, 5 }) { // of 5 the one in the middle keeps what it has
        HaloReads mirrored;
        mirrored.inputs.push_back({ 20, true, 0 });
        mirrored.devices = devices;
        mirrored.reversed = true;
        QCOMPARE(haloPlan(mirrored)->allSend(), devices == 4);
    }
}

void TestHalo::plansBringWhatIsRead()
{
    const auto cases = test::randomCases(std::uint64_t{ 20000 });
    int plans = 0, uniform = 0;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        shardscope::test::SplitMix random(seed);
        const auto number = [&](std::int64_t from, std::int64_t to) {
            return from + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(to - from + 1)));
        };
        const std::int64_t devices = number(2, 8), size = devices * number(1, 6);
        Reads wanted;
        switch (random.below(3)) {
        case 0: { // a slice
            wanted.start = number(0, size - 1);
            const std::int64_t limit = number(wanted.start + 1, size);
            wanted.stride = number(1, 3);
            wanted.outputSize = (limit - wanted.start + wanted.stride - 1) / wanted.stride;
            break;
        }
        case 1: { // a pad
            const std::int64_t low = number(-3, 9), high = number(-3, 9), interior = random.once(2) ? number(0, 2) : 0;
            wanted.start = -low;
            wanted.spread = interior + 1;
            wanted.outputSize = low + high + size + (size - 1) * interior;
            break;
        }
        default: { // a window
            wanted.taps = number(1, 5);
            wanted.stride = number(1, 3);
            const std::int64_t low = number(-1, 5), high = number(-1, 5);
            wanted.tapSpacing = number(1, 2);
            wanted.spread = number(1, 3);
            wanted.start = -low;
            const std::int64_t span = (wanted.taps - 1) * wanted.tapSpacing + 1;
            const std::int64_t room = (size - 1) * wanted.spread + 1 + low + high - span;
            wanted.outputSize = room < 0 ? 0 : room / wanted.stride + 1;
        }
        }
        if (wanted.outputSize <= 0 || wanted.outputSize % devices != 0)
            continue;
        const std::int64_t block = wanted.outputSize / devices;
        HaloReads reads;
        reads.inputs.push_back({ size, true, 0 });
        reads.devices = devices;
        reads.first = wanted.start;
        reads.step = block * wanted.stride;
        reads.span = (block - 1) * wanted.stride + (wanted.taps - 1) * wanted.tapSpacing + 1;
        reads.spread = wanted.spread;
        const auto plan = haloPlan(reads);
        if (!plan)
            continue;
        const std::string name = "seed " + std::to_string(seed);
        ++plans;
        uniform += plan->uniform ? 1 : 0;
        for (const HaloPlan::Round& round : plan->rounds)
            QVERIFY2(sendsAndReceivesOnce(round), name.c_str());
        const auto current = carriedOut(reads, *plan);
        for (std::int64_t o = 0; o < wanted.outputSize; ++o)
            for (std::int64_t tap = 0; tap < wanted.taps; ++tap) {
                const std::int64_t place = wanted.start + o * wanted.stride + tap * wanted.tapSpacing;
                if (place < 0 || place % wanted.spread != 0 || place / wanted.spread >= size)
                    continue;
                const std::int64_t element = place / wanted.spread, device = o / block;
                const std::int64_t at = element - plan->begin - device * plan->delta;
                QVERIFY2(at >= 0 && at < plan->length, name.c_str());
                QVERIFY2(
                    current[static_cast<std::size_t>(device)][static_cast<std::size_t>(at)] == element, name.c_str());
            }
    }
    QVERIFY2(plans > static_cast<int>(cases) / 10, qPrintable(QString::number(plans)));
    QVERIFY2(uniform > plans / 50, qPrintable(QString::number(uniform)));
}

void TestHalo::partsOfSeveralArrays()
{
    for (std::uint64_t seed = 0; seed < test::randomCases(std::uint64_t{ 2000 }); ++seed) {
        shardscope::test::SplitMix random(seed);
        HaloReads reads;
        reads.devices = 2 + static_cast<std::int64_t>(random.below(6));
        std::int64_t all = 0;
        for (std::size_t i = 2 + random.below(2); i > 0; --i) {
            const bool sharded = !random.once(4);
            const std::int64_t size = (1 + static_cast<std::int64_t>(random.below(5))) * (sharded ? reads.devices : 1);
            reads.inputs.push_back({ size, sharded, all });
            all += size;
        }
        if (all % reads.devices != 0)
            continue;
        reads.step = reads.span = all / reads.devices;
        const auto plan = haloPlan(reads);
        QVERIFY(plan.has_value());
        QVERIFY(!plan->beyond);
        for (const HaloPlan::Round& round : plan->rounds)
            QVERIFY(sendsAndReceivesOnce(round));
        std::int64_t next = 0;
        for (const std::vector<std::int64_t>& row : carriedOut(reads, *plan))
            for (const std::int64_t element : row)
                QVERIFY2(element == next++, ("seed " + std::to_string(seed)).c_str());
    }
}

void TestHalo::thereIsNoPlanForUnevenBlocksAndPhases()
{
    HaloReads reads;
    reads.inputs.push_back({ 10, true, 0 });
    reads.devices = 4;
    reads.step = reads.span = 3;
    QVERIFY(!haloPlan(reads));
    reads.inputs[0].size = 8;
    QVERIFY(haloPlan(reads));
    reads.spread = 2; // every device would find its elements at other places
    QVERIFY(!haloPlan(reads));
    reads.step = 4;
    QVERIFY(haloPlan(reads));
}

void TestHalo::stripsAreSentInsteadOfTheArray()
{
    const PartitionedProgram parts = partitioned(R"(
        sdy.mesh @mesh = <["x"=4]>
        func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
          %0 = stablehlo.constant dense<0.0> : tensor<f32>
          %1 = "stablehlo.reduce_window"(%arg0, %0) <{padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>}> ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %c = stablehlo.add %a, %b : tensor<f32>
            stablehlo.return %c : tensor<f32>
          }) : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
          return %1 : tensor<16x8xf32>
        })");
    const Program& device = parts.device.program;
    const auto permutes = all(device, OpKind::CollectivePermute);
    QCOMPARE(permutes.size(), std::size_t{ 2 });
    for (const Operation* permute : permutes) {
        QVERIFY(device.value(permute->operands[0]).type.shape == Shape({ 1, 8 }));
        QCOMPARE(attributesAs<CollectiveAttributes>(permute->attributes)->groups.size(), std::size_t{ 3 });
    }
    QVERIFY(all(device, OpKind::AllGather).empty());
    QVERIFY(all(device, OpKind::Select).empty()); // what nobody sends is zero, as the initial value is
    const auto windows = all(device, OpKind::ReduceWindow);
    QCOMPARE(windows.size(), std::size_t{ 1 });
    QVERIFY(device.value(windows[0]->operands[0]).type.shape == Shape({ 6, 8 }));
    const auto& padding = attributesAs<WindowAttributes>(windows[0]->attributes)->padding;
    QCOMPARE(padding[0].first + padding[0].second, std::int64_t{ 0 });
}

void TestHalo::alignedSlicesSendNothing()
{
    const PartitionedProgram parts = partitioned(R"(
        sdy.mesh @mesh = <["x"=4]>
        func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
          %1 = stablehlo.slice %arg0 [0:16:2] : (tensor<16xf32>) -> tensor<8xf32>
          return %1 : tensor<8xf32>
        })");
    for (const OpKind kind : { OpKind::AllGather, OpKind::CollectivePermute, OpKind::DynamicSlice })
        QVERIFY(all(parts.device.program, kind).empty());
    QVERIFY(!all(parts.device.program, OpKind::Slice).empty()); // of its own block
}

void TestHalo::whatCostsAsMuchAsGatheringIsGathered()
{
    // Every device reads everything: strips to both sides would be twice what an all_gather sends.
    const PartitionedProgram parts = partitioned(R"(
        sdy.mesh @mesh = <["x"=4]>
        func.func @main(%arg0: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
          %0 = stablehlo.constant dense<0> : tensor<i32>
          %1 = "stablehlo.reduce_window"(%arg0, %0) <{padding = dense<[[16, 15]]> : tensor<1x2xi64>, window_dimensions = array<i64: 32>}> ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            %c = stablehlo.add %a, %b : tensor<i32>
            stablehlo.return %c : tensor<i32>
          }) : (tensor<16xi32>, tensor<i32>) -> tensor<16xi32>
          return %1 : tensor<16xi32>
        })");
    QCOMPARE(all(parts.device.program, OpKind::AllGather).size(), std::size_t{ 1 });
    QVERIFY(all(parts.device.program, OpKind::CollectivePermute).empty());
}

/// 2^33 elements: where a block begins is no number of 32 bits.
void TestHalo::longDimensionsAreCountedInLongNumbers()
{
    const auto deviceText = [](const std::string& arguments, const std::string& body) {
        const PartitionedProgram parts = partitioned("sdy.mesh @mesh = <[\"x\"=4]>\n" + ("func.func @main(" + arguments)
            + ") -> (tensor<8589934592xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) {\n" + body
            + "\n  return %0 : tensor<8589934592xf32>\n}");
        return printStableHlo(parts.device.program);
    };
    const auto says = [](const std::string& text, const char* part) {
        const bool found = text.find(part) != std::string::npos;
        if (!found)
            std::cout << text << std::endl;
        return found;
    };
    // Uniform strips, and places compared with the array's end.
    const std::string sharded = " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}";
    const std::string padded =
        deviceText("%a: tensor<8589934592xf32>" + sharded, R"(  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.pad %a, %c, low = [1], high = [-1], interior = [0] : (tensor<8589934592xf32>, tensor<f32>) -> tensor<8589934592xf32>)");
    QVERIFY(says(padded, "dense<[-1, 2147483647, 4294967295, 6442450943]> : tensor<4xi64>"));
    QVERIFY(says(padded, "dense<8589934592> : tensor<i64>"));
    // Pieces that lie elsewhere on every device.
    const std::string joined = deviceText(
        "%a: tensor<4294967296xf32>" + sharded + ", %b: tensor<4294967296xf32>" + sharded,
        R"(  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4294967296xf32>, tensor<4294967296xf32>) -> tensor<8589934592xf32>)");
    QVERIFY(says(joined, "dynamic_update_slice"));
    QVERIFY(says(joined, "tensor<4xi64>"));
    QVERIFY(joined.find("xi32>") == std::string::npos && joined.find("tensor<i32>") == std::string::npos);
    // What is whole is cut at offsets.
    const std::string full = deviceText("%a: tensor<8589934592xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}",
        R"(  %0 = sdy.reshard %a <@mesh, [{"x"}]> : tensor<8589934592xf32>)");
    QVERIFY(says(full, "dense<[0, 2147483648, 4294967296, 6442450944]> : tensor<4xi64>"));
}

/// 10^9 places of padding in front of two elements: no array of that length, and no part for each of them.
void TestHalo::windowsOverPaddingAreNotBroughtInParts()
{
    const PartitionedProgram window = partitioned(R"(
        sdy.mesh @mesh = <["x"=2]>
        func.func @main(%arg0: tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
          %0 = stablehlo.constant dense<0> : tensor<i32>
          %1 = "stablehlo.reduce_window"(%arg0, %0) <{padding = dense<[[999999999, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1000000000>}> ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            %c = stablehlo.add %a, %b : tensor<i32>
            stablehlo.return %c : tensor<i32>
          }) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
          return %1 : tensor<2xi32>
        })");
    QVERIFY(window.device.program.operations.size() < 30);
    const auto windows = all(window.device.program, OpKind::ReduceWindow);
    QCOMPARE(windows.size(), std::size_t{ 1 });
    QVERIFY(window.device.program.value(windows[0]->operands[0]).type.shape == Shape({ 2 }));
    // The array is moved behind 10^9 places and cut off again: a part of filling, whatever the length.
    const PartitionedProgram pad = partitioned(R"(
        sdy.mesh @mesh = <["x"=2]>
        func.func @main(%arg0: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
          %0 = stablehlo.constant dense<7> : tensor<i32>
          %1 = stablehlo.pad %arg0, %0, low = [1000000000], high = [-1000000000], interior = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
          return %1 : tensor<4xi32>
        })");
    QVERIFY(pad.device.program.operations.size() < 30);
    QVERIFY(all(pad.device.program, OpKind::CollectivePermute).empty());
}

REGISTER_TEST(TestHalo)
#include "test_halo.moc"
