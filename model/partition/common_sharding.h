// SPDX-License-Identifier: GPL-3.0-or-later
// The sharding in which one operation is executed: one list of axes per factor, the same in all its tensors, after
// Shardy's explicit reshards.
//
//     C[i,j] = A[i,k] B[k,j] with A [{x},{y}], B [{y},{}], C [{x},{}]: i has {x}, k has {y}, nothing to reshard, and
//     the result is partial over y. With B [{},{}] there is a choice for k: {y}, with B cut to [{y},{}].
#pragma once

#include <span>
#include <vector>

#include "program/op_row.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

/// A tensor of the operation.
struct TensorInOperation {
    const TensorSharding* sharding = nullptr;
    std::int64_t elements = 1;
    /// It can be made in any sharding without communication (a constant): it has no say, and follows the others.
    bool follows = false;
};

struct CommonSharding {
    /// Nothing has to be resharded: `operands` and `results` are the given ones, except operands with `follows`, which
    /// are to be made as `operands` says.
    bool compatible = false;
    std::vector<AxisList> factors; ///< axes per factor of the rule
    std::vector<TensorSharding> operands;
    std::vector<TensorSharding> results;
    AxisList partial; ///< axes of reduction factors, in mesh order: the results are partial over them
};

/// `axesWithoutSource`: a factor that only the result has may be cut (broadcasts; false for reshapes, whose elements
/// would have to be picked).
[[nodiscard]] CommonSharding commonSharding(const FactorRule& rule, std::span<const TensorInOperation> operands,
    std::span<const TensorInOperation> results, bool axesWithoutSource);

} // namespace shardscope
