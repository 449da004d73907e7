// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope_fuzz [--cpu-seconds N] [TARGET [ROUNDS [FIRST]]]: mutations FIRST, FIRST+1, ... of one target, or of all;
// with --cpu-seconds as many as a target can read in N seconds of processor time.
// With a sanitizer it finds what a crash alone would not show; the text at which one ends the process is printed too.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz.h"
#include "fuzz/sanitizer_end.h"
#include "random_cases.h"

namespace {

using namespace shardscope::fuzz;

std::vector<Target> targets()
{
    return { meshTarget(), rulesTarget(), specTarget(), hloTarget(), shardyTarget(), shardingTarget(), namesTarget(),
        publishedRulesTarget(), maxTextTarget(), huggingFaceTarget(), csvTarget(), jsonTableTarget(),
        experimentTarget(), stableHloTarget(), hloModuleTarget(), npyTarget(), npzTarget(), arrayTextTarget() };
}

std::string textOf(const LongList& list)
{
    constexpr int items = 200'000;
    const std::size_t number = list.item.find('#');
    std::string text = list.before;
    for (int i = 0; i < items; ++i)
        text += list.item.substr(0, number) + std::to_string(i) + list.item.substr(number + 1);
    return text + list.after;
}

/// Texts that are long rather than clever.
std::vector<std::string> giants(const Target& target)
{
    std::vector<std::string> texts{ "", std::string(1, '\0'), std::string(1'000'000, ' '),
        std::string(1'000'000, '\'') };
    for (const char* part : { "(", "[", "{", "((", "[(", "{'a':", "{\"a\":", "'a',", "a=1,", "\"", "\\", "#\n" }) {
        std::string text;
        while (text.size() < 1'000'000)
            text += part;
        texts.push_back(std::move(text));
    }
    for (const LongList& list : target.lists)
        texts.push_back(textOf(list));
    texts.insert(texts.end(), target.seeds.begin(), target.seeds.end());
    return texts;
}

/// Seconds of processor time that this process has used. What a clock on the wall says depends on what else runs.
double cpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Which mutations of each target are read: `rounds` of them from `first` on, or until `seconds` are used up.
struct Extent {
    std::uint64_t first = 0;
    std::uint64_t rounds = shardscope::test::randomCases(std::uint64_t{ 8'000 });
    double seconds = 0; ///< of processor time for a target; 0: as many as `rounds` says
};

/// Even under a sanitizer; what compares all items with each other takes far longer.
constexpr double longestText = 20;

/// What is being read, for when the process ends there.
struct Reading {
    const Target* target = nullptr;
    const char* what = ""; ///< "round", "long text"
    std::uint64_t number = 0;
    const std::string* text = nullptr;
};
Reading reading;

void print(const Reading& of, const std::string& problem)
{
    std::cout << of.target->name << ", " << of.what << ' ' << of.number << ": " << problem << "\n--- text\n"
              << std::string_view(*of.text).substr(0, 2000) << "\n---" << std::endl;
}

void printLast()
{
    if (reading.text != nullptr)
        print(reading, "a sanitizer ended the process here");
}

bool runTarget(const Target& target, const Extent& extent)
{
    const double begin = cpuSeconds();
    const auto isGood = [&](const char* what, std::uint64_t number, const std::string& text) {
        reading = { &target, what, number, &text };
        const double before = cpuSeconds();
        std::string problem = target.run(text);
        if (problem.empty() && cpuSeconds() - before > longestText)
            problem = "takes too long";
        if (!problem.empty())
            print(reading, problem);
        reading = {};
        return problem.empty();
    };
    std::uint64_t number = 0;
    for (const std::string& text : giants(target))
        if (!isGood("long text", number++, text))
            return false;
    const double mutationsBegin = cpuSeconds();
    double nextReport = mutationsBegin + 60;
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() - extent.first;
    const std::uint64_t rounds = extent.seconds > 0 ? most : std::min(extent.rounds, most);
    std::uint64_t done = 0;
    for (; done < rounds && (extent.seconds <= 0 || cpuSeconds() - mutationsBegin < extent.seconds); ++done) {
        if (!isGood("round", extent.first + done, mutated(target, extent.first + done)))
            return false;
        if (cpuSeconds() >= nextReport) { // how far it has come
            std::cout << target.name << ": at round " << extent.first + done << std::endl;
            nextReport += 60;
        }
    }
    std::cout << target.name << ": " << number << " long texts, " << done << " mutations, "
              << std::lround(cpuSeconds() - mutationsBegin) << " s of processor time for the mutations, "
              << std::lround(cpuSeconds() - begin) << " s in all" << std::endl;
    return true;
}

bool toNumber(const std::string& text, std::uint64_t& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> arguments(argv + 1, argv + argc);
    Extent extent;
    std::uint64_t seconds = 0;
    bool good = true;
    if (!arguments.empty() && arguments.front() == "--cpu-seconds") {
        good = arguments.size() > 1 && toNumber(arguments[1], seconds) && seconds > 0;
        extent.seconds = static_cast<double>(seconds);
        arguments.erase(arguments.begin(), arguments.begin() + (arguments.size() > 1 ? 2 : 1));
    }
    if (!good || arguments.size() > 3 || (arguments.size() > 1 && !toNumber(arguments[1], extent.rounds))
        || (arguments.size() > 2 && !toNumber(arguments[2], extent.first))) {
        std::cerr << "usage: shardscope_fuzz [--cpu-seconds N] [TARGET [ROUNDS [FIRST]]]\n";
        return 2;
    }
    onSanitizerEnd(printLast);
    bool found = false;
    for (const Target& target : targets()) {
        if (!arguments.empty() && arguments.front() != target.name)
            continue;
        found = true;
        good = runTarget(target, extent) && good;
    }
    if (!found)
        std::cerr << "shardscope_fuzz: no target " << arguments.front() << '\n';
    return !found ? 2 : good ? 0 : 1;
}
