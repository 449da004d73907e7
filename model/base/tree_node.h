// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace shardscope {

/// Place of a node among the nodes of a tree, which stand in one list; 0 is the root, which no view shows.
struct TreeNode {
    int parent = -1;
    int position = 0; ///< among the children of its parent
    std::vector<int> children;
};

} // namespace shardscope
