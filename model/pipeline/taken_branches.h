// SPDX-License-Identifier: GPL-3.0-or-later
// Which collectives of branches the sums of a step count.
//
//     %0 = case %i { all_gather of 64 B, reduce_scatter of 96 B } { collective_permute of 64 B }
//     all_gather of 192 B
//     One branch runs. That which sends most counts: 64 + 96 + 192 = 352 B are sent at most, and not 416 B.
#pragma once

#include "pipeline/collective_list.h"

namespace shardscope {

/// Sets CollectiveEntry::inSums. `program`: that of the operations of the entries. What stands in a function that
/// several operations call counts with all of its calls.
void chooseBranches(std::vector<CollectiveEntry>& entries, const Program& program);

} // namespace shardscope
