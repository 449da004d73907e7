// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pipeline/snapshot.h"

namespace shardscope {

/// Of a program in a text the collective by which a device sends most in a step: its number in the list. -1 for others,
/// and where nothing is sent for an array that has a row.
[[nodiscard]] int firstCollective(const Snapshot& snapshot);
/// The array that is worth a first look: the first parameter; where there is none, as in programs, what the first
/// collective works for, the largest array that is sharded, or the largest one. Null without arrays.
[[nodiscard]] const TensorRow* firstSelection(const Snapshot& snapshot);

} // namespace shardscope
