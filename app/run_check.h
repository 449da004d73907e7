// SPDX-License-Identifier: GPL-3.0-or-later
// The check of a run against the unsharded reference, and what is said of it.
#pragma once

#include <optional>
#include <vector>

#include "report.h"
#include "simulate/check/check.h"
#include "simulate/check/compare.h"
#include "simulate/check/first_difference.h"
#include "simulate/run/execute.h"

namespace shardscope::cli {

struct ProgramRun;
struct RunCommandOptions;

/// What a check says.
enum class CheckVerdict : std::uint8_t {
    Agrees,
    Differs,
    NotCompared ///< every element of a result is NaN or infinite on both sides
};

struct RunCheck {
    std::optional<CheckReport> links; ///< of a program that says what its state is: every link of the step
    // Else of the results:
    kernels::Arrays reference;
    std::vector<kernels::ArrayComparison> comparisons; ///< per result
    std::optional<kernels::FirstDifference> first;
    bool copiesAgree = true;

    [[nodiscard]] CheckVerdict verdict() const;
    [[nodiscard]] bool passed() const { return verdict() == CheckVerdict::Agrees; }
    /// Elements of all results that were compared, and those that are finite on neither side.
    [[nodiscard]] std::int64_t compared() const;
    [[nodiscard]] std::int64_t notFinite() const;
};

/// `reference`: the first step in full. Errors: those of checkAgainstReference() and execute().
[[nodiscard]] Result<RunCheck> checkRun(
    const ProgramRun& run, const Execution& reference, const RunCommandOptions& options);

[[nodiscard]] Json checkJson(const ProgramRun& run);
void printCheck(Console& console, const ProgramRun& run);

} // namespace shardscope::cli
