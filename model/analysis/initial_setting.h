// SPDX-License-Identifier: GPL-3.0-or-later
// What the arguments of an experiment's program begin with.
#pragma once

#include <vector>

#include "pipeline/snapshot.h"
#include "simulate/run/initial_values.h"

namespace shardscope {

/// As the experiment has it: by role where the program says what its arguments are for, else by use. Without the
/// arrays of files, which document/array_file.h reads.
[[nodiscard]] InitialValues initialValuesOf(const Snapshot& snapshot);
/// W238: choices of the experiment that no argument of its program begins with.
[[nodiscard]] std::vector<Problem> initialProblems(const Experiment& experiment, const Program& program);
/// What is wrong with the experiment's state and roles: the errors of parseState(); W239 for what nothing uses.
[[nodiscard]] std::vector<Problem> stateProblems(const Experiment& experiment, const Program& program);

} // namespace shardscope
