// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace shardscope::bench {

/// Calls of operator new in this program, by any thread. Aligned memory, such as that of devices, does not count.
[[nodiscard]] std::int64_t allocationsSoFar();

} // namespace shardscope::bench
