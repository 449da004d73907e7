// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings about meshes, shardings and rules, and that their fixes mend them.
#include <QTest>

#include <algorithm>

#include "analysis/analyse.h"
#include "analysis/analysed.h"
#include "analysis/fixes.h"
#include "analysis/memory_fixes.h"
#include "analysis/problems.h"
#include "analysis/ruled_arrays.h"
#include "analysis/slow_links.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/network_edits.h"
#include "experiment/network_rules.h"
#include "experiment/rule_edits.h"
#include "networks/presets.h"
#include "outer_rules.h"
#include "pipeline/collective_list.h"
#include "registered_test.h"
#include "rules/published_rules.h"
#include "schedule/plan.h"
#include "sharding/text.h"

using namespace shardscope;
using test::analysed;
using test::example;

namespace {

/// One array per line of names, all of the same size.
Experiment arrays(std::vector<MeshAxis> mesh, const char* rules, const std::vector<std::vector<std::string>>& names,
    std::int64_t size = 16)
{
    Experiment experiment;
    experiment.mesh.axes = std::move(mesh);
    experiment = *withDevicesForMesh(experiment);
    experiment.rules.rules = *parseRules(rules);
    ArraysModel model;
    for (std::size_t i = 0; i < names.size(); ++i) {
        NamedArraySetting array;
        array.path = "array" + std::to_string(i);
        for (const std::string& name : names[i]) {
            array.names.push_back(name.empty() ? LogicalName::none() : LogicalName::of(name));
            array.shape.push_back(size);
        }
        model.arrays.push_back(std::move(array));
    }
    experiment.model = std::move(model);
    return experiment;
}

std::vector<Problem> found(const Experiment& experiment, Code code)
{
    const SnapshotPtr snapshot = analysed(experiment);
    std::vector<Problem> problems;
    for (const Problem& problem : snapshot->problems)
        if (problem.diagnostic.code == code)
            problems.push_back(problem);
    return problems;
}

/// The MLP of the notebook with bound rules, without findings.
Experiment cleanMlp()
{
    Experiment experiment = example("flax-mlp-logical");
    experiment.rules.version = FlaxVersion::Current;
    experiment.rules.boundWhenTraced = true;
    std::get<MlpModel>(experiment.model).settings.yConstraint = MlpSettings::Axes::Logical;
    return experiment;
}

} // namespace

class TestLint : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A rule whose arrays cannot be resolved is not called unused: nobody knows.
    void errorsDoNotMakeRulesUnused()
    {
        const Experiment twice = arrays({ { "x", 2 } }, "[('embed', 'x')]", { { "batch", "batch", "embed" } });
        QCOMPARE(found(twice, Code::DuplicateDimension).size(), 1U);
        QVERIFY(found(twice, Code::RuleUnused).empty());
        const Experiment other = arrays({ { "x", 2 } }, "[('heads', 'x')]", { { "batch", "batch", "embed" } });
        QCOMPARE(found(other, Code::RuleUnused).size(), 1U);
    }

    /// A name that differs by little from one without a rule is taken for it, and a fix corrects it.
    void misspeltRules()
    {
        const Experiment experiment =
            arrays({ { "x", 2 } }, "[('batch', 'x'), ('embd', 'x')]", { { "batch", "embed" }, { "embed", "mlp" } });
        const std::vector<Problem> unused = found(experiment, Code::RuleUnused);
        QCOMPARE(unused.size(), 1U);
        QCOMPARE(unused[0].diagnostic.text("nearest"), std::string("embed"));
        QCOMPARE(unused[0].fixes.size(), 2U);
        QVERIFY(unused[0].fixes[0].kind == Fix::Kind::RenameRule && unused[0].fixes[1].kind == Fix::Kind::RemoveRule);
        const Experiment corrected = *applyFix(experiment, unused[0].fixes[0]);
        QVERIFY(found(corrected, Code::RuleUnused).empty());
        QCOMPARE(toColumn(analysed(corrected)->row("array1")->spec), std::string("P(x, -)"));
        // Where the near name has a rule, the other one is no slip of it.
        const Experiment taken = arrays(
            { { "x", 2 } }, "[('batch', 'x'), ('embed', 'x'), ('embd', 'x')]", { { "batch", "embed" }, { "embed" } });
        QCOMPARE(found(taken, Code::RuleUnused).size(), 1U);
        QVERIFY(!found(taken, Code::RuleUnused)[0].diagnostic.arg("nearest"));
    }

    /// The rules of a part replace those outside for the arrays that lie there, and for no others.
    void rulesOfParts()
    {
        Experiment experiment = arrays({ { "x", 2 }, { "y", 2 } }, "[('batch', 'x'), ('mlp', 'y')]",
            { { "batch", "mlp" }, { "batch", "mlp" }, { "batch", "mlp" } });
        auto& list = std::get<ArraysModel>(experiment.model).arrays;
        list[1].path = "decoder/layer_1/w";
        list[2].path = "decoder/layer_10/w";
        const auto mlpTo = [](const char* axis) {
            return std::vector<LogicalRule>{ { LogicalName::of("mlp"), SpecEntry::axis(axis) } };
        };
        experiment = *withInnerRules(experiment, "decoder/layer_1", mlpTo("x"));
        const SnapshotPtr snapshot = analysed(experiment);
        const auto spec = [](const SnapshotPtr& of, const char* path) { return toColumn(of->row(path)->spec); };
        QCOMPARE(spec(snapshot, "array0"), "P(x, y)");
        QCOMPARE(spec(snapshot, "decoder/layer_1/w"), "P(-, x)");
        QCOMPARE(spec(snapshot, "decoder/layer_10/w"), "P(x, y)");
        QCOMPARE(snapshot->annotations->arguments[1].innerRules, 0);
        QCOMPARE(snapshot->annotations->arguments[2].innerRules, -1);
        // The arrays that rules are asked about, with the lists of rules of now.
        const std::vector<RuledArray> ruled = ruledArrays(*snapshot, experiment.rules);
        QCOMPARE(ruled.size(), 3U);
        QCOMPARE(ruled[1].array.path, std::string("decoder/layer_1/w"));
        QCOMPARE(ruled[1].array.names, list[1].names);
        QCOMPARE(ruled[1].array.shape, list[1].shape);
        QVERIFY(ruled[0].list.isOuter() && ruled[1].list == RuleList{ 0 } && ruled[2].list.isOuter());
        for (const RuledArray& each : ruledArrays(*snapshot, {}))
            QVERIFY(each.list.isOuter());
        QCOMPARE(snapshot->ruleUses[0].uses, 2);
        QCOMPARE(snapshot->innerRuleUses.size(), 1U);
        QCOMPARE(snapshot->innerRuleUses[0][0].uses, 1);
        QVERIFY(snapshot->namesWithoutRule.empty()); // batch has no rule within the layer, but outside
        QVERIFY(snapshot->problems.empty());
        const RuleCensus census = countRules(*snapshot->program, *snapshot->annotations, experiment.rules);
        QCOMPARE(census.outer.arrays, 2);
        QCOMPARE(census.inner[0].arrays, 1);
        QCOMPARE(census.inner[0].namesWithoutRule, (std::vector<std::pair<std::string, int>>{ { "batch", 1 } }));

        // Findings say which list, and their fixes mend that one.
        Experiment wrong = *withRulesOfList(experiment, { 0 },
            { { LogicalName::of("mlp"), SpecEntry::axis("x") }, { LogicalName::of("batch"), SpecEntry::axis("x") },
                { LogicalName::of("heads"), SpecEntry::axis("yy") }, { LogicalName::of("z"), SpecEntry::none() },
                { LogicalName::of("z"), SpecEntry::axis("x") } });
        for (const auto& [code, pointer] : { std::pair{ Code::AxisBusy, "/rules/inner/0/rules/1" },
                 std::pair{ Code::RuleUnknownAxis, "/rules/inner/0/rules/2" },
                 std::pair{ Code::NullBlocksRule, "/rules/inner/0/rules/3" } }) {
            const std::vector<Problem> problems = found(wrong, code);
            QCOMPARE(problems.size(), 1U);
            QCOMPARE(problems[0].diagnostic.where.pointer, pointer);
            QCOMPARE(problems[0].diagnostic.text("within"), "decoder/layer_1");
            QVERIFY(!problems[0].fixes.empty());
            for (const Fix& fix : problems[0].fixes) {
                const Result<Experiment> mended = applyFix(wrong, fix);
                QVERIFY(mended.has_value());
                QVERIFY(mended->rules.rules == wrong.rules.rules);
                QVERIFY(!(mended->rules.inner == wrong.rules.inner));
            }
            if (code != Code::AxisBusy) // the other order makes the other rule find it in use
                QVERIFY(found(*applyFix(wrong, problems[0].fixes[0]), code).empty());
        }
        QCOMPARE(found(wrong, Code::RuleUnused).size(), 2U); // heads and the first z

        // A part without arrays is one finding, whatever rules it has.
        wrong = *withInnerRulesRenamed(experiment, { 0 }, "decoder/layer");
        const std::vector<Problem> unread = found(wrong, Code::RuleUnused);
        QCOMPARE(unread.size(), 1U);
        QCOMPARE(unread[0].diagnostic.where.pointer, "/rules/inner/0");
        QVERIFY(!unread[0].diagnostic.arg("rule"));
        QCOMPARE(unread[0].diagnostic.text("nearest"), "decoder/layer_1");
        const Result<Experiment> removed = applyFix(wrong, unread[0].fixes.at(0));
        QVERIFY(removed && removed->rules.inner.empty());
        // A list is known by its part, not by its place among the lists.
        const Experiment moved = *withInnerRules(*removed, "encoder", mlpTo("x"));
        QVERIFY(!applyFix(moved, unread[0].fixes.at(0)));
        QVERIFY(moved.rules.inner[0].within == "encoder");

        // Outside: a name that only arrays of the part have is not unknown.
        Experiment elsewhere = experiment;
        for (std::size_t i : { 0U, 2U })
            std::get<ArraysModel>(elsewhere.model).arrays[i].names[1] = LogicalName::of("batches");
        const std::vector<Problem> unused = found(elsewhere, Code::RuleUnused);
        QCOMPARE(unused.size(), 1U);
        QVERIFY(unused[0].diagnostic.arg("elsewhere") && !unused[0].diagnostic.arg("within"));

        // What a fallback refuses says whose rules lack the name.
        Experiment strict = experiment;
        strict.rules.fallback = RulesFallback::RaiseError;
        std::get<ArraysModel>(strict.model).arrays[1].names[0] = LogicalName::of("heads");
        for (const Problem& problem : found(strict, Code::UnmatchedAxis))
            QCOMPARE(problem.diagnostic.text("within"), "decoder/layer_1");
        QCOMPARE(spec(analysed(*removed), "decoder/layer_1/w"), "P(x, y)");

        // Mappings, too: each of its own list.
        Experiment mapping = experiment;
        setSequence(mapping.rules, false);
        QCOMPARE(spec(analysed(mapping), "decoder/layer_1/w"), "P(-, x)");
        QCOMPARE(spec(analysed(mapping), "array0"), "P(x, y)");
    }

    /// A layer of the network: its parameters, their moments and new values, its activations and their gradients.
    void rulesOfALayer()
    {
        const Experiment clean = cleanMlp();
        // The network's arrays are params/layers.1/W1; the part is called layers.1.
        const std::vector<Problem> unread =
            found(*withInnerRules(clean, "params/layers.1", { { LogicalName::of("embed"), SpecEntry::axis("model") } }),
                Code::RuleUnused);
        QCOMPARE(unread.size(), 1U);
        QCOMPARE(unread[0].diagnostic.text("nearest"), "layers.1");
        const Experiment experiment = *withInnerRules(clean, "layers.1",
            { { LogicalName::of("embed"), SpecEntry::axis("model") },
                { LogicalName::of("batch"), SpecEntry::axis("data") } });
        const SnapshotPtr snapshot = analysed(experiment);
        for (const char* path : { "params/layers.1/W1", "opt/mu/layers.1/W1", "opt/nu/layers.1/W1",
                 "params/layers.0/W1", "layers.1/z", "layers.0/z" })
            QVERIFY2(snapshot->row(path), path);
        QVERIFY(snapshot->annotations);
        for (const char* path : { "params/layers.1/W1", "opt/mu/layers.1/W1", "opt/nu/layers.1/W1" })
            QCOMPARE(toColumn(snapshot->row(path)->spec), "P(model, -)");
        QCOMPARE(toColumn(snapshot->row("params/layers.0/W1")->spec), "P(-, model)");
        QCOMPARE(toColumn(snapshot->row("layers.1/z")->spec), "P(data, model)");
        QCOMPARE(toColumn(snapshot->row("layers.0/z")->spec), "P(data, -)");
        for (const auto* list : { &snapshot->annotations->results, &snapshot->annotations->constraints })
            for (const ResolvedAnnotation& annotation : *list) {
                const Value& value = snapshot->program->value(annotation.value);
                const std::string place = annotation.operation.valid()
                    ? snapshot->program->scopes[snapshot->program->operation(annotation.operation).scope]
                    : *value.path;
                if (std::holds_alternative<LogicalAxes>(annotation.declared))
                    QCOMPARE(annotation.innerRules, place.find("layers.1") == std::string::npos ? -1 : 0);
            }
        QCOMPARE(snapshot->errorCount(), 0);

        // What is bound inside a part is bound wherever the part is traced.
        Experiment unbound = experiment;
        unbound.rules.boundWhenTraced = false;
        const SnapshotPtr without = analysed(unbound);
        int active = 0, inactive = 0;
        for (const ResolvedAnnotation& annotation : without->annotations->constraints)
            if (std::holds_alternative<LogicalAxes>(annotation.declared)) {
                QCOMPARE(annotation.spec.has_value(), annotation.innerRules == 0);
                ++(annotation.spec ? active : inactive);
            }
        QVERIFY(active > 0 && inactive > 0);

        QCOMPARE(modelParts(clean, snapshot->source->program).front(), "layers.0");
        QCOMPARE(modelParts(clean, snapshot->source->program).size(), 7U); // with "opt", "opt/mu" and "opt/nu"
    }

    /// Without a mesh where the model is traced logical constraints leave their values alone, and say so; one of their
    /// own is as good as that of the context.
    void constraintsNeedAMesh()
    {
        Experiment experiment = cleanMlp();
        QVERIFY(found(experiment, Code::ConstraintInactive).empty());
        experiment.rules.constraintMesh = ConstraintMesh::Own;
        QVERIFY(found(experiment, Code::ConstraintInactive).empty());
        experiment.rules.constraintMesh = ConstraintMesh::None;
        const std::vector<Problem> inactive = found(experiment, Code::ConstraintInactive);
        QVERIFY(!inactive.empty());
        QCOMPARE(inactive.front().diagnostic.list("reasons"), std::vector<std::string>{ "no_mesh" });
        const Fix fix{ Fix::Kind::EnterMesh, {}, 0, 0 };
        QVERIFY(std::find(inactive.front().fixes.begin(), inactive.front().fixes.end(), fix)
            != inactive.front().fixes.end());
        const Result<Experiment> fixed = applyFix(experiment, fix);
        QVERIFY(fixed.has_value());
        QVERIFY(found(*fixed, Code::ConstraintInactive).empty());
    }

    /// A later rule of a name with other axes is what the list falls back to; one with the same axes is superfluous.
    void fallbacksAreNotUnused()
    {
        const std::vector<MeshAxis> mesh{ { "X", 2 }, { "Y", 2 }, { "Z", 2 } };
        const Experiment lab =
            arrays(mesh, "[('batch', 'X'), ('features', 'X'), ('batch', 'Z')]", { { "batch", "features" } });
        QVERIFY(found(lab, Code::RuleUnused).empty());
        const Experiment same = arrays(mesh, "[('batch', 'X'), ('batch', 'X')]", { { "batch", "features" } });
        QCOMPARE(found(same, Code::RuleUnused).size(), 1U);
    }

    /// That a model has no array for some of the rules that a project has published is no fault of theirs.
    void publishedRulesAreNotUnused()
    {
        Experiment experiment = arrays({ { "data", 2 }, { "model", 4 } }, "[]", { { "vocab", "embed" } });
        experiment.rules.rules = findPublishedRules("t5x-a1p1")->rules;
        QVERIFY(found(experiment, Code::RuleUnused).empty());
        experiment.mesh.axes = { { "replica", 2 }, { "data", 2 }, { "model", 2 } };
        experiment.rules.rules.list.front().target = SpecEntry::tuple({ "replica", "data" }); // over several slices
        QVERIFY(found(experiment, Code::RuleUnused).empty());
        experiment.rules.rules.list.push_back({ LogicalName::of("own"), SpecEntry::axis("model") });
        QCOMPARE(found(experiment, Code::RuleUnused).size(), 1U);
        experiment.rules.rules.list.erase(experiment.rules.rules.list.begin()); // no such set any more
        QVERIFY(found(experiment, Code::RuleUnused).size() > 1);
    }

    /// Rules that are a mapping: conflicts are errors of the array, and nothing is walked in order.
    void mappings()
    {
        const auto mapping = [](const char* rules, const std::vector<std::vector<std::string>>& names) {
            Experiment experiment = arrays({ { "foo", 4 }, { "bar", 2 } }, rules, names);
            experiment.rules.rules.isSequence = false;
            return experiment;
        };
        const SnapshotPtr right = analysed(mapping("[('a', 'bar'), ('b', 'foo')]", { { "b", "a" }, { "", "a" } }));
        QVERIFY(right->ok());
        QCOMPARE(toColumn(right->row("array0")->spec), std::string("P(foo, bar)"));
        QCOMPARE(toColumn(right->row("array1")->spec), std::string("P(bar, -)")); // Penzai counts named axes alone
        const char* const twice = "[('a', 'bar'), ('b', 'bar')]";
        QCOMPARE(found(mapping(twice, { { "a", "b" } }), Code::AxisUsedTwice).size(), 1U);
        QVERIFY(analysed(mapping(twice, { { "a", "c" } }))->ok());
        QCOMPARE(found(mapping("[('a', 'nope')]", { { "a" } }), Code::UnknownAxis).size(), 1U);
        QCOMPARE(found(mapping("[('a', 'foo'), ('a', 'bar')]", { { "a" } }), Code::RuleConflict).size(), 1U);
        const std::vector<Problem> unnamed = found(mapping("[('a', 'foo')]", { { "" } }), Code::NonNamedLeaf);
        QCOMPARE(unnamed.size(), 1U);
        QCOMPARE(unnamed[0].diagnostic.text("leaf"), std::string("array0"));
    }

    void cleanExamples()
    {
        QVERIFY(analysed(cleanMlp())->problems.empty());
        for (const MeshAxis& model : { MeshAxis{ "model", 8 }, MeshAxis{ "model", 2 } }) {
            Experiment experiment = cleanMlp();
            experiment.mesh.axes = { { "data", 8 / model.size }, model };
            const SnapshotPtr snapshot = analysed(experiment);
            for (const Problem& problem : snapshot->problems)
                QVERIFY(problem.diagnostic.code == Code::SizeOneAxis
                    || problem.diagnostic.code == Code::SlowLinkCollective);
        }
    }

    /// Each way out was tried: it needs less, and the first of them fits.
    void tooMuchMemory()
    {
        Experiment experiment = cleanMlp();
        const std::int64_t needed = analysed(experiment)->plan->memory.peakBytes;
        experiment.hardware.memoryPerDevice = needed;
        QVERIFY(found(experiment, Code::OverMemoryLimit).empty());
        experiment.hardware.memoryPerDevice = needed - 1;
        const std::vector<Problem> over = found(experiment, Code::OverMemoryLimit);
        QCOMPARE(over.size(), 1U);
        AnalysisCache cache;
        const SnapshotPtr full = analysed(experiment);
        QVERIFY(asksForMemoryFixes(*full, over[0]));
        const std::vector<Fix> fixes = memoryFixes(*full, cache, {});
        QVERIFY(!fixes.empty());
        std::int64_t last = 0;
        for (const Fix& fix : fixes) {
            const Result<Experiment> after = applyFix(experiment, fix);
            QVERIFY(after.has_value());
            const SnapshotPtr snapshot = analysed(*after);
            QVERIFY(snapshot->ok());
            QVERIFY(snapshot->plan->memory.peakBytes < needed);
            QVERIFY(snapshot->plan->memory.peakBytes >= last);
            last = snapshot->plan->memory.peakBytes;
        }
        QVERIFY(found(*applyFix(experiment, fixes[0]), Code::OverMemoryLimit).empty());
        // It can be acknowledged, and mended all the same.
        experiment.acknowledged = { { "W209", {}, "rented for a day" } };
        const std::vector<Problem> known = found(experiment, Code::Acknowledged);
        QCOMPARE(known.size(), 1U);
        QVERIFY(asksForMemoryFixes(*full, known[0]));
        experiment.acknowledged.clear();
        // One device, one row of a batch: nothing can be cut any more.
        experiment.mesh.axes = { { "data", 1 }, { "model", 1 } };
        experiment = *withDevicesForMesh(experiment);
        experiment = *withDimension(experiment, "batch", 1);
        experiment.hardware.memoryPerDevice = 1;
        const SnapshotPtr hopeless = analysed(experiment);
        QVERIFY(hopeless->ok() && hopeless->plan->memory.peakBytes > 1);
        for (const Fix& fix : memoryFixes(*hopeless, cache, {}))
            QVERIFY(analysed(*applyFix(experiment, fix))->ok());
    }

    /// Where activations are most of it, working them out again is offered, and tried like everything else.
    void rematerialisingNeedsLess()
    {
        Experiment experiment = *withDimension(cleanMlp(), "batch", 65'536);
        const std::int64_t needed = analysed(experiment)->plan->memory.peakBytes;
        experiment.hardware.memoryPerDevice = needed - 1;
        const std::vector<Problem> over = found(experiment, Code::OverMemoryLimit);
        QCOMPARE(over.size(), 1U);
        QCOMPARE(over[0].diagnostic.number("remat"), std::int64_t{ 1 });
        const Result<Experiment> remat = applyFix(experiment, { Fix::Kind::Rematerialise, {}, 0, 0 });
        QVERIFY(remat && analysed(*remat)->plan->memory.peakBytes < needed);
        Experiment tight = *remat;
        tight.hardware.memoryPerDevice = 1;
        const std::vector<Problem> known = found(tight, Code::OverMemoryLimit);
        QVERIFY(known.size() == 1 && !known[0].diagnostic.arg("remat")); // nothing more to do of that kind
        AnalysisCache cache;
        for (const Fix& fix : memoryFixes(*analysed(tight), cache, {}))
            QVERIFY(fix.kind != Fix::Kind::Rematerialise);
    }

    /// Layers one after the other keep every gathered weight for all microbatches; in a loop those of one layer.
    void scannedLayersGatherOneAtATime()
    {
        TransformerSettings settings = findPreset("llama3-8b")->settings;
        settings.layers = 16;
        settings.batch = 32;
        settings.remat = RematPolicy::Full;
        settings.form = LayerForm::Unrolled;
        const PublishedRules* rules = findPublishedRules("maxtext-base-2026-08");
        QVERIFY(rules);
        RulesSetting bound = boundRules(*rules);
        settings.axisNames = axisNamesOf(bound.rules, bound.dialect);
        Experiment experiment =
            networkExperiment(settings, "", { { { "fsdp", 16 } }, {}, {} }, std::move(bound), std::nullopt, rules)
                .value();
        experiment = *withMicrobatches(experiment, 2);
        experiment.hardware.memoryPerDevice = 12'000'000'000;
        const SnapshotPtr before = analysed(experiment);
        QVERIFY(before->ok());
        const auto over = std::find_if(before->problems.begin(), before->problems.end(),
            [](const Problem& problem) { return problem.diagnostic.code == Code::OverMemoryLimit; });
        QVERIFY(over != before->problems.end());
        QVERIFY(over->diagnostic.number("gathered") > 6'900'000'000); // all layers in bf16
        AnalysisCache cache;
        const std::vector<Fix> fixes = memoryFixes(*before, cache, {});
        QVERIFY(!fixes.empty());
        QVERIFY(fixes.front().kind == Fix::Kind::ScanLayers);
        const Result<Experiment> scanned = applyFix(experiment, fixes.front());
        QVERIFY(scanned.has_value());
        QVERIFY(found(*scanned, Code::OverMemoryLimit).empty());
        // There is nothing more of that kind.
        Experiment tight = *scanned;
        tight.hardware.memoryPerDevice = 1'000'000'000;
        QVERIFY(!found(tight, Code::OverMemoryLimit).front().diagnostic.arg("gathered"));
    }

    void droppedByMaxText()
    {
        Experiment experiment =
            arrays({ { "data", 4 }, { "model", 2 } }, "[('x', 'data'), ('y', 'model')]", { { "x", "y" }, { "y" } }, 6);
        QCOMPARE(found(experiment, Code::Indivisible).size(), 1U);
        experiment = *withDialect(experiment, Dialect::MaxText);
        QVERIFY(found(experiment, Code::Indivisible).empty());
        const std::vector<Problem> lost = found(experiment, Code::SilentlyReplicated);
        QCOMPARE(lost.size(), 1U);
        QCOMPARE(lost[0].diagnostic.text("dim_name"), std::string("x"));
        QCOMPARE(lost[0].diagnostic.number("partitions"), std::int64_t{ 4 });
        QCOMPARE(lost[0].diagnostic.where.path, std::string("array0"));
        const SnapshotPtr snapshot = analysed(experiment);
        QVERIFY(snapshot->ok());
        QCOMPARE(toColumn(snapshot->row("array0")->spec), std::string("P(-, model)"));
        QVERIFY(lost[0].fixes.size() >= 2);
        for (const Fix& fix : lost[0].fixes)
            QVERIFY(found(*applyFix(experiment, fix), Code::SilentlyReplicated).empty());
    }

    void maxTextLeavesOutAxesOfSizeOne()
    {
        Experiment experiment = arrays({ { "data", 8 }, { "model", 1 } }, "[('x', ('data', 'model'))]", { { "x" } });
        experiment = *withDialect(experiment, Dialect::MaxText);
        QCOMPARE(toColumn(analysed(experiment)->row("array0")->spec), std::string("P(data)"));
    }

    void busyAxes()
    {
        const char* const rules = "[('x', 'data'), ('y', 'data')]";
        const Experiment experiment = arrays({ { "data", 8 } }, rules, { { "x", "y" } });
        const std::vector<Problem> busy = found(experiment, Code::AxisBusy);
        QCOMPARE(busy.size(), 1U);
        QCOMPARE(busy[0].fixes.size(), 1U);
        const SnapshotPtr swapped = analysed(*applyFix(experiment, busy[0].fixes[0]));
        QCOMPARE(toColumn(swapped->row("array0")->spec), std::string("P(-, data)"));
        // Of a rule that shards another array, the other order would take that array's axis.
        const Experiment used = arrays({ { "data", 8 } }, rules, { { "x", "y" }, { "y" } });
        const std::vector<Problem> kept = found(used, Code::AxisBusy);
        QCOMPARE(kept.size(), 1U);
        QVERIFY(kept[0].fixes.empty() && kept[0].diagnostic.arg("others") && !busy[0].diagnostic.arg("others"));
        // A later rule of the same name provides for it.
        const Experiment provided = arrays(
            { { "data", 4 }, { "model", 2 } }, "[('x', 'data'), ('y', 'data'), ('y', 'model')]", { { "x", "y" } });
        QVERIFY(analysed(provided)->problems.empty());
        // The only position along the axis would not shard it either.
        const Experiment single = arrays({ { "data", 1 }, { "model", 8 } }, rules, { { "x", "y" } });
        QVERIFY(found(single, Code::AxisBusy).empty());
    }

    void tuplesThatLoseSeveralAxes()
    {
        const Experiment experiment =
            arrays({ { "a", 2 }, { "b", 2 }, { "c", 2 } }, "[('x', 'b'), ('y', ('a', 'b', 'c'))]", { { "x", "y" } });
        const std::vector<Problem> lost = found(experiment, Code::TupleLostAxes);
        QCOMPARE(lost.size(), 1U);
        const SnapshotPtr mended = analysed(*applyFix(experiment, lost[0].fixes[0]));
        QCOMPARE(toColumn(mended->row("array0")->spec), std::string("P(b, (a, c))"));
        QVERIFY(std::none_of(mended->problems.begin(), mended->problems.end(),
            [](const Problem& problem) { return problem.diagnostic.code == Code::TupleLostAxes; }));
    }

    void meshNamesAsLogicalNames()
    {
        const Experiment experiment = arrays({ { "data", 8 } }, "[('x', None)]", { { "x", "data" }, { "data" } });
        const std::vector<Problem> names = found(experiment, Code::MeshNameInLogicalModel);
        QCOMPARE(names.size(), 1U);
        QCOMPARE(names[0].diagnostic.list("axes"), std::vector<std::string>{ "data" });
        const Experiment mended = *applyFix(experiment, names[0].fixes.at(0));
        QVERIFY(found(mended, Code::MeshNameInLogicalModel).empty());
        QCOMPARE(toColumn(analysed(mended)->row("array1")->spec), std::string("P(data)"));
        // With a rule it is a logical name like any other.
        QVERIFY(found(arrays({ { "data", 8 } }, "[('data', 'data')]", { { "data" } }), Code::MeshNameInLogicalModel)
                    .empty());
    }

    void unusedAxes()
    {
        const Experiment experiment =
            arrays({ { "data", 4 }, { "model", 2 } }, "[('x', 'data')]", { { "x", "y" }, { "z" } });
        const std::vector<Problem> unused = found(experiment, Code::AxisUnused);
        QCOMPARE(unused.size(), 1U);
        QCOMPARE(unused[0].diagnostic.text("axis"), std::string("model"));
        QCOMPARE(unused[0].fixes.size(), 2U);
        for (const Fix& fix : unused[0].fixes)
            QVERIFY(found(*applyFix(experiment, fix), Code::AxisUnused).empty());
        QCOMPARE(toColumn(analysed(*applyFix(experiment, unused[0].fixes[0]))->row("array0")->spec),
            std::string("P(data, model)"));
        QVERIFY(found(arrays({ { "data", 8 } }, "[]", {}), Code::AxisUnused).empty());
        QVERIFY(!unused[0].diagnostic.arg("nearest"));
        const std::vector<Problem> misspelt =
            found(arrays({ { "data", 4 }, { "modle", 2 } }, "[('x', 'data'), ('y', 'model')]", { { "x", "z" } }),
                Code::AxisUnused);
        QCOMPARE(misspelt.size(), 1U);
        QCOMPARE(misspelt[0].diagnostic.text("nearest"), std::string("model"));
        // A name that does not divide is not proposed, nor to give the devices to data, by which x would not divide.
        const std::vector<Problem> odd =
            found(arrays({ { "data", 3 }, { "model", 2 } }, "[('x', 'data')]", { { "x", "y" } }, 9), Code::AxisUnused);
        QCOMPARE(odd.size(), 1U);
        QVERIFY(odd[0].fixes.empty());
    }

    /// An axis that is named for a pipeline is none: what is told of it is not what a pipeline does.
    void pipelinesAreNotModelled()
    {
        const auto mapped = [](std::vector<LogicalRule> rules) {
            Experiment experiment = cleanMlp();
            experiment.mesh.axes = { { "data", 4 }, { "stage", 2 } };
            experiment.rules.rules.list = std::move(rules);
            return experiment;
        };
        const LogicalRule batch{ LogicalName::of("batch"), SpecEntry::axis("data") };
        const Experiment ofWeights = mapped({ batch, { LogicalName::of("hidden"), SpecEntry::axis("stage") } });
        const std::vector<Problem> parts = found(ofWeights, Code::PipelineAxis);
        QCOMPARE(parts.size(), 1U);
        QVERIFY(parts[0].diagnostic.arg("parts"));
        QCOMPARE(parts[0].diagnostic.where.pointer, std::string("/mesh/axes/1"));
        QVERIFY(!parts[0].fixes.empty());
        QVERIFY(found(*applyFix(ofWeights, parts[0].fixes[0]), Code::PipelineAxis).empty());
        const std::vector<Problem> same =
            found(mapped({ { LogicalName::of("batch"), SpecEntry::tuple({ "data", "stage" }) } }), Code::PipelineAxis);
        QCOMPARE(same.size(), 1U);
        QVERIFY(!same[0].diagnostic.arg("parts"));
        // One finding for an axis without use, and none for an axis of another name.
        const Experiment unused = mapped({ batch });
        QVERIFY(found(unused, Code::PipelineAxis).empty());
        QCOMPARE(found(unused, Code::AxisUnused).size(), 1U);
        QVERIFY(found(unused, Code::AxisUnused)[0].diagnostic.arg("pipeline"));
        QVERIFY(found(cleanMlp(), Code::PipelineAxis).empty());
    }

    /// What each device runs has no shardings, yet every one of them holds values of its own.
    void noUnusedAxisOfWhatOneDeviceRuns()
    {
        const auto unused = [](const std::string& operation) {
            const std::string text = "module attributes {mhlo.num_partitions = 8 : i32} {\n"
                                     "func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {\n%0 = "
                + operation + "\nreturn %0 : tensor<4x4xf32>\n}\n}\n";
            const ProgramModel model{ {}, std::make_shared<const std::string>(text), {} };
            return found(*experimentOf(model, "text"), Code::AxisUnused).size();
        };
        QCOMPARE(unused("stablehlo.add %a, %a : tensor<4x4xf32>"), 1U);
        QCOMPARE(unused("\"stablehlo.collective_permute\"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, "
                        "type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : "
                        "(tensor<4x4xf32>) -> tensor<4x4xf32>"),
            0U);
    }

    /// W244: what every device holds in full while others are sharded, from a quarter of the parameters on.
    void largeReplicatedParameters()
    {
        const std::vector<MeshAxis> mesh{ { "data", 2 }, { "model", 4 } };
        const std::vector<std::vector<std::string>> names{ { "embed", "mlp" }, { "embed", "heads" } };
        const Experiment one = arrays(mesh, "[('mlp', 'model')]", names, 1024);
        const std::vector<Problem> large = found(one, Code::LargeReplicated);
        QCOMPARE(large.size(), 1U);
        QCOMPARE(large[0].diagnostic.where.path, std::string("array1"));
        QCOMPARE(large[0].values.size(), 1U);
        QCOMPARE(large[0].diagnostic.number("bytes"), 4 << 20);
        QCOMPARE(large[0].diagnostic.number("of"), 5 << 20);
        QCOMPARE(large[0].fixes.size(), 1U);
        QCOMPARE(large[0].fixes[0].name, std::string("heads")); // embed would take the axis from mlp
        QCOMPARE(large[0].fixes[0].axes, std::vector<std::string>{ "model" });
        const Experiment mended = *applyFix(one, large[0].fixes[0]);
        QVERIFY(found(mended, Code::LargeReplicated).empty());
        QVERIFY(analysed(mended)->row("array1")->layout.distinctShards() > 1);
        // Layers that are alike count together.
        Experiment layers = arrays(mesh, "[('mlp', 'model')]", { names[0], names[1], names[1], names[1] }, 1024);
        auto& all = std::get<ArraysModel>(layers.model).arrays;
        for (std::size_t i = 1; i < all.size(); ++i)
            all[i].path = "layers." + std::to_string(i) + "/out";
        QCOMPARE(found(layers, Code::LargeReplicated).at(0).diagnostic.number("tensors"), 3);

        // Small ones, plain data parallelism, and what is sharded all over are no findings.
        QVERIFY(found(arrays(mesh, "[('mlp', 'model')]", names, 256), Code::LargeReplicated).empty());
        QVERIFY(found(arrays(mesh, "[('batch', 'data')]", names, 1024), Code::LargeReplicated).empty());
        QVERIFY(
            found(arrays(mesh, "[('mlp', 'model'), ('heads', 'data')]", names, 1024), Code::LargeReplicated).empty());
        for (const Example& each : builtinExamples())
            QVERIFY2(found(each.make(), Code::LargeReplicated).empty(), each.id.data());

        // Weights that a constraint's axis could shard as well: the notebook without the rule for hidden.
        Experiment notebook = example("flax-mlp-logical");
        notebook.rules.rules = *parseRules("[('batch', 'data'), ('mlp', 'model')]");
        const std::vector<Problem> weights = found(notebook, Code::LargeReplicated);
        QCOMPARE(weights.size(), 1U);
        QCOMPARE(weights[0].diagnostic.number("bytes"), 32 << 20);
        QCOMPARE(weights[0].values.size(), 8U);
        QVERIFY(!weights[0].fixes.empty());
        QVERIFY(found(*applyFix(notebook, weights[0].fixes[0]), Code::LargeReplicated).empty());
    }

    void unmatchedNames()
    {
        Experiment experiment = cleanMlp();
        experiment = *withRuleRemoved(experiment, 0); // batch
        for (const RulesFallback fallback : { RulesFallback::RaiseError, RulesFallback::NoConstraint }) {
            const bool error = fallback == RulesFallback::RaiseError;
            const Experiment strict = *withFallback(experiment, fallback);
            const std::vector<Problem> unmatched =
                found(strict, error ? Code::UnmatchedAxis : Code::ConstraintInactive);
            QVERIFY(!unmatched.empty());
            QCOMPARE(unmatched[0].fixes.size(), 1U);
            const Experiment mended = *applyFix(strict, unmatched[0].fixes[0]);
            QCOMPARE(mended.rules.fallback, RulesFallback::AxisIsUnsharded);
            QVERIFY(found(mended, Code::UnmatchedAxis).empty() && found(mended, Code::ConstraintInactive).empty());
        }
    }

    void axesOfSizeOne()
    {
        const Experiment experiment = arrays({ { "data", 8 }, { "spare", 1 } }, "[('x', 'data')]", { { "x" } });
        const std::vector<Problem> one = found(experiment, Code::SizeOneAxis);
        QCOMPARE(one.size(), 1U);
        QCOMPARE(one[0].fixes.size(), 1U);
        QVERIFY(analysed(*applyFix(experiment, one[0].fixes[0]))->problems.empty());
        // An axis that a rule or the model names is there to grow.
        const Experiment named = arrays({ { "data", 8 }, { "model", 1 } }, "[('x', ('data', 'model'))]", { { "x" } });
        QVERIFY(found(named, Code::SizeOneAxis)[0].fixes.empty());
        Experiment mlp = example("flax-mlp-device");
        mlp.rules.rules.list.clear();
        mlp.mesh.axes = { { "data", 8 }, { "model", 1 } };
        QVERIFY(found(mlp, Code::SizeOneAxis)[0].fixes.empty());
        // More than three of them are one.
        const Experiment many =
            arrays({ { "data", 8 }, { "a", 1 }, { "b", 1 }, { "spare", 1 }, { "c", 1 }, { "d", 1 } },
                "[('x', ('data', 'a', 'b', 'c', 'd'))]", { { "x" } });
        const std::vector<Problem> sum = found(many, Code::SizeOneAxis);
        QCOMPARE(sum.size(), 2U);
        QCOMPARE(sum[0].diagnostic.text("axis"), std::string("spare"));
        QCOMPARE(sum[1].diagnostic.text("axis"), std::string("a"));
        QCOMPARE(sum[1].diagnostic.number("alike"), 4);
    }

    void gatheredAndCutAgain()
    {
        Experiment experiment = example("flax-mlp-logical"); // z is sharded as it comes
        MlpSettings& settings = std::get<MlpModel>(experiment.model).settings;
        settings.yConstraint = MlpSettings::Axes::Device;
        settings.deviceAxes = { { "batch", SpecEntry::none() }, { "hidden", SpecEntry::none() },
            { "embed", SpecEntry::none() } };
        const std::vector<Problem> full = found(experiment, Code::FullRematerialise);
        QVERIFY(!full.empty());
        QCOMPARE(full[0].diagnostic.where.path, std::string("layers.0/y"));
        QVERIFY(!full[0].diagnostic.list("axes").empty());
        QCOMPARE(full[0].diagnostic.number("bytes"), std::int64_t{ 8 * 1024 * 4 });
        // With logical names the constraint cuts y as it is used.
        settings.yConstraint = MlpSettings::Axes::Logical;
        QVERIFY(found(experiment, Code::FullRematerialise).empty());
    }

    void slowLinks()
    {
        // Hosts of 4 devices: the major axis runs between them.
        Experiment experiment = cleanMlp();
        experiment.mesh.axes = { { "model", 4 }, { "data", 2 } };
        const std::vector<Problem> slow = found(experiment, Code::SlowLinkCollective);
        QCOMPARE(slow.size(), 1U);
        QCOMPARE(slow[0].diagnostic.text("axis"), std::string("model"));
        QCOMPARE(slow[0].diagnostic.number("together"), std::int64_t{ 4 });
        QCOMPARE(slow[0].diagnostic.number("place"), std::int64_t{ 1 });
        QVERIFY(slow[0].diagnostic.number("collectives") >= 4);
        QVERIFY(slow[0].diagnostic.number("bytes") > 0);
        // All that goes along "model" between hosts is known, too: what the step does not wait for is of gradients.
        double all = 0;
        const SnapshotPtr measured = analysed(experiment);
        for (const CollectiveEntry& entry : measured->collectives->entries)
            if (!entry.scalarLoss && !entry.axes.empty() && entry.axes[0].axis == 0)
                all += entry.sentPerStep().value();
        QCOMPARE(static_cast<double>(slow[0].diagnostic.number("of")), all);
        // Of plain data parallelism: only what is looked up is waited for.
        Experiment data = experiment;
        data.mesh.axes = { { "data", 8 }, { "model", 1 } };
        QVERIFY(found(data, Code::SlowLinkCollective).empty());
        QCOMPARE(slow[0].fixes.size(), 1U);
        const Experiment mended = *applyFix(experiment, slow[0].fixes[0]);
        QCOMPARE(mended.mesh.axes.back().name, std::string("model"));
        QVERIFY(found(mended, Code::SlowLinkCollective).empty());
        // Links between hosts that are as fast are no matter, nor is a single host.
        Experiment fast = experiment;
        fast.hardware.dcnBytesPerSecond = fast.hardware.iciBytesPerSecond;
        QVERIFY(found(fast, Code::SlowLinkCollective).empty());
        Experiment single = experiment;
        single.hardware.devices.hosts = 1;
        single.hardware.devices.devicesPerHost = 8;
        QVERIFY(found(single, Code::SlowLinkCollective).empty());
        // Who only drops what it does not need waits for nobody: x is whole, y is sharded along data.
        Experiment dropped = example("flax-mlp-logical");
        std::erase_if(dropped.rules.rules.list, [](const LogicalRule& rule) { return rule.name.name == "batch"; });
        std::get<MlpModel>(dropped.model).settings.trainStep = false;
        const SnapshotPtr snapshot = analysed(dropped);
        QVERIFY(std::any_of(snapshot->collectives->entries.begin(), snapshot->collectives->entries.end(),
            [](const auto& use) { return use.kind == CollectiveKind::AllSlice && use.sentBytes.value() == 0; }));
        QVERIFY(found(dropped, Code::SlowLinkCollective).empty());
        // An axis larger than a host has no better place.
        Experiment large = experiment;
        large.mesh.axes = { { "data", 1 }, { "model", 8 } };
        const std::vector<Problem> stays = found(large, Code::SlowLinkCollective);
        QCOMPARE(stays.size(), 1U);
        QVERIFY(stays[0].fixes.empty() && !stays[0].diagnostic.arg("place"));
        QCOMPARE(stays[0].diagnostic.number("size"), std::int64_t{ 8 });
    }

    /// An embedding that gives the logits too has two sums that make its gradient: the step waits for neither.
    void sumsOfOneGradient()
    {
        Experiment experiment;
        experiment.hardware.devices = { "generic-cpu", "cpu", 2, 2 };
        experiment.mesh.axes = { { "data", 4 } };
        experiment.rules.rules = *parseRules("(('batch','data'),)");
        TransformerModel model;
        TransformerSettings& settings = model.settings.model;
        settings.layers = 1;
        settings.batch = 4;
        settings.length = 8;
        settings.embed = 16;
        settings.heads = settings.kvHeads = settings.headSize = 4;
        settings.mlp = settings.vocab = 32;
        experiment.model = model;
        const std::vector<Problem> apart = found(experiment, Code::SlowLinkCollective);
        settings.tiedLogits = true;
        experiment.model = model;
        const std::vector<Problem> tied = found(experiment, Code::SlowLinkCollective);
        QCOMPARE(apart.size(), 1U);
        QCOMPARE(tied.size(), 1U);
        // What is gathered for the look-up is waited for.
        QVERIFY(tied[0].diagnostic.number("bytes") > 0);
        QCOMPARE(tied[0].diagnostic.number("bytes"), apart[0].diagnostic.number("bytes"));
        QCOMPARE(tied[0].diagnostic.number("collectives"), apart[0].diagnostic.number("collectives"));
        QVERIFY(tied[0].diagnostic.number("of") > tied[0].diagnostic.number("bytes"));
    }

    void linksOfAxes()
    {
        const Mesh mesh = *Mesh::create({ { "a", 2 }, { "b", 4 }, { "c", 2 } });
        DeviceSet devices{ "generic-cpu", "cpu", 4, 4 };
        const SlowLinks links(devices, mesh);
        QVERIFY(links.cross(fullAxis(mesh, 0)));
        QVERIFY(links.cross(fullAxis(mesh, 1)));
        QVERIFY(!links.cross(fullAxis(mesh, 2)));
        QVERIFY(links.cross(AxisRef{ 1, 1, 2 })); // the major half of b: blocks of 4 devices
        QVERIFY(!links.cross(AxisRef{ 1, 2, 2 })); // its minor half lies inside one host
        const Mesh reversed = *Mesh::create({ { "a", 2 }, { "b", 2 } }, { 0, 2, 1, 3 });
        devices.hosts = 2;
        devices.devicesPerHost = 2;
        const SlowLinks other(devices, reversed);
        QVERIFY(!other.cross(fullAxis(reversed, 0)));
        QVERIFY(other.cross(fullAxis(reversed, 1)));
    }

    /// Chips of a slice are linked whatever their hosts, slices are not. Elsewhere hosts are those of the devices.
    void linksBetweenChips()
    {
        const Mesh grid = *Mesh::create({ { "y", 2 }, { "x", 4 } });
        const SlowLinks slice(*DeviceSet::ofChips("TPU v4", { 4, 2, 1 }, { 2, 2, 1 }), grid);
        QVERIFY(!slice.cross(fullAxis(grid, 0)));
        QVERIFY(!slice.cross(fullAxis(grid, 1)));
        const SlowLinks slices(*DeviceSet::ofChips("TPU v4", { 2, 1, 1 }, { 1, 1, 1 }, 1, 4), grid);
        QVERIFY(slices.cross(fullAxis(grid, 0)));
        QVERIFY(slices.cross(AxisRef{ 1, 1, 2 }));
        QVERIFY(!slices.cross(AxisRef{ 1, 2, 2 })); // two chips of one slice
        // An own list: even ids on one host, odd ones on the other.
        std::vector<DevicePlace> places;
        for (std::int32_t id = 0; id < 8; ++id)
            places.push_back({ id, id % 2, {}, 0, 0 });
        const DeviceSet own = *DeviceSet::ofList("cpu", "cpu", places);
        const SlowLinks listed(own, grid);
        QVERIFY(!listed.cross(fullAxis(grid, 0)));
        QVERIFY(listed.cross(AxisRef{ 1, 2, 2 }));
        QVERIFY(!listed.cross(AxisRef{ 1, 1, 2 }));
        // A mesh that takes more devices than there are.
        const SlowLinks beyond(*DeviceSet::ofList("cpu", "cpu",
                                   { { 0, 0, {}, 0, 0 }, { 1, 0, {}, 0, 0 }, { 2, 1, {}, 0, 0 }, { 3, 1, {}, 0, 0 } }),
            grid);
        QVERIFY(beyond.cross(fullAxis(grid, 0)));
        QVERIFY(!beyond.cross(AxisRef{ 1, 2, 2 })); // two devices of a host
    }

    /// Whatever is found anywhere, its fixes are edits that can be made.
    void everyFixCanBeApplied()
    {
        std::vector<Experiment> experiments;
        for (const Example& each : builtinExamples())
            for (const std::int64_t size : { 1, 3, 6, 10, 1024 })
                for (const char* dimension : { "batch", "hidden", "features" }) {
                    const Result<Experiment> sized = withDimension(each.make(), dimension, size);
                    experiments.push_back(sized ? *sized : each.make());
                }
        std::vector<Experiment> more;
        for (const Experiment& experiment : experiments)
            for (const Dialect dialect : { Dialect::FlaxLinen, Dialect::MaxText })
                for (const RulesFallback fallback : { RulesFallback::RaiseError, RulesFallback::NoConstraint }) {
                    Experiment changed = *withFallback(*withDialect(experiment, dialect), fallback);
                    more.push_back(changed);
                    std::reverse(changed.mesh.axes.begin(), changed.mesh.axes.end());
                    changed.rules.rules.list.push_back({ LogicalName::of("nobody"), SpecEntry::axis("nowhere") });
                    changed.mesh.axes[0].size *= 2;
                    more.push_back(std::move(changed));
                }
        int fixes = 0;
        for (const Experiment& experiment : more) {
            const SnapshotPtr snapshot = analysed(experiment);
            for (const Problem& problem : snapshot->problems)
                for (const Fix& fix : problem.fixes) {
                    const Result<Experiment> mended = applyFix(experiment, fix);
                    QVERIFY2(mended.has_value(), problem.diagnostic.id().data());
                    QVERIFY(*mended != experiment);
                    ++fixes;
                }
        }
        QVERIFY(fixes > 100);
    }
};

REGISTER_TEST(TestLint)
#include "test_lint.moc"
