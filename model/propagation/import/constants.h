// SPDX-License-Identifier: GPL-3.0-or-later
// Constants: one copy per use before propagation, one for all afterwards.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Constants become constants that are never merged again, and every use of a constant expression, or of a scalar that
/// is broadcast, gets a copy of its own: none carries a sharding from one use to another.
[[nodiscard]] Program splitConstants(Program program);
/// Equal constants, and equal broadcasts of one scalar, of the same region become the first of them.
[[nodiscard]] Program mergeConstants(Program program);

} // namespace shardscope::passes
