// SPDX-License-Identifier: GPL-3.0-or-later
// From a network and what was propagated over its mesh to the form that plans are made of.
#pragma once

#include "partition/device_program.h"
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

/// The network on its devices. `sharded`: shardPropagated() of the above. Errors: NotExecutable where padding is
/// needed, which plans do not know.
[[nodiscard]] Result<DeviceProgram> deviceProgramOf(
    const PropagationInput& input, const PropagationResult& propagated, const ShardedProgram& sharded);

/// All of it. Errors: further those of shardPropagated().
[[nodiscard]] Result<DeviceProgram> partition(
    const PropagationInput& input, const PropagationResult& propagated, const PartitionOptions& options = {});

} // namespace shardscope
