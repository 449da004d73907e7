// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that only move elements: constants, broadcasts, transposes, slices, also at places that are computed.
#pragma once

#include "simulate/kernels/action.h"

namespace shardscope {

/// Null for operations of another kind. Errors: OutOfMemory.
[[nodiscard]] Result<ActionPtr> prepareMove(const Plan& plan, const Instruction& instruction, MemoryBudget& budget);

/// Of a dynamic_slice for which isReadInPlace() of run/slices_in_place.h holds: nothing is moved, its slot is made to
/// stand where the slice lies.
[[nodiscard]] ActionPtr prepareSliceInPlace(const Plan& plan, const Instruction& instruction);

} // namespace shardscope
