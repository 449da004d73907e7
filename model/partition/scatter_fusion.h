// SPDX-License-Identifier: GPL-3.0-or-later
// all_reduce followed by all_slice as one reduce_scatter, under Shardy's conditions.
#pragma once

#include "partition/device_program.h"

namespace shardscope {

/// How much of a slice a reduce-scatter can do.
struct ScatterSplit {
    bool possible = false; ///< the slice consumes all reduced axes
    std::vector<AxisList> consumed; ///< per dimension, what is scattered
    std::vector<AxisList> residual; ///< per dimension, what stays to be sliced
};
[[nodiscard]] ScatterSplit splitSlice(const AxisList& reduced, const std::vector<AxisList>& slice);

/// An all-reduce whose result is only read by slices with the same lists becomes a reduce-scatter if the slices consume
/// all reduced axes: per dimension a beginning of the slice's list made of reduced axes, exactly. What is left of the
/// slice stays as a slice. The all-reduced value is not made any more.
void fuseReduceScatters(DeviceProgram& program);

} // namespace shardscope
