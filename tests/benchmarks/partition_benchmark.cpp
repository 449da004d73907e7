// SPDX-License-Identifier: GPL-3.0-or-later
// Partitioning of a 126-layer transformer for 16,384 devices: from the program with its annotations to what a device
// runs, reshards, collectives and local shapes included.
//
// The argument says whether the mesh has four axes (data x fsdp x tensor x sequence) or two (data x model). Goal, for
// both: within a second. Samples during which other processes used more than 6 % of the machine are left out of the
// verdict; with fewer than five clean samples it is "inconclusive".
#include <algorithm>
#include <cstdio>
#include <vector>

#include <benchmark/benchmark.h>

#include "benchmarks/foreign_load.h"
#include "benchmarks/large_transformer.h"
#include "partition/partition_program.h"

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

BENCHMARK(partitioned)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->MinTime(2);

} // namespace

BENCHMARK_MAIN();
