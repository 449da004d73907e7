// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays that their axes do not divide become longer, so that everything that follows sees shards of one size.
#pragma once

#include <utility>
#include <vector>

#include "partition/true_shapes.h"

namespace shardscope {

struct PaddedProgram {
    Program program;
    TrueShapes trueShapes;
    /// Reshards that were added, each with that of the given program which it is a part of.
    std::vector<std::pair<OperationId, OperationId>> origins;
};

/// Every dimension that is sharded unevenly is padded at its end to a multiple of its shards. What the padding holds is
/// undefined: whatever would read it (sums and contractions along the dimension) reads a masked copy. Reshards between
/// shards that pad otherwise gather the dimension and change its length between two reshards. Takes a program whose
/// operations agree with their shardings, after legalizeForDevices() and explicit reshards. Inside of manual
/// computations nothing changes.
///
///     x [{a}] = 10 elements, a=4; y = exp x; sum y
///     ->  x = 12 elements; y = exp x; z = select(iota < 10, y, 0); sum z
[[nodiscard]] PaddedProgram padUneven(Program program);

/// Shapes of what collectives make of padded values.
void addExchanged(TrueShapes& shapes, const Program& program);

} // namespace shardscope
