// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette's search over 100,000 names, letter by letter as somebody types, and the worst case, letters that
// no name has as a word. Goal: each within 16 ms.
#include <string>

#include <benchmark/benchmark.h>

#include "base/name_index.h"

using namespace shardscope;

namespace {

NameIndex manyNames()
{
    NameIndex index;
    for (int layer = 0; index.size() < 100'000; ++layer)
        for (const char* part : { "self_attention/query/kernel", "self_attention/out/kernel", "mlp/wi_0/kernel",
                 "mlp/wo/kernel", "pre_attention_norm/scale" })
            index.add("params/decoder/layers." + std::to_string(layer) + '/' + part, "tensor P(data, model)");
    return index;
}

void typing(benchmark::State& state, const std::string& query)
{
    const NameIndex index = manyNames();
    std::size_t letters = 0;
    for (auto _ : state) {
        letters = letters % query.size() + 1;
        benchmark::DoNotOptimize(index.find(std::string_view(query).substr(0, letters), 200));
    }
}

} // namespace

BENCHMARK_CAPTURE(typing, words, "layers.1999 mlp wo")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(typing, letters, "pdlkx")->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
