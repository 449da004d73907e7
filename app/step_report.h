// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that `run` made, of networks and of programs alike: the list of them, and what %%timeit says.
#pragma once

#include <optional>
#include <vector>

#include "console.h"
#include "mesh/mesh.h"
#include "report.h"
#include "simulate/run/run.h"

namespace shardscope::cli {

/// Steps that are run and listed, at most: every one of them is remembered.
inline constexpr std::int64_t maxSteps = 100'000;

struct StepRecord {
    double wall = 0; ///< seconds
    std::optional<double> loss;
};

[[nodiscard]] Json stepsJson(const std::vector<StepRecord>& steps);
/// The first and the last of many.
void printSteps(Console& console, const std::vector<StepRecord>& steps);

[[nodiscard]] Json timingJson(const TimeitResult& timing, const Mesh& mesh);
/// Without a table of devices where none were measured.
void printTiming(Console& console, const TimeitResult& timing, const Mesh& mesh, int threads);

} // namespace shardscope::cli
