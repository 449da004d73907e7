// SPDX-License-Identifier: GPL-3.0-or-later
// Whole numbers in constants.
#pragma once

#include <cstdint>
#include <optional>

#include "program/program.h"

namespace shardscope {

/// Element `index` of a constant, row-major; of a splat every element is the one that it has. Nothing beyond the end,
/// for other element types, and for numbers above the largest of 64 signed bits.
[[nodiscard]] std::optional<std::int64_t> integerElement(
    const ConstantAttributes& constant, const TensorType& type, std::int64_t index);

} // namespace shardscope
