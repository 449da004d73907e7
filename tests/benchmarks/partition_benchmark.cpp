// SPDX-License-Identifier: GPL-3.0-or-later
// A 126-layer transformer for 16,384 devices: from the program with its annotations to what a device runs, reshards,
// collectives and local shapes included, and on to its plan with the memory that it takes.
//
// The argument says whether the mesh has four axes (data x fsdp x tensor x sequence) or two (data x model). Goals, for
// both: partitioned within a second; after a change of one annotation everything within 300 ms, from the text within
// 1.5 s. Times are of the processor, since others may use the machine.
#include <ctime>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "benchmarks/large_transformer.h"
#include "partition/partition_program.h"
#include "schedule/plan.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

void partitioned(benchmark::State& state)
{
    bench::TransformerSettings settings;
    settings.fourAxes = state.range(0) != 0;
    const Program program = bench::largeTransformer(settings);
    std::size_t operations = 0, inserted = 0;
    for (auto _ : state) {
        const Result<PartitionedProgram> parts = partitionProgram(program);
        if (!parts) {
            state.SkipWithError(std::string(parts.error().id()).c_str());
            return;
        }
        operations = parts->device.program.operations.size();
        inserted = parts->inserted.size();
    }
    state.counters["operations"] = static_cast<double>(operations);
    state.counters["inserted"] = static_cast<double>(inserted);
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

/// Everything after the program; false after telling the benchmark what was wrong.
bool planAll(benchmark::State& state, Program program, Stopwatch& watch)
{
    const auto refused = [&](const Error& error) {
        state.SkipWithError(std::string(error.id()).c_str());
        return false;
    };
    const auto given = std::make_shared<const Program>(program);
    Result<ShardedProgram> sharded = shardProgram(std::move(program));
    if (!sharded)
        return refused(sharded.error());
    state.counters["shard"] = watch.lap();
    Result<PartitionedProgram> parts = partitionProgram(std::move(*sharded));
    if (!parts)
        return refused(parts.error());
    state.counters["localise"] = watch.lap();
    Result<FlatProgram> flat = flatten(given, std::make_shared<const PartitionedProgram>(std::move(*parts)), {});
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
    bench::TransformerSettings settings;
    settings.fourAxes = state.range(0) != 0;
    const Program program = bench::largeTransformer(settings);
    for (auto _ : state) {
        Stopwatch watch;
        Program edited = program;
        edited.valueShardings[edited.main().arguments[edited.main().arguments.size() / 2].index] = 0;
        if (!planAll(state, std::move(edited), watch))
            return;
    }
}

void fromText(benchmark::State& state)
{
    bench::TransformerSettings settings;
    settings.fourAxes = state.range(0) != 0;
    PrintOptions options;
    options.names = PrintedNames::None;
    const std::string text = printStableHlo(bench::largeTransformer(settings), options);
    for (auto _ : state) {
        Stopwatch watch;
        Result<ReadProgram> read = readStableHlo(text);
        if (!read) {
            state.SkipWithError(std::string(read.error().id()).c_str());
            return;
        }
        state.counters["read"] = watch.lap();
        if (!planAll(state, std::move(read->program), watch))
            return;
    }
}

BENCHMARK(changed)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(fromText)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(partitioned)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->MinTime(2);

} // namespace

BENCHMARK_MAIN();
