// SPDX-License-Identifier: GPL-3.0-or-later
// After propagation a sharding constraint is the place at which its value is brought to that sharding.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Every constraint becomes a reshard to its sharding.
[[nodiscard]] Program constraintsToReshards(Program program);
/// Reshards whose results nobody uses go.
[[nodiscard]] Program dropUnusedReshards(Program program);

} // namespace shardscope::passes
