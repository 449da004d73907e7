// SPDX-License-Identifier: GPL-3.0-or-later
// Steps on simulated devices: the train step of the notebook's MLP (4 layers of 1024, batch 8, f32) against the memory
// traffic that it cannot do without, the best plain Eigen step without sharding, and a straightforward loop over
// devices; other widths and batches; the same network by way of its StableHLO text; programs in text; blocks of a
// transformer, and the train step of the small one in the gallery.
//
// All are measured in turn within one run, and what counts are ratios of medians: memory bandwidth varies from minute
// to minute on shared machines. Samples during which other processes used more than 6 % of the machine are left out of
// the verdict; with fewer than seven clean samples of anything it is "inconclusive".
//
// Beside each row stands what no program on this machine can be faster than: its products at the rate of multiply-adds
// in registers, and its arrays at the rate at which the floor kernel of the notebook's step moves them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "analysis/analyse.h"
#include "analysis/initial_setting.h"
#include "benchmarks/count_allocations.h"
#include "benchmarks/eigen_step.h"
#include "benchmarks/samples.h"
#include "benchmarks/transformer_block.h"
#include "experiment_file/gallery.h"
#include "partition/partition_program.h"
#include "pipeline/stage_results.h"
#include "program/step_state.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/run.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;
using bench::Line;
using bench::Load;
using bench::Sample;

namespace {

constexpr int largestRetries = 2; ///< of a sample that others disturbed
constexpr int threads = 2;

/// How often a row is measured. Large ones do not need so many steps.
struct Effort {
    int stepsPerSample = 8, samples = 15;
};
constexpr Effort thorough{ 8, 15 }, brief{ 2, 9 };

/// What a step computes and moves at the least; 0 = not said.
struct Needs {
    double flops = 0, bytes = 0;
};
std::map<std::string, Needs> needs;

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

void measure(benchmark::State& state, const std::string& name, const Effort& effort, const std::function<void()>& step)
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
            for (int i = 0; i < effort.stepsPerSample; ++i)
                step();
            return effort.stepsPerSample;
        });
}

using Step = std::function<void()>;

/// What is stepped is made when the row is first measured, and not at all if a filter leaves it out.
void add(const std::string& name, const Needs& need, std::function<Step()> make, const Effort& effort = thorough)
{
    needs[name] = need;
    benchmark::RegisterBenchmark(name.c_str(),
        [name, effort, make = std::move(make), step = Step()](benchmark::State& state) mutable {
            if (!step)
                step = make();
            measure(state, name, effort, step);
        })
        ->Iterations(effort.stepsPerSample)
        ->Repetitions(effort.samples)
        ->ReportAggregatesOnly(true)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

void addPlain(const std::string& name, const Needs& need, std::function<std::unique_ptr<bench::PlainStep>()> make,
    const Effort& effort = thorough)
{
    add(
        name, need,
        [make = std::move(make)]() -> Step {
            const std::shared_ptr<bench::PlainStep> plain(make());
            return [plain] { benchmark::DoNotOptimize(plain->step()); };
        },
        effort);
}

Step stepsOf(
    const std::shared_ptr<const Plan>& plan, int workers, ReplicaMode replicas, const InitialValues& initial = {})
{
    RunOptions options;
    options.threads = workers;
    options.replicas = replicas;
    options.initial = initial;
    const std::shared_ptr<Run> run(Run::create(plan, options).value());
    return [run] { run->step(); };
}

Program annotatedMlp(const MlpSettings& settings, const MeshPtr& mesh)
{
    return test::annotatedOn(test::mlpFor(settings, *mesh), mesh).annotated();
}

/// The network on a mesh data x model.
void addMlp(const std::string& name, const MlpSettings& settings, std::int64_t data, std::int64_t model,
    const Needs& need, int workers = threads, ReplicaMode replicas = ReplicaMode::Own, const Effort& effort = thorough)
{
    add(
        name, need,
        [=] {
            const MeshPtr mesh = test::makeMesh({ { "data", data }, { "model", model } });
            return stepsOf(test::makePlan(test::mlpOnDevices(settings, mesh)), workers, replicas);
        },
        effort);
}

/// A program in text, over the mesh that it names.
void addText(
    const std::string& name, const Needs& need, std::function<std::string()> text, const Effort& effort = thorough)
{
    add(
        name, need,
        [text = std::move(text)] {
            const auto program = std::make_shared<const Program>(readStableHlo(text()).value().program);
            auto parts = std::make_shared<const PartitionedProgram>(partitionProgram(*program).value());
            const StepState state = stateOf(*program);
            auto flat = flatten(program, std::move(parts), state).value();
            return stepsOf(
                test::makePlan(std::make_shared<const FlatProgram>(std::move(flat))), threads, ReplicaMode::Own);
        },
        effort);
}

std::string exampleText(std::string_view id)
{
    return *std::get<ProgramModel>(findExample(id)->experiment.model).text;
}

/// A step of the MLP with layers of `width` x `width`; every one of `copies` of the parameters is read, and with its
/// moments read and written.
Needs trainNeeds(double batch, double width, double copies)
{
    constexpr double layers = 4;
    return { 2 * batch * width * width * (6 * layers - 1), copies * 7 * 4 * 2 * layers * width * width };
}
Needs forwardNeeds(double batch, double width, double copies)
{
    constexpr double layers = 4;
    return { 2 * batch * width * width * 2 * layers, copies * 4 * 2 * layers * width * width };
}

MlpSettings mlp(std::int64_t width, std::int64_t batch)
{
    MlpSettings settings;
    settings.embed = settings.hidden = width;
    settings.batch = batch;
    return settings;
}

void addNotebook()
{
    const bench::StepSize size;
    const Needs own = trainNeeds(8, 1024, 2), one = trainNeeds(8, 1024, 1);
    addPlain(
        "peak/T2", {}, [] { return bench::native::peakStep(threads); }, brief);
    addPlain("floor/own copies/T2", own, [size] { return bench::native::floorStep(size, 2, threads); });
    addPlain("floor/one copy/T2", one, [size] { return bench::native::floorStep(size, 1, threads); });
    for (const int workers : { 1, 2 }) {
        const std::string suffix = "/T" + std::to_string(workers);
        addPlain("eigen/native" + suffix, one, [=] { return bench::native::eigenStep(size, workers); });
        addPlain("eigen/32 byte" + suffix, one, [=] { return bench::narrow::eigenStep(size, workers); });
    }
    addPlain("device loop/T2", own, [size] { return bench::narrow::deviceLoopStep(size, threads); });
    addMlp("ours/1x8/T2", mlp(1024, 8), 1, 8, one);
    addMlp("ours/2x4/T2", mlp(1024, 8), 2, 4, own);
    addMlp("ours/2x4/T1", mlp(1024, 8), 2, 4, own, 1);
    addMlp("ours/2x4 shared/T2", mlp(1024, 8), 2, 4, one, threads, ReplicaMode::Shared);
}

void addSizes()
{
    for (const std::int64_t width : { 256, 2048 }) {
        const Effort& effort = width > 1024 ? brief : thorough;
        const std::string suffix = " D=" + std::to_string(width) + "/T2";
        const auto d = static_cast<double>(width);
        const bench::StepSize size{ 4, 8, width };
        addPlain(
            "floor/own copies" + suffix, trainNeeds(8, d, 2),
            [size] { return bench::native::floorStep(size, 2, threads); }, effort);
        addPlain(
            "floor/one copy" + suffix, trainNeeds(8, d, 1),
            [size] { return bench::native::floorStep(size, 1, threads); }, effort);
        addMlp("ours/2x4" + suffix, mlp(width, 8), 2, 4, trainNeeds(8, d, 2), threads, ReplicaMode::Own, effort);
        addMlp(
            "ours/2x4 shared" + suffix, mlp(width, 8), 2, 4, trainNeeds(8, d, 1), threads, ReplicaMode::Shared, effort);
    }
    for (const std::int64_t batch : { 128, 1024 })
        addMlp("ours/2x4 B=" + std::to_string(batch) + "/T2", mlp(1024, batch), 2, 4,
            trainNeeds(static_cast<double>(batch), 1024, 2), threads, ReplicaMode::Own, { 1, 9 });
}

void addTexts()
{
    addText("text/2x4 train step/T2", trainNeeds(8, 1024, 2), [] {
        const MeshPtr mesh = test::makeMesh({ { "data", 2 }, { "model", 4 } });
        return printStableHlo(annotatedMlp(mlp(1024, 8), mesh), {});
    });
    MlpSettings forward = mlp(1024, 8);
    forward.trainStep = false;
    addMlp("ours/2x4 forward/T2", forward, 2, 4, forwardNeeds(8, 1024, 2));
    addText("text/flax-mlp-program/T2", forwardNeeds(8, 1024, 2), [] { return exampleText("flax-mlp-program"); });
    addText(
        "text/flax-mlp-scan-program/T2", forwardNeeds(8, 1024, 2), [] { return exampleText("flax-mlp-scan-program"); });
}

/// Rows that are held to the larger of their two floors: at most so many times as long.
const std::map<std::string, double> floorGoals{
    { "text/transformer block D=1024/T2", 2.2 },
    { "train/small transformer/T2", 2.5 },
};

/// Products of the program in full, which has no loops; parameters read by the forward pass, and with the optimizer's
/// arrays read and written, all of them on every device that holds a copy.
Needs needsOf(const Program& program, const Plan& plan)
{
    Needs need;
    for (const Operation& operation : program.operations)
        if (const auto* dot = std::get_if<DotGeneralAttributes>(&operation.attributes)) {
            auto terms = static_cast<double>(program.value(operation.results[0]).type.elementCount());
            for (const std::int64_t d : dot->lhsContracting)
                terms *=
                    static_cast<double>(program.value(operation.operands[0]).type.shape[static_cast<std::size_t>(d)]);
            need.flops += 2 * terms;
        }
    const FlatProgram& flat = *plan.program;
    for (const StatePair& pair : flat.program->state) {
        const double times = flat.program->value(pair.argument).role == Role::Parameter ? 3 : 2;
        need.bytes += times * static_cast<double>(flat.value(FlatValueId(pair.argument.index)).localType.byteCount())
            * static_cast<double>(flat.mesh->deviceCount());
    }
    return need;
}

void addTransformers()
{
    bench::TransformerBlock block;
    addText(
        "text/transformer block/T2", { block.flops(), block.bytes(2) }, [block] { return block.text(); }, brief);
    block.batch = 2; // one sequence on each device: more of them only make products easier
    block.width = 1024;
    block.sequence = 512;
    block.heads = 16;
    addText(
        "text/transformer block D=1024/T2", { block.flops(), block.bytes(2) }, [block] { return block.text(); }, brief);

    AnalysisCache cache;
    const SnapshotPtr snapshot =
        analyse(std::make_shared<const Experiment>(findExample("transformer-t5x")->experiment), 1, cache);
    const std::shared_ptr<const Plan> plan = plannedProgram(*snapshot).value();
    add("train/small transformer/T2", needsOf(*snapshot->program, *plan),
        [=] { return stepsOf(plan, threads, ReplicaMode::Own, initialValuesOf(*snapshot)); });
}

void summarise()
{
    const std::map<std::string, Line> lines = measured.lines();
    const auto all = [&lines](auto holds) {
        return !lines.empty()
            && std::all_of(lines.begin(), lines.end(), [&](const auto& e) { return holds(e.second); });
    };
    // Rates of this run: of both threads, per millisecond.
    const auto rate = [&lines](const std::string& name, double amount) {
        const auto line = lines.find(name);
        return line == lines.end() ? 0 : amount / line->second.typical();
    };
    const double flopRate = rate("peak/T2", threads * bench::peakFlops);
    const double byteRate = rate("floor/own copies/T2", needs["floor/own copies/T2"].bytes);
    const auto floorText = [](double amount, double perMillisecond) {
        return amount > 0 && perMillisecond > 0 ? std::to_string(amount / perMillisecond).substr(0, 6)
                                                : std::string("-");
    };
    std::printf("\n%-32s %9s %9s %9s %14s %11s %12s %12s\n", "ms per step", "median", "all", "best", "clean samples",
        "allocs/step", "FLOP floor", "byte floor");
    for (const auto& [name, line] : lines)
        std::printf("%-32s %9.2f %9.2f %9.2f %8zu of %2zu %11.1f %12s %12s\n", name.c_str(), line.clean, line.all,
            line.best, line.cleanSamples, line.samples, allocationsPerStep[name],
            floorText(needs[name].flops, flopRate).c_str(), floorText(needs[name].bytes, byteRate).c_str());
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
        if (of(ours) == 0)
            continue;
        const std::string floor = ours == "ours/2x4/T2" ? "floor/own copies/T2" : "floor/one copy/T2";
        std::printf("  %s: %.2f x Eigen, %.2f x floor, %.2f of the device loop\n", ours.c_str(), of(ours) / eigen,
            of(ours) / of(floor), of(ours) / of("device loop/T2"));
    }
    const auto compare = [&](const std::string& ours, const std::string& other) {
        if (of(ours) > 0 && of(other) > 0)
            std::printf("  %s: %.2f x %s\n", ours.c_str(), of(ours) / of(other), other.c_str());
    };
    for (const std::string width : { " D=256", " D=2048" }) {
        compare("ours/2x4" + width + "/T2", "floor/own copies" + width + "/T2");
        compare("ours/2x4 shared" + width + "/T2", "floor/one copy" + width + "/T2");
    }
    compare("text/2x4 train step/T2", "ours/2x4/T2");
    compare("text/flax-mlp-program/T2", "ours/2x4 forward/T2");
    compare("text/flax-mlp-scan-program/T2", "ours/2x4 forward/T2");
    for (const auto& [name, goal] : floorGoals) {
        if (of(name) == 0 || flopRate == 0 || byteRate == 0)
            continue;
        const double flops = needs[name].flops / flopRate, bytes = needs[name].bytes / byteRate;
        const double times = of(name) / std::max(flops, bytes);
        const bool conclusive = lines.at(name).isConclusive() && lines.at("peak/T2").isConclusive()
            && lines.at("floor/own copies/T2").isConclusive();
        std::printf("  %s: %.2f x its %s floor (goal: at most %.1f), %.0f allocations per step: %s\n", name.c_str(),
            times, flops > bytes ? "FLOP" : "byte", goal, allocationsPerStep[name],
            bench::verdict(conclusive, times <= goal));
    }
    const double ratio = of("ours/2x4/T2") / eigen;
    double worstAllocations = 0; // of every program that is stepped
    for (const auto& [name, perStep] : allocationsPerStep)
        if (name.starts_with("ours/") || name.starts_with("text/"))
            worstAllocations = std::max(worstAllocations, perStep);
    std::printf("\nours on 2x4 takes %.2f times the Eigen step (goal: at most 1.5), at most %g allocations per step of "
                "any row: %s\n",
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

    addNotebook();
    addSizes();
    addTexts();
    addTransformers();
    benchmark::RunSpecifiedBenchmarks();
    summarise();
    return 0;
}
