// SPDX-License-Identifier: GPL-3.0-or-later
// Gradients in float64 against finite differences: of random programs, whole and on devices with their arguments cut,
// and of random programs over blocks with all of their collectives.
#include <QtTest>

#include <cmath>
#include <map>
#include <numeric>

#include "base/codes.h"
#include "partition/partition_program.h"
#include "program/builder.h"
#include "program/differentiate.h"
#include "program/editor.h"
#include "program/program_mesh.h"
#include "random_cases.h"
#include "registered_test.h"
#include "simulate/block_program.h"
#include "simulate/blocks.h"
#include "simulate/executed.h"
#include "split_mix.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;
using kernels::Array;
using kernels::Arrays;
using shardscope::test::SplitMix;

class TestGradients : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofShardedPrograms();
    void ofProgramsOverBlocks();
    void whatHasNone();
};

namespace {

double between(SplitMix& random, double low, double high)
{
    return low + (high - low) * static_cast<double>(random.next() >> 11) * 0x1p-53;
}

Array randomArray(const TensorType& type, SplitMix& random)
{
    Array array = Array::make(type);
    for (std::int64_t i = 0; i < array.count(); ++i)
        kernels::setNumber(array, i, between(random, -1, 1));
    return array;
}

Array changed(const Array& array, std::int64_t element, double by)
{
    Array other = Array::make(array.type);
    for (std::int64_t i = 0; i < array.count(); ++i)
        kernels::setNumber(other, i, kernels::numberAt(array, i) + (i == element ? by : 0));
    return other;
}

/// Empty if some elements of the gradient are the slopes of the function there.
template <class Function>
std::string compareWithSlopes(
    const Function& function, const Arrays& at, std::size_t argument, const Array& gradient, SplitMix& random)
{
    constexpr double step = 1e-5;
    if (gradient.type != at[argument].type)
        return "the gradient is " + toString(gradient.type);
    for (int probe = 0; probe < 5; ++probe) {
        const auto element = static_cast<std::int64_t>(random.below(static_cast<std::size_t>(gradient.count())));
        Arrays above = at, below = at;
        above[argument] = changed(at[argument], element, step);
        below[argument] = changed(at[argument], element, -step);
        const double slope = (function(above) - function(below)) / (2 * step);
        const double found = kernels::numberAt(gradient, element);
        if (!(std::fabs(found - slope) <= 5e-6 * std::max(1.0, std::fabs(slope))))
            return "argument " + std::to_string(argument) + ", element " + std::to_string(element) + ": "
                + std::to_string(found) + ", but the slope is " + std::to_string(slope);
    }
    return {};
}

constexpr std::int64_t size = 8;

/// A random function of two matrices and a line, and its gradients: results 0, and 1 to 3.
Program randomFunction(std::uint64_t seed)
{
    SplitMix random(seed);
    Builder b("function");
    const TensorType matrix{ DType::F64, { size, size } };
    const TensorType line{ DType::F64, { size } };
    const std::vector<ValueId> arguments{ b.argument(matrix, "a", Role::Input), b.argument(matrix, "b", Role::Input),
        b.argument(line, "c", Role::Input) };
    std::vector<ValueId> matrices{ arguments[0], arguments[1] };
    std::vector<ValueId> lines{ arguments[2] };
    const auto scaled = [&](ValueId value, double by) {
        return b.binary(OpKind::Multiply, value, b.constant(b.type(value), by));
    };
    const auto matrixOf = [&] { return random.of(matrices); };
    for (std::size_t statements = 4 + random.below(6); statements > 0; --statements) {
        switch (random.below(10)) {
        case 0:
        case 1:
            matrices.push_back(scaled(b.dot(matrixOf(), matrixOf()), 1.0 / size));
            break;
        case 2:
            matrices.push_back(b.unary(random.once(2) ? OpKind::Tanh : OpKind::Sine, matrixOf()));
            break;
        case 3:
            matrices.push_back(b.binary(random.once(2) ? OpKind::Add : OpKind::Multiply, matrixOf(), matrixOf()));
            break;
        case 4:
            matrices.push_back(b.transpose(matrixOf(), { 1, 0 }));
            break;
        case 5:
            matrices.push_back(
                b.broadcast(random.of(lines), matrix.shape, { static_cast<std::int64_t>(random.below(2)) }));
            break;
        case 6:
            lines.push_back(scaled(
                b.reduce(ReduceKind::Sum, matrixOf(), { static_cast<std::int64_t>(random.below(2)) }), 1.0 / size));
            break;
        case 7: // four products of 2 x 8 with 8 x 2
            matrices.push_back(
                scaled(b.reshape(b.broadcast(b.dotGeneral(b.reshape(matrixOf(), { 4, 2, size }),
                                                 b.reshape(matrixOf(), { 4, size, 2 }), { { 0 }, { 0 }, { 2 }, { 1 } }),
                                     { 4, 2, 2, 4 }, { 0, 1, 2 }),
                           { size, size }),
                    1.0 / size));
            break;
        case 8:
            lines.push_back(b.unary(OpKind::Logistic, random.of(lines)));
            break;
        default:
            matrices.push_back(b.reshape(b.reshape(matrixOf(), { size * size }), { size, size }));
            break;
        }
    }
    const ValueId loss = b.binary(OpKind::Add, b.reduce(ReduceKind::Sum, matrices.back(), { 0, 1 }),
        b.reduce(ReduceKind::Sum, lines.back(), { 0 }));
    const std::vector<ValueId> gradients = differentiate(b, loss, arguments).value();
    b.result(loss);
    for (const ValueId gradient : gradients)
        b.result(gradient);
    return std::move(b).finish();
}

/// Arguments and their gradients cut along random dimensions of a random mesh.
Program cutAtRandom(Program program, SplitMix& random)
{
    const std::vector<std::vector<MeshAxis>> meshes{ { { "x", 2 } }, { { "x", 4 } }, { { "x", 2 }, { "y", 2 } },
        { { "x", 2 }, { "y", 4 } } };
    program.meshes.push_back(declaredMesh("mesh", meshes[random.below(meshes.size())]));
    const auto index = static_cast<std::uint32_t>(program.meshes.size() - 1);
    const MeshPtr mesh = program.meshes.back().mesh;
    Editor edit(std::move(program));
    for (const ValueId argument : std::vector<ValueId>(edit.program().main().arguments)) {
        const TensorType type = edit.value(argument).type;
        TensorSharding sharding = TensorSharding::fullyReplicated(type.rank());
        Shape left = type.shape;
        for (std::size_t axis = 0; axis < mesh->rank(); ++axis) {
            const std::size_t d = random.below(type.rank() + 1); // perhaps none
            if (d == type.rank() || left[d] % mesh->size(axis) != 0)
                continue;
            left[d] /= mesh->size(axis);
            sharding.dims[d].axes.push_back(fullAxis(*mesh, axis));
        }
        edit.setSharding(argument, { index, std::move(sharding) });
    }
    program = std::move(edit).finish();
    // The gradient by an argument is held as the argument is.
    std::vector<ShardingIndex>& results = program.functions.front().resultShardings;
    results.assign(program.main().results.size(), 0);
    for (std::size_t i = 0; i < program.main().arguments.size(); ++i)
        results[i + 1] = program.valueShardings[program.main().arguments[i].index];
    return program;
}

/// A function of blocks under construction, with what its gradients are taken by.
struct OverBlocks {
    BlockBuilder builder;
    std::vector<ValueId> inputs;
    std::vector<PartitionSpec> specs;
    ValueId result;
};

constexpr std::int64_t rows = 16;

/// Two blocks of 8 x 8 each: one along both axes, one held whole; and a line along one axis.
OverBlocks randomBlocks(const MeshPtr& mesh, std::uint64_t seed)
{
    SplitMix random(seed);
    OverBlocks made{ *BlockBuilder::over(mesh), {}, {}, {} };
    BlockBuilder& b = made.builder;
    made.specs = { { { SpecEntry::axis("i"), SpecEntry::axis("j") } }, {}, { { SpecEntry::axis("j") } } };
    made.inputs = { *b.input({ DType::F64, { rows, rows * 2 } }, made.specs[0]),
        *b.input({ DType::F64, { size, size } }, made.specs[1]),
        *b.input({ DType::F64, { size * 4 } }, made.specs[2]) };
    const auto number = [&](double value) { return b.constant({ DType::F64, {} }, { value }); };
    ValueId v = made.inputs[random.below(2)];
    for (std::size_t statements = 3 + random.below(5); statements > 0; --statements) {
        const bool first = random.once(2);
        const std::string axis = first ? "i" : "j";
        const std::int64_t places = first ? 2 : 4;
        const auto d = static_cast<std::int64_t>(random.below(2));
        switch (random.below(11)) {
        case 0:
            v = b.unary(OpKind::Tanh, v);
            break;
        case 1:
            v = b.binary(OpKind::Multiply, v, made.inputs[random.below(3)]);
            break;
        case 2:
            v = *b.reduce(ReduceKind::Sum, b.binary(OpKind::Multiply, v, number(0.25)), { axis });
            break;
        case 3:
            v = *b.mean(v, { "i", "j" });
            break;
        case 4: // side by side, and back in pieces of the sum
            v = *b.allGather(v, { axis }, d, true);
            v = b.binary(OpKind::Multiply, *b.scatterSum(b.unary(OpKind::Sine, v), { axis }, d, true), number(0.25));
            break;
        case 5: { // round, or to some alone
            std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
            for (std::int64_t place = 0; place < (random.once(2) ? places : places - 1); ++place)
                pairs.emplace_back(place, (place + 1) % places);
            v = b.binary(OpKind::Add, v, *b.permute(v, { axis }, pairs));
            break;
        }
        case 6:
            v = *b.allToAll(v, { axis }, d, 1 - d, true);
            v = *b.allToAll(b.binary(OpKind::Multiply, v, v), { axis }, 1 - d, d, true);
            break;
        case 7:
            v = b.binary(OpKind::Multiply, b.matmul(v, made.inputs[1]), number(1.0 / size));
            break;
        case 8:
            v = b.binary(OpKind::Multiply, *b.reduce(ReduceKind::Sum, v, { "j" }, { { 0, 3 }, { 1, 2 } }), number(0.5));
            break;
        case 9:
            v = b.binary(OpKind::Multiply, v, *b.axisIndex({ axis }));
            break;
        default: // as many as there are places, and one for each
            v = b.reduceLocally(ReduceKind::Sum, *b.allGather(v, { axis }, d, false), { d });
            v = b.binary(OpKind::Multiply, v, number(0.25));
            break;
        }
    }
    made.result = v;
    return made;
}

} // namespace

void TestGradients::ofShardedPrograms()
{
    const auto seeds = test::randomCases(std::uint64_t{ 60 });
    std::uint64_t cut = 0, exchanges = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        SplitMix random(seed + 1000);
        const std::string text = printStableHlo(randomFunction(seed));
        Result<ReadProgram> read = readStableHlo(text);
        QVERIFY2(read, text.c_str());
        const Program whole = std::move(read->program);
        Arrays arguments;
        for (const ValueId argument : whole.main().arguments)
            arguments.push_back(randomArray(whole.value(argument).type, random));
        const auto loss = [&](const Arrays& at) {
            return kernels::numberAt(test::executeInFull(whole, at).value().outputs[0], 0);
        };
        const auto parts = partitionProgram(cutAtRandom(whole, random));
        QVERIFY2(parts, text.c_str());
        const auto devices = test::executeParts(*parts, arguments);
        QVERIFY2(devices, text.c_str());
        QVERIFY2(devices->differences.empty(), text.c_str());
        for (std::size_t argument = 0; argument < arguments.size(); ++argument) {
            const std::string wrong =
                compareWithSlopes(loss, arguments, argument, devices->outputs[argument + 1], random);
            QVERIFY2(wrong.empty(), (std::to_string(seed) + ": " + wrong + '\n' + text).c_str());
        }
        for (const ShardedArray& output : parts->device.outputs)
            cut += output.sharding.isFullyReplicated() ? 0U : 1U;
        for (const Operation& operation : parts->device.program.operations)
            exchanges += wideAs<CollectiveAttributes>(operation.attributes) ? 1U : 0U;
    }
    QVERIFY(cut > seeds);
    QVERIFY(exchanges > seeds);
}

void TestGradients::ofProgramsOverBlocks()
{
    std::map<OpKind, int> kinds;
    for (std::uint64_t seed = 0; seed < test::randomCases(std::uint64_t{ 120 }); ++seed) {
        SplitMix random(seed + 5000);
        std::vector<std::int32_t> ids(8);
        std::iota(ids.begin(), ids.end(), 0);
        for (std::size_t i = 0; i < ids.size() && seed % 2 == 1; ++i)
            std::swap(ids[i], ids[i + random.below(ids.size() - i)]);
        const MeshPtr mesh = std::make_shared<const Mesh>(*Mesh::createOver({ { "i", 2 }, { "j", 4 } }, ids));
        OverBlocks made = randomBlocks(mesh, seed);
        const PartitionSpec out{ { SpecEntry::axis("i"), SpecEntry::axis("j") } };
        Arrays arguments;
        for (const std::vector<std::int64_t>& shape :
            std::vector<std::vector<std::int64_t>>{ { rows, rows * 2 }, { size, size }, { size * 4 } })
            arguments.push_back(randomArray({ DType::F64, Shape(shape.begin(), shape.end()) }, random));
        const BlockProgram forward = BlockBuilder(made.builder).finish(made.result);
        const auto sum = [&](const Arrays& at) {
            const auto done = test::runBlocks(forward, at, made.specs, out).value();
            double all = 0;
            for (std::int64_t i = 0; i < done.full.count(); ++i)
                all += kernels::numberAt(done.full, i);
            return all;
        };
        const auto gradients = made.builder.gradients(made.result, out, made.inputs);
        QVERIFY(gradients);
        for (std::size_t i = 0; i < made.inputs.size(); ++i) {
            const BlockProgram backward = BlockBuilder(made.builder).finish((*gradients)[i]);
            const auto fits = checkOutput(backward, made.specs[i]);
            QVERIFY2(fits, std::to_string(seed).c_str()); // as alike as the input is
            const auto done = test::runBlocks(backward, arguments, made.specs, made.specs[i]);
            QVERIFY(done);
            QVERIFY(!done->copiesDiffer);
            const std::string wrong = compareWithSlopes(sum, arguments, i, done->full, random);
            QVERIFY2(wrong.empty(), (std::to_string(seed) + ": " + wrong).c_str());
            for (const Operation& operation : backward.program.operations)
                ++kinds[operation.kind];
        }
    }
    for (const OpKind kind : { OpKind::AllReduce, OpKind::AllGather, OpKind::ReduceScatter, OpKind::AllToAll,
             OpKind::CollectivePermute, OpKind::PartitionId })
        QVERIFY(kinds[kind] > 0 || !test::triesAllRandomCases());
}

/// The largest of several has no derivative here; a sum that says it is the same everywhere, and is not, is refused.
void TestGradients::whatHasNone()
{
    const MeshPtr mesh = std::make_shared<const Mesh>(*Mesh::create({ { "i", 2 } }));
    const PartitionSpec along{ { SpecEntry::axis("i") } };
    BlockBuilder b = *BlockBuilder::over(mesh);
    const ValueId x = *b.input({ DType::F64, { 4 } }, along);
    const ValueId largest = *b.reduce(ReduceKind::Max, x, { "i" });
    QCOMPARE(b.gradients(largest, {}, std::span(&x, 1)).error().code, Code::InvalidOperand);
    QCOMPARE(b.gradients(x, {}, std::span(&x, 1)).error().code, Code::ReplicationNotInferred);
    // What does not depend on an input has a gradient of zeros.
    const ValueId other = *b.input({ DType::F64, { 4 } }, along);
    const auto none = b.gradients(b.unary(OpKind::Tanh, x), along, std::span(&other, 1));
    QVERIFY(none);
    QCOMPARE(b.type(none->front()).shape, Shape{ 2 });
}

REGISTER_TEST(TestGradients)
#include "test_gradients.moc"
