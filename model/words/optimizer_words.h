// SPDX-License-Identifier: GPL-3.0-or-later
// What an optimizer keeps, by the names that its own project has for it: Adam mu and nu, momentum a trace, Adafactor
// v_row and v_col, or v.
#pragma once

#include <QString>

#include "experiment/experiment.h"
#include "program/program.h"

namespace shardscope::words {

/// "mu", "v_row, v_col, v": names of the arrays that a network's optimizer keeps with that role ("opt/NAME/..."), as
/// its arguments have them; "mu", "nu", "master weights" in a program that names none so.
[[nodiscard]] QString optimizerArrays(const Program& program, Role role);
/// "Adam mu, nu", "Momentum trace", "Adafactor v_row, v_col, v", "SGD state"; "Optimizer state" of what is no network.
[[nodiscard]] QString optimizerState(const Experiment& experiment);

} // namespace shardscope::words
