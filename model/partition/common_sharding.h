// SPDX-License-Identifier: GPL-3.0-or-later
// The sharding in which one operation is executed: one list of axes per factor, the same in all its tensors, after
// Shardy's explicit reshards. The passes over programs and the built-in networks choose with the same engine.
//
// Where the tensors disagree: of two tensors one is kept (sharded along no dimension that would be shifted, then the
// larger, then the one in more shards); otherwise every list of axes that a tensor has along a factor stands for
// election, with the elements of the tensors that have it as votes. Axes of factors that may not be sharded go, where
// possible, to factors that all tensors have.
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
};

struct CommonSharding {
    /// Nothing has to be resharded: `operands` and `results` are the given ones.
    bool compatible = false;
    std::vector<AxisList> factors; ///< axes per factor of the rule
    std::vector<TensorSharding> operands;
    std::vector<TensorSharding> results;
    AxisList partial; ///< axes of reduction factors, in mesh order: the results are partial over them
};

/// One tensor per mapping of the rule, of its mapping's rank. `dealsOutOverflow`, of a reshape: axes that do not fit
/// their factor are dealt out again over all factors.
[[nodiscard]] CommonSharding commonSharding(const FactorRule& rule, std::span<const TensorInOperation> operands,
    std::span<const TensorInOperation> results, bool dealsOutOverflow = false);

} // namespace shardscope
