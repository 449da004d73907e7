// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace shardscope::kernels {

/// A dimension or place that is known not to be negative, as an index of a container.
constexpr std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

} // namespace shardscope::kernels
