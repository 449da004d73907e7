// SPDX-License-Identifier: GPL-3.0-or-later
// The first step of a run executed once more, operation by operation: the unsharded reference if there is one, what the
// devices exchange, and where NaN and infinity begin. Those of later steps are looked for in the same way.
#pragma once

#include "program_run.h"

namespace shardscope::cli {

/// Executes the step unsharded where there is a reference, and on the devices where the program is partitioned. Fills
/// `exchanged`, `nonFinite` and `isObserved` of the run. Error: OutOfMemory.
[[nodiscard]] Result<void> observe(ProgramRun& run, const RunCommandOptions& options);

/// Takes the first step whose loss or norms are not finite once more, on the devices, to see which operation makes them
/// so. Fills `divergence` of the run; not where `nonFinite` says it of the first step.
void findDivergence(ProgramRun& run, const RunCommandOptions& options);

} // namespace shardscope::cli
