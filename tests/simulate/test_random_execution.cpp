// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs, partitioned and run on devices: what holds of every one of them. Whole numbers wrap around, so that
// sums do not depend on their order and results have to be equal bit by bit.
#include <QtTest>

#include <cstring>
#include <iostream>
#include <limits>
#include <map>

#include "base/codes.h"
#include "partition/partition_program.h"
#include "propagation/program_texts.h"
#include "random_cases.h"
#include "registered_test.h"
#include "simulate/check/non_finite.h"
#include "simulate/executed.h"
#include "simulate/random_run.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;
using kernels::Array;
using kernels::Arrays;
using program_texts::Draft;
using test::compareWithReference;
using test::Ran;
using test::randomArguments;
using test::run;
using test::sameBytes;
using test::stagesOf;

class TestRandomExecution : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyDeviceHoldsItsPartOfTheReference();
    void orderOfDevicesMeansNothing();
    void axesOfSizeOneMeanNothing();
    void windowsOverPaddingAreThoseOfPaddedArrays();
    void thereAndBackIsTheIdentity();
    void anyNumberOfThreadsGivesTheSameBits();
    void refusesWithOneByteLess();
    void unequalPartsHoldTheReference();
    void unequalPartsThereAndBack();
    void paddingNeverLeaks();
    void noNumberInThePaddingIsNotSeen();
};

namespace {

const auto programs = shardscope::test::randomCases(std::uint64_t{ 1000 });

std::map<OpKind, int> kindsOf(const Program& program)
{
    std::map<OpKind, int> kinds;
    for (const Operation& operation : program.operations)
        ++kinds[operation.kind];
    return kinds;
}

Draft draftThatRuns(std::uint64_t seed)
{
    return program_texts::draft(seed, program_texts::Purpose::Run);
}

} // namespace

void TestRandomExecution::everyDeviceHoldsItsPartOfTheReference()
{
    std::map<OpKind, int> kinds;
    int sharded = 0;
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Ran ran = run(program_texts::write(draftThatRuns(seed), {}), seed);
        VERIFY_RUN(ran, seed, compareWithReference(ran));
        for (const auto& [kind, count] : kindsOf(ran.parts->device.program))
            kinds[kind] += count;
        for (const ShardedArray& output : ran.parts->device.outputs)
            sharded += output.sharding.isFullyReplicated() ? 0 : 1;
    }
    // They are worth something: every collective occurs, and results are cut.
    for (const OpKind kind : { OpKind::AllReduce, OpKind::AllGather, OpKind::AllToAll, OpKind::ReduceScatter,
             OpKind::CollectivePermute, OpKind::While, OpKind::Sort, OpKind::Gather }) {
        if (kinds[kind] == 0)
            qWarning("no operation of kind %d", static_cast<int>(kind));
        QVERIFY(kinds[kind] > 0 || !test::triesAllRandomCases());
    }
    QVERIFY2(sharded > static_cast<int>(programs) / 3, qPrintable(QString::number(sharded)));
}

void TestRandomExecution::orderOfDevicesMeansNothing()
{
    for (std::uint64_t seed = 0; seed < programs / 2; ++seed) {
        Draft draft = draftThatRuns(seed);
        draft.reversedDevices = false;
        const Ran plain = run(program_texts::write(draft, {}), seed);
        VERIFY_RUN(plain, seed, compareWithReference(plain));
        draft.reversedDevices = true;
        const Ran reversed = run(program_texts::write(draft, {}), seed);
        VERIFY_RUN(reversed, seed, compareWithReference(reversed));
        QCOMPARE(kindsOf(reversed.parts->device.program), kindsOf(plain.parts->device.program));
        const std::size_t devices = plain.devices.shards.size();
        for (std::size_t device = 0; device < devices; ++device) {
            const Arrays &held = plain.devices.shards[device], &other = reversed.devices.shards[devices - 1 - device];
            for (std::size_t i = 0; i < held.size(); ++i)
                VERIFY_RUN(reversed, seed,
                    sameBytes(held[i], other[i]) ? std::string() : "another result at the same place of the mesh");
        }
    }
}

void TestRandomExecution::axesOfSizeOneMeanNothing()
{
    for (std::uint64_t seed = 0; seed < programs / 2; ++seed) {
        const Draft draft = draftThatRuns(seed);
        const Ran plain = run(program_texts::write(draft, {}), seed);
        VERIFY_RUN(plain, seed, compareWithReference(plain));
        const Ran more = run(program_texts::write(draft, { .unused = true, .sprinkled = seed % 3 != 0 }), seed);
        VERIFY_RUN(more, seed, compareWithReference(more));
        QCOMPARE(kindsOf(more.parts->device.program), kindsOf(plain.parts->device.program));
    }
}

namespace {

struct Window {
    std::string body = "add";
    std::array<std::int64_t, 2> size{ 1, 1 }, low{}, high{}, stride{ 1, 1 }, dilation{ 1, 1 }, base{ 1, 1 };
};

/// A window over an array of the shape, which pads it itself or has `stablehlo.pad` do that before. With init 3.
std::string windowText(const Window& w, std::array<std::int64_t, 2> shape, bool padsItself)
{
    std::array<std::int64_t, 2> padded{}, windows{};
    for (std::size_t d = 0; d < 2; ++d) {
        padded[d] = (shape[d] - 1) * w.base[d] + 1 + w.low[d] + w.high[d];
        windows[d] = (padded[d] - (w.size[d] - 1) * w.dilation[d] - 1) / w.stride[d] + 1;
    }
    const auto two = [](std::array<std::int64_t, 2> of, const char* between, std::int64_t less = 0) {
        return std::to_string(of[0] - less) + between + std::to_string(of[1] - less);
    };
    const auto type = [&](std::array<std::int64_t, 2> of) { return "tensor<" + two(of, "x") + "xi32>"; };
    const std::string sharded = " {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}";
    std::string text = "sdy.mesh @m = <[\"x\"=2]>\nfunc.func @main(%a: " + type(shape) + sharded + ") -> ("
        + type(windows) + sharded + ") {\n  %c = stablehlo.constant dense<3> : tensor<i32>\n";
    if (!padsItself)
        text += "  %p = stablehlo.pad %a, %c, low = [" + two(w.low, ", ") + "], high = [" + two(w.high, ", ")
            + "], interior = [" + two(w.base, ", ", 1) + "] : (" + type(shape) + ", tensor<i32>) -> " + type(padded)
            + '\n';
    text += std::string("  %0 = \"stablehlo.reduce_window\"(") + (padsItself ? "%a" : "%p")
        + ", %c) <{window_dimensions = array<i64: " + two(w.size, ", ") + ">, window_strides = array<i64: "
        + two(w.stride, ", ") + ">, window_dilations = array<i64: " + two(w.dilation, ", ") + '>';
    if (padsItself)
        text += ", base_dilations = array<i64: " + two(w.base, ", ") + ">, padding = dense<[["
            + std::to_string(w.low[0]) + ", " + std::to_string(w.high[0]) + "], [" + std::to_string(w.low[1]) + ", "
            + std::to_string(w.high[1]) + "]]> : tensor<2x2xi64>";
    return text + "}> ({\n  ^bb0(%q: tensor<i32>, %r: tensor<i32>):\n    %s = stablehlo." + w.body
        + " %q, %r : tensor<i32>\n    stablehlo.return %s : tensor<i32>\n  }) : (" + type(padsItself ? shape : padded)
        + ", tensor<i32>) -> " + type(windows) + "\n  return %0 : " + type(windows) + "\n}\n";
}

} // namespace

void TestRandomExecution::windowsOverPaddingAreThoseOfPaddedArrays()
{
    int compared = 0;
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        shardscope::test::SplitMix random(seed);
        const auto number = [&](std::int64_t from, std::int64_t to) {
            return from + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(to - from + 1)));
        };
        Window w;
        w.body = std::array{ "add", "maximum", "multiply", "subtract" }[random.below(4)];
        std::array<std::int64_t, 2> shape{};
        bool fits = true;
        for (std::size_t d = 0; d < 2; ++d) {
            shape[d] = number(1, 5);
            w.size[d] = number(1, 6);
            w.low[d] = number(-1, 9);
            w.high[d] = number(-1, 9);
            w.stride[d] = number(1, 3);
            w.dilation[d] = number(1, 3);
            w.base[d] = number(1, 3);
            const std::int64_t padded = (shape[d] - 1) * w.base[d] + 1 + w.low[d] + w.high[d];
            fits = fits && padded > (w.size[d] - 1) * w.dilation[d];
        }
        if (!fits)
            continue;
        ++compared;
        const Ran own = run(windowText(w, shape, true), seed), before = run(windowText(w, shape, false), seed);
        VERIFY_RUN(before, seed, compareWithReference(before));
        VERIFY_RUN(own, seed, compareWithReference(own));
        VERIFY_RUN(own, seed, sameBytes(own.full[0], before.full[0]) ? std::string() : "other windows");
    }
    QVERIFY2(compared > static_cast<int>(programs) / 2, qPrintable(QString::number(compared)));
    // 10^9 places of padding that change nothing are not gone through one by one.
    Window w;
    w.body = "maximum";
    w.size = { 1'000'000'000, 1 };
    w.low = { 999'999'999, 0 };
    const Ran ran = run(windowText(w, { 2, 1 }, true), 1);
    VERIFY_RUN(ran, 1, compareWithReference(ran));
    const auto value = [&](const Array& array, std::int64_t i) { return kernels::integerAt(array, i); };
    const std::int64_t first = std::max<std::int64_t>(3, value(ran.arguments[0], 0));
    QCOMPARE(value(ran.full[0], 0), first);
    QCOMPARE(value(ran.full[0], 1), std::max(first, value(ran.arguments[0], 1)));
}

void TestRandomExecution::thereAndBackIsTheIdentity()
{
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Ran ran = run(program_texts::write(program_texts::thereAndBack(seed), {}), seed);
        VERIFY_RUN(ran, seed, compareWithReference(ran));
        VERIFY_RUN(
            ran, seed, sameBytes(ran.devices.outputs[0], ran.arguments[0]) ? std::string() : "not what it was before");
    }
}

namespace {

/// With numbers whose sums depend on their order, where the program takes them: indices have to be integers.
std::string ofFloats(std::string text)
{
    for (std::size_t at = text.find("i32"); at != std::string::npos; at = text.find("i32", at))
        text.replace(at, 3, "f32");
    return text;
}

Arrays fractions(const std::vector<ShardedArray>& inputs, std::uint64_t seed)
{
    shardscope::test::SplitMix random(seed);
    Arrays arrays;
    for (const ShardedArray& input : inputs) {
        arrays.push_back(Array::zeros(input.type));
        for (std::int64_t i = 0; i < arrays.back().count(); ++i)
            kernels::setNumber(arrays.back(), i, static_cast<double>(random.next() >> 11) * 0x1p-52 - 1);
    }
    return arrays;
}

} // namespace

void TestRandomExecution::anyNumberOfThreadsGivesTheSameBits()
{
    std::uint64_t withFractions = 0;
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const std::string text = program_texts::write(draftThatRuns(seed), {});
        std::optional<PartitionedProgram> parts;
        Arrays arguments;
        if (Result<ReadProgram> read = readStableHlo(ofFloats(text)); read && verify(read->program).empty()) {
            if (Result<PartitionedProgram> made = partitionProgram(read->program)) {
                parts = std::move(*made);
                arguments = fractions(parts->device.inputs, seed);
                ++withFractions;
            }
        }
        if (!parts) {
            const Program program = readStableHlo(text).value().program;
            parts = partitionProgram(program).value();
            arguments = randomArguments(program, seed);
        }
        ExecuteOptions options;
        options.threads = 1;
        const auto wanted = test::executeParts(*parts, arguments, options);
        QVERIFY(wanted);
        for (const int threads : { 2, 4 }) {
            options.threads = threads;
            const auto found = test::executeParts(*parts, arguments, options);
            QVERIFY(found);
            for (std::size_t device = 0; device < wanted->shards.size(); ++device)
                for (std::size_t i = 0; i < wanted->shards[device].size(); ++i)
                    QVERIFY2(sameBytes(wanted->shards[device][i], found->shards[device][i]),
                        ("program " + std::to_string(seed) + ": result " + std::to_string(i) + " of device "
                            + std::to_string(device) + " with " + std::to_string(threads) + " threads is another")
                            .c_str());
        }
    }
    QVERIFY2(withFractions > programs / 10, qPrintable(QString::number(withFractions)));
}

void TestRandomExecution::refusesWithOneByteLess()
{
    int collectives = 0;
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Ran ran = run(program_texts::write(draftThatRuns(seed), {}), seed);
        VERIFY_RUN(ran, seed, std::string());
        const ProgramPtr source = test::specifiedOf(*ran.parts);
        const auto parts = std::make_shared<const PartitionedProgram>(*ran.parts);
        const double needed = executionBytes(source, parts, {}).value();
        ExecuteOptions tight;
        tight.memoryLimit = static_cast<std::int64_t>(needed);
        QVERIFY(execute(source, parts, ran.arguments, tight));
        // One byte less than is needed, and it is refused with the number.
        --tight.memoryLimit;
        const auto refused = execute(source, parts, ran.arguments, tight);
        QVERIFY(!refused);
        QVERIFY(refused.error().code == Code::OutOfMemory);
        QCOMPARE(refused.error().number("bytes"), static_cast<std::int64_t>(needed));
        for (const auto& [kind, count] : kindsOf(ran.parts->device.program))
            collectives += kind == OpKind::AllReduce || kind == OpKind::AllToAll ? count : 0;
    }
    QVERIFY(collectives > static_cast<int>(programs) / 10);
}

namespace {

Draft unevenDraft(std::uint64_t seed)
{
    return program_texts::draft(seed, program_texts::Purpose::RunUneven);
}

/// Whatever is not part of the array.
template <class Fill>
void fillPadding(Arrays& shards, const ShardedArray& how, const MeshPtr& mesh, Fill fill)
{
    const PaddedShard part{ how.type.shape,
        [&] {
            Shape padded = how.type.shape;
            for (std::size_t d = 0; d < padded.size(); ++d)
                padded[d] = shardShape(how.sharding, *how.type.shape)[d] * shardCount(how.sharding.dims[d]);
            return padded;
        }(),
        how.sharding };
    for (std::size_t device = 0; device < shards.size(); ++device) {
        const Shape extents = extentsAt(part, mesh, static_cast<std::int32_t>(device));
        Array shard = Array::zeros(shards[device].type); // copies share their bytes
        for (std::int64_t i = 0; i < shard.count(); ++i) {
            std::int64_t left = i;
            bool inside = true;
            for (std::size_t d = extents.size(); d-- > 0;) {
                inside = inside && left % shard.type.shape[d] < extents[d];
                left /= shard.type.shape[d];
            }
            if (inside)
                std::memcpy(shard.data() + i * shard.elementBytes(), shards[device].data() + i * shard.elementBytes(),
                    static_cast<std::size_t>(shard.elementBytes()));
            else
                fill(shard, i);
        }
        shards[device] = std::move(shard);
    }
}

/// The results of the devices' program when its arguments' padding holds what `fill` puts there.
template <class Fill>
Arrays resultsWith(const DeviceProgram& device, const Arrays& arguments, Fill fill)
{
    std::vector<Arrays> local(static_cast<std::size_t>(device.mesh->deviceCount()));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        Arrays shards = shardsOf(arguments[i], device.inputs[i], device.mesh);
        fillPadding(shards, device.inputs[i], device.mesh, fill);
        for (std::size_t d = 0; d < shards.size(); ++d)
            local[d].push_back(std::move(shards[d]));
    }
    const auto done = test::executeLocally(
        readStableHlo(printStableHlo(device.program)).value().program, local); // without what has been dropped;
    Arrays results;
    for (std::size_t r = 0; done && r < device.outputs.size(); ++r) {
        Arrays shards;
        for (const Arrays& each : done->shards)
            shards.push_back(each[r]);
        results.push_back(assembleShards(shards, device.outputs[r], device.mesh).full);
    }
    return results;
}

bool hasNoNumber(const Arrays& arrays)
{
    return std::any_of(arrays.begin(), arrays.end(),
        [](const Array& array) { return firstNonFinite(array, NonFiniteKind::NotANumber) >= 0; });
}

} // namespace

void TestRandomExecution::unequalPartsHoldTheReference()
{
    std::uint64_t padded = 0, masks = 0;
    for (std::uint64_t seed = 0; seed < 2 * programs; ++seed) {
        const Ran ran = run(program_texts::write(unevenDraft(seed), {}), seed);
        VERIFY_RUN(ran, seed, compareWithReference(ran));
        padded += ran.parts->sharded->trueShapes.empty() ? 0U : 1U;
        const auto kinds = kindsOf(ran.parts->device.program);
        masks += kinds.contains(OpKind::Select) ? 1U : 0U;
    }
    QVERIFY2(padded > programs, qPrintable(QString::number(padded)));
    QVERIFY2(masks > programs / 10, qPrintable(QString::number(masks)));
}

void TestRandomExecution::unequalPartsThereAndBack()
{
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Ran ran =
            run(program_texts::write(program_texts::thereAndBack(seed, program_texts::Purpose::RunUneven), {}), seed);
        VERIFY_RUN(ran, seed, compareWithReference(ran));
        VERIFY_RUN(
            ran, seed, sameBytes(ran.devices.outputs[0], ran.arguments[0]) ? std::string() : "not what it was before");
    }
}

void TestRandomExecution::paddingNeverLeaks()
{
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Ran ran = run(program_texts::write(unevenDraft(seed), {}), seed);
        VERIFY_RUN(ran, seed, std::string());
        shardscope::test::SplitMix random(seed);
        const Arrays results = resultsWith(ran.parts->device, ran.arguments, [&](Array& shard, std::int64_t i) {
            kernels::setInteger(shard, i, static_cast<std::int64_t>(random.next()));
        });
        QCOMPARE(results.size(), ran.full.size());
        for (std::size_t r = 0; r < results.size(); ++r)
            VERIFY_RUN(ran, seed,
                sameBytes(results[r], ran.full[r]) ? std::string() : "a result depends on what the padding held");
    }
}

/// Where it is multiplied by zero it would stay no number.
void TestRandomExecution::noNumberInThePaddingIsNotSeen()
{
    std::uint64_t padded = 0;
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const std::string text = ofFloats(program_texts::write(unevenDraft(seed), {}));
        Result<ReadProgram> read = readStableHlo(text);
        if (!read || !verify(read->program).empty())
            continue;
        const Result<PartitionedProgram> parts = partitionProgram(read->program);
        if (!parts || parts->sharded->trueShapes.empty())
            continue;
        const Arrays arguments = fractions(parts->device.inputs, seed);
        const auto full = test::executeInFull(read->program, arguments);
        if (!full || hasNoNumber(full->outputs))
            continue;
        ++padded;
        const Arrays results = resultsWith(parts->device, arguments, [](Array& shard, std::int64_t i) {
            kernels::setNumber(shard, i, std::numeric_limits<double>::quiet_NaN());
        });
        QCOMPARE(results.size(), full->outputs.size());
        if (hasNoNumber(results))
            std::cout << text << "---\n" << printStableHlo(parts->sharded->program) << std::endl;
        QVERIFY2(!hasNoNumber(results), qPrintable(QStringLiteral("program %1").arg(seed)));
    }
    QVERIFY2(padded > programs / 20, qPrintable(QString::number(padded)));
}

REGISTER_TEST(TestRandomExecution)
#include "test_random_execution.moc"
