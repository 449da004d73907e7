// SPDX-License-Identifier: GPL-3.0-or-later
// StableHLO texts of any size, to be read.
#pragma once

#include <cstddef>
#include <string>

namespace shardscope::bench {

/// Layers of a transformer, forward only, as one function; `located`: with a location for every operation, as an alias
/// behind the program.
[[nodiscard]] std::string transformerText(std::size_t size, bool located);
/// Constants as lists and as hexadecimal text.
[[nodiscard]] std::string constantsText(std::size_t size);

} // namespace shardscope::bench
