// SPDX-License-Identifier: GPL-3.0-or-later
// Constants that padding needs: zeros, what a reduction does not see, and constants with more elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "program/program.h"

namespace shardscope {

[[nodiscard]] ElementBytes bytesOf(std::vector<std::byte> bytes);
/// A single zero of that type.
[[nodiscard]] ConstantAttributes zeroOf(DType dtype);
/// What a reduction of the built-in networks does not see.
[[nodiscard]] double identityOf(ReduceKind kind);

/// Copies elements to where they are in a longer array; what is added is zero. `from`, `to`: row-major, `width` units
/// for each element.
template <class Unit>
std::vector<Unit> lengthened(const std::vector<Unit>& from, const Shape& shape, const Shape& longer, std::size_t width)
{
    std::int64_t count = 1, all = 1;
    for (const std::int64_t size : shape)
        count *= size;
    for (const std::int64_t size : longer)
        all *= size;
    std::vector<Unit> to(static_cast<std::size_t>(all) * width);
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t left = i, place = 0, stride = 1;
        for (std::size_t d = shape.size(); d-- > 0;) {
            place += left % shape[d] * stride;
            left /= shape[d];
            stride *= longer[d];
        }
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * width), width,
            to.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(place) * width));
    }
    return to;
}

} // namespace shardscope
