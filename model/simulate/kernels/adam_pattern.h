// SPDX-License-Identifier: GPL-3.0-or-later
// Recognises Adam's update among fused instructions, so that it can be done by a kernel of its own.
#pragma once

#include <cstdint>
#include <optional>

#include "schedule/plan.h"

namespace shardscope {

/// Registers of a fused instruction, by their part in the update (see AdamOperands).
struct AdamRegisters {
    std::int16_t gradient = -1, mu = -1, nu = -1, parameter = -1;
    std::int16_t newMu = -1, newNu = -1, newParameter = -1;
    std::int16_t muDecay = -1, muGain = -1, nuDecay = -1, nuGain = -1, scale = -1, epsilon = -1, step = -1;
};

/// Set if the instruction computes exactly this on arrays: nothing else, factors and addends in any order, all of one
/// floating-point type, with the three new values as its outputs. `isScalar[r]`: register r is one element.
[[nodiscard]] std::optional<AdamRegisters> matchAdam(
    const FusedInstruction& instruction, const std::vector<bool>& isScalar);

} // namespace shardscope
