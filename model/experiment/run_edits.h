// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of what a run begins with.
#pragma once

#include <optional>
#include <string>

#include "experiment/experiment.h"

namespace shardscope {

/// Chooses what the arguments of that name (a path, "arg3", a glob) begin with, before all that was chosen earlier;
/// nothing takes back what was chosen for this very name.
[[nodiscard]] Experiment withInitial(
    Experiment experiment, const std::string& argument, const std::optional<InitialValue>& value);
/// States which results are the next step's arguments, as text (program/step_state.h); "" leaves it to the program.
[[nodiscard]] Experiment withState(Experiment experiment, std::string state);
/// Chooses the role of an argument or a result, likewise.
[[nodiscard]] Experiment withRole(Experiment experiment, const std::string& argument, std::optional<Role> role);

} // namespace shardscope
