// SPDX-License-Identifier: GPL-3.0-or-later
// run --trace FILE: when each device executed each instruction of a step.
#pragma once

#include <memory>
#include <string>

#include "simulate/run/run.h"

namespace shardscope::cli {

/// Takes two steps, on devices of its own, and writes the times of the second one: the first finds no memory in the
/// caches. Errors: those of Run::create() and Run::failure(), Unwritable.
[[nodiscard]] Result<void> writeTrace(std::shared_ptr<const Plan> plan, RunOptions options, const std::string& file);

} // namespace shardscope::cli
