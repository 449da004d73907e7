// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/first_selection.h"

#include <algorithm>

namespace shardscope {

const TensorRow* firstSelection(const Snapshot& snapshot)
{
    const std::vector<TensorRow>& rows = snapshot.tensors;
    const auto parameter = std::find_if(rows.begin(), rows.end(),
        [&](const TensorRow& row) { return !snapshot.source->guessesRoles && row.role == Role::Parameter; });
    if (parameter != rows.end())
        return &*parameter;
    const auto largest = std::max_element(rows.begin(), rows.end(), [](const TensorRow& a, const TensorRow& b) {
        const bool shardedA = a.layout.distinctShards() > 1, shardedB = b.layout.distinctShards() > 1;
        return std::pair(shardedA, a.bytesInAll) < std::pair(shardedB, b.bytesInAll); // the first one of equals
    });
    return largest == rows.end() ? nullptr : &*largest;
}

} // namespace shardscope
