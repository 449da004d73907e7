// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings between calls and functions.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Calls without shardings get those that their callee declares for its results.
[[nodiscard]] Program propagateFromFunctionsToCalls(Program program);
/// What functions other than main declare for their results becomes what they return.
[[nodiscard]] Program propagateToFunctionResults(Program program);
/// Calls take over what their callee declares; where that is another sharding than the call had, a reshard restores it.
[[nodiscard]] Program insertCallReshards(Program program);

} // namespace shardscope::passes
