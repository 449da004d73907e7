// SPDX-License-Identifier: GPL-3.0-or-later
// Who holds what of one array on 65,536 devices. Budget: a summary (shard shape, distinct shards, groups of replicas)
// takes well under 16 ms, one frame of the window.
//
// "summary" is over (parts of) mesh axes, as propagation has them; the others start from text that names devices. The
// argument of the groups is the number of distinct shards: few large groups, or many small ones.
#include <benchmark/benchmark.h>

#include "sharding/sharding_text.h"

using namespace shardscope;

namespace {

constexpr std::int64_t devices = 65'536;

MeshPtr makeMesh()
{
    return std::make_shared<const Mesh>(*Mesh::create({ { "pod", 16 }, { "data", 64 }, { "model", 64 } }));
}

/// A spec of two dimensions that makes 1, 1,024 or 65,536 shards.
PartitionSpec specFor(std::int64_t shards)
{
    if (shards == 1)
        return {};
    if (shards == 1'024)
        return { { SpecEntry::axis("data"), SpecEntry::axis("pod") } };
    return { { SpecEntry::tuple({ "model", "pod" }), SpecEntry::axis("data") } };
}

std::int64_t summarise(const Layout& layout)
{
    const std::vector<std::vector<std::int32_t>> groups = layout.replicaGroups();
    return layout.shardShape()[0] + layout.distinctShards() + static_cast<std::int64_t>(groups.size());
}

void summary(benchmark::State& state)
{
    const NamedSharding sharding{ makeMesh(), specFor(state.range(0)) };
    const std::vector<std::int64_t> shape{ 8'192, 8'192 };
    for (auto _ : state)
        benchmark::DoNotOptimize(summarise(*layoutOf(sharding, shape)));
}

void summaryOfHloText(benchmark::State& state, HloForm form)
{
    const MeshPtr mesh = makeMesh();
    const std::string text = toHlo(toHloSharding(specFor(state.range(0)), *mesh, 2), form);
    const std::vector<std::int64_t> shape{ 8'192, 8'192 };
    for (auto _ : state)
        benchmark::DoNotOptimize(summarise(*layoutOf(*parseSharding(text, mesh), shape)));
    state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}

void summaryOfPositional(benchmark::State& state)
{
    const MeshPtr mesh = makeMesh();
    const Sharding row = *parseSharding("PositionalSharding(devices)", mesh);
    const std::vector<std::int64_t> grid{ 1'024, 64 };
    const std::vector<std::int64_t> shape{ 8'192, 8'192 };
    for (auto _ : state) {
        const auto sharding =
            std::get<PositionalSharding>(row).reshape(grid)->replicate(std::vector<std::int64_t>{ 1 });
        benchmark::DoNotOptimize(summarise(*layoutOf(*sharding, shape)));
    }
}

void equivalence(benchmark::State& state)
{
    const MeshPtr mesh = makeMesh();
    const Sharding named = NamedSharding{ mesh, specFor(1'024) };
    const Sharding text = *parseSharding(toHlo(toHloSharding(specFor(1'024), *mesh, 2), HloForm::V1), mesh);
    for (auto _ : state)
        benchmark::DoNotOptimize(isEquivalent(named, text, 2));
}

} // namespace

BENCHMARK(summary)->Arg(1)->Arg(1'024)->Arg(devices)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(summaryOfHloText, V2, HloForm::V2)
    ->Arg(1'024)
    ->Arg(devices)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(summaryOfHloText, V1, HloForm::V1)
    ->Arg(1'024)
    ->Arg(devices)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(summaryOfPositional)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(equivalence)->Unit(benchmark::kMillisecond)->UseRealTime();

BENCHMARK_MAIN();
