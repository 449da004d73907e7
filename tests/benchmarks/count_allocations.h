// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace shardscope::bench {

/// Calls of operator new in this program, by any thread.
[[nodiscard]] std::int64_t allocationsSoFar();

} // namespace shardscope::bench
