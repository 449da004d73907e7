// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/long_levels.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace shardscope {

namespace {

constexpr std::size_t fewEnough = 40; ///< groups side by side

/// Neighbours on their way to a group.
struct Run {
    std::size_t first = 0, count = 1;
    int operations = 0;
    int label = -1, labelled = 0; ///< operations that bear the label
    int known = 0; ///< operations that bear any
    bool alone = false;

    [[nodiscard]] bool stands() const
    {
        return alone || (label >= 0 && operations >= smallestGroup && 2 * known >= operations);
    }
    [[nodiscard]] bool isLoose(int smallest) const { return !alone && operations < smallest; }
};

void join(Run& into, const Run& next)
{
    into.count += next.count;
    into.operations += next.operations;
    into.known += next.known;
    if (into.label == next.label) {
        into.labelled += next.labelled;
    } else if (into.label < 0 || (next.label >= 0 && next.labelled > into.labelled)) {
        into.label = next.label;
        into.labelled = next.labelled;
    }
}

/// Neighbours of one label become one run, and those of fewer operations than `smallest` go with a neighbour: with both
/// if these are alike, with the next one if that is small, too, else with the smaller one.
std::vector<Run> joined(const std::vector<Run>& runs, int smallest)
{
    std::vector<Run> done;
    for (Run run : runs) {
        if (!done.empty() && done.back().isLoose(smallest) && done.back().label != run.label) {
            Run last = done.back();
            done.pop_back();
            const bool hasBefore = !done.empty() && !done.back().alone;
            const bool isBetween = hasBefore && done.back().label == run.label;
            const bool goesOn = !run.alone && !isBetween
                && (!hasBefore || run.isLoose(smallest) || run.operations < done.back().operations);
            if (goesOn) {
                join(last, run);
                run = last;
            } else if (hasBefore) {
                join(done.back(), last);
            } else {
                done.push_back(last);
            }
        }
        if (!done.empty() && !run.alone && !done.back().alone && done.back().label == run.label)
            join(done.back(), run);
        else
            done.push_back(run);
    }
    if (done.size() > 1 && done.back().isLoose(smallest) && !done[done.size() - 2].alone) {
        const Run last = done.back();
        done.pop_back();
        join(done.back(), last);
    }
    return done;
}

std::size_t partsSideBySide(const std::vector<Run>& runs)
{
    return std::accumulate(runs.begin(), runs.end(), std::size_t{ 0 },
        [](std::size_t sum, const Run& run) { return sum + (run.stands() ? 1 : run.count); });
}

Run runOf(std::span<const LevelPart> parts, std::size_t index)
{
    const LevelPart& part = parts[index];
    const int known = part.label < 0 ? 0 : part.operations;
    return { index, 1, part.operations, part.label, known, known, part.alone };
}

LevelGroup groupOf(const Run& run)
{
    return { run.first, run.count, run.stands() ? run.label : -1 };
}

} // namespace

std::vector<LevelGroup> groupsOf(std::span<const LevelPart> parts)
{
    std::vector<Run> runs;
    int operations = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        runs.push_back(runOf(parts, i));
        operations += parts[i].operations;
    }
    runs = joined(runs, 1);
    int smallest = smallestGroup;
    do {
        runs = joined(runs, smallest);
        smallest *= 2;
    } while (partsSideBySide(runs) > fewEnough && smallest < operations / 2);
    std::vector<LevelGroup> groups;
    std::transform(runs.begin(), runs.end(), std::back_inserter(groups), groupOf);
    return groups;
}

std::vector<LevelGroup> turnsOf(std::span<const LevelPart> parts)
{
    constexpr int fewest = 3;
    // Where each label comes after another one, and the first that comes about as often as any.
    std::vector<int> comes;
    std::vector<std::size_t> places; // where a labelled part differs from the one before
    for (int last = -1; const LevelPart& part : parts) {
        if (part.alone)
            return {};
        if (part.label < 0 || part.label == last)
            continue;
        last = part.label;
        comes.resize(std::max(comes.size(), static_cast<std::size_t>(last) + 1));
        ++comes[static_cast<std::size_t>(last)];
        places.push_back(static_cast<std::size_t>(&part - parts.data()));
    }
    const int most = comes.empty() ? 0 : *std::max_element(comes.begin(), comes.end());
    const auto begins =
        std::find_if(comes.begin(), comes.end(), [&](int of) { return of >= fewest && 3 * of >= most; });
    if (begins == comes.end() || *begins >= static_cast<int>(longLevel))
        return {};
    std::vector<LevelGroup> groups{ { 0, 0, 0 } };
    for (const std::size_t place : places)
        if (place > 0 && parts[place].label == static_cast<int>(begins - comes.begin()))
            groups.push_back({ place, 0, 0 });
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i].count = (i + 1 < groups.size() ? groups[i + 1].first : parts.size()) - groups[i].first;
        if (groups[i].count < static_cast<std::size_t>(smallestGroup)) {
            if (i > 0)
                return {};
            groups[i].label = -1;
        }
    }
    return groups;
}

std::vector<LevelGroup> sharesOf(std::span<const LevelPart> parts, std::span<const int> crossing)
{
    const auto shares = static_cast<std::size_t>(
        std::min(std::ceil(std::sqrt(static_cast<double>(parts.size()))), static_cast<double>(fewEnough)));
    const std::size_t size = parts.size() / shares;
    std::vector<LevelGroup> groups;
    std::size_t done = 0;
    for (std::size_t share = 1; share <= shares; ++share) {
        std::size_t end = parts.size() * share / shares;
        if (share < shares) {
            const auto about = crossing.begin() + static_cast<std::ptrdiff_t>(end - size / 4);
            const auto fewest = std::min_element(about, about + static_cast<std::ptrdiff_t>(2 * (size / 4) + 1));
            end = static_cast<std::size_t>(fewest - crossing.begin());
        }
        Run run = runOf(parts, done);
        for (++done; done < end; ++done)
            join(run, runOf(parts, done));
        groups.push_back({ run.first, run.count, run.label });
    }
    return groups;
}

} // namespace shardscope
