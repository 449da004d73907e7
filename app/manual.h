// SPDX-License-Identifier: GPL-3.0-or-later
// The manual page and the completion of arguments, made from the parser that reads the arguments: so they are true.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace shardscope::cli {

/// shardscope(1) as man reads it.
[[nodiscard]] std::string manualPage(CLI::App& app);
/// A script for bash that completes commands, options, their values, and the names of examples and rule sets.
[[nodiscard]] std::string bashCompletion(CLI::App& app);

} // namespace shardscope::cli
