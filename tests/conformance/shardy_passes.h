// SPDX-License-Identifier: GPL-3.0-or-later
// Passes of Shardy that its cases ask for and the program does without.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Drops what manual computations do not need (unused arguments, computations over one device or without effect), and
/// what nothing uses.
[[nodiscard]] Program canonicalize(Program program);
/// That, and all that simplifies reshards and collectives, until nothing changes.
[[nodiscard]] Program canonicalizeAll(Program program);
/// For a compiler that overlaps products with the exchange of their operands and results by itself: an all-gather that
/// only a product reads goes, or else a reduce-scatter that alone reads it.
[[nodiscard]] Program leaveCollectivesToProducts(Program program);
/// Every sharding holds its mesh instead of naming it.
void inlineMeshes(Program& program);

} // namespace shardscope::passes
