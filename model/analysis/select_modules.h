// SPDX-License-Identifier: GPL-3.0-or-later
// Which nodes of the tree of parameters a selector means.
//
//     "attention", "every attention"    modules of that kind, the outermost ones
//     "layers.*/mlp", "decoder/**"      a glob of a path, or of its last parts
//     "layers.*.attention"              with dots, as attributes are written; a kind at the end is one of modules
//     "wo", "decoder/decoder_norm"      a name or a path
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/parameter_tree.h"

namespace shardscope {

/// In the order of the nodes. Where all that repeat are selected, the node for all of them is as well.
[[nodiscard]] std::vector<int> selectModules(const ParameterTree& tree, std::string_view selector);

/// Globs for nodes of the tree: for those that are arrays, or for modules whose output can be constrained. Where all
/// layers have the same part selected it is one with a *: "decoder/layers.*/mlp".
[[nodiscard]] std::vector<std::string> globsOf(
    const ParameterTree& tree, const std::vector<int>& nodes, const TransformerSettings& network, bool arrays);

} // namespace shardscope
