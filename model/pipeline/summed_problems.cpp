// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/summed_problems.h"

#include <algorithm>

#include "base/alike.h"

namespace shardscope {

std::vector<Problem> summedUp(std::vector<Problem> problems)
{
    std::vector<const Diagnostic*> all;
    for (const Problem& problem : problems)
        all.push_back(&problem.diagnostic);
    const std::vector<std::vector<std::size_t>> groups = alike(all);
    if (groups.empty())
        return problems;
    std::vector<Diagnostic> sums;
    for (const std::vector<std::size_t>& group : groups)
        sums.push_back(forAll(all, group));
    std::vector<bool> superfluous(problems.size(), false);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        Problem& first = problems[groups[g].front()];
        first.diagnostic = std::move(sums[g]);
        for (const std::size_t index : std::span(groups[g]).subspan(1)) {
            superfluous[index] = true;
            first.values.insert(first.values.end(), problems[index].values.begin(), problems[index].values.end());
        }
    }
    std::vector<Problem> rest;
    for (std::size_t i = 0; i < problems.size(); ++i)
        if (!superfluous[i])
            rest.push_back(std::move(problems[i]));
    return rest;
}

int countOf(const Diagnostic& diagnostic)
{
    return static_cast<int>(std::max<std::int64_t>(diagnostic.number("alike"), 1));
}

} // namespace shardscope
