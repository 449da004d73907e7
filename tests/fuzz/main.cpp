// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope_fuzz [TARGET [ROUNDS [FIRST]]]: mutations FIRST, FIRST+1, ... of one target, or of all.
// With a sanitizer it finds what a crash alone would not show.
#include <charconv>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "fuzz/fuzz.h"

namespace {

using namespace shardscope::fuzz;

std::vector<Target> targets()
{
    return { meshTarget(), rulesTarget(), specTarget(), hloTarget(), shardyTarget(), shardingTarget(), namesTarget(),
        publishedRulesTarget(), maxTextTarget(), csvTarget(), jsonTableTarget(), experimentTarget(),
        stableHloTarget() };
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
    for (const char* piece : { "(", "[", "{", "((", "[(", "{'a':", "{\"a\":", "'a',", "a=1,", "\"", "\\", "#\n" }) {
        std::string text;
        while (text.size() < 1'000'000)
            text += piece;
        texts.push_back(std::move(text));
    }
    for (const LongList& list : target.lists)
        texts.push_back(textOf(list));
    texts.insert(texts.end(), target.seeds.begin(), target.seeds.end());
    return texts;
}

bool runTarget(const Target& target, std::uint64_t first, std::uint64_t rounds)
{
    const auto report = [&](const std::string& what, const std::string& problem, const std::string& text) {
        std::cout << target.name << ", " << what << ": " << problem << "\n--- text\n"
                  << text.substr(0, 2000) << "\n---\n";
        return false;
    };
    std::size_t number = 0;
    for (const std::string& text : giants(target)) {
        const auto begin = std::chrono::steady_clock::now();
        if (const std::string problem = target.run(text); !problem.empty())
            return report("long text " + std::to_string(number), problem, text);
        // Even under a sanitizer; what compares all items with each other takes far longer.
        constexpr std::chrono::seconds longest(20);
        if (std::chrono::steady_clock::now() - begin > longest)
            return report("long text " + std::to_string(number), "takes too long", text);
        ++number;
    }
    for (std::uint64_t round = first; round < first + rounds; ++round) {
        const std::string text = mutated(target, round);
        if (const std::string problem = target.run(text); !problem.empty())
            return report("round " + std::to_string(round), problem, text);
    }
    std::cout << target.name << ": " << rounds << " mutations\n";
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
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    std::uint64_t rounds = 8'000;
    std::uint64_t first = 0;
    if (arguments.size() > 3 || (arguments.size() > 1 && !toNumber(arguments[1], rounds))
        || (arguments.size() > 2 && !toNumber(arguments[2], first))) {
        std::cerr << "usage: shardscope_fuzz [TARGET [ROUNDS [FIRST]]]\n";
        return 2;
    }
    bool found = false;
    bool good = true;
    for (const Target& target : targets()) {
        if (!arguments.empty() && arguments.front() != target.name)
            continue;
        found = true;
        good = runTarget(target, first, rounds) && good;
    }
    if (!found)
        std::cerr << "shardscope_fuzz: no target " << arguments.front() << '\n';
    return !found ? 2 : good ? 0 : 1;
}
