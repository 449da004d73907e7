// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>

#include "analysis/analyse.h"
#include "analysis/analysed.h"
#include "analysis/explain.h"
#include "analysis/fixes.h"
#include "analysis/memory_fixes.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "outer_rules.h"
#include "partition/partition_program.h"
#include "pipeline/collective_list.h"
#include "pipeline/stage_results.h"
#include "pipeline/tensor_rows.h"
#include "program/builder.h"
#include "propagation/annotated_input.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "sharding/text.h"
#include "stablehlo/print.h"

using namespace shardscope;
using test::analysed;
using test::example;

namespace {

struct MeshCase {
    std::vector<MeshAxis> axes;
    std::int64_t sent; ///< bytes per device and step, the scalar loss apart
    std::int64_t loss;
};

/// The published figures for the notebook's experiment on its five meshes.
const std::vector<MeshCase> meshCases{
    { { { "data", 1 }, { "model", 8 } }, 401'408, 0 },
    { { { "data", 2 }, { "model", 4 } }, 8'560'640, 4 },
    { { { "data", 4 }, { "model", 2 } }, 25'223'168, 6 },
    { { { "data", 8 }, { "model", 1 } }, 58'720'256, 7 },
    { { { "pod", 2 }, { "data", 2 }, { "model", 2 } }, 25'223'168, 6 },
};

Experiment onMesh(Experiment experiment, const MeshCase& meshCase)
{
    experiment.mesh.axes = meshCase.axes;
    if (meshCase.axes.size() == 3) {
        const SpecEntry batch = SpecEntry::tuple({ "pod", "data" });
        std::get<MlpModel>(experiment.model).settings.deviceAxes["batch"] = batch;
        for (LogicalRule& rule : experiment.rules.rules.list)
            if (rule.name == LogicalName::of("batch"))
                rule.target = batch;
    }
    return experiment;
}

std::vector<const Problem*> problemsWith(const Snapshot& snapshot, Code code)
{
    std::vector<const Problem*> found;
    for (const Problem& problem : snapshot.problems)
        if (problem.diagnostic.code == code)
            found.push_back(&problem);
    return found;
}

LogicalRule rule(const char* name, SpecEntry target)
{
    return { LogicalName::of(name), std::move(target), false, 2 };
}

/// What every device runs.
std::string deviceText(const Snapshot& snapshot)
{
    return printStableHlo(partitionedProgram(snapshot).value()->device.program);
}

} // namespace

class TestAnalyse : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void notebookOnFiveMeshes_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < meshCases.size(); ++i)
            QTest::addRow("%d axes, first %d", static_cast<int>(meshCases[i].axes.size()),
                static_cast<int>(meshCases[i].axes[0].size))
                << static_cast<int>(i);
    }
    void notebookOnFiveMeshes()
    {
        QFETCH(int, index);
        const MeshCase& meshCase = meshCases[static_cast<std::size_t>(index)];
        const SnapshotPtr logical = analysed(onMesh(example("flax-mlp-logical"), meshCase));
        const SnapshotPtr device = analysed(onMesh(example("flax-mlp-device"), meshCase));
        for (const SnapshotPtr& snapshot : { logical, device }) {
            QVERIFY(snapshot->ok());
            QCOMPARE(snapshot->errorCount(), 0);
            QCOMPARE(snapshot->sent.step.numerator(), meshCase.sent);
            QCOMPARE(snapshot->sent.step.denominator(), 1);
            QCOMPARE(snapshot->sent.scalarLoss.numerator(), meshCase.loss);
        }
        QCOMPARE(logical->tensors.size(), device->tensors.size());
        for (std::size_t i = 0; i < logical->tensors.size(); ++i) {
            QCOMPARE(logical->tensors[i].path, device->tensors[i].path);
            QCOMPARE(canonical(logical->tensors[i].spec), canonical(device->tensors[i].spec));
        }
        const TensorRow* w1 = logical->row("params/layers.0/W1");
        QVERIFY(w1);
        for (const char* relative : { "grad(params/layers.0/W1)", "opt/mu/layers.0/W1", "opt/nu/layers.0/W1" }) {
            const TensorRow* row = logical->row(relative);
            QVERIFY2(row, relative);
            QCOMPARE(canonical(row->spec), canonical(w1->spec));
        }
    }

    void findingsOfTheNotebook()
    {
        Experiment notebook = example("flax-mlp-logical");
        notebook.acknowledged.clear();
        const SnapshotPtr snapshot = analysed(std::move(notebook));
        QCOMPARE(snapshot->warningCount(), 2);
        const auto inactive = problemsWith(*snapshot, Code::ConstraintInactive);
        QCOMPARE(inactive.size(), 1U);
        QCOMPARE(inactive[0]->values.size(), 4U); // one finding for the four layers
        // One fix that ends it: bound rules alone, or the platform alone, would change nothing.
        QCOMPARE(inactive[0]->fixes.size(), 1U);
        const Result<Experiment> active = applyFix(*snapshot->experiment, inactive[0]->fixes[0]);
        QVERIFY(active.has_value());
        QVERIFY(problemsWith(*analysed(*active), Code::ConstraintInactive).empty());
        const auto meshNames = problemsWith(*snapshot, Code::MeshNameInLogicalModel);
        QCOMPARE(meshNames.size(), 1U);
        QCOMPARE(meshNames[0]->values.size(), 4U);

        Experiment mended = *snapshot->experiment;
        for (const Problem& problem : snapshot->problems)
            for (const Fix& fix : problem.fixes) {
                const Result<Experiment> next = applyFix(mended, fix);
                QVERIFY(next.has_value());
                mended = *next;
            }
        const SnapshotPtr after = analysed(mended);
        QVERIFY(after->ok());
        QCOMPARE(after->problems.size(), 0U);
        QCOMPARE(analysed(example("flax-mlp-device"))->problems.size(), 0U);
    }

    /// What the experiment says it knows of is information, in the place that it says.
    void acknowledgedFindings()
    {
        const Experiment notebook = example("flax-mlp-logical");
        const SnapshotPtr known = analysed(notebook);
        QCOMPARE(known->warningCount(), 0);
        const auto acknowledged = problemsWith(*known, Code::Acknowledged);
        QCOMPARE(acknowledged.size(), 2U);
        QCOMPARE(acknowledged[0]->diagnostic.text("finding"), std::string("W206"));
        QCOMPARE(acknowledged[0]->diagnostic.text("reason"), notebook.acknowledged[0].reason);
        QCOMPARE(acknowledged[0]->values.size(), 4U);
        QCOMPARE(acknowledged[0]->fixes.size(), 1U);

        Experiment elsewhere = notebook;
        elsewhere.acknowledged[0].at = "layers.0/y";
        QCOMPARE(analysed(elsewhere)->warningCount(), 1);
        elsewhere.acknowledged[0].at = "layers.3/z"; // one finding for all layers
        QCOMPARE(analysed(elsewhere)->warningCount(), 0);
        elsewhere.acknowledged[0].at.clear();
        QCOMPARE(analysed(elsewhere)->warningCount(), 0);
        elsewhere.acknowledged[0].finding = "W203";
        QCOMPARE(analysed(elsewhere)->warningCount(), 1);
        // Errors are none that anybody can know of and keep.
        Experiment wrong = *withDimension(notebook, "batch", 7);
        wrong.acknowledged.push_back({ "E101", {}, "It does not matter." });
        QVERIFY(analysed(wrong)->errorCount() > 0);
    }

    void ruleUses()
    {
        const SnapshotPtr snapshot = analysed(example("flax-mlp-logical"));
        QCOMPARE(snapshot->ruleUses.size(), 2U);
        QCOMPARE(snapshot->ruleUses[0].inactiveUses, 4); // batch: the constraints on z
        QCOMPARE(snapshot->ruleUses[1].uses, 8); // hidden: all weights
        QCOMPARE(snapshot->namesWithoutRule.size(), 1U);
        QCOMPARE(snapshot->namesWithoutRule[0].first, std::string("embed"));
    }

    /// What saves memory is found on a few of many like layers, and helps all of them.
    void deepNetworksAreSpecifiedWhatHelpsThem()
    {
        Experiment deep = example("flax-mlp-logical");
        std::get<MlpModel>(deep.model).settings.layers = 300;
        deep.hardware.memoryPerDevice = 1 << 20;
        const SnapshotPtr before = analysed(deep);
        const auto found = problemsWith(*before, Code::OverMemoryLimit);
        QCOMPARE(found.size(), 1U);
        QVERIFY(asksForMemoryFixes(*before, *found[0]));
        AnalysisCache cache;
        const std::vector<Fix> fixes = memoryFixes(*before, cache, {});
        QCOMPARE(fixes.size(), 2U);
        std::int64_t last = 0;
        for (const Fix& fix : fixes) {
            const std::int64_t after = analysed(*applyFix(deep, fix))->plan->memory.peakBytes;
            QVERIFY(after < before->plan->memory.peakBytes);
            QVERIFY(after >= last); // the better one first
            last = after;
        }
    }

    void indivisibleDimensionIsNamedAndMended()
    {
        Experiment experiment = onMesh(example("flax-mlp-logical"), meshCases[2]);
        experiment = *withDimension(experiment, "batch", 10);
        const SnapshotPtr snapshot = analysed(experiment);
        QVERIFY(!snapshot->ok());
        const auto found = problemsWith(*snapshot, Code::Indivisible);
        QVERIFY(!found.empty());
        QCOMPARE(found[0]->diagnostic.number("size"), 10);
        QCOMPARE(found[0]->diagnostic.number("partitions"), 4);
        QCOMPARE(found[0]->diagnostic.text("dim_name"), std::string("batch"));
        QVERIFY(!found[0]->fixes.empty());
        for (const Fix& fix : found[0]->fixes) {
            const Result<Experiment> mended = applyFix(experiment, fix);
            QVERIFY(mended.has_value());
            QCOMPARE(problemsWith(*analysed(*mended), Code::Indivisible).size(), 0U);
        }
    }

    void meshThatDoesNotFit()
    {
        Experiment experiment = example("flax-mlp-logical");
        experiment.mesh.axes[1].size = 8;
        const SnapshotPtr snapshot = analysed(experiment);
        const auto found = problemsWith(*snapshot, Code::DevicesMismatch);
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0]->fixes.size(), 2U);
        for (const Fix& fix : found[0]->fixes)
            QVERIFY(analysed(*applyFix(experiment, fix))->ok());
    }

    void rulesThatGoWrong()
    {
        Experiment experiment = example("flax-mlp-logical");
        experiment.rules.rules.list = { rule("embed", SpecEntry::none()), rule("embed", SpecEntry::axis("data")),
            rule("hidden", SpecEntry::axis("modle")), rule("heads", SpecEntry::axis("model")) };
        const SnapshotPtr snapshot = analysed(experiment);
        const auto blocks = problemsWith(*snapshot, Code::NullBlocksRule);
        QCOMPARE(blocks.size(), 1U);
        QCOMPARE(blocks[0]->diagnostic.number("blocked"), 2);
        const auto unknown = problemsWith(*snapshot, Code::RuleUnknownAxis);
        QCOMPARE(unknown.size(), 1U);
        QCOMPARE(unknown[0]->fixes[0].name, std::string("model"));
        QCOMPARE(problemsWith(*snapshot, Code::RuleUnused).size(), 1U);
        // The unknown axis cuts nothing, and the rest is still laid out.
        QVERIFY(snapshot->ok());
        QVERIFY(snapshot->row("params/layers.0/W1")->layout.sharding().isFullyReplicated());
        // Moving the blocked rule up lets embed be cut.
        const SnapshotPtr mended = analysed(*applyFix(experiment, blocks[0]->fixes[0]));
        QCOMPARE(toJax(mended->row("params/layers.0/W1")->spec), std::string("P('data', None)"));
    }

    void tupleThatLosesItsAxes()
    {
        Experiment experiment = example("flax-mlp-logical");
        experiment.rules.rules.list = { rule("embed", SpecEntry::axis("data")),
            rule("hidden", SpecEntry::tuple({ "data", "model" })) };
        const SnapshotPtr snapshot = analysed(experiment);
        const auto lost = problemsWith(*snapshot, Code::TupleLostAxes);
        QVERIFY(!lost.empty());
        QCOMPARE(lost[0]->diagnostic.list("axes"), std::vector<std::string>{ "model" });
        QCOMPARE(toJax(snapshot->row("params/layers.0/W1")->spec), std::string("P('data', None)"));
        const SnapshotPtr mended = analysed(*applyFix(experiment, lost[0]->fixes[0]));
        QCOMPARE(toJax(mended->row("params/layers.0/W1")->spec), std::string("P('data', 'model')"));
    }

    void ruleLab()
    {
        const SnapshotPtr snapshot = analysed(example("rule-lab"));
        QVERIFY(snapshot->ok());
        QCOMPARE(snapshot->tensors.size(), 1U);
        QCOMPARE(toJax(snapshot->tensors[0].spec), std::string("P('X', None, 'Y', None)"));
        Experiment swapped = *withRuleMoved(*snapshot->experiment, 1, 0);
        QCOMPARE(toJax(analysed(swapped)->tensors[0].spec), std::string("P('Z', None, 'Y', 'X')"));
    }

    void cacheGivesTheSameAndSaysSo()
    {
        AnalysisCache cache;
        const auto experiment = std::make_shared<const Experiment>(example("flax-mlp-logical"));
        const SnapshotPtr first = analyse(experiment, 1, cache);
        Experiment renamed = *experiment;
        renamed.title = "another title";
        const SnapshotPtr second = analyse(std::make_shared<const Experiment>(renamed), 2, cache);
        QVERIFY(first->plan == second->plan);
        QVERIFY(first->source == second->source);
        for (const StageTime& time : second->times)
            QVERIFY2(time.fromCache == (time.stage != "summarise"), time.stage.c_str());
        for (const StageCount& count : cache.counts()) {
            const bool isCached = count.stage != "summarise";
            QCOMPARE(count.hits, isCached ? 1 : 0);
            QCOMPARE(count.misses, isCached ? 1 : 2);
            QCOMPARE(count.lastHit, isCached);
            QVERIFY(count.missSeconds > 0);
        }
        QCOMPARE(cache.counts().size(), second->times.size());
        // Another mesh is another layout of the same program.
        const SnapshotPtr third =
            analyse(std::make_shared<const Experiment>(onMesh(*experiment, meshCases[2])), 3, cache);
        QVERIFY(third->source == first->source);
        QVERIFY(third->plan != first->plan);
        // What comes from the cache equals what is computed anew.
        QCOMPARE(deviceText(*third), deviceText(*analysed(*third->experiment)));
    }

    void stops()
    {
        std::stop_source source;
        source.request_stop();
        AnalysisCache cache;
        QVERIFY(
            !analyse(std::make_shared<const Experiment>(example("flax-mlp-logical")), 1, cache, source.get_token()));
    }

    void explanations()
    {
        const SnapshotPtr snapshot = analysed(example("flax-mlp-logical"));
        const Explanation w1 = explain(*snapshot, snapshot->row("params/layers.0/W1")->value);
        QCOMPARE(w1.dims.size(), 2U);
        QCOMPARE(w1.dims[0].kind, DimensionReason::Kind::NoRule);
        QCOMPARE(w1.dims[1].kind, DimensionReason::Kind::Rule);
        QCOMPARE(w1.dims[1].rule, 1);
        QCOMPARE(w1.copiedAlong.size(), 1U);
        QCOMPARE(toString(*snapshot->mesh, w1.copiedAlong[0]), std::string("data"));

        // z's own constraint is not active: its cut came along from what it is computed of.
        const Explanation z = explain(*snapshot, snapshot->row("layers.0/z")->value);
        QCOMPARE(z.dims[0].kind, DimensionReason::Kind::Propagated);
        QVERIFY(!z.dims[0].chain.empty());
        QVERIFY(z.dims[0].chain.front().seed.has_value());
        QCOMPARE(z.problems.size(), 1U);

        const Explanation gradient = explain(*snapshot, snapshot->row("grad(params/layers.0/W1)")->value);
        QCOMPARE(gradient.collectives.size(), 1U);
    }

    void valuesArePartialBeforeTheirSum()
    {
        const SnapshotPtr snapshot = analysed(example("flax-mlp-logical"));
        const auto along = [&](const char* path) {
            std::string names;
            for (const AxisRef& axis : snapshot->row(path)->partialBefore)
                names += toString(*snapshot->mesh, axis) + ' ';
            return names;
        };
        QCOMPARE(along("layers.0/z"), std::string("model ")); // the product before the constraint is what is added up
        QCOMPARE(along("grad(params/layers.2/W2)"), std::string("data "));
        QCOMPARE(along("loss"), std::string("data "));
        for (const char* path : { "x", "layers.0/h", "layers.0/y", "params/layers.0/W1" })
            QCOMPARE(along(path), std::string());
        const TensorRow& z = *snapshot->row("layers.1/z");
        QCOMPARE(z.layoutBefore.addends(), 4);
        QVERIFY(z.layoutBefore.shape() == z.layout.shape());
        QVERIFY(z.layoutBefore.shardShape() == Shape({ 4, 1024 }));
        QCOMPARE(explain(*snapshot, z.value).collectives.size(), 1U);
        // All collectives of the step but those of nameless values have a tensor that tells of them.
        std::size_t told = 0;
        for (const TensorRow& row : snapshot->tensors)
            told += explain(*snapshot, row.value).collectives.size();
        QVERIFY(told <= snapshot->collectives->entries.size());
        QVERIFY(told >= 13); // four of z, eight of gradients, the loss
    }

    /// An argument that an axis reaches by propagation: x of the given size, and tanh(x) pinned to [{a}].
    static Snapshot reached(std::int64_t size, const LogicalRules& rules)
    {
        Builder b("reached");
        const LogicalAxes declared{ { LogicalName::of("b") } };
        const ValueId x = b.argument({ DType::F32, { size } }, "x", Role::Input, { "b" }, declared);
        const ValueId y = b.constrain(b.unary(OpKind::Tanh, x), DeviceAxes{ { { SpecEntry::axis("a") } } });
        b.result(b.named(y, "y", Role::Activation, { "b" }));
        Snapshot snapshot;
        snapshot.experiment = std::make_shared<const Experiment>();
        snapshot.program = std::make_shared<const Program>(std::move(b).finish());
        snapshot.mesh = std::make_shared<const Mesh>(*Mesh::create({ { "a", 2 } }));
        auto annotations = std::make_shared<Annotations>();
        ResolvedAnnotation annotation{ x, {}, declared, *resolve(declared.names, rules, FlaxVersion::Current), -1, {},
            {} };
        annotation.spec = annotation.resolution->spec();
        AnnotatedInput input{ snapshot.program, snapshot.mesh, { {} }, { {} }, { {}, {} } };
        input.arguments[0] = toTensorSharding(*annotation.spec, *snapshot.mesh, 1);
        TensorSharding pinned = TensorSharding::fullyReplicated(1);
        pinned.dims[0].axes.push_back(fullAxis(*snapshot.mesh, 0));
        input.constraints[1] = pinned;
        annotations->arguments.push_back(annotation);
        annotations->results.emplace_back();
        snapshot.annotations = annotations;
        snapshot.propagation = std::make_shared<const PropagationResult>(propagate(input));
        addTensorRows(snapshot);
        return snapshot;
    }

    void ruleThatLeavesADimensionToPropagation()
    {
        LogicalRules rules;
        rules.list = { rule("b", SpecEntry::unconstrained()), rule("b", SpecEntry::axis("a")) };
        const Snapshot open = reached(8, rules);
        const Explanation x = explain(open, open.row("x")->value);
        QCOMPARE(x.dims[0].kind, DimensionReason::Kind::Propagated);
        QCOMPARE(x.dims[0].axes.size(), 1U);
        QVERIFY(x.dims[0].chain.front().seed == SeedKind::Constraint);

        rules.list.erase(rules.list.begin());
        const Snapshot ruled = reached(8, rules);
        QCOMPARE(explain(ruled, ruled.row("x")->value).dims[0].kind, DimensionReason::Kind::Rule);
        rules.list = { rule("b", SpecEntry::none()) };
        const Snapshot full = reached(8, rules);
        QCOMPARE(explain(full, full.row("x")->value).dims[0].kind, DimensionReason::Kind::RuleToNull);
    }

    void argumentsAreDrawnAsTheyAreHeld()
    {
        // Five elements do not divide by two devices: propagation brings a, and the argument is padded as programs in
        // texts are.
        LogicalRules rules;
        rules.list = { rule("b", SpecEntry::unconstrained()) };
        const Snapshot snapshot = reached(5, rules);
        const TensorRow& x = *snapshot.row("x");
        QCOMPARE(snapshot.propagation->shardings[x.value.index].dims[0].axes.size(), 1U);
        QCOMPARE(x.bytesPerDevice, 12);
        QCOMPARE(x.copies, 1);
        QCOMPARE(x.spec.axesOf(0), std::vector<std::string>{ "a" });
        const Explanation explanation = explain(snapshot, x.value);
        QCOMPARE(explanation.dims[0].axes.size(), 1U);
        QVERIFY(explanation.copiedAlong.empty());
        QCOMPARE(snapshot.row("y")->spec.axesOf(0), std::vector<std::string>{ "a" }); // computed in unequal parts
    }

    void whatIfsAreComputed()
    {
        AnalysisCache cache;
        const SnapshotPtr snapshot = analysed(example("flax-mlp-logical"));
        const std::vector<WhatIf> all = whatIfs(*snapshot, snapshot->row("params/layers.0/W1")->value, cache);
        const auto mapping = std::find_if(all.begin(), all.end(),
            [](const WhatIf& w) { return w.kind == WhatIf::Kind::MapName && w.name == "embed" && w.axis == "data"; });
        QVERIFY(mapping != all.end());
        QCOMPARE(mapping->bytesPerDeviceBefore, 1 << 20);
        QCOMPARE(mapping->bytesPerDeviceAfter, 1 << 19);
        const auto mesh = std::find_if(all.begin(), all.end(), [](const WhatIf& w) {
            return w.sizes == std::vector<std::int64_t>{ 4, 2 };
        });
        QVERIFY(mesh != all.end());
        QCOMPARE(mesh->bytesPerDeviceAfter, 2 << 20);
        QCOMPARE(mesh->stateBytesAfter, std::int64_t{ 64 } << 20);
        QCOMPARE(mesh->sentAfter.numerator(), 25'223'168);
    }

    /// Whatever mesh of as many devices is put over a compiled program, each device keeps its part.
    void partsOfACompiledProgram()
    {
        const auto text = std::make_shared<const std::string>(
            "HloModule m, is_scheduled=true, num_partitions=8\n\n"
            "ENTRY %main_spmd (p: f32[2,8], q: f32[2,8]) -> f32[2,8] {\n"
            "  %p = f32[2,8]{1,0} parameter(0), sharding={mesh['data'=2,'model'=4], [{'data'}, {}]}\n"
            "  %q = f32[2,8]{1,0} parameter(1), sharding={devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}\n"
            "  ROOT %s = f32[2,8]{1,0} add(%p, %q)\n}\n");
        const Result<Experiment> stated = experimentOf(ProgramModel{ {}, text, {} }, "compiled");
        QVERIFY(stated.has_value());
        const SnapshotPtr own = analysed(*stated);
        QCOMPARE(own->errorCount(), 0);
        QCOMPARE(own->tensors.size(), std::size_t{ 2 });
        QCOMPARE(own->tensors[0].layout.shards(), (std::vector<std::int64_t>{ 0, 0, 0, 0, 1, 1, 1, 1 }));
        QCOMPARE(own->tensors[1].layout.shards(), (std::vector<std::int64_t>{ 0, 1, 2, 3, 0, 1, 2, 3 }));
        using Axes = std::vector<MeshAxis>;
        for (const Axes& axes : { Axes{ { "x", 8 } }, Axes{ { "a", 4 }, { "b", 2 } },
                 Axes{ { "a", 2 }, { "b", 2 }, { "c", 2 } }, Axes{ { "rows", 2 }, { "columns", 4 } } }) {
            Experiment other = *stated;
            other.mesh.axes = axes;
            const SnapshotPtr snapshot = analysed(other);
            QCOMPARE(snapshot->errorCount(), 0);
            QCOMPARE(snapshot->tensors.size(), own->tensors.size());
            for (std::size_t i = 0; i < own->tensors.size(); ++i) {
                QCOMPARE(snapshot->tensors[i].type.shape, own->tensors[i].type.shape);
                QCOMPARE(snapshot->tensors[i].layout.shards(), own->tensors[i].layout.shards());
            }
        }
    }

    void memoryOfTheNotebook()
    {
        // Parameters, gradients and both moments: 16, 32, 64, 128 MiB per device, as arithmetic has it.
        const std::vector<std::int64_t> mebibytes{ 16, 32, 64, 128, 64 };
        for (std::size_t i = 0; i < meshCases.size(); ++i) {
            const SnapshotPtr snapshot = analysed(onMesh(example("flax-mlp-logical"), meshCases[i]));
            const auto& owners = snapshot->plan->memory.atPeak;
            const std::int64_t state = owners[static_cast<std::size_t>(Owner::Parameters)]
                + owners[static_cast<std::size_t>(Owner::Gradients)] + owners[static_cast<std::size_t>(Owner::Mu)]
                + owners[static_cast<std::size_t>(Owner::Nu)];
            QCOMPARE(state, mebibytes[i] << 20);
        }
    }
};

REGISTER_TEST(TestAnalyse)
#include "test_analyse.moc"
