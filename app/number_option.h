// SPDX-License-Identifier: GPL-3.0-or-later
// Options that are counts.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>

namespace shardscope::cli {

/// Accepts whole numbers from `least` to `most`, and says of others whether they are none or out of range.
[[nodiscard]] CLI::Validator wholeNumber(std::int64_t least, std::int64_t most);

} // namespace shardscope::cli
