// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment with what follows from it, as a page in Markdown: to be read in a review of a plan, or kept with a
// model.
#pragma once

#include <QString>

#include "pipeline/snapshot.h"

namespace shardscope {

/// Title and notes; mesh and rules; memory of a device; collectives with their sums; all tensors; problems; the JAX
/// code of the layout. Parts without contents are left out, save problems.
[[nodiscard]] QString experimentReport(const Snapshot& snapshot);

} // namespace shardscope
