// SPDX-License-Identifier: GPL-3.0-or-later
// A mixture of experts in the place of the MLP, with a fixed number of places per expert and sequence (GShard, Lepikhin
// et al., 2020). Tokens are sent to experts and their results brought back by two products with one array each:
//
//     dispatch (B, L, E, C)   1 where a token has that place of that expert
//     combine  (B, L, E, C)   the same times the router's weight
//     sent (B, E, C, D) = dispatchᵀ x      y (B, L, D) = combine · experts(sent)
//
// A sequence's first choices take places before its second ones, and early tokens before late ones. What finds no place
// left contributes nothing. There is no loss that balances the load. With shared experts every token goes through a
// further MLP, whose result is added, and of which with a gate a share of 1 / (1 + exp(-x w)) counts.
#pragma once

#include <cstdint>

#include "networks/transformer_parts.h"

namespace shardscope {

/// Places of each expert for a sequence: ceil(capacityFactor · length · perToken / experts), at least 1 and at most
/// `length`. expertCapacity({ .experts = 8, .perToken = 2, .capacityFactor = 1.25 }, 16) is 5.
[[nodiscard]] std::int64_t expertCapacity(const ExpertSettings& experts, std::int64_t length);
/// The part "mlp" of a layer, with experts; x and result are (B, L, D).
[[nodiscard]] ValueId mixtureOfExperts(const NetworkPart& layer, ValueId x);

} // namespace shardscope
