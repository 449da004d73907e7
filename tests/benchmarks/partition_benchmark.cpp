// SPDX-License-Identifier: GPL-3.0-or-later
// A 126-layer transformer for 16,384 devices: from the program with its annotations to what a device runs, reshards,
// collectives and local shapes included, and on to its plan with the memory that it takes.
//
// The argument says whether the mesh has four axes (data x fsdp x tensor x sequence) or two (data x model). Goals, for
// both: partitioned within a second; after a change of one annotation everything within 300 ms, from the text within
// 1.5 s. Times are of the processor, since others may use the machine; samples during which they used more than 6 % of
// it are left out of the verdict, and with fewer than seven clean samples a goal that is missed is "inconclusive".
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "benchmarks/large_transformer.h"
#include "benchmarks/samples.h"
#include "partition/partition_program.h"
#include "schedule/plan.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

constexpr int samples = 9;
constexpr const char *partitionedName = "partitioned", *changedName = "one annotation changed",
                     *fromTextName = "from the text";
const std::map<std::string, double> wantedMilliseconds = { { partitionedName, 1000 }, { changedName, 300 },
    { fromTextName, 1500 } };

bench::Measurements measured; ///< by name and mesh
std::map<std::string, double> wanted; ///< milliseconds, likewise

bench::TransformerSettings settingsOf(const benchmark::State& state)
{
    bench::TransformerSettings settings;
    settings.fourAxes = state.range(0) != 0;
    return settings;
}

/// Milliseconds of the processor since it was asked last.
class Stopwatch {
public:
    double lap()
    {
        const std::clock_t now = std::clock(), begin = m_begin;
        m_begin = now;
        return 1e3 * static_cast<double>(now - begin) / CLOCKS_PER_SEC;
    }

private:
    std::clock_t m_begin = std::clock();
};

/// Notes what `work(watch)` took, unless it returns false: then it has told the benchmark what was wrong.
template <class Work>
void measure(benchmark::State& state, const char* name, const Work& work)
{
    for (auto _ : state) {
        const bench::Load before = bench::Load::now();
        Stopwatch all, watch;
        if (!work(watch))
            return;
        const double milliseconds = all.lap(), foreign = bench::foreignLoad(before, bench::Load::now());
        state.SetIterationTime(1e-3 * milliseconds);
        state.counters["foreign"] = foreign;
        const std::string row =
            name + std::string(state.range(0) != 0 ? ", data x fsdp x tensor x sequence" : ", data x model");
        measured.add(row, { milliseconds, foreign });
        wanted[row] = wantedMilliseconds.at(name);
    }
}

void partitioned(benchmark::State& state)
{
    const Program program = bench::largeTransformer(settingsOf(state));
    measure(state, partitionedName, [&](Stopwatch&) {
        const Result<PartitionedProgram> parts = partitionProgram(program);
        if (!parts) {
            state.SkipWithError(std::string(parts.error().id()).c_str());
            return false;
        }
        state.counters["operations"] = static_cast<double>(parts->device.program.operations.size());
        state.counters["inserted"] = static_cast<double>(parts->sharded->inserted.size());
        return true;
    });
}

/// Everything after the program; false after telling the benchmark what was wrong.
bool planAll(benchmark::State& state, Program program, Stopwatch& watch)
{
    const auto refused = [&](const Error& error) {
        state.SkipWithError(std::string(error.id()).c_str());
        return false;
    };
    const auto specified = std::make_shared<const Program>(program);
    Result<ShardedProgram> sharded = shardProgram(std::move(program));
    if (!sharded)
        return refused(sharded.error());
    state.counters["shard"] = watch.lap();
    Result<PartitionedProgram> parts = partitionProgram(std::move(*sharded));
    if (!parts)
        return refused(parts.error());
    state.counters["localise"] = watch.lap();
    Result<FlatProgram> flat = flatten(specified, std::make_shared<const PartitionedProgram>(std::move(*parts)), {});
    if (!flat)
        return refused(flat.error());
    state.counters["flatten"] = watch.lap();
    const Result<Plan> plan = schedule(std::make_shared<const FlatProgram>(std::move(*flat)));
    if (!plan)
        return refused(plan.error());
    state.counters["schedule"] = watch.lap();
    state.counters["GiB"] = static_cast<double>(plan->memory.peakBytes) / (1 << 30);
    return true;
}

/// One annotation is gone.
void changed(benchmark::State& state)
{
    const Program program = bench::largeTransformer(settingsOf(state));
    measure(state, changedName, [&](Stopwatch& watch) {
        Program edited = program; // what is at hand stays as it is until the change is accepted
        edited.valueShardings[edited.main().arguments[edited.main().arguments.size() / 2].index] = 0;
        return planAll(state, std::move(edited), watch);
    });
}

void fromText(benchmark::State& state)
{
    PrintOptions options;
    options.names = PrintedNames::None;
    const std::string text = printStableHlo(bench::largeTransformer(settingsOf(state)), options);
    measure(state, fromTextName, [&](Stopwatch& watch) {
        Result<ReadProgram> read = readStableHlo(text);
        if (!read) {
            state.SkipWithError(std::string(read.error().id()).c_str());
            return false;
        }
        state.counters["read"] = watch.lap();
        return planAll(state, std::move(read->program), watch);
    });
}

void summarise()
{
    const std::map<std::string, bench::Line> lines = measured.lines();
    if (lines.empty())
        return;
    std::printf("\n%-60s %9s %9s %14s\n", "milliseconds", "median", "best", "clean samples");
    for (const auto& [name, line] : lines) {
        const bool reached = line.typical() <= wanted[name];
        std::printf("%-60s %9.1f %9.1f %8zu of %2zu  within %.0f ms: %s\n", name.c_str(), line.typical(), line.best,
            line.cleanSamples, line.samples, wanted[name], bench::verdict(reached || line.isConclusive(), reached));
    }
}

void prepare(benchmark::internal::Benchmark* one)
{
    one->Arg(0)->Arg(1)->Iterations(1)->Repetitions(samples)->ReportAggregatesOnly(true)->UseManualTime();
    one->Unit(benchmark::kMillisecond);
}

BENCHMARK(changed)->Apply(prepare);
BENCHMARK(fromText)->Apply(prepare);
BENCHMARK(partitioned)->Apply(prepare);

} // namespace

int main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    summarise();
    return 0;
}
