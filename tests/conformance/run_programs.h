// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in StableHLO text that say themselves what they expect: run by the reference executor.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/diagnostics.h"

namespace shardscope::conformance {

struct ProgramCounts {
    struct Verdicts {
        int passed = 0, failed = 0, unsupported = 0;
    };
    std::map<std::int64_t, Verdicts> byDevices; ///< 1: whole, by the reference executor
    int uncounted = 0; ///< read only: what a test bench alone knows
};

/// A diagnostic as the lists below have it: its kind and arguments.
[[nodiscard]] std::string sentenceOf(const Diagnostic& diagnostic);

/// Runs every program of a file, whole and partitioned over 2 and over 8 devices, and prints a line for each, "name: P
/// passed, F failed, U unsupported", with what differs or why it is not supported behind it. False where the file
/// cannot be read.
[[nodiscard]] bool runProgramFile(const std::string& path, ProgramCounts& total);

} // namespace shardscope::conformance
