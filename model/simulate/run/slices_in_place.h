// SPDX-License-Identifier: GPL-3.0-or-later
// Slices that need no copy. A loop over layers takes the parameters of each from arrays that hold those of all layers:
//
//     w = dynamic_slice W, layer, 0, 0        W: tensor<8x512x1024xf32>, w: tensor<1x512x1024xf32>
//     y = dot_general x, w
//
// The slice is one interval of the array, so that what reads w can read it there.
#pragma once

#include "schedule/plan.h"

namespace shardscope {

/// Whether the result of an instruction can be read in the operand: it is a dynamic_slice that is contiguous and begins
/// at multiples of memoryAlignment, its array stands around the block (`block` > 0, Plan::blocks) and nothing in the
/// block writes to the array, nor anything else to the result.
[[nodiscard]] bool isReadInPlace(const Plan& plan, std::uint32_t block, const Instruction& instruction);

} // namespace shardscope
