// SPDX-License-Identifier: GPL-3.0-or-later
// How often a while of HLO text runs: as XLA states it (known_trip_count), else as its counter says, which is compared
// with a limit in the condition, starts at a constant and moves by a constant in the body:
//
//     condition:  ROOT %c = pred[] compare(%i, %n), direction=LT       %i = element 0, %n = constant(32)
//     body:       element 0 of the root is add(%i, constant(1))
//     while:      element 0 of its operand is constant(0)              32 times
//
// Counter, limit, start and step are followed through calls, fusions, copies and elements that the loop leaves alone.
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/module.h"

namespace shardscope {

/// Nothing where it cannot be told before it runs.
[[nodiscard]] std::optional<std::int64_t> tripCount(const HloModule& module, const HloInstruction& loop);

} // namespace shardscope
