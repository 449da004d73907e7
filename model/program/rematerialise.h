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
#include <functional>
#include <span>
#include <vector>

#include "program/builder.h"

namespace shardscope {

/// What is kept of a region for its backward pass. Random numbers are kept in any case, and results of operations
/// without operands never are.
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

/// Which operation the derivative is of, per operation that was added for derivatives.
struct DerivativeOrigins {
    std::size_t first = 0; ///< index of the first one
    std::vector<OperationId> of;
};
/// A backward pass that was built from all that the forward pass computed.
struct BackwardPass {
    OperationId after; ///< in main it begins after this operation
    DerivativeOrigins origins;
    ValueId cotangent = {}; ///< from which it starts, where that is no constant of its own
};
/// Per operation of the program: the place of its region in the list, or -1. Regions do not overlap.
[[nodiscard]] std::vector<std::int32_t> regionsOf(const Program& program, std::span<const RematRegion> regions);
/// Puts copies of what the regions do not keep into their backward pass, each in front of the first operation that
/// reads it and in the scope of gradients. `regionOf`: what regionsOf() says of the program without derivatives.
void rematerialise(Builder& builder, const BackwardPass& pass, std::span<const RematRegion> regions,
    std::span<const std::int32_t> regionOf);

/// The same policy for the trips of loops: which values made in a trip are kept (DifferentiateOptions::keeps). A loop's
/// way back is a loop of its own, so that nothing gathered is kept in any case.
[[nodiscard]] std::function<bool(const Program& program, ValueId value)> keptOfLoops(RematPolicy policy);

} // namespace shardscope
