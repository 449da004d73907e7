// SPDX-License-Identifier: GPL-3.0-or-later
// What is sent at most where of the branches of a conditional one runs.
//
//     64 B in branch 0, 96 B in branch 0, 64 B in branch 1, 192 B in none
//     Branch 0 sends most and counts: 64 + 96 + 192 = 352 B, and not 416 B.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"

namespace shardscope {

/// Branch `number` of a conditional, which has an id of the caller's.
struct Branch {
    std::uint32_t conditional = 0;
    std::uint32_t number = 0;
};
using BranchPath = std::vector<Branch>; ///< from outside to inside

struct SentInBranch {
    BranchPath branches;
    Rational sent; ///< per step, if the branches are taken
};

/// Per entry: whether the sum counts it, because it stands in no branch or in those that send most, of equal ones the
/// first.
[[nodiscard]] std::vector<bool> countedInBranches(const std::vector<SentInBranch>& entries);

} // namespace shardscope
