// SPDX-License-Identifier: GPL-3.0-or-later
// Manual computations say of every manual axis what it does at each border.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Sorts manual axes by mesh order, and names those that a border of the computation does not mention as replicated
/// there. Error: manual axes and a body, but no border that would have a mesh.
[[nodiscard]] Result<Program> cleanUpManualAxes(Program program);

} // namespace shardscope::passes
