// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/summed_problems.h"

#include <algorithm>

#include "base/alike.h"

namespace shardscope {

std::vector<Problem> summedUp(std::vector<Problem> problems)
{
    return summedUp(
        std::move(problems), [](Problem& problem) -> Diagnostic& { return problem.diagnostic; },
        [](Problem& first, const Problem& other) {
            first.values.insert(first.values.end(), other.values.begin(), other.values.end());
        });
}

int countOf(const Diagnostic& diagnostic)
{
    return static_cast<int>(std::max<std::int64_t>(diagnostic.number("alike"), 1));
}

} // namespace shardscope
