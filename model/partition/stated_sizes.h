// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes that slices, dynamic slices and gathers state of their operand.
//
//     slice [0:8, 2:4] of 8x6, whose shape becomes 4x6    ->   slice [0:4, 2:4]
#pragma once

#include "program/program.h"

namespace shardscope {

/// Where the operation takes a dimension of its operand in full, it takes that of `now` in full. Other operations stay
/// as they are. Dimensions beyond those of `before` do not count; `now` has as many.
void fitStatedSizes(Operation& operation, const Shape& before, const Shape& now);

} // namespace shardscope
