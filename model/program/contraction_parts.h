// SPDX-License-Identifier: GPL-3.0-or-later
// Which arguments of main are weights and which are data, by the contractions that they go into.
//
//     h = relu(x W1);  y = h W2 + b        x is data; W1, W2 and b are weights
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace shardscope {

enum class ContractionPart : std::uint8_t {
    None, ///< in no contraction, or nothing can be said
    Data, ///< the left factor of its first contraction, whose right one is an argument too
    Weight, ///< the other factor, or a table that rows are taken from, or what is added to a product
};

/// Per argument of main. The first use counts, in the order in which operations are executed; what is moved, converted
/// or sliced out of an argument is that argument. Of a loop the first trip is looked at, of a function its first call.
[[nodiscard]] std::vector<ContractionPart> contractionParts(const Program& program);

} // namespace shardscope
