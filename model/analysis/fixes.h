// SPDX-License-Identifier: GPL-3.0-or-later
// Ways to mend a problem.
#pragma once

#include "pipeline/snapshot.h"

namespace shardscope {

/// The experiment with the fix. Errors: those of the edit that it is.
[[nodiscard]] Result<Experiment> applyFix(const Experiment& experiment, const Fix& fix);

} // namespace shardscope
