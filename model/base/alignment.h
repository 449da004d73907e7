// SPDX-License-Identifier: GPL-3.0-or-later
// Where memory of the simulated devices begins: at cache lines, which are wide enough for any vector instruction.
#pragma once

#include <cstdint>

namespace shardscope {

inline constexpr std::int64_t memoryAlignment = 64; ///< bytes

/// The next multiple of the alignment: 65 bytes take 128.
[[nodiscard]] constexpr std::int64_t alignedBytes(std::int64_t bytes)
{
    return (bytes + memoryAlignment - 1) / memoryAlignment * memoryAlignment;
}

} // namespace shardscope
