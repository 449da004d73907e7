// SPDX-License-Identifier: GPL-3.0-or-later
// What StableHLO's collectives do with the arrays of their groups, spread over the threads of the execution. Every
// device ends with an array of its own; sums are put together in the order of the group, element by element.
#pragma once

#include <vector>

#include "simulate/evaluate/interpreter.h"

namespace shardscope::evaluate {

using Groups = std::vector<Devices>; ///< in the order of the group, not ascending

struct Exchanged {
    Interpreter& state;
    const Operation& op;
    const Groups& groups; ///< those whose devices reached the operation; none is empty
    ValueId operand, result;
    std::size_t dimension = 0; ///< gathered, scattered or split
    std::size_t concatDimension = 0; ///< all_to_all
    std::vector<Array>& made; ///< by device
};

void allReduce(const Exchanged& all);
void reduceScatter(const Exchanged& all);
void allGather(const Exchanged& all);
void allToAll(const Exchanged& all);
/// Devices take what others hold; by taker, -1 for nobody: zeros.
void copyFrom(const Exchanged& all, const Devices& takers, const std::vector<std::int32_t>& sources);

} // namespace shardscope::evaluate
