// SPDX-License-Identifier: GPL-3.0-or-later
// What StableHLO's collectives say of devices by number.
#pragma once

#include "base/diagnostics.h"
#include "program/program.h"

namespace shardscope::ops {

/// Each device stands in one group at most (of a collective_permute: sends and receives once at most). The rows of the
/// collectives leave that out: a program for many devices names all of them in each of its collectives, and many
/// collectives share their attributes, of which one look is enough.
[[nodiscard]] Result<void> checkDevices(const Program& program, const Operation& operation);

} // namespace shardscope::ops
