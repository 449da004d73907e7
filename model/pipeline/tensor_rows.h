// SPDX-License-Identifier: GPL-3.0-or-later
// The table of arrays: one row per value that has a path, in the order in which people look for them.
#pragma once

#include "pipeline/snapshot.h"

namespace shardscope {

/// The sharding in which devices hold a value: as propagated, but for arguments whose sizes do not divide by what was
/// propagated to them. Where an annotation asks for a sharding that does not divide, no step can run and the sharding
/// is shown as it was asked for. The snapshot has its propagation.
[[nodiscard]] TensorSharding heldSharding(const Snapshot& snapshot, ValueId value);

/// The value, and the nameless ones after it that a sharding constraint only hands on: to people they are one.
[[nodiscard]] std::vector<ValueId> sameValue(const Program& program, ValueId value);

/// Fills `tensors` and `rowOfValue` from the shardings that are held. New values of the train state ("next(...)") have
/// no row of their own: they have the layout of what they replace.
void addTensorRows(Snapshot& snapshot);

} // namespace shardscope
