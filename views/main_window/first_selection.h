// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pipeline/snapshot.h"

namespace shardscope {

/// The array that is worth a first look: the first parameter; where there is none, as in programs, the largest array
/// that is sharded, or the largest one. Null without arrays.
[[nodiscard]] const TensorRow* firstSelection(const Snapshot& snapshot);

} // namespace shardscope
