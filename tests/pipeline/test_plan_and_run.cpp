// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs: what the list of collectives says beforehand against what devices do when the program runs, against
// what has to be sent at least, and on the same mesh over other devices.
#include <QtTest>

#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <set>

#include "analysis/analyse.h"
#include "analysis/analysed.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "partition/reshard.h"
#include "partition/reshard_bytes.h"
#include "pipeline/planned_memory.h"
#include "pipeline/program_collectives.h"
#include "pipeline/stage_results.h"
#include "program/other_attributes.h"
#include "propagation/halo_texts.h"
#include "propagation/program_texts.h"
#include "random_cases.h"
#include "registered_test.h"
#include "simulate/check/compare.h"
#include "simulate/executed.h"
#include "simulate/run/initial_values.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;

class TestPlanAndRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void exchangesAreThoseOfThePlan();
    void unequalPartsAreExchangedAsPlanned();
    void planSendsWhatIsMissing();
    void otherDevicesChangeNumbersOnly();
    void halosAreThoseOfThePlanAndGiveTheReference();
    void memoryNamesWhatIsHeld();
    void memoryOfExchanges();
    void memoryWithoutGradientsThatStay();
    void memoryListsAllThatIsHeld();
    void everyStrategyRunsWhatItLists();
    void networksRunAsTheyArePrinted();
};

namespace {

const auto programs = shardscope::test::randomCases(std::uint64_t{ 400 });

std::string textOf(std::uint64_t seed, program_texts::Purpose purpose = program_texts::Purpose::Run)
{
    program_texts::Draft draft = program_texts::draft(seed, purpose);
    return program_texts::write(draft, {});
}

/// A program with its plan.
struct Planned {
    std::string text;
    DeviceStages::Partitioned parts;
    CollectiveList list;
    std::string wrong; ///< empty: there is a plan
};

Planned planned(std::string text, bool optimal = false)
{
    Planned made;
    made.text = std::move(text);
    Result<Experiment> experiment =
        experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(made.text) }, "text");
    if (!experiment) {
        made.wrong = std::string(experiment.error().id());
        return made;
    }
    AnalysisCache cache;
    const SnapshotPtr snapshot = analyse(std::make_shared<const Experiment>(std::move(*experiment)), 1, cache);
    Result<DeviceStages::Partitioned> parts = partitionedProgram(*snapshot, optimal);
    if (!parts) {
        made.wrong = std::string(parts.error().id());
        return made;
    }
    made.list = **collectivesOf(*snapshot, optimal);
    made.parts = std::move(*parts);
    return made;
}

#define VERIFY_PLAN(plan, seed, problem)                                                                               \
    do {                                                                                                               \
        const std::string found = (plan).wrong.empty() ? (problem) : (plan).wrong;                                     \
        if (!found.empty())                                                                                            \
            std::cout << (plan).text << "---\n"                                                                        \
                      << ((plan).parts ? printStableHlo((plan).parts->sharded->program) : std::string()) << std::endl; \
        QVERIFY2(found.empty(), ("program " + std::to_string(seed) + ": " + found).c_str());                           \
    } while (false)

/// How often every device takes part in every exchange, and with how many bytes.
class Exchanges : public Observer {
public:
    struct One {
        std::map<std::int64_t, std::int64_t> times; ///< by device
        std::int64_t bytes = 0;
    };
    explicit Exchanges(const Program& program)
        : m_program(program)
    {
    }
    void computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
        std::span<kernels::Array> /*results*/) override
    {
        if (!attributesAs<CollectiveAttributes>(m_program.operation(operation).attributes))
            return;
        One& one = seen[operation.index];
        ++one.times[device];
        one.bytes = 0;
        for (const kernels::Array& operand : operands)
            one.bytes += operand.type.byteCount();
    }
    std::map<std::uint32_t, One> seen;

private:
    const Program& m_program;
};

/// What a device sends at most in one execution, by the groups that the devices' program names.
Rational sentBy(const Operation& operation, std::int64_t bytes)
{
    const auto& own = *attributesAs<CollectiveAttributes>(operation.attributes);
    std::int64_t members = 1;
    for (const std::vector<std::int64_t>& group : own.groups)
        members = std::max(members, static_cast<std::int64_t>(group.size()));
    switch (operation.kind) {
    case OpKind::AllReduce:
        return ringBytes(CollectiveKind::AllReduce, members, bytes);
    case OpKind::AllGather:
        return ringBytes(CollectiveKind::AllGather, members, bytes);
    case OpKind::ReduceScatter:
        return ringBytes(CollectiveKind::ReduceScatter, members, bytes);
    case OpKind::AllToAll:
        return ringBytes(CollectiveKind::AllToAll, members, bytes);
    default: // pairs; a device that sends to itself sends nothing
        return std::any_of(own.groups.begin(), own.groups.end(), [](const auto& pair) { return pair[0] != pair[1]; })
            ? Rational(bytes)
            : Rational(0);
    }
}

/// Devices that exchange with each other do so in the plan.
bool isWithin(const std::vector<std::vector<std::int64_t>>& groups, const std::vector<std::vector<std::int64_t>>& plan)
{
    return std::all_of(groups.begin(), groups.end(), [&](const std::vector<std::int64_t>& group) {
        const bool alone = std::all_of(group.begin(), group.end(), [&](std::int64_t d) { return d == group[0]; });
        return alone || std::any_of(plan.begin(), plan.end(), [&](const std::vector<std::int64_t>& full) {
            return std::all_of(group.begin(), group.end(),
                [&](std::int64_t device) { return std::find(full.begin(), full.end(), device) != full.end(); });
        });
    });
}

/// `counts`: entries, and of them those that run several times.
std::string compareWithRun(const Planned& plan, std::uint64_t seed, std::array<int, 2>& counts)
{
    const DeviceProgram& device = plan.parts->device;
    shardscope::test::SplitMix random(seed);
    kernels::Arrays arguments;
    for (const ShardedArray& input : device.inputs) {
        arguments.push_back(kernels::Array::zeros(input.type));
        for (std::int64_t i = 0; i < arguments.back().count(); ++i)
            kernels::setInteger(arguments.back(), i, static_cast<std::int64_t>(random.next()));
    }
    Exchanges exchanges(device.program);
    ExecuteOptions options;
    options.observers = { &exchanges };
    if (const auto done = test::executeParts(*plan.parts, arguments, options); !done)
        return "not executed: " + std::string(done.error().id());

    std::map<std::uint32_t, const CollectiveEntry*> entries;
    std::map<std::uint32_t, Rational> sent; // by what it was made for
    for (const CollectiveEntry& entry : plan.list.entries)
        entries.emplace(entry.operation.index, &entry);
    for (const auto& [index, one] : exchanges.seen) {
        const OperationId id(static_cast<std::size_t>(index));
        const auto origin = std::lower_bound(device.origins.begin(), device.origins.end(), id,
            [](const auto& pair, OperationId wanted) { return pair.first < wanted; });
        const OperationId planned = origin != device.origins.end() && origin->first == id ? origin->second : id;
        const auto found = entries.find(planned.index);
        const std::string name = "operation " + std::to_string(index);
        if (found == entries.end())
            return name + " exchanges what no plan says";
        const CollectiveEntry& entry = *found->second;
        const Operation& operation = device.program.operation(id);
        if (!isWithin(
                attributesAs<CollectiveAttributes>(operation.attributes)->groups, replicaGroups(entry, *entry.mesh)))
            return name + " exchanges between devices that the plan does not connect";
        sent[planned.index] += sentBy(operation, one.bytes);
        if (!entry.timesKnown || entry.conditional)
            continue;
        if (static_cast<std::int64_t>(one.times.size()) != device.mesh->deviceCount())
            return name + " does not run on all devices";
        for (const auto& [place, times] : one.times)
            if (times != entry.times)
                return name + " runs " + std::to_string(times) + " times on device " + std::to_string(place)
                    + ", and in the plan " + std::to_string(entry.times);
    }
    for (const CollectiveEntry& entry : plan.list.entries) {
        const Rational found = sent.contains(entry.operation.index) ? sent.at(entry.operation.index) : Rational(0);
        const bool sends = entry.kind != CollectiveKind::AllSlice && entry.times > 0; // a loop may have no trips
        if (found != (sends ? entry.sentBytes : Rational(0)) && !entry.conditional && entry.timesKnown)
            return "entry " + std::to_string(&entry - plan.list.entries.data() + 1) + " ("
                + std::string(name(entry.kind)) + ") sends " + std::to_string(found.value())
                + " bytes, and in the plan " + std::to_string(entry.sentBytes.value());
        counts[0] += entry.kind == CollectiveKind::AllSlice ? 0 : 1;
        counts[1] += entry.times > 1 ? 1 : 0;
    }
    return {};
}

/// Empty if the devices hold the parts of what the program gives on one device.
std::string compareWithReference(const Planned& plan, std::uint64_t seed)
{
    const Result<ReadProgram> read = readStableHlo(plan.text);
    if (!read)
        return std::string(read.error().id());
    shardscope::test::SplitMix random(seed);
    kernels::Arrays arguments;
    for (const ValueId argument : read->program.main().arguments) {
        arguments.push_back(kernels::Array::zeros(read->program.value(argument).type));
        for (std::int64_t i = 0; i < arguments.back().count(); ++i)
            kernels::setInteger(arguments.back(), i, static_cast<std::int64_t>(random.next()));
    }
    const auto full = test::executeInFull(read->program, arguments);
    if (!full)
        return "reference: " + std::string(full.error().id());
    const auto devices = test::executeParts(*plan.parts, arguments);
    if (!devices)
        return "devices: " + std::string(devices.error().id());
    if (!devices->differences.empty())
        return "copies differ";
    for (std::size_t i = 0; i < full->outputs.size(); ++i) {
        const kernels::Array &a = full->outputs[i], &b = devices->outputs[i];
        if (!(a.type == b.type))
            return "output " + std::to_string(i) + " has another type";
        for (std::int64_t e = 0; e < a.count() * a.elementBytes(); ++e)
            if (static_cast<const unsigned char*>(static_cast<const void*>(a.data()))[e]
                != static_cast<const unsigned char*>(static_cast<const void*>(b.data()))[e])
                return "output " + std::to_string(i) + " is another";
    }
    return {};
}

/// What a halo sends against what it would take to have the array whole along its dimensions.
std::string compareWithGathering(const CollectiveEntry& entry)
{
    TensorSharding full = entry.before;
    for (const HaloSide& halo : entry.halos)
        full.dims[halo.dimension].axes.clear();
    const std::int64_t lacking = localBytes(entry.type, full) - localBytes(entry.type, entry.before);
    if (entry.gatheredBytes.value() < static_cast<double>(lacking))
        return "gathering would send " + std::to_string(entry.gatheredBytes.value()) + " bytes, of "
            + std::to_string(lacking);
    return entry.sentBytes.value() <= entry.gatheredBytes.value()
        ? std::string()
        : "a halo of " + std::to_string(entry.sentBytes.value()) + " bytes, where gathering sends "
            + std::to_string(entry.gatheredBytes.value());
}

bool isEven(const CollectiveEntry& entry)
{
    for (std::size_t d = 0; d < entry.type.rank(); ++d)
        for (const TensorSharding* sharding : { &entry.before, &entry.after })
            if (d < sharding->dims.size() && entry.type.shape[d] % shardCount(sharding->dims[d]) != 0)
                return false;
    return true;
}

/// What no plan can avoid for the shardings that values have: of a reshard, the bytes that devices do not hold before;
/// of a sum, the bytes that it ends with on each, which say something of all the others.
struct Least {
    double neediest = 0, allDevices = 0;
};

Least leastOf(const CollectiveList& list)
{
    Least least;
    for (std::size_t first = 0; first < list.entries.size();) {
        const CollectiveEntry& entry = list.entries[first];
        const auto times = static_cast<double>(entry.times), devices = static_cast<double>(entry.mesh->deviceCount());
        if (entry.kind == CollectiveKind::AllReduce || entry.kind == CollectiveKind::ReduceScatter) {
            const auto bytes = static_cast<double>(localBytes(entry.type, entry.after));
            least.neediest += bytes * times;
            least.allDevices += bytes * times * devices;
            ++first;
            continue;
        }
        std::size_t last = first;
        while (last + 1 < list.entries.size()) {
            const CollectiveEntry &next = list.entries[last + 1], &now = list.entries[last];
            if (next.value != now.value || next.reason != now.reason || next.times != now.times
                || !(next.before == now.after) || next.kind == CollectiveKind::AllReduce
                || next.kind == CollectiveKind::ReduceScatter)
                break;
            ++last;
        }
        const MissingBytes missing = missingBytes(
            { entry.type, entry.before, list.entries[last].after, entry.mesh.get(), nullptr, Blocks::AsIfEven });
        least.neediest += static_cast<double>(missing.neediestDevice) * times;
        least.allDevices += static_cast<double>(missing.allDevices) * times;
        first = last + 1;
    }
    return least;
}

std::string compareWithLeast(const CollectiveList& list)
{
    const Least least = leastOf(list);
    Rational sent, byAll;
    for (const CollectiveEntry& entry : list.entries) {
        sent += entry.sentPerStep();
        byAll += entry.sentPerStep() * Rational(entry.mesh->deviceCount());
    }
    if (sent.value() < least.neediest)
        return "a device sends " + std::to_string(sent.value()) + " bytes, and one lacks "
            + std::to_string(least.neediest);
    if (byAll.value() < least.allDevices)
        return "all devices send " + std::to_string(byAll.value()) + " bytes and lack "
            + std::to_string(least.allDevices);
    return {};
}

/// The text with the devices of its mesh in another order.
std::string overOtherDevices(std::string text, std::uint64_t seed)
{
    const std::size_t mesh = text.find("sdy.mesh"), end = text.find('\n', mesh);
    std::string line = text.substr(mesh, end - mesh);
    std::size_t devices = 1;
    for (std::size_t at = line.find("\"="); at != std::string::npos; at = line.find("\"=", at + 1))
        devices *= std::stoul(line.substr(at + 2));
    line = line.substr(0, line.find(']') + 1);
    std::vector<std::size_t> ids(devices);
    std::iota(ids.begin(), ids.end(), std::size_t{ 0 });
    shardscope::test::SplitMix random(seed);
    for (std::size_t i = 0; i < ids.size(); ++i)
        std::swap(ids[i], ids[i + random.below(ids.size() - i)]);
    std::string list;
    for (const std::size_t id : ids)
        list += (list.empty() ? "" : ", ") + std::to_string(id);
    if (!std::is_sorted(ids.begin(), ids.end())) // which would be said by saying nothing
        line += ", device_ids=[" + list + ']';
    return text.replace(mesh, end - mesh, line + '>');
}

std::string withoutDevices(std::string text)
{
    const std::size_t begin = text.find(", device_ids=[");
    return begin == std::string::npos ? text : text.erase(begin, text.find(']', begin) + 1 - begin);
}

/// Everything that a list says but for the numbers of devices.
std::vector<std::string> linesOf(const CollectiveList& list)
{
    std::vector<std::string> lines;
    for (const CollectiveEntry& entry : list.entries)
        lines.push_back(std::string(name(entry.kind)) + ' ' + keyOf(entry, CollectiveKey::Axes) + ' '
            + std::to_string(entry.groupCount) + 'x' + std::to_string(entry.groupSize) + ' '
            + std::to_string(entry.sentBytes.value()) + " * " + std::to_string(entry.times) + " for "
            + std::to_string(entry.value.index));
    return lines;
}

} // namespace

void TestPlanAndRun::exchangesAreThoseOfThePlan()
{
    std::array<int, 2> counts{};
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Planned plan = planned(textOf(seed));
        VERIFY_PLAN(plan, seed, compareWithRun(plan, seed, counts));
    }
    QVERIFY2(counts[0] > static_cast<int>(programs) / 2, qPrintable(QString::number(counts[0])));
    QVERIFY(counts[1] > 0 || !test::triesAllRandomCases());
}

void TestPlanAndRun::unequalPartsAreExchangedAsPlanned()
{
    std::array<int, 2> counts{};
    int padded = 0;
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Planned plan = planned(textOf(seed, program_texts::Purpose::RunUneven));
        VERIFY_PLAN(plan, seed, compareWithRun(plan, seed, counts));
        padded += std::all_of(plan.list.entries.begin(), plan.list.entries.end(), isEven) ? 0 : 1;
    }
    // From one sharding to others and back, over several axes per dimension.
    for (std::uint64_t seed = 0; seed < 2 * programs; ++seed) {
        const program_texts::Draft draft = program_texts::thereAndBack(seed, program_texts::Purpose::RunUneven);
        for (const bool optimal : { false, true }) {
            const Planned plan = planned(program_texts::write(draft, {}), optimal);
            VERIFY_PLAN(plan, seed, compareWithRun(plan, seed, counts));
            VERIFY_PLAN(plan, seed, compareWithReference(plan, seed));
        }
    }
    QVERIFY2(counts[0] > static_cast<int>(programs) / 2, qPrintable(QString::number(counts[0])));
    QVERIFY2(padded > static_cast<int>(programs) / 4, qPrintable(QString::number(padded)));
}

void TestPlanAndRun::planSendsWhatIsMissing()
{
    int even = 0, sending = 0;
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Planned plan = planned(textOf(seed + 100000));
        VERIFY_PLAN(plan, seed, std::string());
        if (!std::all_of(plan.list.entries.begin(), plan.list.entries.end(), isEven))
            continue;
        ++even;
        sending += leastOf(plan.list).allDevices > 0 ? 1 : 0;
        VERIFY_PLAN(plan, seed, compareWithLeast(plan.list));
    }
    QVERIFY2(even > static_cast<int>(programs) / 4, qPrintable(QString::number(even)));
    QVERIFY2(sending > static_cast<int>(programs) / 8, qPrintable(QString::number(sending)));
}

void TestPlanAndRun::otherDevicesChangeNumbersOnly()
{
    for (std::uint64_t seed = 0; seed < programs / 2; ++seed) {
        const std::string text = withoutDevices(textOf(seed + 200000));
        const Planned plain = planned(text);
        VERIFY_PLAN(plain, seed, std::string());
        const Planned other = planned(overOtherDevices(text, seed));
        VERIFY_PLAN(other, seed, linesOf(other.list) == linesOf(plain.list) ? std::string() : "another plan");
        VERIFY_PLAN(other, seed,
            withoutDevices(printStableHlo(other.parts->sharded->program))
                    == withoutDevices(printStableHlo(plain.parts->sharded->program))
                ? std::string()
                : "another program");
    }
}

void TestPlanAndRun::halosAreThoseOfThePlanAndGiveTheReference()
{
    std::array<int, 2> counts{};
    std::map<OpKind, int> kinds; // of operations that read halos
    int several = 0;
    for (std::uint64_t seed = 0; seed < programs * 3; ++seed) {
        const Planned plan = planned(halo_texts::write(seed));
        VERIFY_PLAN(plan, seed, compareWithReference(plan, seed));
        VERIFY_PLAN(plan, seed, compareWithRun(plan, seed, counts));
        for (const CollectiveEntry& entry : plan.list.entries) {
            if (!entry.reason || entry.reason->kind != Reason::Kind::Halo)
                continue;
            VERIFY_PLAN(plan, seed, compareWithGathering(entry));
            ++kinds[plan.list.program->operation(entry.operation).kind];
            several += entry.halos.size() > 1 ? 1 : 0;
        }
    }
    for (const OpKind kind : { OpKind::Slice, OpKind::Pad, OpKind::Reverse, OpKind::Concatenate, OpKind::ReduceWindow,
             OpKind::Convolution }) {
        std::cout << "halos of kind " << static_cast<int>(kind) << ": " << kinds[kind] << std::endl;
        QVERIFY(kinds[kind] > static_cast<int>(programs) / 40);
    }
    QVERIFY2(several > static_cast<int>(programs) / 40, qPrintable(QString::number(several)));
}

namespace {

PlannedMemory plannedMemoryOfText(const char* text)
{
    Result<Experiment> experiment = experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text) }, "text");
    AnalysisCache cache;
    const SnapshotPtr snapshot = analyse(std::make_shared<const Experiment>(std::move(*experiment)), 1, cache);
    return plannedMemory(*plannedProgram(*snapshot).value());
}

std::vector<std::string> heldNames(const PlannedMemory& memory)
{
    std::vector<std::string> names;
    for (const PlannedMemory::Array& array : memory.arrays)
        names.push_back(array.path + " " + std::to_string(array.bytes));
    return names;
}

} // namespace

/// Half of a (128 B), all of w (256 B), both to the end, and half of each result (128 B): the peak, at the tanh.
void TestPlanAndRun::memoryNamesWhatIsHeld()
{
    const PlannedMemory memory = plannedMemoryOfText(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
})");
    QCOMPARE(memory.devices, std::int64_t{ 2 });
    QCOMPARE(memory.memory.peakBytes, std::int64_t{ 640 });
    QCOMPARE(memory.memory.peakInstruction, 1);
    QCOMPARE(memory.memory.live, (std::vector<std::int64_t>{ 512, 640 }));
    QCOMPARE(memory.peakPath, std::string("1"));
    QCOMPARE(heldNames(memory), (std::vector<std::string>{ "w 256", "a 128", "0 128", "1 128" }));
    QVERIFY(!memory.dependsOnData);
}

/// The gathered copy of a (256 B) is none of the program's values: it is there for the exchange, and known as a's.
void TestPlanAndRun::memoryOfExchanges()
{
    const PlannedMemory memory = plannedMemoryOfText(R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  return %a : tensor<8x8xf32>
})");
    QCOMPARE(memory.memory.peakBytes, std::int64_t{ 64 + 256 });
    QCOMPARE(memory.arrays.size(), std::size_t{ 2 });
    QCOMPARE(memory.arrays[0].bytes, std::int64_t{ 256 });
    QVERIFY(memory.arrays[0].isCopy);
    QCOMPARE(memory.program->operation(memory.arrays[0].maker).kind, OpKind::AllGather);
    QCOMPARE(memory.arrays[1].path, std::string("a"));
}

/// The gradients of a step stay to its end. Without that the peak is lower, where each is read soon after it is there.
void TestPlanAndRun::memoryWithoutGradientsThatStay()
{
    // 4 MiB each: both parameters and what their gradients are made of all the time, and both gradients in the end, or
    // one after the other.
    const MemorySummary updates = plannedMemoryOfText(
        R"(func.func @main(%p0: tensor<1024x1024xf32> {tf.aliasing_output = 0 : i32}, %p1: tensor<1024x1024xf32> {tf.aliasing_output = 1 : i32}, %g0: tensor<1024x1024xf32>, %g1: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %a = stablehlo.dot_general %g0, %g0, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %na = stablehlo.subtract %p0, %a : tensor<1024x1024xf32>
  %b = stablehlo.dot_general %g1, %g1, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %nb = stablehlo.subtract %p1, %b : tensor<1024x1024xf32>
  return %na, %nb : tensor<1024x1024xf32>, tensor<1024x1024xf32>
})")
                                      .memory;
    constexpr std::int64_t mebi = 1 << 20;
    QCOMPARE(updates.peakBytes, 24 * mebi);
    QCOMPARE(updates.peakWithoutKept, 20 * mebi);

    // The notebook: 8 weights of 1024 x 1024 with two moments, in float32, in a batch of 8 rows. Without gradients that
    // stay the peak is at the first one, W2 of the last layer, as each update follows its gradient. Held are the
    // weights with both moments and that gradient; in rows of 1024 x, z of each layer and the ones that go back; in
    // rows of 1024 / model h of each layer, its relu and what goes back to the last one; two counters, two bias
    // corrections and the loss.
    constexpr std::int64_t weight = 4 * mebi;
    for (const std::int64_t data : { 1, 2, 4, 8 }) {
        const std::int64_t model = 8 / data, activation = 8 / data * 1024 * 4;
        Result<Experiment> experiment = withAxisSizes(test::example("flax-mlp-logical"), { data, model });
        QVERIFY(experiment.has_value());
        AnalysisCache cache;
        const SnapshotPtr snapshot = analyse(std::make_shared<const Experiment>(std::move(*experiment)), 1, cache);
        const MemorySummary& memory = snapshot->plan->memory;
        QCOMPARE(memory.peakWithoutKept, (24 + 1) * weight / model + 6 * activation + 9 * activation / model + 5 * 4);
        QVERIFY(memory.peakBytes > 32 * weight / model);
        if (data == 2)
            QCOMPARE(memory.peakWithoutKept, std::int64_t{ 26'349'588 });
    }
}

/// What is listed as held at the peak is all of it, in loops and branches too, and of one owner each.
void TestPlanAndRun::memoryListsAllThatIsHeld()
{
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const PlannedMemory memory = plannedMemoryOfText(textOf(seed + 700000).c_str());
        std::int64_t bytes = 0;
        std::array<std::int64_t, ownerCount> owners{};
        for (const PlannedMemory::Array& array : memory.arrays) {
            bytes += array.bytes;
            owners[static_cast<std::size_t>(array.owner)] += array.bytes;
        }
        QCOMPARE(bytes, memory.memory.peakBytes);
        QVERIFY(owners == memory.memory.atPeak);
        QVERIFY(memory.memory.arenaBytes >= bytes);
        QCOMPARE(memory.moments.size(), memory.memory.live.size());
    }
}

/// The list of collectives, what a device is shown to run, and what runs are one program under every strategy.
void TestPlanAndRun::everyStrategyRunsWhatItLists()
{
    // Under the strategy "basic" the product is computed otherwise than under the full one.
    std::vector<std::string> texts{ R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
})" };
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        texts.push_back(textOf(seed + 400000));
    std::set<std::string> plans; // of the first text
    std::array<int, 2> counts{};
    for (std::size_t t = 0; t < texts.size(); ++t) {
        const Experiment experiment =
            *experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(texts[t]) }, "text");
        for (const std::string& strategy : strategyNames()) {
            Experiment own = experiment;
            own.propagation.strategy = *strategyNamed(strategy);
            AnalysisCache cache;
            const SnapshotPtr snapshot = analyse(std::make_shared<const Experiment>(std::move(own)), 1, cache);
            Planned plan;
            plan.text = texts[t];
            Result<std::shared_ptr<const CollectiveList>> list = collectivesOf(*snapshot);
            Result<DeviceStages::Partitioned> parts = partitionedProgram(*snapshot, false);
            QVERIFY2(list && parts, qPrintable(QString::fromStdString(strategy)));
            plan.list = **list;
            plan.parts = std::move(*parts);
            VERIFY_PLAN(plan, t, compareWithRun(plan, t, counts));
            const std::string shown = printStableHlo(plan.parts->device.program);
            const auto planned = plannedProgram(*snapshot);
            QVERIFY(planned);
            VERIFY_PLAN(plan, t,
                printStableHlo(*(*planned)->program->local) == shown ? std::string() : "values of another program");
            QCOMPARE(hash(*(*planned)->program->local), *deviceProgramHash(*snapshot));
            if (t == 0)
                plans.insert(shown);
        }
    }
    QVERIFY2(plans.size() > 1, "all strategies lead to one program");
    QVERIFY(counts[0] > 0);
}

/// What every device is shown to run of a network, read from its text, gives what the network gives on one device.
void TestPlanAndRun::networksRunAsTheyArePrinted()
{
    int exchanges = 0;
    for (const auto& [data, model] : { std::pair<std::int64_t, std::int64_t>{ 2, 4 }, { 4, 2 }, { 8, 1 }, { 1, 8 } }) {
        Experiment experiment = builtinExamples().front().make();
        MlpSettings& settings = std::get<MlpModel>(experiment.model).settings;
        settings.layers = 2;
        settings.batch = 16;
        settings.embed = 24;
        settings.hidden = 32;
        experiment.mesh.axes = { { "data", data }, { "model", model } };
        AnalysisCache cache;
        const SnapshotPtr snapshot = analyse(std::make_shared<const Experiment>(std::move(experiment)), 1, cache);
        QVERIFY(snapshot->plan);
        const Result<DeviceStages::Partitioned> parts = partitionedProgram(*snapshot);
        QVERIFY(parts);
        PartitionedProgram read = **parts;
        read.device.program = readStableHlo(printStableHlo(read.device.program)).value().program;
        read.device.origins.clear(); // its operations have other ids
        read.sharded = std::make_shared<const ShardedProgram>(ShardedProgram{ read.device.program, {}, {} });
        const Program global = *snapshot->annotated;
        const kernels::Arrays arguments = InitialArrays(global, { 3, InitialDefaults::ByUse }).all();
        const auto wanted = test::executeInFull(global, arguments);
        const auto found = test::executeParts(read, arguments);
        QVERIFY2(wanted, wanted ? "" : wanted.error().text("op").c_str());
        QVERIFY2(found, found ? "" : found.error().text("op").c_str());
        QVERIFY(found->differences.empty());
        QCOMPARE(found->outputs.size(), wanted->outputs.size());
        for (std::size_t i = 0; i < found->outputs.size(); ++i) {
            const auto compared = compareWithReference(found->outputs[i], wanted->outputs[i], 1e-4);
            QVERIFY2(compared.passed() && compared.notFinite == 0, qPrintable(QString::number(i)));
        }
        for (const Operation& operation : read.device.program.operations)
            exchanges += deviceExchange(read.device.program, operation) ? 1 : 0;
    }
    QVERIFY(exchanges > 8);
}

REGISTER_TEST(TestPlanAndRun)
#include "test_plan_and_run.moc"
