// SPDX-License-Identifier: GPL-3.0-or-later
// What comms says of a program that XLA has compiled: the collectives that are in its HLO text.
#pragma once

#include <optional>
#include <string>

#include "report.h"

namespace shardscope::cli {

struct CompiledReport {
    std::string name; ///< of the input
    std::string by; ///< sums by kind, axes, layer or source instead of the list; empty for the list
    bool csv = false;
    bool groups = false; ///< the devices of each: of a permutation all its pairs
    JsonTarget json;
};

/// Prints them; nothing is done, and nothing returned, where the text is no compiled program. Returns the exit code.
[[nodiscard]] std::optional<int> reportCompiled(const std::string& text, const CompiledReport& options);

} // namespace shardscope::cli
