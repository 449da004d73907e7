// SPDX-License-Identifier: GPL-3.0-or-later
// The custom calls of which something is known, by their targets.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardscope {

enum class CustomCallFamily : std::uint8_t {
    Unknown, ///< carried along; nothing propagates through it
    Silent, ///< known, and nothing propagates through it: callbacks, checks, boundaries of manual computations
    Pointwise, ///< all tensors correspond dimension by dimension
    CombineHalves, ///< X64Combine: pointwise, except for the state of a generator of random numbers
    TopK, ///< mhlo.topk: the results are shorter along one dimension
    ApproximateTopK, ///< two operands, two scalars, two shorter results
    Eigenvectors, ///< Eigh: vectors and values
    QrDecomposition,
    HouseholderProduct
};

[[nodiscard]] CustomCallFamily customCallFamily(std::string_view target);

} // namespace shardscope
