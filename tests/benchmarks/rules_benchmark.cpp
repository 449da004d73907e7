// SPDX-License-Identifier: GPL-3.0-or-later
// Resolving a parameter tree of 10,000 arrays under 12 rules. Budget (median): 16 ms, one frame, for "Tree".
//
// "Tree" maps names to specs, and keeps what became of every rule, as the window shows it. "MaxText" resolves the same
// number of arrays under the 76 rules of MaxText's base.yml.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "rules/published_rules.h"
#include "rules/t5x_partitioner.h"
#include "sharding/text.h"

using namespace shardscope;

namespace {

constexpr int arrays = 10'000;

LogicalNames namesOf(std::initializer_list<const char*> names)
{
    LogicalNames result;
    for (const char* name : names)
        result.push_back(name ? LogicalName::of(name) : LogicalName::none());
    return result;
}

/// Parameters by name, "mlp/wo/kernel", with the logical names of their dimensions.
using LogicalTree = std::vector<std::pair<std::string, LogicalNames>>;

/// The parameters of a transformer, layer after layer.
LogicalTree transformer(const std::vector<std::pair<const char*, LogicalNames>>& layer)
{
    LogicalTree tree;
    for (int i = 0; i < arrays; ++i) {
        const auto& [name, names] = layer[static_cast<std::size_t>(i) % layer.size()];
        tree.emplace_back("decoder/layers_" + std::to_string(i / static_cast<int>(layer.size())) + "/" + name, names);
    }
    return tree;
}

LogicalTree tree()
{
    return transformer({ { "attention/query/kernel", namesOf({ "embed", "heads", "kv" }) },
        { "attention/key/kernel", namesOf({ "embed", "heads", "kv" }) },
        { "attention/out/kernel", namesOf({ "heads", "kv", "embed" }) },
        { "mlp/wi/kernel", namesOf({ "embed", "mlp" }) }, { "mlp/wo/kernel", namesOf({ "mlp", "embed" }) },
        { "norm/scale", namesOf({ "embed" }) }, { "cache", namesOf({ "batch", "length", "heads", "kv" }) },
        { "relpos", namesOf({ nullptr, "relpos_buckets" }) } });
}

LogicalRules twelveRules()
{
    return *parseRules("[('batch', 'data'), ('vocab', 'model'), ('mlp', 'model'), ('heads', 'model'), ('kv', None),"
                       " ('joined_kv', 'model'), ('embed', 'model'), ('embed', 'data'), ('relpos_buckets', None),"
                       " ('length', None), ('layers', None), ('stack', None)]");
}

void resolveAll(const LogicalTree& names, const LogicalRules& rules)
{
    for (const auto& [path, each] : names)
        if (const Result<Resolution> resolution = resolve(each, rules, FlaxVersion::Current))
            benchmark::DoNotOptimize(resolution->spec());
}

void resolveTree(benchmark::State& state)
{
    const LogicalTree names = tree();
    const LogicalRules rules = twelveRules();
    for (auto _ : state)
        resolveAll(names, rules);
}

void resolveMaxText(benchmark::State& state)
{
    const LogicalTree names = transformer({ { "query", namesOf({ "embed", "q_heads", "kv" }) },
        { "wi", namesOf({ "embed", "mlp" }) }, { "wo", namesOf({ "mlp", "embed" }) }, { "scale", namesOf({ "norm" }) },
        { "moe", namesOf({ "exp", "embed_moe", "mlp_moe" }) } });
    const LogicalRules& rules = findPublishedRules("maxtext-base-2026-08")->rules;
    for (auto _ : state)
        resolveAll(names, rules);
}

} // namespace

BENCHMARK(resolveTree)->Name("Tree")->Unit(benchmark::kMillisecond);
BENCHMARK(resolveMaxText)->Name("MaxText")->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
