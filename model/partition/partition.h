// SPDX-License-Identifier: GPL-3.0-or-later
// A network with its annotations and what was propagated, as a program that can be partitioned.
#pragma once

#include "partition/partition_program.h"
#include "propagation/propagate.h"

namespace shardscope {

/// A program with main alone, over one mesh, as shardPropagated() takes it: with what was propagated as its shardings.
/// What enters and leaves keeps the axes that divide it, and what replaces an argument of the state comes back as the
/// argument is sharded.
[[nodiscard]] Program propagatedNetwork(Program program, const PropagationResult& propagated);

/// How users see the values of a network: what was propagated, where axes of size 1 do not count. By value.
[[nodiscard]] std::vector<TensorSharding> shownShardings(const Program& program, const PropagationResult& propagated);

} // namespace shardscope
