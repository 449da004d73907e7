// SPDX-License-Identifier: GPL-3.0-or-later
// A pattern of Shardy's canonicalizer that the program does without: mergeReshards() is what it has.
#pragma once

#include "partition/export/canonicalize_collectives.h"

namespace shardscope::passes {

/// A reshard takes another one's result where that holds the same elements per device: of the same value, or of one
/// that is the same but for its shape.
[[nodiscard]] Canonicalized reuseReshards(Program program);

} // namespace shardscope::passes
