// SPDX-License-Identifier: GPL-3.0-or-later
// What a program does with its arguments, as far as it decides with which numbers they can begin.
//
//     x: 8x1024, W: 1024x4096, ids: 8 (i32), nu; x W, gather of 32000 rows at ids, sqrt(0.9 nu + 0.1 g g)
//     ->  W is a factor of sums of 1024 terms, ids are indices below 32000, nu is positive
#pragma once

#include <optional>
#include <vector>

#include "program/program.h"

namespace shardscope {

struct ArgumentUse {
    /// Ends in a root, a logarithm, a power or a denominator. Where something else is taken away from it there, it is
    /// to be the larger of the two.
    bool positive = false;
    /// The same, and nothing positive is added on the way: not even zero will do.
    bool nonZero = false;
    /// Is taken from 1, as a label y is in y log p + (1 - y) log (1 - p): from 0 to 1.
    bool fraction = false;
    /// Ends as an index (of gather, slices, scatter, a branch, a comparison with numbered elements): of what is indexed
    /// there are so many.
    std::optional<std::int64_t> bound;
    /// Of the first contraction that it is a factor of, where it is the one to be scaled; else 1. Of an input and a
    /// weight that is the weight, so that the product is about as large as the input.
    std::int64_t terms = 1;
    bool operator==(const ArgumentUse&) const = default;
};

/// Per argument of main. A function of the program alone, whatever its shardings.
[[nodiscard]] std::vector<ArgumentUse> argumentUses(const Program& program);

} // namespace shardscope
