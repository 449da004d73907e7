// SPDX-License-Identifier: GPL-3.0-or-later
// chlo.ragged_dot: a product of which one dimension of the left side falls into groups of different sizes (tokens by
// expert).
//
//     ragged        left        right       group sizes  result
//     free          [b, m, k]   [g, b, k, n]  [b, g]     [b, m, n]     row m is times the matrix of its group
//     contracted    [b, m, k]   [b, k, n]     [b, g]     [g, b, m, n]  sums over each group
//     batch         [b, m, k]   [b, k, n]     [g]        [b, m, n]     a product in batches
//
//     left [5, 2], groups [2, 3], right [2, 2, 7]  ->  [5, 7]: rows 0, 1 times right[0], rows 2 to 4 times right[1]
//
// Sizes of groups are given once for all, [g], or for each place of what stands before the ragged dimension: the batch,
// then the free (contracted) dimensions before it. Rows after the last group are zero.
#pragma once

#include "program/program.h"

namespace shardscope {

enum class RaggedMode : std::uint8_t { Free, Contracted, Batch };

struct RaggedDot {
    DotGeneralAttributes dims;
    std::int64_t ragged = 0; ///< dimension of the left side
    std::int64_t group = -1; ///< dimension of the right side that counts groups; -1 for none
    RaggedMode mode = RaggedMode::Free;
    Dimensions leftFree, rightFree; ///< neither batch nor contracted, nor groups; ascending
    Dimensions before; ///< dimensions of the left side by which the sizes of the groups may differ
};

/// From the attribute `ragged_dot_dimension_numbers`, which has to fit the operands. Errors: InvalidAttribute.
[[nodiscard]] Result<RaggedDot> raggedDotOf(const Program& program, const Operation& operation);
[[nodiscard]] Shape raggedDotShape(const RaggedDot& dot, const Shape& left, const Shape& right, const Shape& groups);

} // namespace shardscope
