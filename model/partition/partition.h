// SPDX-License-Identifier: GPL-3.0-or-later
// A network and what was propagated over its mesh, as a program that can be partitioned.
#pragma once

#include "partition/partition_program.h"
#include "propagation/propagate.h"

namespace shardscope {

/// A network, which has no functions and no meshes, as shardPropagated() takes it: over the one mesh of the input, with
/// what was propagated as shardings of its own. What enters and leaves keeps the axes that divide it, and what replaces
/// an argument of the state comes back as the argument is sharded.
[[nodiscard]] Program propagatedNetwork(const PropagationInput& input, const PropagationResult& propagated);

/// How users see the values of a network: what was propagated, where axes of size 1 do not count. By value.
[[nodiscard]] std::vector<TensorSharding> shownShardings(
    const PropagationInput& input, const PropagationResult& propagated);

} // namespace shardscope
