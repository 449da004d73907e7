// SPDX-License-Identifier: GPL-3.0-or-later
// How fast 200 MB of StableHLO text are read, and how much memory that takes: stablehlo_benchmark [--megabytes=N].
// Cases: plain (operations without locations), located (one location per operation), constants (lists and hexadecimal
// text), and compiled: HLO text of a quarter of that, which is let go of while it is read. Goals: 50 MB/s of StableHLO,
// and at most three times the text in memory, the text included, of HLO text four times.
//
// The floor is one pass over the text that only looks for line ends, made right before each reading. Samples during
// which other processes used more than 6 % of the machine are left out of the verdict on speed; with fewer than seven
// clean samples it is "inconclusive". Memory does not depend on others.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "benchmarks/foreign_load.h"
#include "benchmarks/stablehlo_texts.h"
#include "hlo/layers_text.h"
#include "hlo/to_stablehlo.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

constexpr int samples = 9;
constexpr double speedWanted = 50, memoryAllowed = 3, memoryAllowedOfHlo = 4;
constexpr std::string_view compiledCase = "compiled";
std::size_t megabytes = 200;

/// Highest resident memory so far, in bytes. It is set back to what is in use by writing to clear_refs.
std::size_t peakMemory()
{
    std::ifstream status("/proc/self/status");
    std::string word;
    std::size_t kilobytes = 0;
    while (status >> word)
        if (word == "VmHWM:" && status >> kilobytes)
            break;
    return kilobytes * 1024;
}
void forgetPeak()
{
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << '5';
}

/// The text of a case; one at a time is held.
const std::string& textOf(const std::string& name)
{
    static std::string held, text;
    if (held != name) {
        text = {};
        const std::size_t size = megabytes * 1'000'000;
        text = name == compiledCase ? test::layersText(static_cast<int>(size / 4 / 900))
            : name == "constants"   ? bench::constantsText(size)
                                    : bench::transformerText(size, name == "located");
        text.shrink_to_fit();
        held = name;
    }
    return text;
}

struct Sample {
    double seconds = 0, floor = 0; ///< of the reading, and of the pass over the text
    double processor = 0; ///< seconds of processor time of the reading
    double printing = 0; ///< of the program
    double memory = 0; ///< highest in use, in sizes of the text
    double foreign = 0; ///< share of the machine that others used
};
std::map<std::string, std::vector<Sample>> measured;
std::map<std::string, std::size_t> sizes; ///< of the texts

double secondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::size_t countLines(const std::string& text)
{
    std::size_t lines = 0;
    const char *at = text.data(), *const end = at + text.size();
    while (const void* next = std::memchr(at, '\n', static_cast<std::size_t>(end - at))) {
        at = static_cast<const char*>(next) + 1;
        ++lines;
    }
    return lines;
}

void read(benchmark::State& state, const std::string& name)
{
    const std::string& text = textOf(name);
    const auto size = static_cast<double>(text.size());
    sizes[name] = text.size();
    for (auto _ : state) {
        Sample sample;
        forgetPeak();
        const bench::Load before = bench::Load::now();
        auto begin = std::chrono::steady_clock::now();
        std::size_t lines = countLines(text);
        benchmark::DoNotOptimize(lines);
        sample.floor = secondsSince(begin);
        const double ownBefore = bench::Load::now().own;
        std::string taken = name == compiledCase ? text : std::string(); // beside that which stays for the next sample
        const auto beside = static_cast<double>(taken.size());
        begin = std::chrono::steady_clock::now();
        const Result<ReadProgram> done = name == compiledCase ? takeProgram(taken) : readStableHlo(text);
        sample.seconds = secondsSince(begin);
        sample.processor = bench::Load::now().own - ownBefore;
        sample.memory = (static_cast<double>(peakMemory()) - beside) / size;
        if (!done) {
            state.SkipWithError(std::string(done.error().id()).c_str());
            return;
        }
        state.counters["operations"] = static_cast<double>(done->program.operations.size());
        begin = std::chrono::steady_clock::now();
        benchmark::DoNotOptimize(printStableHlo(done->program).size());
        sample.printing = secondsSince(begin);
        sample.foreign = bench::foreignLoad(before, bench::Load::now());
        state.SetIterationTime(sample.seconds);
        measured[name].push_back(sample);
    }
    const Sample& last = measured[name].back();
    state.counters["MB/s"] = size / 1e6 / last.seconds;
    state.counters["memory"] = last.memory;
    state.counters["foreign"] = last.foreign;
}

void summarise()
{
    std::printf("\n%-10s %8s %14s %12s %16s %14s %14s\n", "text", "MB", "read, MB/s", "of the floor",
        "peak, x the text", "printed, MB/s", "clean samples");
    bool fast = true, small = true, conclusive = !measured.empty();
    for (const auto& [name, list] : measured) {
        std::vector<double> seconds, processor, shares, printing;
        double memory = 0;
        for (const Sample& sample : list)
            memory = std::max(memory, sample.memory);
        std::size_t clean = 0;
        for (const Sample& sample : list)
            clean += sample.foreign <= bench::largestForeignLoad ? 1U : 0U;
        for (const Sample& sample : list) {
            if (clean > 0 && sample.foreign > bench::largestForeignLoad)
                continue;
            seconds.push_back(sample.seconds);
            processor.push_back(sample.processor);
            shares.push_back(sample.floor / sample.seconds);
            printing.push_back(sample.printing);
        }
        const double size = static_cast<double>(sizes[name]) / 1e6, speed = size / bench::median(seconds);
        std::printf("%-10s %8.1f %14.1f %14.1f %11.2f%% %16.2f %14.1f %8zu of %2zu\n", name.c_str(), size, speed,
            size / bench::median(processor), 100 * bench::median(shares), memory, size / bench::median(printing), clean,
            list.size());
        const bool isCompiled = name == compiledCase;
        fast = fast && (isCompiled || speed >= speedWanted);
        small = small && memory <= (isCompiled ? memoryAllowedOfHlo : memoryAllowed);
        conclusive = conclusive && clean >= bench::cleanSamplesNeeded;
    }
    std::printf("\nat least %.0f MB/s: %s\nat most %.0f times the text in memory, %.0f of HLO text: %s\n", speedWanted,
        fast             ? "reached"
            : conclusive ? "missed"
                         : "inconclusive, others used the machine",
        memoryAllowed, memoryAllowedOfHlo, small ? "reached" : "missed");
}

} // namespace

int main(int argc, char** argv)
{
    constexpr std::string_view sizeOption = "--megabytes=";
    std::vector<char*> arguments;
    for (int i = 0; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument.starts_with(sizeOption))
            megabytes = std::max<std::size_t>(1, std::strtoull(argv[i] + sizeOption.size(), nullptr, 10));
        else
            arguments.push_back(argv[i]);
    }
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data()))
        return 1;
    for (const std::string name : { "plain", "located", "constants", "compiled" })
        benchmark::RegisterBenchmark(name.c_str(), [name](benchmark::State& state) { read(state, name); })
            ->Iterations(1)
            ->Repetitions(samples)
            ->ReportAggregatesOnly(true)
            ->Unit(benchmark::kMillisecond)
            ->UseManualTime();
    benchmark::RunSpecifiedBenchmarks();
    summarise();
    return 0;
}
