// SPDX-License-Identifier: GPL-3.0-or-later
// Analysis alone, from an edited experiment to the finished snapshot. Budget: 2 ms (median) for the notebook's MLP.
//
// "Edit" alternates between two experiments that were never analysed before (the cache keeps the program, as it does in
// the window, but not the layout); "Fresh" starts without any cache.
#include <benchmark/benchmark.h>

#include <optional>

#include "analysis/analyse.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"

using namespace shardscope;

namespace {

Experiment notebook(std::int64_t layers)
{
    Experiment experiment = builtinExamples().front().make();
    std::get<MlpModel>(experiment.model).settings.layers = layers;
    return experiment;
}

void fresh(benchmark::State& state)
{
    const auto experiment = std::make_shared<const Experiment>(notebook(state.range(0)));
    std::optional<AnalysisCache> cache;
    SnapshotPtr snapshot;
    for (auto _ : state) {
        state.PauseTiming(); // what the one before has left is given back
        snapshot.reset();
        cache.emplace();
        state.ResumeTiming();
        snapshot = analyse(experiment, 1, *cache);
    }
}

void meshEdit(benchmark::State& state)
{
    const Experiment start = notebook(state.range(0));
    AnalysisCache cache;
    std::uint64_t revision = 0;
    // The layout cache holds a few meshes; renaming an axis makes every revision a new one.
    for (auto _ : state) {
        state.PauseTiming();
        ++revision;
        Experiment edited = *withAxisSize(start, 0, revision % 2 == 0 ? 2 : 4, true);
        const std::string name = "d" + std::to_string(revision);
        edited.mesh.axes[0].name = name;
        for (LogicalRule& rule : edited.rules.rules.list)
            for (std::string& axis : rule.target.axes)
                if (axis == "data")
                    axis = name;
        std::get<MlpModel>(edited.model).settings.yConstraint = MlpSettings::Axes::Logical;
        const auto experiment = std::make_shared<const Experiment>(std::move(edited));
        state.ResumeTiming();
        benchmark::DoNotOptimize(analyse(experiment, revision, cache));
    }
}

void ruleEdit(benchmark::State& state)
{
    const Experiment start = notebook(state.range(0));
    const auto before = std::make_shared<const Experiment>(start);
    const auto after = std::make_shared<const Experiment>(*withNameMapped(start, "embed", SpecEntry::axis("data")));
    for (auto _ : state) {
        state.PauseTiming();
        auto cache = std::make_unique<AnalysisCache>();
        benchmark::DoNotOptimize(analyse(before, 1, *cache));
        state.ResumeTiming();
        benchmark::DoNotOptimize(analyse(after, 2, *cache));
        state.PauseTiming();
        cache.reset();
        state.ResumeTiming();
    }
}

} // namespace

BENCHMARK(fresh)->Arg(4)->Arg(32)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(meshEdit)->Arg(4)->Arg(32)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(ruleEdit)->Arg(4)->Arg(32)->Unit(benchmark::kMillisecond)->UseRealTime();

BENCHMARK_MAIN();
