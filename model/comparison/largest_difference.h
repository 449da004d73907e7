// SPDX-License-Identifier: GPL-3.0-or-later
// What of a comparison differs most.
#pragma once

#include "comparison/comparison.h"

namespace shardscope {

/// Of a comparison whose other members are there. Of what differs as much, parameters come before gradients
/// and moments, and what is held before what is sent. Nothing where no bytes differ.
[[nodiscard]] LargestDifference largestDifference(const SnapshotComparison& comparison);

} // namespace shardscope
