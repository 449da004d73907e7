// SPDX-License-Identifier: GPL-3.0-or-later
// Writing and reading experiments of many arrays, with and without keys that this version does not know: an unknown key
// may cost a save no more than a known one, so the time per key stays the same from 4,096 to 65,536 of them.
#include <benchmark/benchmark.h>

#include "experiment_file/experiment_file.h"

using namespace shardscope;

namespace {

Experiment withArrays(std::int64_t count, bool unknownKeys)
{
    ArraysModel model;
    Experiment experiment;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        model.arrays.push_back({ "a" + number, {}, {}, DType::F32 });
        if (!unknownKeys)
            continue;
        experiment.unknownKeys.insert({ "/model/arrays/" + number, "colour", "path", number });
        experiment.unknownKeys.insert({ "/run", "k" + number, i == 0 ? "runs" : "k" + std::to_string(i - 1), "1" });
    }
    experiment.model = std::move(model);
    return experiment;
}

void writing(benchmark::State& state)
{
    const Experiment experiment = withArrays(state.range(0), state.range(1) != 0);
    for (auto _ : state)
        benchmark::DoNotOptimize(writeExperiment(experiment));
    state.SetItemsProcessed(state.range(0) * state.iterations());
}

void reading(benchmark::State& state)
{
    const std::string text = writeExperiment(withArrays(state.range(0), state.range(1) != 0));
    for (auto _ : state)
        benchmark::DoNotOptimize(readExperiment(text));
    state.SetItemsProcessed(state.range(0) * state.iterations());
}

} // namespace

BENCHMARK(writing)
    ->ArgsProduct({ { 4'096, 65'536 }, { 0, 1 } })
    ->ArgNames({ "arrays", "unknown" })
    ->Unit(benchmark::kMillisecond);
BENCHMARK(reading)
    ->ArgsProduct({ { 4'096, 65'536 }, { 0, 1 } })
    ->ArgNames({ "arrays", "unknown" })
    ->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
