// SPDX-License-Identifier: GPL-3.0-or-later
// Two analyses side by side, against figures computed by hand for the notebook's MLP: 4 layers of two weights
// f32[1024, 1024], 32 MiB in all, with as many gradients and first and second moments.
#include <QTest>
#include <algorithm>
#include <functional>

#include "analysis/analyse.h"
#include "base/codes.h"
#include "comparison/comparison.h"
#include "comparison/gathered_text.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "program/builder.h"
#include "program/op_row.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

constexpr std::int64_t mebibytes = std::int64_t{ 1 } << 20;
using What = LargestDifference::What;
using By = LargestDifference::By;

SnapshotPtr snapshotOf(Experiment experiment)
{
    AnalysisCache cache;
    return analyse(std::make_shared<const Experiment>(std::move(experiment)), 1, cache);
}

Experiment notebook()
{
    return builtinExamples().front().make();
}

Experiment onMesh(std::int64_t data, std::int64_t model)
{
    Experiment experiment = notebook();
    experiment.mesh.axes = { { "data", data }, { "model", model } };
    return experiment;
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The comparison of the design: 2 x 4 against 4 x 2.
    void anotherMesh()
    {
        const SnapshotComparison found = compareSnapshots(snapshotOf(onMesh(2, 4)), snapshotOf(onMesh(4, 2)));
        QCOMPARE(found.inputs,
            (std::vector<SettingDifference>{ { "/mesh/axes/0/1", "2", "4" }, { "/mesh/axes/1/1", "4", "2" } }));
        QVERIFY(!found.nothing());

        QCOMPARE(found.held.size(), std::size_t{ 4 });
        const Role roles[] = { Role::Parameter, Role::Gradient, Role::Mu, Role::Nu };
        for (std::size_t i = 0; i < found.held.size(); ++i) {
            QCOMPARE(found.held[i].role, roles[i]);
            QCOMPARE(found.held[i].bytesBefore, 8 * mebibytes);
            QCOMPARE(found.held[i].bytesAfter, 16 * mebibytes);
        }
        QCOMPARE(found.stateBefore, 32 * mebibytes);
        QCOMPARE(found.stateAfter, 64 * mebibytes);
        QVERIFY(found.peakBefore && found.peakAfter && *found.peakBefore < *found.peakAfter);

        // Gradients are added up along data, 8 of 1 MiB over 2 devices, 2 * 1/2 * 1 MiB each; then of 2 MiB over 4,
        // 2 * 3/4 * 2 MiB each. What is added up along model is 7 of [4, 1024] over 4, then of [2, 1024] over 2.
        QCOMPARE(found.sent.size(), std::size_t{ 2 });
        QCOMPARE(found.sent[0].axes, std::string("data"));
        QCOMPARE(found.sent[0].sentBefore, Rational(8 * mebibytes));
        QCOMPARE(found.sent[0].sentAfter, Rational(24 * mebibytes));
        QCOMPARE(found.sent[1].axes, std::string("model"));
        QCOMPARE(found.sent[1].sentBefore, Rational(std::int64_t{ 7 } * 24 * 1024));
        QCOMPARE(found.sent[1].sentAfter, Rational(std::int64_t{ 7 } * 8 * 1024));
        QCOMPARE(found.sentBefore->value(), 8'560'640.0);
        QCOMPARE(found.sentAfter->value(), 25'223'168.0);

        // The first of the collectives is the one that differs most.
        QVERIFY(!found.collectives.empty());
        const ComparedCollectives& first = found.collectives.front();
        QCOMPARE(first.kind, CollectiveKind::AllReduce);
        QCOMPARE(first.axes, std::string("data"));
        QCOMPARE(first.timesBefore, 8);
        QCOMPARE(first.timesAfter, 8);
        QCOMPARE(first.groupBefore, 2);
        QCOMPARE(first.groupAfter, 4);
        QVERIFY(first.isChanged() && !first.isAdded() && !first.isGone());

        // Every weight with its gradient and moments, and the program is the same.
        const auto weights = std::count_if(found.arrays.begin(), found.arrays.end(),
            [](const ComparedArray& array) { return array.role == Role::Parameter; });
        QCOMPARE(weights, 8);
        for (const ComparedArray& array : found.arrays)
            if (array.role == Role::Parameter) {
                QCOMPARE(array.bytesBefore, mebibytes);
                QCOMPARE(array.bytesAfter, 2 * mebibytes);
                QCOMPARE(found.before->tensors[*array.before].path, array.path);
                QCOMPARE(found.after->tensors[*array.after].path, array.path);
            }
        QVERIFY(found.program.kinds.empty());
        QVERIFY(found.program.operationsBefore > 0);

        QCOMPARE(found.largest.what, What::State);
        QCOMPARE(found.largest.before, 32.0 * static_cast<double>(mebibytes));
        QCOMPARE(found.largest.after, 64.0 * static_cast<double>(mebibytes));
        QCOMPARE(found.largest.shardsBefore, std::optional<std::int64_t>(4));
        QCOMPARE(found.largest.shardsAfter, std::optional<std::int64_t>(2));
        QVERIFY(!found.largest.inAllBefore);
        QCOMPARE(found.largest.by, By::Mesh);
    }

    /// The other way round everything is exchanged.
    void bothWaysAreTheSame()
    {
        const SnapshotPtr a = snapshotOf(onMesh(2, 4)), b = snapshotOf(onMesh(8, 1));
        const SnapshotComparison there = compareSnapshots(a, b), back = compareSnapshots(b, a);
        QCOMPARE(there.arrays.size(), back.arrays.size());
        QCOMPARE(there.stateBefore, back.stateAfter);
        QCOMPARE(there.collectives.size(), back.collectives.size());
        const auto counted = [](const SnapshotComparison& each, auto is) {
            return std::count_if(each.collectives.begin(), each.collectives.end(), is);
        };
        QCOMPARE(counted(there, std::mem_fn(&ComparedCollectives::isGone)),
            counted(back, std::mem_fn(&ComparedCollectives::isAdded)));
        QVERIFY(counted(there, std::mem_fn(&ComparedCollectives::isGone)) > 0); // nothing is sent along one device
    }

    void nothingDiffers()
    {
        for (const GalleryExample& each : gallery()) {
            const SnapshotPtr snapshot = snapshotOf(each.experiment);
            const SnapshotComparison same = compareSnapshots(snapshot, snapshotOf(each.experiment));
            QVERIFY2(same.nothing(), each.id.data());
            QCOMPARE(same.largest.what, What::Nothing);
            QVERIFY(same.arrays.empty());
        }
    }

    /// With a batch of 512 the activations decide: at 1 x 8 their sums along model.
    void whatIsSentMayDifferMost()
    {
        Experiment small = onMesh(2, 4), large = onMesh(2, 4);
        std::get<MlpModel>(small.model).settings.trainStep = false;
        std::get<MlpModel>(large.model).settings.trainStep = false;
        // Rows of 4 KiB; each device adds up [rows / 2, 1024] over 4 devices, 2 * 3/4 of it, in every layer.
        std::get<MlpModel>(large.model).settings.batch = 1024;
        const SnapshotComparison found = compareSnapshots(snapshotOf(small), snapshotOf(large));
        QVERIFY(!found.sent.empty());
        QCOMPARE(found.sent[0].axes, std::string("model"));
        QCOMPARE(found.sent[0].sentAfter.value(), 128 * found.sent[0].sentBefore.value());
        QCOMPARE(found.largest.by, By::Model);
        QVERIFY(found.largest.what == What::Sent || found.largest.what == What::Owner);
    }

    /// One all-gather more, of 28 B, is no reason for sending a quarter: 3 x 7/8 x 16 KiB, then 3 x 7/8 x 4 KiB.
    void whyLessIsSent()
    {
        const SnapshotPtr rows = test::gatheredSnapshot({}),
                          blocks = test::gatheredSnapshot({ .isAlsoAlongY = true, .withVector = true });
        const SnapshotComparison less = compareSnapshots(rows, blocks), more = compareSnapshots(blocks, rows);
        QCOMPARE(less.largest.what, What::Sent);
        QCOMPARE(less.largest.before, 3.0 * 14336);
        QCOMPARE(less.largest.after, 3.0 * 3584 + 28);
        QVERIFY(less.largest.cause && more.largest.cause);
        QCOMPARE(less.largest.cause->what, SentCause::What::Array);
        QCOMPARE(less.largest.cause->eachBefore, 14336.0);
        QCOMPARE(less.largest.cause->eachAfter, 3584.0);
        QCOMPARE(less.largest.cause->others, 2);
        QCOMPARE(less.largest.cause->timesAfter, 4);
        QCOMPARE(more.largest.cause->what, SentCause::What::Array);
        QCOMPARE(more.largest.cause->eachAfter, 14336.0);

        // The same arrays, two of which are gathered no more.
        const SnapshotComparison fewer = compareSnapshots(rows, test::gatheredSnapshot({ .gathered = 1 }));
        QCOMPARE(fewer.largest.what, What::Sent);
        QCOMPARE(fewer.largest.cause->what, SentCause::What::Times);
        QCOMPARE(fewer.largest.cause->timesBefore, 3);
        QCOMPARE(fewer.largest.cause->timesAfter, 1);

        // Over 2 devices each sends 1/2 of 16 KiB in place of 7/8.
        const SnapshotPtr ofTwo = test::gatheredSnapshot({ .x = 2 });
        const std::vector<std::size_t> gathers{ 0, 1, 2 };
        const std::optional<SentCause> group = sentCause(*rows->collectives, gathers, *ofTwo->collectives, gathers);
        QVERIFY(group);
        QCOMPARE(group->what, SentCause::What::Group);
        QCOMPARE(group->groupBefore, 8);
        QCOMPARE(group->groupAfter, 2);
        QVERIFY(!sentCause(*rows->collectives, gathers, *rows->collectives, gathers));
    }

    /// Under other names the same is sent and held; on a mesh that has both names it is another axis.
    void otherNamesOfAxes()
    {
        Experiment renamed = onMesh(2, 4);
        renamed.mesh.axes = { { "rows", 2 }, { "model", 4 }, { "none", 1 } };
        for (LogicalRule& rule : renamed.rules.rules.list)
            for (std::string& axis : rule.target.axes)
                if (axis == "data")
                    axis = "rows";
        // y's constraint names axes of the mesh.
        std::get<MlpModel>(renamed.model).settings.deviceAxes["batch"] = SpecEntry::axis("rows");
        const SnapshotComparison found = compareSnapshots(snapshotOf(onMesh(2, 4)), snapshotOf(renamed));
        QCOMPARE(found.renamed, (std::vector<RenamedAxis>{ { "data", "rows", 2 } }));
        QVERIFY(found.arrays.empty() && !found.inputs.empty());
        QCOMPARE(found.largest.what, What::Nothing);
        QCOMPARE(found.sent.size(), std::size_t{ 2 });
        QVERIFY(std::any_of(
            found.sent.begin(), found.sent.end(), [](const ComparedAxes& along) { return along.axes == "rows"; }));
        for (const ComparedAxes& along : found.sent)
            QCOMPARE(along.sentBefore, along.sentAfter);

        // Parts of an axis have its other name as well.
        const auto halves = [](const std::string& axis) {
            const std::string text = "sdy.mesh @m = <[\"" + axis
                + "\"=4]>\nfunc.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"" + axis
                + "\":(1)2}]>}) -> tensor<8xf32> {\n  %0 = stablehlo.tanh %a : tensor<8xf32>\n  return %0 : "
                  "tensor<8xf32>\n}\n";
            return snapshotOf(*experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text) }, "halves"));
        };
        const SnapshotComparison parts = compareSnapshots(halves("data"), halves("rows"));
        QCOMPARE(parts.before->row("a")->spec.entries[0].axes, (std::vector<std::string>{ "data:(1)2" }));
        QCOMPARE(parts.renamed, (std::vector<RenamedAxis>{ { "data", "rows", 4 } }));
        QVERIFY(parts.arrays.empty());

        Experiment data = onMesh(2, 4), idle = onMesh(2, 4);
        data.mesh.axes = { { "data", 2 }, { "fsdp", 1 }, { "model", 4 } };
        idle.mesh.axes = { { "data", 1 }, { "fsdp", 2 }, { "model", 4 } };
        QVERIFY(compareSnapshots(snapshotOf(data), snapshotOf(idle)).renamed.empty());
        // Axes that stand in another order are the same ones.
        Experiment turned = data;
        turned.mesh.axes = { { "fsdp", 2 }, { "data", 2 }, { "model", 2 } };
        data.mesh.axes = { { "data", 2 }, { "fsdp", 2 }, { "model", 2 } };
        for (Experiment* each : { &data, &turned })
            each->rules.rules.list.front().target = SpecEntry::tuple({ "data", "fsdp" });
        const SnapshotComparison order = compareSnapshots(snapshotOf(data), snapshotOf(turned));
        QVERIFY(std::any_of(order.sent.begin(), order.sent.end(),
            [](const ComparedAxes& along) { return along.axes == "fsdp, data"; }));
        for (const ComparedAxes& along : order.sent) {
            QVERIFY(along.axes != "data, fsdp");
            QCOMPARE(along.sentBefore, along.sentAfter);
        }
        // Two sizes that changed places are no names.
        QVERIFY(compareSnapshots(snapshotOf(onMesh(2, 4)), snapshotOf(onMesh(4, 2))).renamed.empty());
    }

    void rulesMayDecide()
    {
        Experiment without = onMesh(2, 4);
        without.rules.rules.list.clear();
        const SnapshotComparison found = compareSnapshots(snapshotOf(onMesh(2, 4)), snapshotOf(without));
        QCOMPARE(found.largest.by, By::Rules);
        QCOMPARE(found.largest.what, What::State);
        QCOMPARE(found.held.front().bytesAfter, 32 * mebibytes); // every device holds all parameters
        QVERIFY(!found.largest.shardsAfter || *found.largest.shardsAfter == 1);
        for (const SettingDifference& each : found.inputs)
            QVERIFY2(each.pointer.starts_with("/rules/list"), each.pointer.c_str());
    }

    /// Another model: arrays and operations come and go, and the sizes in all differ.
    void fewerLayers()
    {
        Experiment fewer = onMesh(2, 4);
        std::get<MlpModel>(fewer.model).settings.layers = 3;
        const SnapshotComparison found = compareSnapshots(snapshotOf(onMesh(2, 4)), snapshotOf(fewer));
        const auto gone = std::count_if(found.arrays.begin(), found.arrays.end(),
            [](const ComparedArray& array) { return array.role == Role::Parameter && array.before && !array.after; });
        QCOMPARE(gone, 2); // W1 and W2 of the last layer
        QVERIFY(found.program.removed() > 0);
        QCOMPARE(found.program.operationsBefore - found.program.operationsAfter,
            found.program.removed() - found.program.added());
        QCOMPARE(found.largest.what, What::State);
        QCOMPARE(found.largest.by, By::Model);
        QCOMPARE(*found.largest.inAllBefore - *found.largest.inAllAfter, 32 * mebibytes); // 2 weights, 4 times
    }

    void problemsComeAndGo()
    {
        Experiment wrong = onMesh(2, 4);
        wrong.hardware.pinned = true;
        wrong.mesh.axes[0].size = 3; // E102
        const SnapshotPtr right = snapshotOf(onMesh(2, 4)), bad = snapshotOf(wrong);
        const SnapshotComparison found = compareSnapshots(right, bad);
        const auto has = [](const SnapshotComparison& each, bool isGone) {
            return std::any_of(each.problems.begin(), each.problems.end(), [&](const ComparedProblem& problem) {
                return problem.problem.code == Code::DevicesMismatch && problem.isGone == isGone;
            });
        };
        QVERIFY(has(found, false));
        QVERIFY(has(compareSnapshots(bad, right), true));
        QVERIFY(!found.sentAfter && found.sentBefore);
    }

    void times()
    {
        const SnapshotPtr same = snapshotOf(onMesh(2, 4));
        const SnapshotComparison found = compareSnapshots(same, same, StepTime{ 0.02, 0.001 });
        QCOMPARE(found.timeBefore->mean, 0.02);
        QVERIFY(!found.timeAfter);
        QVERIFY(found.nothing());
    }

    void operations()
    {
        const auto built = [](std::int64_t rows, bool withTanh, bool withAdd) {
            Builder builder("main");
            const ValueId x = builder.argument({ DType::F32, { rows, 4 } }, "x", Role::Input);
            ValueId y = builder.named(builder.binary(OpKind::Add, x, x), "y", Role::Activation);
            if (withTanh)
                y = builder.unary(OpKind::Tanh, y);
            if (withAdd)
                y = builder.named(builder.binary(OpKind::Add, y, x), "z", Role::Activation);
            builder.result(y);
            return std::move(builder).finish();
        };
        using Kind = ComparedProgram::Kind;
        const auto kindsOf = [](ComparedProgram compared) { // of as many each, in the order of their names
            std::sort(compared.kinds.begin(), compared.kinds.end(),
                [](const Kind& a, const Kind& b) { return name(a.kind) < name(b.kind); });
            return compared.kinds;
        };
        QVERIFY(comparePrograms(built(8, true, true), built(8, true, true)).kinds.empty());
        // The same path with another type is changed; nameless ones are matched by kind.
        QCOMPARE(kindsOf(comparePrograms(built(8, true, false), built(16, true, false))),
            (std::vector<Kind>{ { OpKind::Add, 0, 0, 1 }, { OpKind::Tanh, 0, 0, 1 } }));
        QCOMPARE(kindsOf(comparePrograms(built(8, false, false), built(8, true, true))),
            (std::vector<Kind>{ { OpKind::Add, 1, 0, 0 }, { OpKind::Tanh, 1, 0, 0 } }));
        const ComparedProgram less = comparePrograms(built(8, true, true), built(8, false, false));
        QCOMPARE(less.removed(), 2);
        QCOMPARE(less.added() + less.changed(), 0);
        QCOMPARE(less.operationsBefore, 3);
        QCOMPARE(less.operationsAfter, 1);
        Program alike = built(8, true, true); // of several with one path none is another one
        for (Value& value : alike.values)
            value.path = std::string("same");
        QVERIFY(comparePrograms(alike, alike).kinds.empty());
    }
};

REGISTER_TEST(TestComparison)
#include "test_comparison.moc"
