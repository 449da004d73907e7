// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that the devices' program counts elements with: offsets that devices look up, borders that they compare with.
#pragma once

#include <cstdint>
#include <span>

#include "program/program.h"

namespace shardscope {

/// What numbers from -`most` to `most` are written as: I32, and I64 where they are too large for that.
[[nodiscard]] DType countingType(std::int64_t most);
/// The elements of a constant of that type, which is one of the two.
[[nodiscard]] ElementBytes countBytes(DType type, std::span<const std::int64_t> numbers);

/// a / b, rounded down; b > 0.
[[nodiscard]] std::int64_t floorDivide(std::int64_t a, std::int64_t b);

} // namespace shardscope
