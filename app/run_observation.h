// SPDX-License-Identifier: GPL-3.0-or-later
// The first step of a run executed once more, operation by operation: the unsharded reference, what the devices
// exchange, and where NaN and infinity begin.
#pragma once

#include "program_run.h"

namespace shardscope::cli {

/// Executes the step unsharded and, where the program is partitioned, on the devices. Fills `exchanged`, `nonFinite`
/// and `isObserved` of the run. Error: OutOfMemory.
[[nodiscard]] Result<void> observe(ProgramRun& run, const RunCommandOptions& options);

} // namespace shardscope::cli
