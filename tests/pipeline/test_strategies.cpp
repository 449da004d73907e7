// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment's settings of propagation, its own sharding rules, and two strategies beside each other.
#include <QTest>

#include <algorithm>

#include "analysis/compare_strategies.h"
#include "analysis/fixes.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "program/verify_shardings.h"
#include "propagation/propagate_program.h"
#include "propagation/strategy.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

/// Rows of a and columns of b ask for x in the product.
constexpr const char* contended = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x32xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8x32xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.add %0, %c : tensor<8x32xf32>
  %2 = stablehlo.multiply %1, %c : tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
})";

Experiment contendedExperiment(const char* text = contended)
{
    return *experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text) }, "contended");
}

Experiment notebookOn()
{
    return builtinExamples().front().make();
}

SnapshotPtr analysed(Experiment experiment, AnalysisCache& cache)
{
    return analyse(std::make_shared<const Experiment>(std::move(experiment)), 1, cache);
}

Experiment with(Experiment experiment, PropagationSetting setting)
{
    experiment.propagation = setting;
    return experiment;
}

bool anyRound(const Snapshot& snapshot)
{
    const std::vector<PropagationStep>& log = snapshot.propagation->log;
    return std::any_of(log.begin(), log.end(), [](const PropagationStep& step) { return step.round >= 0; });
}

/// A dimension's axes by name: the program by itself need not have the mesh of the window.
std::string axesOf(const Mesh& mesh, const DimensionSharding& dim)
{
    std::string names;
    for (const AxisRef& axis : dim.axes)
        names += toString(mesh, axis) + ' ';
    return names;
}

/// Where the given program, propagated by itself, is sharded otherwise than in the snapshot.
std::string differenceAlone(const Snapshot& snapshot, const PropagationSetting& setting, int& compared)
{
    const ProgramPtr& given = snapshot.annotated;
    if (!given || !verify(*given).empty())
        return "no legal program";
    const Result<Program> ready = prepared(*given, setting);
    if (!ready)
        return "cannot be prepared";
    const PropagatedProgram alone = propagateProgram(*ready, engineStrategy(setting), engineOptions(setting));
    for (std::size_t v = 0; v < given->values.size(); ++v) {
        const OperationId definition = given->values[v].definition;
        const auto isConstant = [&](OperationId id) {
            return id.valid() && given->operation(id).kind == OpKind::Constant;
        };
        const bool isBroadcast = definition.valid() && given->operation(definition).kind == OpKind::BroadcastInDim;
        if (isConstant(definition)
            || (isBroadcast && isConstant(given->value(given->operation(definition).operands[0]).definition)))
            continue; // one that two operations use is another one for each of them in a program by itself
        const std::uint32_t mesh = alone.result.meshes[v];
        const TensorSharding& own = alone.result.shardings[v];
        const TensorSharding& shown = snapshot.propagation->shardings[v];
        for (std::size_t d = 0; d < shown.rank(); ++d, ++compared)
            if ((mesh == 0 ? std::string() : axesOf(*alone.program.meshes[mesh - 1].mesh, own.dims[d]))
                != axesOf(*snapshot.mesh, shown.dims[d]))
                return "value " + std::to_string(v) + ' ' + *given->values[v].path + ", dimension " + std::to_string(d);
    }
    return {};
}

} // namespace

class TestStrategies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Strategies without rounds leave none in the log; coming back gives the result that the cache has.
    void settingsCount()
    {
        for (const Experiment& experiment : { notebookOn(), contendedExperiment() }) {
            AnalysisCache cache;
            const SnapshotPtr full = analysed(experiment, cache);
            QVERIFY(full->laidOut());
            QVERIFY(anyRound(*full));
            for (const StrategyChoice strategy : { StrategyChoice::Basic, StrategyChoice::Aggressive }) {
                const SnapshotPtr other = analysed(with(experiment, { strategy }), cache);
                QVERIFY(other->laidOut());
                QVERIFY(!anyRound(*other));
            }
            const SnapshotPtr again = analysed(experiment, cache);
            QCOMPARE(again->propagation->log, full->propagation->log);
            QCOMPARE(again->source, full->source);
        }
    }

    /// What rules make of an annotation stands in the program, whatever kind of program it is. It is worked out once
    /// for all strategies, and anew for another mesh.
    void annotationsStandInTheProgram()
    {
        int shardings = 0;
        std::vector<Experiment> experiments{ contendedExperiment() };
        for (const Example& example : builtinExamples())
            experiments.push_back(example.make());
        for (const Experiment& experiment : experiments) {
            AnalysisCache cache;
            const SnapshotPtr snapshot = analysed(experiment, cache);
            QVERIFY2(snapshot->laidOut(), experiment.title.c_str());
            const Program& annotated = *snapshot->annotated;
            QVERIFY2(verify(annotated).empty() && verifyShardings(annotated).empty(), experiment.title.c_str());
            QVERIFY(snapshot->program->values.size() == snapshot->propagation->shardings.size());
            QCOMPARE(annotated.values.size(), snapshot->source->program.values.size());
            for (const ResolvedAnnotation& argument : snapshot->annotations->arguments) {
                const ProgramSharding* own = annotated.shardingOf(argument.value);
                if (std::holds_alternative<GivenSharding>(argument.written)) {
                    QVERIFY(own && *own == *std::get<GivenSharding>(argument.written).given);
                    continue;
                }
                QCOMPARE(own != nullptr, argument.spec.has_value());
                if (!own)
                    continue;
                ++shardings;
                const std::size_t rank = annotated.value(argument.value).type.rank();
                QVERIFY(own->sharding == toTensorSharding(*argument.spec, *snapshot->mesh, rank));
            }
            const SnapshotPtr basic = analysed(with(experiment, { StrategyChoice::Basic }), cache);
            QCOMPARE(basic->annotated, snapshot->annotated);
            QCOMPARE(basic->program->values.size(), basic->annotated->values.size()); // constants stay shared
            const auto other = withAxisSize(experiment, 0, 2 * snapshot->mesh->size(0), true);
            if (const SnapshotPtr larger = other ? analysed(*other, cache) : nullptr; larger && larger->annotated)
                QVERIFY(larger->annotated != snapshot->annotated);
        }
        QVERIFY(shardings > 0);
    }

    /// What is annotated, as a program of its own and propagated as the command does it, gives what the
    /// analysis shows in the window. A built-in network has one constant for all that use it there, and a copy for each
    /// use as a module: axes can go through the one and not through the other.
    void annotatedProgramsPropagateAlike()
    {
        int compared = 0;
        for (const Experiment& experiment : { contendedExperiment() })
            for (const StrategyChoice strategy : { StrategyChoice::Basic, StrategyChoice::Full }) {
                AnalysisCache cache;
                const PropagationSetting setting{ strategy };
                const SnapshotPtr snapshot = analysed(with(experiment, setting), cache);
                QVERIFY(snapshot->propagation);
                const std::string difference = differenceAlone(*snapshot, setting, compared);
                QVERIFY2(difference.empty(), difference.c_str());
            }
        QVERIFY(compared > 0);
    }

    /// The full strategy prepares a text: the constant has a copy for every use. The others propagate it as it stands.
    void onlyTheFullStrategyPrepares()
    {
        AnalysisCache cache;
        const SnapshotPtr full = analysed(contendedExperiment(), cache);
        const SnapshotPtr basic = analysed(with(contendedExperiment(), { StrategyChoice::Basic }), cache);
        QCOMPARE(basic->program->values.size(), basic->source->program.values.size());
        QVERIFY(full->program->values.size() > full->source->program.values.size());
    }

    void whatDiffers()
    {
        AnalysisCache cache, own;
        const SnapshotPtr first = analysed(with(contendedExperiment(), { StrategyChoice::Basic }), cache);
        const auto comparison = compareStrategies(first, { StrategyChoice::Aggressive }, own);
        QVERIFY(comparison);
        QCOMPARE(comparison->first, first);
        QVERIFY(comparison->second->laidOut());
        QVERIFY(!comparison->differences.empty());
        for (const PropagationDifference& each : comparison->differences) {
            QCOMPARE(first->propagation->shardings[each.value.index].dims[each.dimension].axes, each.first);
            const PropagationResult& second = *comparison->second->propagation;
            QCOMPARE(second.shardings[each.value.index].dims[each.dimension].axes, each.second);
            QVERIFY(each.first != each.second);
        }
        // Nothing differs from itself, and what was prepared otherwise is still compared by what both have.
        QVERIFY(compareStrategies(first, { StrategyChoice::Basic }, own)->differences.empty());
        const auto full = compareStrategies(first, {}, own);
        for (const PropagationDifference& each : full->differences)
            QVERIFY(each.value.index < first->source->program.values.size());
        std::stop_source stopped;
        stopped.request_stop();
        AnalysisCache fresh;
        QVERIFY(!compareStrategies(first, {}, fresh, stopped.get_token()));
    }

    void ownRulesOfOperations()
    {
        AnalysisCache cache;
        const Experiment before = contendedExperiment();
        const SnapshotPtr first = analysed(before, cache);
        const Program& program = first->source->program;
        const auto product = std::find_if(program.operations.begin(), program.operations.end(),
            [](const Operation& operation) { return operation.kind == OpKind::DotGeneral; });
        const ValueId result = product->results[0];
        const auto cut = [&](const Snapshot& snapshot) {
            const TensorSharding& sharding = snapshot.propagation->shardings[result.index];
            return std::any_of(sharding.dims.begin(), sharding.dims.end(),
                [](const DimensionSharding& dim) { return !dim.axes.empty(); });
        };
        QVERIFY(cut(*first));
        const auto after = withShardingRule(before, program, program.value(result).path,
            "([i, k], [k, j])->([i, j]) {i=8, j=32, k=16} reduction={k} blocked_propagation={i, j}");
        QVERIFY(after.has_value());
        const SnapshotPtr second = analysed(*after, cache);
        QVERIFY(second->laidOut());
        QVERIFY(!cut(*second));
        QCOMPARE(second->source, first->source); // the text is not read again
        QVERIFY(cut(*analysed(*withoutShardingRule(*after, program.value(result).path), cache)));
    }

    /// A rule that cannot be is left out, said, and can be dropped.
    void rulesThatCannotBe()
    {
        AnalysisCache cache;
        Experiment experiment = contendedExperiment();
        std::get<ProgramModel>(experiment.model).shardingRules = { { "1", "([i])->([i]) {i=8}" } };
        const SnapshotPtr snapshot = analysed(experiment, cache);
        QVERIFY(snapshot->laidOut());
        const auto found = std::find_if(snapshot->problems.begin(), snapshot->problems.end(),
            [](const Problem& problem) { return problem.diagnostic.code == Code::BadRule; });
        QVERIFY(found != snapshot->problems.end());
        QCOMPARE(found->diagnostic.where.pointer, "/model/sharding_rules/1");
        QCOMPARE(found->fixes.size(), std::size_t{ 1 });
        const auto fixed = applyFix(experiment, found->fixes[0]);
        QVERIFY(fixed.has_value());
        QVERIFY(*fixed == contendedExperiment());
    }
};

REGISTER_TEST(TestStrategies)
#include "test_strategies.moc"
