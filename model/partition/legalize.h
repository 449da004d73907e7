// SPDX-License-Identifier: GPL-3.0-or-later
// Makes every operation one that a device can do on its own shards, before reshards are inserted.
#pragma once

#include "program/program.h"

namespace shardscope {

/// Takes shardings back where an operation on shards would not give shards of its result, and puts reshards there:
/// dimensions of which no factor of the operation's rule speaks, factors that move data between shards (permutation
/// factors, all of an operation without a rule), sums that cannot be made of partial sums (indices of gather and
/// scatter, reductions with another initial value than the identity), and dimensions that do not divide where unequal
/// shards will not do (partition/uneven.h). What loops, calls and computations hand on stays: those carry any sharding.
/// Of programs after the export passes (constraints are reshards, all dimensions are closed).
///
///     x [{x}] = 8 elements; pad x, low 1  ->  reshard x [{}]; pad; reshard the result to the sharding that it had
[[nodiscard]] Program legalizeForDevices(Program program);

} // namespace shardscope
