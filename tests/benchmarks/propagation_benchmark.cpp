// SPDX-License-Identifier: GPL-3.0-or-later
// Propagation of a 126-layer transformer on 16,384 devices, all rounds, with the log. Budget: well within a second, of
// which reading and verifying take their part; after a changed annotation 300 ms.
//
// The argument says whether the mesh has four axes (data x fsdp x tensor x sequence) or two (data x model).
#include <benchmark/benchmark.h>

#include <map>

#include "benchmarks/large_transformer.h"
#include "propagation/blocker.h"
#include "propagation/written.h"

using namespace shardscope;

namespace {

const ProgramPtr& transformer(bool fourAxes)
{
    static std::map<bool, ProgramPtr> made;
    ProgramPtr& program = made[fourAxes];
    if (!program) {
        bench::TransformerSettings settings;
        settings.fourAxes = fourAxes;
        program = std::make_shared<const Program>(bench::largeTransformer(settings));
    }
    return program;
}

PropagationInput inputOf(benchmark::State& state, Strategy strategy)
{
    PropagationInput input;
    input.program = transformer(state.range(0) != 0);
    input.strategy = strategy;
    state.counters["operations"] = static_cast<double>(input.program->operations.size());
    return input;
}

void run(benchmark::State& state, Strategy strategy)
{
    const PropagationInput input = inputOf(state, strategy);
    PropagationResult result;
    for (auto _ : state)
        result = propagate(input);
    state.counters["steps"] = result.steps;
    state.counters["records"] = static_cast<double>(result.log.size());
}
void full(benchmark::State& state)
{
    run(state, Strategy::Full);
}
void aggressive(benchmark::State& state)
{
    run(state, Strategy::Aggressive);
}
void basic(benchmark::State& state)
{
    run(state, Strategy::Basic);
}

/// As a pass: propagated, and written back into a copy of the program.
void pass(benchmark::State& state)
{
    const PropagationInput input = inputOf(state, Strategy::Full);
    for (auto _ : state)
        benchmark::DoNotOptimize(propagateProgram(*input.program, Strategy::Full));
}

void whyNot(benchmark::State& state)
{
    const PropagationInput input = inputOf(state, Strategy::Full);
    const PropagationResult result = propagate(input);
    const ValueId value = input.program->main().results.back();
    for (auto _ : state)
        benchmark::DoNotOptimize(firstBlocker(input, result, value, 0, wholeAxis(*input.program->meshes[0].mesh, 0)));
}

BENCHMARK(full)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(aggressive)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(basic)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(pass)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(whyNot)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
