// SPDX-License-Identifier: GPL-3.0-or-later
// Which operations can work on shards of unequal size, and what becomes of the shardings of the others.
#pragma once

#include <vector>

#include "program/op_row.h"

namespace shardscope {

/// Operations that carry any sharding, or that the passes after legalizeForDevices() know by themselves.
[[nodiscard]] bool carriesAnySharding(OpKind kind);

/// Per factor of the operation's rule: may its dimensions be padded at their ends? That is so where each runs over
/// full dimensions alone, and elements of the result come from the same place in the operands; or where the dimension
/// is summed up (contracted) and padding can be put to what a sum (product) does not see.
///
///     dot_general [i, k] x [k, j]: i, j, k     sort along dimension 0 of [i, j]: j     slice of rows: columns
[[nodiscard]] std::vector<char> paddableFactors(
    const Program& program, const Operation& operation, const FactorRule& rule);

/// Cuts dimensions that their axes do not divide back to the axes that do where an operation cannot work on unequal
/// shards, with reshards before and after it; everywhere in manual computations, whose shapes are the user's, and in
/// dimensions of size 1. Everything else keeps its sharding, to be padded by padUneven(). Collectives that are written
/// over uneven dimensions become reshards.
///
///     x [{a}] = 10 elements, a=4; sort x  ->  reshard x [{a:(1)2}]; ... as before; tanh x  ->  as it is
[[nodiscard]] Program dropUnsupportedUneven(Program program);

} // namespace shardscope
