// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "simulate/kernels/action.h"

namespace shardscope {

/// A gather, or a scatter that puts numbers together by one operation which has a fast kernel; null for others.
[[nodiscard]] ActionPtr prepareIndexing(
    const Program& program, const Operation& operation, const Instruction& instruction, const KernelSet& kernels);

} // namespace shardscope
