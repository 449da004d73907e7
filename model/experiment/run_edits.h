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

} // namespace shardscope
