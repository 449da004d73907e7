// SPDX-License-Identifier: GPL-3.0-or-later
// Which collectives of branches the sums of a step count: those of base/taken_branches.h.
#pragma once

#include "pipeline/collective_list.h"

namespace shardscope {

/// Sets CollectiveEntry::inSums. `program`: that of the operations of the entries. What stands in a function that
/// several operations call counts with all of its calls.
void chooseBranches(std::vector<CollectiveEntry>& entries, const Program& program);

} // namespace shardscope
