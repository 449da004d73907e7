// SPDX-License-Identifier: GPL-3.0-or-later
// Where arrays lie, what that leaves of the devices' memory, and what moves between host and devices: of networks,
// arrays alone and programs in a text.
#include <QTest>

#include <algorithm>

#include "analysis/analyse.h"
#include "analysis/analysed.h"
#include "analysis/change.h"
#include "analysis/host_transfers.h"
#include "analysis/memory_fixes.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "pipeline/collective_list.h"
#include "pipeline/device_stages.h"
#include "pipeline/memory_placement.h"
#include "program/other_attributes.h"
#include "random_properties.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;
using test::analysed;

namespace {

constexpr std::int64_t mib = 1 << 20;

Experiment mlp()
{
    for (const Example& candidate : builtinExamples())
        if (candidate.id == "flax-mlp-logical")
            return candidate.make();
    qFatal("no such example");
}

/// a (8, 8) f32 on P('x', -) and b (8) on P('x'), on four TPU cores.
Experiment arrays()
{
    Experiment experiment;
    experiment.hardware.devices = DeviceSet::ofHosts("generic-tpu", "tpu", 1, 4);
    experiment.mesh.axes = { { "x", 4 } };
    experiment.rules.rules.list = { { LogicalName::of("rows"), SpecEntry::axis("x") } };
    const LogicalName rows = LogicalName::of("rows"), none = LogicalName::none();
    experiment.model = ArraysModel{ { { "a", { rows, none }, { 8, 8 } }, { "b", { rows }, { 8 } } } };
    return experiment;
}

std::vector<const Problem*> found(const Snapshot& snapshot, Code code)
{
    std::vector<const Problem*> problems;
    for (const Problem& problem : snapshot.problems)
        if (problem.diagnostic.code == code)
            problems.push_back(&problem);
    return problems;
}

SnapshotPtr program(const std::string& text)
{
    Result<Experiment> made = experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text), {} }, "p");
    if (!made)
        qFatal("not read");
    return analysed(*made);
}

const std::string onHost = R"({mhlo.memory_kind = "pinned_host"})", onDevice = R"({mhlo.memory_kind = "device"})";

/// main(%a in one memory, %b in another), with this body over tensor<8x4xf32>.
std::string twoArguments(const std::string& body, const std::string& a = onHost, const std::string& b = onDevice)
{
    const std::string t = "tensor<8x4xf32>";
    return "func.func @main(%a: " + t + " " + a + ", %b: " + t + " " + b + ") -> " + t + " {\n" + body + "}\n";
}

std::string placed(const std::string& operand, const std::string& kind)
{
    return "stablehlo.custom_call @annotate_device_placement(" + operand
        + ") {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = \"" + kind
        + "\"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>\n";
}

ProgramMemory memoryOfText(const std::string& text)
{
    const Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        qFatal("%s", read.error().text("detail").c_str());
    return memoryOf(read->program);
}

} // namespace

class TestMemoryPlacement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// On a CPU the devices' own memory has two names; elsewhere they are two memories.
    void oneMemoryWithTwoNames()
    {
        const Result<ReadProgram> read = readStableHlo(
            "func.func @main(%a: tensor<8xf32> {mhlo.memory_kind = \"unpinned_host\"}, %b: tensor<8xf32>) -> "
            "tensor<8xf32> {\n  %0 = stablehlo.add %a, %b : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n");
        QVERIFY(read.has_value());
        QVERIFY(memoryOf(read->program, "cpu").findings.empty());
        const std::vector<Diagnostic> mixed = memoryOf(read->program, "tpu").findings;
        QCOMPARE(mixed.size(), std::size_t{ 1 });
        QCOMPARE(mixed[0].code, Code::MixedMemoryKinds);
    }

    void parametersStayOnTheHost()
    {
        const SnapshotPtr onDevices = analysed(mlp());
        const SnapshotPtr onHost = analysed(*withParamsOnDevices(mlp(), false));
        QVERIFY(onHost->ok());
        QVERIFY(hostTransfers(*onDevices).empty());
        QCOMPARE(hostMemory(*onDevices), HostMemory{});
        QCOMPARE(onDevices->plan->memory.atPeak[static_cast<std::size_t>(Owner::Parameters)], 8 * mib);
        int parameters = 0;
        for (const TensorRow& row : onHost->tensors) {
            QCOMPARE(row.memoryKind == MemoryKind::PinnedHost, row.role == Role::Parameter);
            QCOMPARE(isOnHost(*onHost, row), row.role == Role::Parameter);
            parameters += row.role == Role::Parameter;
        }
        // Eight arrays of 1 MiB on each of eight devices, in and back.
        QCOMPARE(parameters, 8);
        QCOMPARE(hostMemory(*onHost), (HostMemory{ 8 * mib, 64 * mib, 8 }));
        const HostTransfers transfers = hostTransfers(*onHost);
        QCOMPARE(transfers.list.size(), std::size_t{ 16 });
        QCOMPARE(transfers.toDevices, (MemoryTransfer{ 8 * mib, 64 * mib }));
        QCOMPARE(transfers.toHost, (MemoryTransfer{ 8 * mib, 64 * mib }));
        for (const HostTransfer& transfer : transfers.list)
            QCOMPARE(transfer.cause == HostTransfer::Cause::Read, transfer.from == MemoryKind::PinnedHost);
        // What is cut, sent and computed stays; the devices have room for what they hold no longer all the time.
        QCOMPARE(onHost->sent.step, onDevices->sent.step);
        const MemorySummary& before = onDevices->plan->memory;
        const MemorySummary& after = onHost->plan->memory;
        QVERIFY(after.peakBytes < before.peakBytes);
        QVERIFY(after.peakBytes >= before.peakBytes - 8 * mib);
        QCOMPARE(after.stateBytes, before.stateBytes - 8 * mib);
        QCOMPARE(after.arenaBytes, before.arenaBytes);
        QCOMPARE(after.live.size(), before.live.size());
        for (std::size_t i = 0; i < after.live.size(); ++i)
            QVERIFY(after.live[i] <= before.live[i] && after.live[i] >= before.live[i] - 8 * mib);
        std::int64_t sum = 0;
        for (const std::int64_t bytes : after.atPeak)
            sum += bytes;
        QCOMPARE(sum, after.peakBytes);
        QCOMPARE(stateBytes(*onDevices) - stateBytes(*onHost), 8 * mib);
        const Change change = changeBetween(*onDevices, *onHost);
        QCOMPARE(change.parameters, 8);
        QCOMPARE(change.others, 0);
    }

    /// What a device runs says of these moves what the analysis counts; without parameters on the host it is as it was.
    void movesAreOperations()
    {
        const SnapshotPtr onDevices = analysed(mlp());
        const Program before = (*onDevices->deviceStages->partitioned())->device.program;
        QCOMPARE(hash(withPlacement(*onDevices, before)), hash(before));
        const SnapshotPtr onHost = analysed(*withParamsOnDevices(mlp(), false));
        const Program after = withPlacement(*onHost, (*onHost->deviceStages->partitioned())->device.program);
        QVERIFY(verify(after).empty());
        const std::string& platform = onHost->experiment->hardware.devices.platform;
        const MemoryKind own = defaultMemoryKind(platform);
        const ProgramMemory memory = memoryOf(after, platform);
        QVERIFY(memory.findings.empty());
        QCOMPARE(memory.moves.size(), hostTransfers(*onHost).list.size());
        std::size_t in = 0;
        for (const MemoryMove& move : memory.moves) {
            QVERIFY(move.operation.valid());
            in += move.from == MemoryKind::PinnedHost && move.to == own;
        }
        QCOMPARE(in, std::size_t{ 8 });
        // An argument comes to the devices right before the first operation that reads it.
        const auto users = usersOf(after);
        const std::vector<OperationId>& order = after.main().operations;
        for (const MemoryMove& move : memory.moves) {
            if (move.from != MemoryKind::PinnedHost)
                continue;
            QCOMPARE(users[move.value.index].size(), std::size_t{ 1 });
            const auto at = std::find(order.begin(), order.end(), move.operation);
            auto next = at;
            while (next != order.end() && attributesAs<CustomCallAttributes>(after.operation(*next).attributes))
                ++next; // another argument of the same operation
            QVERIFY(next != order.end());
            const auto& operands = after.operation(*next).operands;
            QVERIFY(std::find(operands.begin(), operands.end(), move.result) != operands.end());
            QCOMPARE(std::string(after.value(move.result).path),
                std::string(toString(own)) + "(" + std::string(after.value(move.value).path) + ")");
        }
        // Read again from its text it says the same.
        const Result<ReadProgram> read = readStableHlo(printStableHlo(after, {}));
        QVERIFY(read.has_value());
        QCOMPARE(memoryOf(read->program, platform).moves.size(), memory.moves.size());
    }

    void inferenceOnlyReads()
    {
        Experiment experiment = *withParamsOnDevices(mlp(), false);
        std::get<MlpModel>(experiment.model).settings.trainStep = false;
        const HostTransfers transfers = hostTransfers(*analysed(experiment));
        QCOMPARE(transfers.list.size(), std::size_t{ 8 });
        QCOMPARE(transfers.toDevices.bytesPerDevice, 8 * mib);
        QCOMPARE(transfers.toHost, MemoryTransfer{});
    }

    /// The limit is one of the devices' memory: parameters that leave it let the step fit.
    void theLimitCountsDeviceMemoryAlone()
    {
        Experiment experiment = mlp();
        experiment.hardware.memoryPerDevice = analysed(experiment)->plan->memory.peakBytes - 1;
        QCOMPARE(found(*analysed(experiment), Code::OverMemoryLimit).size(), std::size_t{ 1 });
        QVERIFY(found(*analysed(*withParamsOnDevices(experiment, false)), Code::OverMemoryLimit).empty());
        // Where nothing can be cut any more, that is the way out.
        experiment.mesh.axes = { { "data", 1 }, { "model", 1 } };
        experiment = *withDevicesForMesh(experiment);
        experiment.hardware.memoryPerDevice = 1;
        bool offered = false;
        const SnapshotPtr full = analysed(experiment);
        AnalysisCache cache;
        for (const Fix& fix : memoryFixes(*full, cache, {}))
            offered = offered || fix.kind == Fix::Kind::ParamsOnHost;
        QVERIFY(offered);
    }

    void kindsOfSingleArrays()
    {
        const Experiment before = arrays();
        QVERIFY(!analysed(before)->row("a")->memoryKind);
        const SnapshotPtr snapshot = analysed(*withMemoryKind(before, "a", MemoryKind::PinnedHost));
        QVERIFY(snapshot->ok());
        QCOMPARE(snapshot->row("a")->memoryKind, std::optional(MemoryKind::PinnedHost));
        QVERIFY(!snapshot->row("b")->memoryKind);
        // 8 x 8 f32 in four parts; no step reads it, and nothing moves.
        QCOMPARE(hostMemory(*snapshot), (HostMemory{ 64, 256, 1 }));
        QCOMPARE(snapshot->plan->memory.peakBytes, std::int64_t{ 8 });
        QVERIFY(hostTransfers(*snapshot).empty());
        // The kind of an array counts more than what is said of parameters.
        const Experiment onHost = *withParamsOnDevices(*withMemoryKind(before, "a", MemoryKind::Device), false);
        const SnapshotPtr mixed = analysed(onHost);
        QVERIFY(!mixed->row("a")->memoryKind);
        QCOMPARE(mixed->row("b")->memoryKind, std::optional(MemoryKind::PinnedHost));
        // A CPU computes in its host's memory: both kinds are its own.
        Experiment cpu = *withPlatform(onHost, "cpu");
        QCOMPARE(analysed(cpu)->row("a")->memoryKind, std::optional(MemoryKind::Device));
        QVERIFY(!isOnHost(*analysed(cpu), *analysed(cpu)->row("a")));
        cpu = *withMemoryKind(cpu, "a", MemoryKind::UnpinnedHost);
        QVERIFY(!analysed(cpu)->row("a")->memoryKind);
    }

    void platformsWithoutAKind()
    {
        const Experiment before = *withMemoryKind(arrays(), "b", MemoryKind::UnpinnedHost);
        QVERIFY(found(*analysed(before), Code::UnknownMemoryKind).empty());
        const SnapshotPtr snapshot = analysed(*withPlatform(before, "gpu"));
        const auto problems = found(*snapshot, Code::UnknownMemoryKind);
        QCOMPARE(problems.size(), std::size_t{ 1 });
        const Diagnostic& stated = problems[0]->diagnostic;
        QCOMPARE(stated.where.pointer, std::string("/model/arrays/1/memory_kind"));
        QCOMPARE(stated.where.path, std::string("b"));
        QCOMPARE(problems[0]->values.size(), std::size_t{ 1 });
        QVERIFY(problems[0]->values[0] == snapshot->row("b")->value);
        QCOMPARE(stated.list("known"), (std::vector<std::string>{ "device", "pinned_host" }));
        QVERIFY(snapshot->laidOut() && snapshot->errorCount() == 1);
        QVERIFY(snapshot->row("b"));
    }

    /// One analysis of programs and layouts serves all memories.
    void layoutsAreTakenFromTheCache()
    {
        AnalysisCache cache;
        const auto analyse = [&](const Experiment& experiment) {
            return shardscope::analyse(std::make_shared<const Experiment>(experiment), 1, cache);
        };
        const SnapshotPtr before = analyse(arrays());
        const SnapshotPtr after = analyse(*withMemoryKind(arrays(), "a", MemoryKind::PinnedHost));
        QVERIFY(before->program.get() == after->program.get());
        QVERIFY(before->propagation == after->propagation);
        QVERIFY(before->plan != after->plan);
        QVERIFY(analyse(arrays())->plan == before->plan);
        // A run goes on while its plan is the same object.
        Experiment named = *withMemoryKind(arrays(), "a", MemoryKind::PinnedHost);
        named.title = "another";
        QVERIFY(analyse(named)->plan == after->plan);
    }

    void layoutsDoNotDependOnMemories()
    {
        const bool held = test::propertyHolds(100, "random arrays in random memories", [] {
            Experiment experiment = arrays();
            experiment.hardware.devices.platform = *rc::gen::element<std::string>("cpu", "gpu", "tpu");
            const SnapshotPtr before = analysed(experiment);
            std::int64_t here = 0, there = 0;
            for (const char* path : { "a", "b" }) {
                const auto kinds = memoryKinds(experiment.hardware.devices.platform);
                const std::size_t choice = *rc::gen::inRange<std::size_t>(0, kinds.size() + 1);
                const auto kind = choice == kinds.size() ? std::nullopt : std::optional(kinds[choice]);
                experiment = *withMemoryKind(experiment, path, kind);
            }
            experiment = *withParamsOnDevices(experiment, *rc::gen::arbitrary<bool>());
            const SnapshotPtr after = analysed(experiment);
            RC_ASSERT(after->ok());
            RC_ASSERT(after->tensors.size() == before->tensors.size());
            for (std::size_t i = 0; i < after->tensors.size(); ++i) {
                const TensorRow &was = before->tensors[i], &is = after->tensors[i];
                RC_ASSERT(is.spec == was.spec);
                RC_ASSERT(is.bytesPerDevice == was.bytesPerDevice);
                RC_ASSERT(is.layout.replicaGroups() == was.layout.replicaGroups());
                (isOnHost(*after, is) ? there : here) += is.bytesPerDevice;
            }
            RC_ASSERT(after->plan->memory.peakBytes == here);
            RC_ASSERT(hostMemory(*after).bytesPerDevice == there);
            RC_CLASSIFY(there > 0, "some on the host");
        });
        QVERIFY(held);
    }

    void editsThatCannotBe()
    {
        const auto refused = [](const Result<Experiment>& result, Code code) {
            QVERIFY(!result);
            QCOMPARE(result.error().code, code);
        };
        refused(withMemoryKind(arrays(), "c", MemoryKind::Device), Code::UnknownTensor);
        refused(withMemoryKind(mlp(), "x", MemoryKind::PinnedHost), Code::InvalidAttribute);
        refused(withMemoryKind(*withPlatform(arrays(), "gpu"), "a", MemoryKind::UnpinnedHost), Code::UnknownMemoryKind);
        Experiment text = arrays();
        text.model = ProgramModel{};
        refused(withParamsOnDevices(text, false), Code::InvalidAttribute);
    }

    void programsThatSayNothing()
    {
        QVERIFY(memoryOfText(twoArguments("  %0 = stablehlo.add %a, %b : tensor<8x4xf32>\n  return %0 : "
                                          "tensor<8x4xf32>\n",
                                 "", ""))
                    .saysNothing());
    }

    void aProgramMovesItsArrays()
    {
        const std::string text = "sdy.mesh @mesh = <[\"x\"=4]>\n"
            + twoArguments("  %0 = " + placed("%a", "device") + "  %1 = stablehlo.add %0, %b : tensor<8x4xf32>\n  %2 = "
                    + placed("%1", "pinned_host") + "  return %2 : tensor<8x4xf32>\n",
                R"({mhlo.memory_kind = "pinned_host", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})");
        const SnapshotPtr snapshot = program(text);
        QVERIFY(snapshot->laidOut());
        QVERIFY(found(*snapshot, Code::MixedMemoryKinds).empty());
        QCOMPARE(snapshot->row("a")->memoryKind, std::optional(MemoryKind::PinnedHost));
        // On CPU devices "device" is not what they take by themselves, and yet their own.
        QVERIFY(!isOnHost(*snapshot, *snapshot->row("0")) && !isOnHost(*snapshot, *snapshot->row("1")));
        QCOMPARE(snapshot->row("2")->memoryKind, std::optional(MemoryKind::PinnedHost));
        const HostTransfers transfers = hostTransfers(*snapshot);
        QCOMPARE(transfers.list.size(), std::size_t{ 2 });
        QVERIFY(transfers.list[0].to == MemoryKind::Device && transfers.list[1].from == MemoryKind::Device);
        QVERIFY(transfers.list[0].cause == HostTransfer::Cause::Placement);
        // A fourth of 128 B each, on four devices.
        QCOMPARE(transfers.toDevices, (MemoryTransfer{ 32, 128 }));
        QCOMPARE(transfers.toHost, (MemoryTransfer{ 32, 128 }));
        QCOMPARE(hostMemory(*snapshot), (HostMemory{ 32, 128, 1 }));
        const Result<std::shared_ptr<const CollectiveList>> list = collectivesOf(*snapshot);
        QVERIFY(list && (*list)->entries.empty());
    }

    void whatMainReturnsElsewhereMoves()
    {
        const ProgramMemory memory = memoryOfText("func.func @main(%a: tensor<8xf32> " + onHost + ") -> (tensor<8xf32> "
            + onDevice + ") {\n  return %a : tensor<8xf32>\n}\n");
        QCOMPARE(memory.moves.size(), std::size_t{ 1 });
        QVERIFY(!memory.moves[0].operation.valid());
        QVERIFY(memory.moves[0].from == MemoryKind::PinnedHost && memory.moves[0].to == MemoryKind::Device);
    }

    void movesInALoopCountWithItsTrips()
    {
        const SnapshotPtr snapshot = program("sdy.mesh @mesh = <[\"x\"=2]>\n"
            + twoArguments(R"(  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %x = %a) : tensor<i32>, tensor<8x4xf32>
   cond {
    %c_1 = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = )" + placed("%x", "device")
                + "    %2 = stablehlo.add %1, %1 : tensor<8x4xf32>\n    %3 = " + placed("%2", "pinned_host")
                + R"(    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.add %i, %c_1 : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<8x4xf32>
  }
  return %0#1 : tensor<8x4xf32>
)"));
        const HostTransfers transfers = hostTransfers(*snapshot);
        QCOMPARE(transfers.list.size(), std::size_t{ 2 });
        for (const HostTransfer& transfer : transfers.list)
            QCOMPARE(transfer.times, std::int64_t{ 5 });
        QCOMPARE(transfers.toDevices, (MemoryTransfer{ 5 * 128, 2 * 5 * 128 }));
        QCOMPARE(transfers.toHost, transfers.toDevices);
    }

    void functionsFindTheirArgumentsWhereTheyLie()
    {
        const ProgramMemory memory = memoryOfText("module {\n"
            + twoArguments("  %0 = call @f(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>\n  %1 = stablehlo.add %0, %b : "
                           "tensor<8x4xf32>\n  return %1 : tensor<8x4xf32>\n")
            + "func.func private @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {\n  %0 = " + placed("%x", "device")
            + "  return %0 : tensor<8x4xf32>\n}\n}\n");
        QVERIFY(memory.findings.empty());
        QCOMPARE(memory.moves.size(), std::size_t{ 1 });
    }

    void mixedMemoriesAreAnError_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("line"); // of the finding; 0 = none
        const auto row = [](const char* name, const std::string& body, int line) {
            QTest::newRow(name) << QString::fromStdString(body) << line;
        };
        const std::string back = "  return %b : tensor<8x4xf32>\n";
        row("elementwise", "  %0 = stablehlo.add %a, %b : tensor<8x4xf32>\n" + back, 2);
        row("product",
            "  %0 = stablehlo.tanh %a : tensor<8x4xf32>\n  %1 = stablehlo.dot_general %b, %0, contracting_dims = [1] "
            "x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>\n"
                + back,
            3);
        row("one memory", "  %0 = stablehlo.add %a, %a : tensor<8x4xf32>\n" + back, 0);
        row("a number lies anywhere",
            "  %c = stablehlo.constant dense<2.0> : tensor<f32>\n  %0 = stablehlo.broadcast_in_dim %c, dims = [] : "
            "(tensor<f32>) -> tensor<8x4xf32>\n  %1 = stablehlo.multiply %a, %0 : tensor<8x4xf32>\n"
                + back,
            0);
        row("moved before",
            "  %0 = " + placed("%a", "device") + "  %1 = stablehlo.add %0, %b : tensor<8x4xf32>\n" + back, 0);
        row("values that only pass",
            "  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<8x4xf32>, tensor<8x4xf32>\n" + back, 0);
    }
    void mixedMemoriesAreAnError()
    {
        QFETCH(QString, body);
        QFETCH(int, line);
        const std::string text = twoArguments(body.toStdString());
        const ProgramMemory memory = memoryOfText(text);
        QCOMPARE(memory.findings.size(), std::size_t(line > 0 ? 1 : 0));
        const SnapshotPtr snapshot = program("sdy.mesh @mesh = <[\"x\"=2]>\n" + text);
        QCOMPARE(found(*snapshot, Code::MixedMemoryKinds).size(), memory.findings.size());
        QVERIFY(snapshot->laidOut()); // it can be looked at all the same
        if (line == 0)
            return;
        const Diagnostic& stated = memory.findings[0];
        QCOMPARE(stated.code, Code::MixedMemoryKinds);
        QCOMPARE(stated.where.line, line);
        QVERIFY(stated.where.column > 0);
        QCOMPARE(stated.list("kinds").size(), std::size_t{ 2 });
    }

    void memoriesThatNobodyHas()
    {
        const ProgramMemory argument =
            memoryOfText(twoArguments("  return %b : tensor<8x4xf32>\n", R"({mhlo.memory_kind = "hbm"})"));
        QCOMPARE(argument.findings.size(), std::size_t{ 1 });
        QCOMPARE(argument.findings[0].code, Code::UnknownMemoryKind);
        QCOMPARE(argument.findings[0].text("kind"), std::string("hbm"));
        const ProgramMemory call =
            memoryOfText(twoArguments("  %0 = " + placed("%a", "tape") + "  return %b : tensor<8x4xf32>\n"));
        QCOMPARE(call.findings.size(), std::size_t{ 1 });
        QCOMPARE(call.findings[0].where.line, 2);
        // Kinds that only this platform lacks.
        const auto read =
            readStableHlo(twoArguments("  return %b : tensor<8x4xf32>\n", R"({mhlo.memory_kind = "unpinned_host"})"));
        QVERIFY(placementFindings(read->program, "tpu").empty());
        const std::vector<Diagnostic> onGpu = placementFindings(read->program, "gpu");
        QCOMPARE(onGpu.size(), std::size_t{ 1 });
        QCOMPARE(onGpu[0].code, Code::UnknownMemoryKind);
    }

    /// A key within the string of another one is no key.
    void keysInStrings()
    {
        std::string text = twoArguments("  %0 = " + placed("%a", "device") + "  return %b : tensor<8x4xf32>\n");
        text.replace(text.find("{_xla_buffer"), 1, R"({note = "x, _xla_buffer_placement = ", )");
        const ProgramMemory memory = memoryOfText(text);
        QVERIFY(memory.findings.empty());
        QCOMPARE(memory.moves.size(), std::size_t{ 1 });
    }
};

REGISTER_TEST(TestMemoryPlacement)
#include "test_memory_placement.moc"
