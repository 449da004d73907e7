// SPDX-License-Identifier: GPL-3.0-or-later
// The factor rules of a program's operations.
#pragma once

#include "report.h"

namespace shardscope::cli {

/// Prints the rule of each operation in Shardy's notation, in the order of the text. Returns the exit code.
[[nodiscard]] int printProgramRules(const std::string& file, bool conservative, const JsonTarget& json);

} // namespace shardscope::cli
