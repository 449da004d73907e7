// SPDX-License-Identifier: GPL-3.0-or-later
// What a backward pass computes again instead of reading what the forward pass has computed (JAX's checkpoint; Chen et
// al., 2016). A region is a range of operations of main. Where the backward pass of a region reads its values, they are
// computed anew from what is kept, and all that is kept stands behind an optimization_barrier: nothing made of it can
// be merged with what the forward pass made of it, the copies that devices gather included.
//
//     h = x W;  y = tanh(h);  loss = sum(y)         region: h and y
//     None       dh = dy (1 - y y);                                                          dW = xᵀ dh
//     Full       x' = barrier(x);  W' = barrier(W);  y' = tanh(x' W');  dh = dy (1 - y' y');  dW = x'ᵀ dh
//     Dots       h' = barrier(h);  y' = tanh(h');  x' = barrier(x);     dh = dy (1 - y' y');  dW = x'ᵀ dh
//     Gathered   y' = barrier(y);  x' = barrier(x);                     dh = dy (1 - y' y');  dW = x'ᵀ dh
//
// With x sharded along its second dimension the product gathers it; Gathered lets dW gather it once more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/builder.h"

namespace shardscope {

/// What is kept of a region for its backward pass. Results of operations that have bodies, several results or random
/// numbers are kept in any case, and those of operations without operands never are.
enum class RematPolicy : std::uint8_t {
    None, ///< everything, with the copies that devices have gathered
    Full, ///< what the region reads
    Dots, ///< also the results of products without batch dimensions, which are those with parameters
    Gathered, ///< all values as they are sharded; what devices gathered of them is gathered again
};

/// Operations `first` up to, but not including, `last` in main.
struct RematRegion {
    std::size_t first = 0, last = 0;
    RematPolicy policy = RematPolicy::Full;
};

/// A backward pass as differentiate() has built it, from all that the forward pass computed.
struct BackwardPass {
    std::size_t first = 0; ///< its operations are the last ones of the program, from this index on
    std::vector<std::int32_t> regions; ///< per operation: the region of what it differentiates, or -1
    std::vector<ValueId> gradients;
    ValueId cotangent = {}; ///< a value from which it starts, or invalid
};
/// Per operation of the program: the place of its region in the list, or -1. Regions do not overlap.
[[nodiscard]] std::vector<std::int32_t> regionsOf(const Program& program, std::span<const RematRegion> regions);
/// Builds the backward pass once more, with copies of what its regions do not keep, each in front of the first
/// operation that reads it and in the scope of gradients. Returns the gradients.
[[nodiscard]] std::vector<ValueId> rematerialise(
    Builder& builder, BackwardPass pass, std::span<const RematRegion> regions);

} // namespace shardscope
