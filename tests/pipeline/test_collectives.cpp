// SPDX-License-Identifier: GPL-3.0-or-later
// The list of a step's collectives: networks and texts, loops and calls, groups, sums, alternatives.
#include <QTest>

#include <algorithm>
#include <set>

#include "analysis/analyse.h"
#include "analysis/analysed.h"
#include "analysis/collective_alternatives.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "pipeline/collective_list.h"
#include "pipeline/exchange_subject.h"
#include "pipeline/program_collectives.h"
#include "pipeline/stage_results.h"
#include "program/counted_loop.h"
#include "program/other_attributes.h"
#include "random_properties.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;
using test::analysed;

namespace {

SnapshotPtr ofText(const char* text)
{
    return analysed(*experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text) }, "text"));
}

Result<CollectiveList> listOf(const Snapshot& snapshot)
{
    return collectivesOf(snapshot).map([](const auto& list) { return *list; });
}

SnapshotPtr notebook(std::int64_t data, std::int64_t model)
{
    Experiment experiment = builtinExamples().front().make();
    experiment.mesh.axes = { { "data", data }, { "model", model } };
    return analysed(std::move(experiment));
}

/// The notebook's network in another size, on another mesh, sharded in another way.
rc::Gen<Experiment> randomNetworks()
{
    return rc::gen::exec([] {
        const auto size = [](std::initializer_list<std::int64_t> sizes) {
            return *rc::gen::elementOf(std::vector(sizes));
        };
        const auto target = [] {
            return *rc::gen::element(SpecEntry::none(), SpecEntry::axis("data"), SpecEntry::axis("model"),
                SpecEntry::tuple({ "data", "model" }), SpecEntry::tuple({ "model", "data" }));
        };
        Experiment experiment = test::example("flax-mlp-logical");
        MlpSettings& settings = std::get<MlpModel>(experiment.model).settings;
        settings.layers = size({ 1, 2, 3 });
        settings.batch = size({ 8, 12, 16 });
        settings.embed = size({ 7, 16, 24 });
        settings.hidden = size({ 9, 16, 32 });
        settings.loss = *rc::gen::element(LossKind::SumOfOutputs, LossKind::HalfSumOfSquares);
        settings.trainStep = *rc::gen::arbitrary<bool>();
        settings.axes = *rc::gen::element(MlpSettings::Axes::Device, MlpSettings::Axes::Logical);
        for (const char* dimension : { "batch", "hidden", "embed" })
            settings.deviceAxes[dimension] = target();
        for (LogicalRule& rule : experiment.rules.rules.list)
            rule.target = target();
        experiment.mesh.axes = { { "data", size({ 1, 2, 4 }) }, { "model", size({ 1, 2, 3, 4 }) } };
        return withDevicesForMesh(experiment).value_or(experiment);
    });
}

/// A product whose contracted dimension is cut, in two loops of 5 and 3 trips, and once behind them.
constexpr const char* nested = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %c = %a) : tensor<i32>, tensor<8x8xf32>
   cond {
    %five = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %start = stablehlo.constant dense<9> : tensor<i32>
    %2:2 = stablehlo.while(%j = %start, %d = %c) : tensor<i32>, tensor<8x8xf32>
     cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.compare GT, %j, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %4 = stablehlo.dot_general %d, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %5 = stablehlo.subtract %j, %two : tensor<i32>
      stablehlo.return %5, %4 : tensor<i32>, tensor<8x8xf32>
    }
    %6 = stablehlo.add %one, %i : tensor<i32>
    stablehlo.return %6, %2#1 : tensor<i32>, tensor<8x8xf32>
  }
  %7 = stablehlo.dot_general %0#1, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
})";

/// A sum of parts, and something that parts of it would do for.
constexpr const char* summed = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
})";

/// An operation reads one value twice, and each time a reshard of its own makes it whole; a third one does so for main.
constexpr const char* twice = R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<8x8xf32>
  return %2, %a : tensor<8x8xf32>, tensor<8x8xf32>
})";

/// The same value, wanted in two ways: both are sent.
constexpr const char* twoWays = R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  return %a, %a : tensor<8x8xf32>, tensor<8x8xf32>
})";

/// A function with a sum: called twice, once of these in a loop of 4 trips; and a loop that ends when a sum is small.
constexpr const char* called = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %first = func.call @product(%a, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %0:3 = stablehlo.while(%i = %zero, %n = %four, %c = %first) : tensor<i32>, tensor<i32>, tensor<8x8xf32>
   cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = func.call @product(%c, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %n, %2 : tensor<i32>, tensor<i32>, tensor<8x8xf32>
  }
  %limit = stablehlo.constant dense<1.0> : tensor<f32>
  %4 = stablehlo.while(%d = %0#2) : tensor<8x8xf32>
   cond {
    %5 = stablehlo.reduce(%d init: %limit) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %6 = stablehlo.compare GT, %5, %limit, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  } do {
    %7 = stablehlo.dot_general %d, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %7 : tensor<8x8xf32>
  }
  return %4 : tensor<8x8xf32>
}
func.func private @product(%p: tensor<8x8xf32>, %q: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
})";

/// Gathers the middle bit of an axis of 8 devices.
constexpr const char* partOfAxis = R"(sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)4}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}) {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x":(1)4}]> : tensor<16xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x":(1)2}]> : tensor<16xf32>
  %2 = stablehlo.add %1, %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
})";

/// A sum that the program itself makes, over the columns of the mesh.
constexpr const char* manual = R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x2xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%b: tensor<4x2xf32>) {
    %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %2 = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    sdy.return %1 : tensor<4x2xf32>
  } : (tensor<8x4xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
})";

/// A permute, an all_to_all and a gather of one block, which the program itself has.
constexpr const char* exchanging = R"(sdy.mesh @mesh = <["i"=4, "j"=2]>
func.func @main(%a: tensor<16x2xf32>) -> (tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>) {
  %0:3 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>, <@mesh, [{"i"}, {}]>, <@mesh, [{}, {}]>] manual_axes={"i"} (%b: tensor<4x2xf32>) {
    %1 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 2], [2, 4], [4, 6], [1, 3], [3, 5], [5, 7]]> : tensor<6x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %2 = "stablehlo.all_to_all"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %3 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<16x2xf32>
    sdy.return %1, %2, %3 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<16x2xf32>
  } : (tensor<16x2xf32>) -> (tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>)
  return %0#0, %0#1, %0#2 : tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>
})";

/// Stages along p, each with a product that is sharded along t where it is contracted.
constexpr const char* partlyManual = R"(sdy.mesh @mesh = <["p"=2, "t"=4]>
func.func @main(%x: tensor<8x16xf32>, %w: tensor<2x16x8xf32>) -> tensor<2x8x8xf32> {
  %0 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{}, {"t", ?}]>, <@mesh, [{"p"}, {"t", ?}, {}]>] out_shardings=[<@mesh, [{"p"}, {}, {}]>] manual_axes={"p"} (%a: tensor<8x16xf32>, %b: tensor<1x16x8xf32>) {
    %1 = stablehlo.reshape %b : (tensor<1x16x8xf32>) -> tensor<16x8xf32>
    %2 = stablehlo.dot_general %a, %1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.reshape %2 : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    sdy.return %3 : tensor<1x8x8xf32>
  } : (tensor<8x16xf32>, tensor<2x16x8xf32>) -> tensor<2x8x8xf32>
  return %0 : tensor<2x8x8xf32>
})";

/// A cut, an exchange and a permute, in Shardy's own operations.
constexpr const char* chained = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_slice [{}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<16x8xf32>
  %1 = sdy.all_to_all [{"y"}: 1->0] %0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<16x8xf32>
  %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
})";

/// Shardy permutes and exchanges, 512 and 384 bytes; 512 bytes would do.
constexpr const char* scattered = R"(sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "w"=2]>
func.func @main(%a: tensor<16x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {"x"}, {}]>}) -> (tensor<16x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {}, {"x", "y"}]>}) {
  %0 = sdy.sharding_constraint %a <@mesh, [{"z"}, {"x"}, {}]> : tensor<16x8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"w"}, {}, {"x", "y"}]> : tensor<16x8x8xf32>
  return %1 : tensor<16x8x8xf32>
})";

const CollectiveAlternative* find(const std::vector<CollectiveAlternative>& list, CollectiveAlternative::Kind kind)
{
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const CollectiveAlternative& a) { return a.kind == kind; });
    return found == list.end() ? nullptr : &*found;
}

std::size_t firstOver(const CollectiveList& list, std::string_view axes)
{
    std::size_t i = 0;
    while (i < list.entries.size() && keyOf(list.entries[i], CollectiveKey::Axes) != axes)
        ++i;
    return i;
}

std::int64_t full(Rational number)
{
    return number.denominator() == 1 ? number.numerator() : -1;
}

using Kind = CollectiveAlternative::Kind;

} // namespace

class TestCollectives : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sumsOfTheNotebook_data()
    {
        QTest::addColumn<qint64>("data");
        QTest::addColumn<qint64>("model");
        QTest::addColumn<qint64>("sent");
        QTest::addColumn<qint64>("loss");
        QTest::newRow("1x8") << qint64{ 1 } << qint64{ 8 } << qint64{ 401'408 } << qint64{ 0 };
        QTest::newRow("2x4") << qint64{ 2 } << qint64{ 4 } << qint64{ 8'560'640 } << qint64{ 4 };
        QTest::newRow("4x2") << qint64{ 4 } << qint64{ 2 } << qint64{ 25'223'168 } << qint64{ 6 };
        QTest::newRow("8x1") << qint64{ 8 } << qint64{ 1 } << qint64{ 58'720'256 } << qint64{ 7 };
    }
    void sumsOfTheNotebook()
    {
        QFETCH(qint64, data);
        QFETCH(qint64, model);
        QFETCH(qint64, sent);
        QFETCH(qint64, loss);
        const SnapshotPtr snapshot = notebook(data, model);
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        QCOMPARE(list->entries.size(), snapshot->collectives->entries.size());
        QCOMPARE(full(sentBytes(*list).step), sent);
        QCOMPARE(full(sentBytes(*list).scalarLoss), loss);
        for (const CollectiveKey key : { CollectiveKey::Kind, CollectiveKey::Axes, CollectiveKey::Layer }) {
            const std::vector<CollectiveSum> all = sums(*list, key);
            Rational sum;
            for (std::size_t i = 0; i < all.size(); ++i) {
                sum += all[i].sent;
                QVERIFY(i == 0 || all[i - 1].sent.value() >= all[i].sent.value());
            }
            QCOMPARE(full(sum), sent);
        }
    }

    /// Networks of random sizes, meshes and rules: the list says what plans execute, in bytes and in number.
    void networksAreListedAsTheyRun()
    {
        std::size_t compared = 0;
        const bool agree = test::propertyHolds(200, "random networks", [&] {
            const SnapshotPtr snapshot = analysed(*randomNetworks());
            if (!snapshot->plan)
                return;
            Rational listed, executed;
            std::size_t exchanges = 0;
            for (const CollectiveEntry& entry : snapshot->collectives->entries)
                if (isExchange(entry)) {
                    listed += entry.sentBytes;
                    ++exchanges;
                }
            const auto parts = partitionedProgram(*snapshot);
            RC_ASSERT(parts.has_value());
            const DeviceProgram& device = (*parts)->device;
            std::set<OperationId> madeFor;
            for (const Instruction& instruction : snapshot->plan->instructions)
                if (const auto* collective = std::get_if<CollectiveInstruction>(&instruction.action)) {
                    const auto exchange =
                        deviceExchange(device.program, device.program.operation(collective->operation));
                    RC_ASSERT(exchange.has_value());
                    executed += exchange->sentBytes;
                    const auto origin =
                        std::lower_bound(device.origins.begin(), device.origins.end(), collective->operation,
                            [](const auto& pair, OperationId wanted) { return pair.first < wanted; });
                    RC_ASSERT(origin != device.origins.end() && origin->first == collective->operation);
                    madeFor.insert(origin->second);
                }
            RC_ASSERT(listed == executed);
            RC_ASSERT(exchanges == madeFor.size());
            compared += exchanges;
        });
        QVERIFY(agree);
        QVERIFY(compared > 0);
    }

    /// 8 MiB of gradients along data in 8 sums, 168 KiB along model in 7; each with its layer and its two groups.
    void notebookByAxis()
    {
        const SnapshotPtr snapshot = notebook(2, 4);
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        const std::vector<CollectiveSum> byAxes = sums(*list, CollectiveKey::Axes);
        QCOMPARE(byAxes.size(), std::size_t{ 2 });
        QCOMPARE(byAxes[0].key, std::string("data"));
        QCOMPARE(byAxes[0].collectives, std::int64_t{ 8 });
        QCOMPARE(full(byAxes[0].sent), std::int64_t{ 8 } << 20);
        QCOMPARE(byAxes[1].key, std::string("model"));
        QCOMPARE(byAxes[1].collectives, std::int64_t{ 7 });
        QCOMPARE(full(byAxes[1].sent), std::int64_t{ 168 } << 10);
        const CollectiveEntry& entry = list->entries[firstOver(*list, "model")];
        QCOMPARE(entry.groupSize, std::int64_t{ 4 });
        QCOMPARE(entry.groupCount, std::int64_t{ 2 });
        QCOMPARE(replicaGroups(entry, *list->mesh),
            (std::vector<std::vector<std::int64_t>>{ { 0, 1, 2, 3 }, { 4, 5, 6, 7 } }));
        QVERIFY(entry.scope.find("layers.0") != std::string::npos);
        QCOMPARE(entry.reason->kind, Reason::Kind::ReducedFactor);
        QCOMPARE(entry.operands.size(), std::size_t{ 2 });
    }

    /// The options of a sum behind a product: half the bytes scattered; whole operands; a whole weight, which the
    /// analysis of the changed experiment confirms.
    void alternativesOfASum()
    {
        const SnapshotPtr snapshot = notebook(2, 4);
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        const std::size_t index = firstOver(*list, "model");
        const std::vector<CollectiveAlternative> options = alternatives(*list, index);
        QCOMPARE(options.front().kind, Kind::Keep);
        QCOMPARE(full(options.front().sentBytes), std::int64_t{ 24 } << 10);
        QCOMPARE(full(*options.front().stepBytes), std::int64_t{ 8'560'640 });
        const CollectiveAlternative* scatter = find(options, Kind::ScatterResult);
        QVERIFY(scatter);
        QCOMPARE(full(scatter->sentBytes), std::int64_t{ 12 } << 10);
        QCOMPARE(scatter->moreBytesHeld, std::int64_t{ -12 } << 10);
        QCOMPARE(full(*scatter->stepBytes), std::int64_t{ 8'560'640 - (12 << 10) });
        const CollectiveAlternative* gather = find(options, Kind::GatherOperands);
        QVERIFY(gather);
        QCOMPARE(full(gather->sentBytes), 3 * (std::int64_t{ 4 } << 10) + 3 * (std::int64_t{ 1 } << 20));
        QCOMPARE(gather->moreBytesHeld, 3 * (std::int64_t{ 4 } << 10) + 3 * (std::int64_t{ 1 } << 20));
        QCOMPARE(gather->timesWork, std::int64_t{ 4 });
        QCOMPARE(scatter->timesWork, std::int64_t{ 1 });
        const CollectiveAlternative* change = find(options, Kind::ChangeSharding);
        QVERIFY(change);
        QCOMPARE(list->program->value(change->value).path, Shared<std::string>("params/layers.0/W2"));
        QCOMPARE(full(change->sentBytes), 3 * (std::int64_t{ 4 } << 10));
        QCOMPARE(change->moreBytesHeld, std::int64_t{ 3 } << 20);
        QVERIFY(!change->stepBytes);
    }

    void trips_data()
    {
        QTest::addColumn<QString>("loop"); // begin, comparison, bound, operation, step
        QTest::addColumn<qint64>("trips"); // -1: nobody can tell
        const auto row = [](const char* loop, qint64 trips) {
            QTest::newRow(loop) << QString::fromLatin1(loop) << trips;
        };
        row("0 LT 10 add 1", 10);
        row("0 LT 10 add 3", 4);
        row("0 LE 10 add 5", 3);
        row("10 GT 0 subtract 4", 3);
        row("10 GE 0 add -2", 6);
        row("0 NE 9 add 3", 3);
        row("0 NE 9 add 2", -1);
        row("5 LT 5 add 1", 0);
        row("7 EQ 7 add 1", 1);
        row("7 EQ 7 add 0", -1);
        row("0 LT 10 add 0", -1);
        row("0 LT 10 subtract 1", -1);
        row("0 LT 10 multiply 2", -1);
        row("-2147483648 LT 2147483647 add 1", 4'294'967'295);
    }
    void trips()
    {
        QFETCH(QString, loop);
        QFETCH(qint64, trips);
        const QStringList part = loop.split(QLatin1Char(' '));
        // The bound on either side of the comparison.
        for (const bool mirrored : { false, true }) {
            QString direction = part[1];
            if (mirrored && direction != QLatin1String("EQ") && direction != QLatin1String("NE"))
                direction[0] = direction[0] == QLatin1Char('L') ? QLatin1Char('G') : QLatin1Char('L');
            const QString text =
                QStringLiteral("func.func @main() -> tensor<i32> {\n"
                               "  %b = stablehlo.constant dense<%1> : tensor<i32>\n"
                               "  %e = stablehlo.constant dense<%2> : tensor<i32>\n"
                               "  %0 = stablehlo.while(%i = %b) : tensor<i32>\n"
                               "   cond {\n"
                               "    %1 = stablehlo.compare %3, %4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                               "    stablehlo.return %1 : tensor<i1>\n"
                               "  } do {\n"
                               "    %s = stablehlo.constant dense<%6> : tensor<i32>\n"
                               "    %2 = stablehlo.%5 %i, %s : tensor<i32>\n"
                               "    stablehlo.return %2 : tensor<i32>\n"
                               "  }\n"
                               "  return %0 : tensor<i32>\n}\n")
                    .replace(QLatin1String("dense<%1>"), QStringLiteral("dense<%1>").arg(part[0]))
                    .replace(QLatin1String("dense<%2>"), QStringLiteral("dense<%1>").arg(part[2]))
                    .replace(QLatin1String("dense<%6>"), QStringLiteral("dense<%1>").arg(part[4]))
                    .replace(QLatin1String("%3, %4"),
                        direction + (mirrored ? QLatin1String(", %e, %i") : QLatin1String(", %i, %e")))
                    .replace(QLatin1String("%5"), part[3]);
            const auto read = readStableHlo(text.toStdString());
            QVERIFY2(read, qPrintable(text));
            OperationId found;
            for (const OperationId id : read->program.main().operations)
                if (read->program.operation(id).kind == OpKind::While)
                    found = id;
            QVERIFY(found.valid());
            QCOMPARE(tripsOf(read->program, found).value_or(-1), trips);
        }
    }

    /// 5 trips of 3: a loop that counts down by 2 from 9 to 3 has three.
    void loopsMultiply()
    {
        const auto list = listOf(*ofText(nested));
        QVERIFY(list);
        QCOMPARE(list->entries.size(), std::size_t{ 3 });
        const CollectiveEntry& slice = list->entries[0];
        QCOMPARE(slice.kind, CollectiveKind::AllSlice);
        QCOMPARE(slice.reason->kind, Reason::Kind::BoundaryReshard);
        const CollectiveEntry& scatter = list->entries[1];
        QCOMPARE(scatter.kind, CollectiveKind::ReduceScatter);
        QCOMPARE(scatter.times, std::int64_t{ 15 });
        QVERIFY(scatter.timesKnown);
        const CollectiveEntry& reduce = list->entries[2];
        QCOMPARE(reduce.kind, CollectiveKind::AllReduce);
        QCOMPARE(reduce.times, std::int64_t{ 1 });
        // 1/2 * 256 bytes 15 times, and 2 * 1/2 * 256 bytes.
        QCOMPARE(full(scatter.sentBytes), std::int64_t{ 128 });
        QCOMPARE(full(sentBytes(*list).step), std::int64_t{ 15 * 128 + 256 });
        QCOMPARE(sums(*list, CollectiveKey::Axes)[0].timesPerStep, std::int64_t{ 16 }); // an all_slice sends nothing
        QVERIFY(!isExchange(slice) && isExchange(scatter));
        for (const CollectiveEntry* sum : { &scatter, &reduce }) {
            QCOMPARE(sum->groupCount, std::int64_t{ 4 });
            QCOMPARE(sum->reason->kind, Reason::Kind::ReducedFactor);
            QCOMPARE(list->program->operation(sum->reason->operation).kind, OpKind::DotGeneral);
            QCOMPARE(sum->before.unreduced.size(), std::size_t{ 1 });
            QCOMPARE(sum->operands.size(), std::size_t{ 2 });
        }
        // Values that the text has stand under its ids.
        QCOMPARE(*list->program->value(slice.value).path, std::string("a"));
    }

    void callsCount()
    {
        const SnapshotPtr snapshot = ofText(called);
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        std::int64_t known = 0;
        std::int64_t unknown = 0;
        for (const CollectiveEntry& entry : list->entries)
            if (entry.kind == CollectiveKind::ReduceScatter)
                (entry.timesKnown ? known : unknown) += entry.times;
        QCOMPARE(known, std::int64_t{ 5 });
        QCOMPARE(unknown, std::int64_t{ 1 });
    }

    void groupsOfAPart()
    {
        const auto list = listOf(*ofText(partOfAxis));
        QVERIFY(list);
        QCOMPARE(list->entries.size(), std::size_t{ 1 });
        const CollectiveEntry& entry = list->entries[0];
        QCOMPARE(entry.kind, CollectiveKind::AllGather);
        QCOMPARE(keyOf(entry, CollectiveKey::Axes), std::string("x:(2)2"));
        QCOMPARE(entry.groupSize, std::int64_t{ 2 });
        QCOMPARE(replicaGroups(entry, *list->mesh),
            (std::vector<std::vector<std::int64_t>>{ { 0, 2 }, { 1, 3 }, { 4, 6 }, { 5, 7 } }));
        QCOMPARE(full(entry.sentBytes), std::int64_t{ 16 });
    }

    void groupsOfTheProgram()
    {
        const SnapshotPtr snapshot = ofText(manual);
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        const auto entry = std::find_if(list->entries.begin(), list->entries.end(),
            [](const CollectiveEntry& e) { return !e.declaredGroups.empty(); });
        QVERIFY(entry != list->entries.end());
        QCOMPARE(keyOf(*entry, CollectiveKey::Axes), std::string("y"));
        QVERIFY(!entry->reason);
        QCOMPARE(full(entry->sentBytes), std::int64_t{ 32 });
        const auto index = static_cast<std::size_t>(entry - list->entries.begin());
        QCOMPARE(entry->before.unreduced, entry->axes);
        // Pieces of the sum: its 4 rows or its 2 columns.
        const auto options = alternatives(*snapshot, *list, index);
        QCOMPARE(options.size(), std::size_t{ 3 });
        QCOMPARE(options[1].kind, Kind::ScatterReturned);
        QCOMPARE(full(options[1].sentBytes), std::int64_t{ 16 });
        QCOMPARE(full(*options[1].stepBytes), std::int64_t{ 16 });
        QCOMPARE(options[1].moreBytesHeld, std::int64_t{ -16 });
        // Rows are sharded along x outside, and then along y.
        QCOMPARE(product(options[1].sharding->dims[0].axes), std::int64_t{ 4 });
        QVERIFY(options[1].sharding->dims[1].axes.empty());
        QCOMPARE(product(options[2].sharding->dims[1].axes), std::int64_t{ 2 });
    }

    /// What the devices of a group have between them, as one array over the first group.
    void drawnForOneGroup()
    {
        const auto list = listOf(*ofText(manual));
        QVERIFY(list);
        const auto entry = std::find_if(list->entries.begin(), list->entries.end(),
            [](const CollectiveEntry& e) { return !e.declaredGroups.empty(); });
        QVERIFY(entry != list->entries.end());
        const ExchangeSubject subject = exchangeSubject(*list, *entry);
        QVERIFY(subject.ofOneGroup);
        QCOMPARE(subject.mesh->rank(), std::size_t{ 2 });
        QCOMPARE(subject.mesh->deviceCount(), std::int64_t{ 2 });
        QCOMPARE(subject.mesh->deviceAt(1), 1);
        QCOMPARE(Layout(subject.mesh, subject.before, subject.type.shape).addends(), std::int64_t{ 2 });
        QCOMPARE(Layout(subject.mesh, subject.after, subject.type.shape).copies(), std::int64_t{ 2 });
    }

    /// Where one axis is not manual, its devices stand in the picture: here they hold the same.
    void drawnWithTheAutomaticAxes()
    {
        const auto list = listOf(*ofText(exchanging));
        QVERIFY(list);
        std::vector<ExchangeSubject> subjects;
        for (const CollectiveEntry& entry : list->entries)
            subjects.push_back(exchangeSubject(*list, entry));
        QCOMPARE(subjects.size(), std::size_t{ 3 });
        for (const ExchangeSubject& subject : subjects) {
            QVERIFY(!subject.ofOneGroup);
            QCOMPARE(subject.mesh->deviceCount(), std::int64_t{ 8 });
        }
        QVERIFY(subjects[0].arrayPerDevice); // the permute
        QCOMPARE(subjects[0].type.shape, (Shape{ 4, 4, 2 }));
        const Layout sent(subjects[0].mesh, subjects[0].before, subjects[0].type.shape);
        QCOMPARE(sent.shardShape(), (Shape{ 1, 4, 2 }));
        QCOMPARE(sent.copies(), std::int64_t{ 2 });
        QVERIFY(!subjects[0].meshAfter); // the first device gets nothing
        const Layout gathered(subjects[2].mesh, subjects[2].after, subjects[2].type.shape);
        QVERIFY(!subjects[2].arrayPerDevice);
        QCOMPARE(gathered.copies(), std::int64_t{ 8 });
        QCOMPARE(gathered.shardShape(), (Shape{ 16, 2 }));
    }

    /// Groups that no axis makes, and a ring, after which every device has the array of the one before it.
    void drawnAsGroupsAndRings()
    {
        const std::string start = R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16x2xf32>) -> tensor<16x2xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x2xf32>) {
    %1 = )";
        const std::string end = R"(
    sdy.return %1 : tensor<4x2xf32>
  } : (tensor<16x2xf32>) -> tensor<16x2xf32>
  return %0 : tensor<16x2xf32>
})";
        const auto subjectOf = [&](const char* operation) {
            const auto list = listOf(*ofText((start + operation + end).c_str()));
            return exchangeSubject(*list, list->entries.front());
        };
        const ExchangeSubject groups = subjectOf(
            R"("stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %2 = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>)");
        QVERIFY(groups.ofOneGroup);
        QCOMPARE(groups.mesh->axis(0).name, std::string("group"));
        QCOMPARE(groups.mesh->deviceCount(), std::int64_t{ 2 });
        QCOMPARE(groups.mesh->deviceAt(1), 3);
        QCOMPARE(Layout(groups.mesh, groups.before, groups.type.shape).addends(), std::int64_t{ 2 });
        const ExchangeSubject ring = subjectOf(
            R"("stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>)");
        QVERIFY(ring.arrayPerDevice && ring.meshAfter);
        for (std::int64_t position = 0; position < 4; ++position)
            QCOMPARE(ring.meshAfter->deviceAt(position), static_cast<std::int32_t>((position + 1) % 4));
    }

    /// The partition adds up within a manual computation: devices along its axes have other arrays, and no copies.
    void drawnForTheOtherAxes()
    {
        const auto list = listOf(*ofText(partlyManual));
        QVERIFY(list);
        QCOMPARE(list->entries.size(), std::size_t{ 1 });
        const CollectiveEntry& entry = list->entries[0];
        QVERIFY(entry.reason.has_value());
        QCOMPARE(namesOf(entry.manualAxes, *entry.mesh), std::string("p"));
        const ExchangeSubject subject = exchangeSubject(*list, entry);
        QCOMPARE(subject.manualAxes, std::vector<std::string>{ "p" });
        QVERIFY(!subject.ofOneGroup);
        QCOMPARE(subject.mesh->deviceCount(), std::int64_t{ 4 });
        const Layout before(subject.mesh, subject.before, subject.type.shape);
        QCOMPARE(before.addends(), std::int64_t{ 4 });
        QCOMPARE(before.copies(), std::int64_t{ 1 });
        QCOMPARE(Layout(subject.mesh, subject.after, subject.type.shape).copies(), std::int64_t{ 4 });
    }

    /// Every exchange of the program stands for itself, though they are of one value and change no sharding.
    void exchangesOfTheProgramStandAlone()
    {
        const SnapshotPtr snapshot = ofText(exchanging);
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        QCOMPARE(list->entries.size(), std::size_t{ 3 });
        const std::vector<std::int64_t> bytes{ 32, 24, 96 };
        for (std::size_t i = 0; i < 3; ++i) {
            const auto options = alternatives(*snapshot, *list, i);
            QCOMPARE(options.front().steps.size(), std::size_t{ 1 });
            QCOMPARE(full(options.front().sentBytes), bytes[i]);
            QCOMPARE(keyOf(list->entries[i], CollectiveKey::Axes), std::string("i"));
        }
        QCOMPARE(sentPairs(list->entries[0]),
            (std::vector<std::vector<std::int64_t>>{ { 0, 2 }, { 2, 4 }, { 4, 6 }, { 1, 3 }, { 3, 5 }, { 5, 7 } }));
        QVERIFY(sentPairs(list->entries[1]).empty());
        // The gathered blocks are returned: out_specs says where they belong, and nothing is sent.
        const auto gathered = alternatives(*snapshot, *list, 2);
        QCOMPARE(gathered.size(), std::size_t{ 2 });
        QCOMPARE(gathered[1].kind, Kind::ReturnBlocks);
        QCOMPARE(full(gathered[1].sentBytes), std::int64_t{ 0 });
        QCOMPARE(gathered[1].moreBytesHeld, std::int64_t{ -96 });
        QCOMPARE(product(gathered[1].sharding->dims[0].axes), std::int64_t{ 4 });
        QCOMPARE(alternatives(*snapshot, *list, 1).size(), std::size_t{ 1 });
    }

    /// A chain that the program wrote: every link stands for itself.
    void chainsOfTheProgramAreNotOneReshard()
    {
        const SnapshotPtr snapshot = ofText(chained);
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        QCOMPARE(list->entries.size(), std::size_t{ 3 });
        for (std::size_t i = 0; i < 3; ++i) {
            const auto options = alternatives(*snapshot, *list, i);
            QCOMPARE(options.front().steps.size(), std::size_t{ 1 });
            QVERIFY(!find(options, Kind::ChangeSharding));
        }
    }

    /// Every collective of the device's program says which axes it runs over, and has a channel of its own.
    void collectivesAreLabelled_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("axes");
        QTest::newRow("its own") << QString::fromLatin1(exchanging)
                                 << QStringList{ QStringLiteral("i"), QStringLiteral("i"), QStringLiteral("i") };
        QTest::newRow("permutes") << QString::fromLatin1(chained)
                                  << QStringList{ QStringLiteral("y"), QStringLiteral("x, y") };
        QTest::newRow("sums") << QString::fromLatin1(nested) << QStringList{ QStringLiteral("x"), QStringLiteral("x") };
    }
    void collectivesAreLabelled()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, axes);
        const auto parts = partitionedProgram(*ofText(qPrintable(text)), false);
        QVERIFY(parts);
        const Program& program = (*parts)->device.program;
        QStringList labels;
        std::set<std::int64_t> channels;
        for (const Operation& operation : program.operations)
            if (const auto* collective = attributesAs<CollectiveAttributes>(operation.attributes)) {
                channels.insert(collective->channelId);
                for (const NamedText& attribute : program.dictionaries[operation.extra])
                    if (attribute.name == "shardscope.axes")
                        labels << QString::fromStdString(attribute.text).remove(QLatin1Char('"'));
            }
        labels.sort();
        axes.sort();
        QCOMPARE(labels, axes);
        QCOMPARE(channels.size(), static_cast<std::size_t>(axes.size()));
    }

    /// A plan is chosen for all reshards, and what it makes may fuse with what stands before.
    void fewestBytesCountTheFullStep()
    {
        const auto example = std::find_if(builtinExamples().begin(), builtinExamples().end(),
            [](const auto& e) { return std::string_view(e.id) == "jax-constrained-contraction"; });
        const SnapshotPtr snapshot = example == builtinExamples().end() ? ofText(scattered) : analysed(example->make());
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        bool any = false;
        for (std::size_t i = 0; i < list->entries.size(); ++i)
            if (const auto options = alternatives(*snapshot, *list, i); find(options, Kind::OptimalReshard)) {
                any = true;
                const CollectiveAlternative* optimal = find(options, Kind::OptimalReshard);
                QVERIFY(optimal->allReshards);
                const auto changed = collectivesOf(*snapshot, true);
                QVERIFY(changed);
                QCOMPARE(*optimal->stepBytes, sentBytes(**changed).step);
            }
        QVERIFY(any);
    }

    /// The same step as a text: the same sums. Whether a scalar is the loss is a guess there.
    void textOfTheNotebook()
    {
        const auto example = std::find_if(builtinExamples().begin(), builtinExamples().end(),
            [](const auto& e) { return std::string_view(e.id) == "flax-mlp-device"; });
        QVERIFY(example != builtinExamples().end());
        const SnapshotPtr network = analysed(example->make());
        PrintOptions options;
        options.mesh = network->mesh;
        const std::string text = printStableHlo(*network->program, options);
        const auto list = listOf(*ofText(text.c_str()));
        QVERIFY(list);
        const auto own = listOf(*network);
        QVERIFY(own);
        QCOMPARE(list->entries.size(), own->entries.size());
        QCOMPARE(full(sentBytes(*list).step + sentBytes(*list).scalarLoss),
            full(sentBytes(*own).step + sentBytes(*own).scalarLoss));
        const auto byAxes = sums(*list, CollectiveKey::Axes);
        QCOMPARE(byAxes[1].key, std::string("model"));
        QCOMPARE(full(byAxes[1].sent), full(sums(*own, CollectiveKey::Axes)[1].sent));
    }

    /// Any sequence between the two shardings does; the whole step is priced with each.
    void alternativesOfAReshard()
    {
        const SnapshotPtr snapshot = ofText(scattered);
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        QCOMPARE(list->entries.size(), std::size_t{ 3 });
        for (std::size_t i = 0; i < 3; ++i) { // one reshard, whichever step is asked for
            const std::vector<CollectiveAlternative> options = alternatives(*list, i);
            QCOMPARE(full(options.front().sentBytes), std::int64_t{ 896 });
            QCOMPARE(options.front().steps.size(), std::size_t{ 3 });
            const CollectiveAlternative* optimal = find(options, Kind::OptimalReshard);
            QVERIFY(optimal);
            QCOMPARE(full(optimal->sentBytes), std::int64_t{ 512 });
            QCOMPARE(full(*optimal->stepBytes), std::int64_t{ 512 });
            const CollectiveAlternative* gathered = find(options, Kind::GatherAndSlice);
            QVERIFY(gathered);
            QCOMPARE(full(gathered->sentBytes), std::int64_t{ 3 * 1024 }); // three of four blocks of 1 KiB
            QVERIFY(!find(options, Kind::ShardyReshard)); // that is what there is
        }
        const auto changed = collectivesOf(*snapshot, true);
        QVERIFY(changed);
        QCOMPARE(full(sentBytes(**changed).step), std::int64_t{ 512 });
    }

    /// A value that several read in one form is exchanged once.
    void oneExchangeForAllReaders()
    {
        const auto list = listOf(*ofText(twice));
        QVERIFY(list);
        QCOMPARE(list->entries.size(), std::size_t{ 1 });
        QCOMPARE(list->entries[0].kind, CollectiveKind::AllGather);
        QCOMPARE(full(sentBytes(*list).step), std::int64_t{ 3 * 64 }); // three shards of 2 x 8 floats
        const auto both = listOf(*ofText(twoWays));
        QVERIFY(both);
        QCOMPARE(both->entries.size(), std::size_t{ 2 });
    }

    /// A weight held whole, tried out: what the analysis of the changed experiment finds.
    void changesAreTriedOut()
    {
        const SnapshotPtr snapshot = ofText(nested);
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        const std::vector<CollectiveAlternative> options = alternatives(*snapshot, *list, 2);
        const CollectiveAlternative* change = find(options, Kind::ChangeSharding);
        QVERIFY(change);
        QVERIFY(change->stepBytes);
        QCOMPARE(full(*change->stepBytes), std::int64_t{ 0 });
        QCOMPARE(change->moreBytesHeld, std::int64_t{ 128 });
        QCOMPARE(*change->stepMoreBytesHeld, std::int64_t{ 128 });
        QVERIFY(change->after);
        const auto after = listOf(*analysed(*change->after));
        QVERIFY(after);
        QCOMPARE(after->entries.size(), std::size_t{ 0 });
        // Cut, the sum would be none: propagation cuts the other operand. What it would send in this place is known.
        const CollectiveAlternative* scatter = find(options, Kind::ScatterResult);
        QVERIFY(scatter);
        QVERIFY(!scatter->after);
        QCOMPARE(full(*scatter->stepBytes), std::int64_t{ 15 * 128 + 128 });
    }

    /// Pieces of a sum, tried out: what comes next takes them, and they are gathered in the end.
    void partsAreTriedOut()
    {
        const SnapshotPtr snapshot = ofText(summed);
        const auto list = listOf(*snapshot);
        QVERIFY(list);
        QCOMPARE(list->entries.size(), std::size_t{ 1 });
        QCOMPARE(list->entries[0].kind, CollectiveKind::AllReduce);
        const std::vector<CollectiveAlternative> options = alternatives(*snapshot, *list, 0);
        const CollectiveAlternative* scatter = find(options, Kind::ScatterResult);
        QVERIFY(scatter);
        QVERIFY(scatter->after);
        const auto scattered = listOf(*analysed(*scatter->after));
        QVERIFY(scattered);
        QCOMPARE(scattered->entries.size(), std::size_t{ 2 });
        QCOMPARE(scattered->entries[0].kind, CollectiveKind::ReduceScatter);
        QCOMPARE(*scatter->stepBytes, sentBytes(*scattered).step);
        // With one operand replicated the other one still shards what is summed: the sum stays, and nothing takes its
        // place.
        QVERIFY(find(alternatives(*list, 0), Kind::ChangeSharding));
        QVERIFY(!find(options, Kind::ChangeSharding));
    }
};

REGISTER_TEST(TestCollectives)
#include "test_collectives.moc"
