// SPDX-License-Identifier: GPL-3.0-or-later
// The train step of the notebook's MLP (4 layers of 1024, batch 8, f32) on simulated devices, against the memory
// traffic that it cannot do without, the best plain Eigen step without sharding, and a straightforward loop over
// devices.
//
// All are measured in turn within one run, and what counts are ratios of medians: memory bandwidth varies from minute
// to minute on shared machines. Samples during which other processes used more than 6 % of the machine are left out of
// the verdict; with fewer than seven clean samples of anything it is "inconclusive".
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "benchmarks/count_allocations.h"
#include "benchmarks/eigen_step.h"
#include "benchmarks/samples.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/run.h"

using namespace shardscope;
using bench::Line;
using bench::Load;
using bench::Sample;

namespace {

constexpr int stepsPerSample = 8;
constexpr int samples = 15;
constexpr int largestRetries = 2; ///< of a sample that others disturbed

bench::Measurements measured; ///< per step
std::map<std::string, double> allocationsPerStep;

/// Steps done by `loop`, which returns how many they were.
template <class Loop>
Sample sampleOf(const std::string& name, const Loop& loop)
{
    const Load before = Load::now();
    const std::int64_t allocationsBefore = bench::allocationsSoFar();
    const auto start = std::chrono::steady_clock::now();
    const auto steps = static_cast<double>(loop());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double perStep = static_cast<double>(bench::allocationsSoFar() - allocationsBefore) / steps;
    allocationsPerStep[name] = std::max(allocationsPerStep[name], perStep);
    const Sample sample{ seconds * 1e3 / steps, bench::foreignLoad(before, Load::now()) };
    measured.add(name, sample);
    return sample;
}

void measure(benchmark::State& state, const std::string& name, const std::function<void()>& step)
{
    step(); // what was measured before has had the caches
    Sample sample = sampleOf(name, [&] {
        for (auto _ : state)
            step();
        return state.iterations();
    });
    state.counters["allocs/step"] = allocationsPerStep[name];
    state.counters["foreign"] = sample.foreign;
    for (int retry = 0; retry < largestRetries && sample.foreign > bench::largestForeignLoad; ++retry)
        sample = sampleOf(name, [&] {
            for (int i = 0; i < stepsPerSample; ++i)
                step();
            return stepsPerSample;
        });
}

std::unique_ptr<Run> simulated(
    std::int64_t data, std::int64_t model, int threads, ReplicaMode replicas = ReplicaMode::Own)
{
    const auto program = test::mlpOnDevices(MlpSettings(), test::makeMesh({ { "data", data }, { "model", model } }));
    RunOptions options;
    options.threads = threads;
    options.replicas = replicas;
    return Run::create(test::makePlan(program), options).value();
}

void add(const std::string& name, std::function<void()> step)
{
    benchmark::RegisterBenchmark(
        name.c_str(), [name, step = std::move(step)](benchmark::State& state) { measure(state, name, step); })
        ->Iterations(stepsPerSample)
        ->Repetitions(samples)
        ->ReportAggregatesOnly(true)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

void summarise()
{
    std::printf(
        "\n%-22s %10s %10s %10s %14s %12s\n", "ms per step", "median", "all", "best", "clean samples", "allocs/step");
    const std::map<std::string, Line> lines = measured.lines();
    const auto all = [&lines](auto holds) {
        return !lines.empty()
            && std::all_of(lines.begin(), lines.end(), [&](const auto& e) { return holds(e.second); });
    };
    for (const auto& [name, line] : lines)
        std::printf("%-22s %10.2f %10.2f %10.2f %8zu of %2zu %12.1f\n", name.c_str(), line.clean, line.all, line.best,
            line.cleanSamples, line.samples, allocationsPerStep[name]);
    // Clean samples where there are any of all, else all of them for orientation.
    const bool someClean = all([](const Line& line) { return line.cleanSamples > 0; });
    const auto of = [&](const std::string& name) {
        const auto line = lines.find(name);
        return line == lines.end() ? 0 : someClean ? line->second.clean : line->second.all;
    };
    double eigen = 0;
    std::string best;
    for (const auto& [name, line] : lines)
        if (name.starts_with("eigen/") && (best.empty() || of(name) < eigen)) {
            eigen = of(name);
            best = name;
        }
    std::printf("\nratios of medians (best plain Eigen step: %s)\n", best.c_str());
    for (const std::string ours : { "ours/1x8/T2", "ours/2x4/T2", "ours/2x4 shared/T2" }) {
        const std::string floor = ours == "ours/2x4/T2" ? "floor/own copies/T2" : "floor/one copy/T2";
        std::printf("  %s: %.2f x Eigen, %.2f x floor, %.2f of the device loop\n", ours.c_str(), of(ours) / eigen,
            of(ours) / of(floor), of(ours) / of("device loop/T2"));
    }
    const double ratio = of("ours/2x4/T2") / eigen;
    const double worstAllocations = std::max(allocationsPerStep["ours/1x8/T2"], allocationsPerStep["ours/2x4/T2"]);
    std::printf("\nours on 2x4 takes %.2f times the Eigen step (goal: at most 1.5), %g allocations per step: %s\n",
        ratio, worstAllocations,
        bench::verdict(
            all([](const Line& line) { return line.isConclusive(); }), ratio <= 1.5 && worstAllocations == 0));
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<char*> arguments(argv, argv + argc);
    std::string interleaving = "--benchmark_enable_random_interleaving=true";
    arguments.insert(arguments.begin() + 1, interleaving.data());
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data()))
        return 1;

    const bench::StepSize size;
    const auto addPlain = [](const std::string& name, std::unique_ptr<bench::PlainStep> made) {
        const std::shared_ptr<bench::PlainStep> plain(std::move(made));
        add(name, [plain] { benchmark::DoNotOptimize(plain->step()); });
    };
    const auto addRun = [](const std::string& name, std::unique_ptr<Run> made) {
        const std::shared_ptr<Run> run(std::move(made));
        add(name, [run] { run->step(); });
    };
    addPlain("floor/own copies/T2", bench::native::floorStep(size, 2, 2));
    addPlain("floor/one copy/T2", bench::native::floorStep(size, 1, 2));
    addPlain("eigen/native/T1", bench::native::eigenStep(size, 1));
    addPlain("eigen/native/T2", bench::native::eigenStep(size, 2));
    addPlain("eigen/32 byte/T1", bench::narrow::eigenStep(size, 1));
    addPlain("eigen/32 byte/T2", bench::narrow::eigenStep(size, 2));
    addPlain("device loop/T2", bench::narrow::deviceLoopStep(size, 2));
    addRun("ours/1x8/T2", simulated(1, 8, 2));
    addRun("ours/2x4/T2", simulated(2, 4, 2));
    addRun("ours/2x4/T1", simulated(2, 4, 1));
    addRun("ours/2x4 shared/T2", simulated(2, 4, 2, ReplicaMode::Shared));
    benchmark::RunSpecifiedBenchmarks();
    summarise();
    return 0;
}
