// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in texts on eight simulated devices, against what they cannot be faster than or what does the same without
// devices: an all-reduce and an all-to-all of 64 MiB per device against copying those 512 MiB once, a product of
// 2048 x 2048 matrices against the best Eigen build for the whole.
//
// All are measured in turn within one run, both sides with two threads, and what counts are ratios of medians of clean
// samples: see samples.h.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "benchmarks/eigen_step.h"
#include "benchmarks/samples.h"
#include "partition/partition_program.h"
#include "partition/unsharded.h"
#include "simulate/run/memory.h"
#include "simulate/run/run.h"
#include "simulate/run/thread_pool.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

constexpr int devices = 8;
constexpr int threads = 2;
constexpr int samples = 11;
constexpr int roundsPerSample = 2; ///< ticks of the load are a hundredth of a second
constexpr int largestRetries = 1;
constexpr std::int64_t productSize = 2048;

bench::Measurements measured;

void add(const std::string& name, std::function<void()> work)
{
    const auto measure = [name, work = std::move(work)](benchmark::State& state) {
        work(); // what was measured before has had the caches
        for (auto _ : state) {
            for (int retry = 0; retry <= largestRetries; ++retry) {
                const bench::Load before = bench::Load::now();
                const auto start = std::chrono::steady_clock::now();
                for (int i = 0; i < roundsPerSample; ++i)
                    work();
                const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                state.SetIterationTime(seconds / roundsPerSample);
                const double foreign = bench::foreignLoad(before, bench::Load::now());
                measured.add(name, { seconds * 1e3 / roundsPerSample, foreign });
                if (foreign <= bench::largestForeignLoad)
                    break;
            }
        }
    };
    benchmark::RegisterBenchmark(name.c_str(), measure)
        ->Iterations(1)
        ->Repetitions(samples)
        ->ReportAggregatesOnly(true)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime();
}

kernels::Array numbers(const TensorType& type, std::uint32_t seed)
{
    kernels::Array array = kernels::Array::make(type);
    for (std::int64_t i = 0; i < array.count(); ++i) {
        seed = seed * 1664525U + 1013904223U;
        array.as<float>()[i] = static_cast<float>(seed >> 8) / 8388608.0F - 1.0F;
    }
    return array;
}

/// Steps of a program on simulated devices.
std::shared_ptr<Run> runOf(const Program& program, PartitionedProgram parts)
{
    const auto refused = [](const Error& error) {
        std::fprintf(stderr, "the program is refused: %s\n", std::string(error.id()).c_str());
        std::exit(1);
    };
    RunOptions options;
    options.threads = threads;
    for (const ShardedArray& input : parts.device.inputs)
        options.initial.arrays.push_back(
            numbers(input.type, static_cast<std::uint32_t>(options.initial.arrays.size()) + 1));
    auto flat = flatten(
        std::make_shared<const Program>(program), std::make_shared<const PartitionedProgram>(std::move(parts)), {});
    if (!flat)
        refused(flat.error());
    auto plan = schedule(std::make_shared<const FlatProgram>(std::move(*flat)));
    if (!plan)
        refused(plan.error());
    auto run = Run::create(std::make_shared<const Plan>(std::move(*plan)), options);
    if (!run)
        refused(run.error());
    return std::move(*run);
}

std::shared_ptr<Run> collective(const std::string& text)
{
    const Program program = readStableHlo(text).value().program;
    return runOf(program, unsharded(program, { 1, devices }).value());
}

std::shared_ptr<Run> product()
{
    const std::string matrix = "tensor<2048x2048xf32>";
    const std::string text = "sdy.mesh @mesh = <[\"x\"=8]>\nfunc.func @main(%a: " + matrix
        + " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %b: " + matrix
        + " {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> " + matrix
        + " {\n  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" + matrix + ", " + matrix + ") -> "
        + matrix + "\n  return %0 : " + matrix + "\n}\n";
    const Program program = readStableHlo(text).value().program;
    return runOf(program, partitionProgram(program).value());
}

/// The arrays of all devices, copied once.
class Copy {
public:
    explicit Copy(std::int64_t bytes)
    {
        for (int device = 0; device < devices; ++device) {
            m_from.emplace_back(bytes);
            m_to.emplace_back(bytes);
            std::memset(m_from.back().data(), device, static_cast<std::size_t>(bytes));
        }
    }
    void run()
    {
        m_pool.run(devices, [this](std::int64_t device, int) {
            const auto d = static_cast<std::size_t>(device);
            std::memcpy(m_to[d].data(), m_from[d].data(), static_cast<std::size_t>(m_from[d].bytes()));
        });
    }

private:
    std::vector<Arena> m_from, m_to;
    ThreadPool m_pool{ threads };
};

void conclude(const std::string& what, const bench::Line& ours, const bench::Line& other, const std::string& otherName,
    double most)
{
    const bool clean = std::min(ours.cleanSamples, other.cleanSamples) > 0;
    const double ratio = clean ? ours.clean / other.clean : ours.all / other.all;
    std::printf("%s takes %.2f times %s (goal: at most %.2f): %s\n", what.c_str(), ratio, otherName.c_str(), most,
        bench::verdict(ours.isConclusive() && other.isConclusive(), ratio <= most));
}

void summarise()
{
    std::printf("\n%-22s %10s %10s %10s %14s\n", "ms", "median", "all", "best", "clean samples");
    const std::map<std::string, bench::Line> lines = measured.lines();
    for (const auto& [name, line] : lines)
        std::printf("%-22s %10.2f %10.2f %10.2f %8zu of %2zu\n", name.c_str(), line.clean, line.all, line.best,
            line.cleanSamples, line.samples);
    if (lines.size() < 6)
        return; // a filter was given
    const auto of = [&lines](const std::string& name) -> const bench::Line& { return lines.at(name); };
    std::printf("\n");
    conclude("an all-reduce of 8 x 64 MiB", of("all-reduce"), of("copy"), "copy", 1.4);
    conclude("an all-to-all of 8 x 64 MiB", of("all-to-all"), of("copy"), "copy", 1.4);
    const std::string best =
        of("eigen/native").typical() < of("eigen/32 byte").typical() ? "eigen/native" : "eigen/32 byte";
    const double flops = 2.0 * productSize * productSize * productSize;
    std::printf("products: ours %.0f GFLOP/s, %s %.0f GFLOP/s\n", flops / of("product").typical() * 1e-6, best.c_str(),
        flops / of(best).typical() * 1e-6);
    conclude("a product of 2048 x 2048 matrices on 8 devices", of("product"), of(best), best, 1.15);
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

    const auto reduce = collective(R"(func.func @main(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
)");
    const auto move = collective(R"(func.func @main(%x: tensor<4096x4096xf32>) -> tensor<512x32768xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 8 : i64,
      replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4096x4096xf32>) -> tensor<512x32768xf32>
  return %0 : tensor<512x32768xf32>
}
)");
    const auto plain = std::make_shared<Copy>(std::int64_t{ 64 } << 20);
    const auto multiply = product();
    add("copy", [plain] { plain->run(); });
    add("all-reduce", [reduce] { (void)reduce->step(); });
    add("all-to-all", [move] { (void)move->step(); });
    add("product", [multiply] { (void)multiply->step(); });
    for (const auto& [name, made] : { std::pair{ "eigen/native", &bench::native::eigenProduct },
             std::pair{ "eigen/32 byte", &bench::narrow::eigenProduct } }) {
        const std::shared_ptr<bench::PlainStep> eigen(made(productSize, threads));
        add(name, [eigen] { benchmark::DoNotOptimize(eigen->step()); });
    }
    benchmark::RunSpecifiedBenchmarks();
    summarise();
    return 0;
}
