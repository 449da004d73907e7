// SPDX-License-Identifier: GPL-3.0-or-later
// What is not needed goes: arguments that no manual computation reads, computations over one device, unused operations.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Drops what manual computations do not need (unused arguments, computations without effect), and what nothing uses.
[[nodiscard]] Program canonicalize(Program program);

} // namespace shardscope::passes
