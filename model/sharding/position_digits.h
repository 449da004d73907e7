// SPDX-License-Identifier: GPL-3.0-or-later
// A mesh position as one number with several digits: every part of an axis that matters is a digit, and so is what lies
// between such parts. Questions about many devices are answered digit by digit, whatever the number of devices.
//
//     Mesh {data=2, model=8}, parts model:(2)2: digits data 2, model:(1)2, model:(2)2, model:(4)2
#pragma once

#include <span>

#include "mesh/axis_ref.h"

namespace shardscope {

struct PositionDigit {
    std::int64_t stride = 1; ///< positions between two neighbouring values
    std::int64_t size = 1; ///< values
    std::int32_t part = -1; ///< index of the part that it is; -1 for what lies between them
    [[nodiscard]] std::int64_t of(std::int64_t position) const { return position / stride % size; }
    bool operator==(const PositionDigit&) const = default;
};
using PositionDigits = SmallVector<PositionDigit, 8>;

/// All digits, major first, without those that have one value only. No two parts overlap.
[[nodiscard]] PositionDigits positionDigits(const Mesh& mesh, std::span<const AxisRef> parts);

} // namespace shardscope
