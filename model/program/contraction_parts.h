// SPDX-License-Identifier: GPL-3.0-or-later
// Which arguments of main are weights and which are data, by the contractions that they go into.
//
//     h = relu(x W1);  y = h W2 + b        x is data; W1, W2 and b are weights
//     x + f(norm(x) s W)                   x is data; W and the scale s are weights
//     softmax(q k) v                       q, k and v are data, where k and v have one type
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace shardscope {

enum class ContractionPart : std::uint8_t {
    None, ///< in no contraction, or nothing can be said
    Data, ///< the left factor of its first contraction, or what that is computed from element by element, whose right
          ///< factor is an argument too, or two arguments multiplied element by element: x (w s)
    Weight, ///< the other factor, both where it is two of them, a table that rows are taken from, what is added to a
            ///< product, or what activations are multiplied by for all of a batch alike (a vector)
};

/// Per argument of main. The first use counts, in the order in which operations are executed; what is moved, converted
/// or sliced out of an argument is that argument. Of a loop the first trip is looked at, of a function its first 64
/// calls.
[[nodiscard]] std::vector<ContractionPart> contractionParts(const Program& program);

} // namespace shardscope
