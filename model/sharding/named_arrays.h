// SPDX-License-Identifier: GPL-3.0-or-later
// Penzai's named arrays, and how a tree of them is sharded by the names of axes (penzai.toolshed.sharding_util).
//
//     mapping a -> bar, b -> foo;  array (a 4, b 8, c 6)  ->  P('bar', 'foo', None)
//
// A spec lists one entry per dimension of the data: the mesh axes that the mapping has for its name, or None. Without a
// mapping names stand for mesh axes of the same name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sharding/named_sharding.h"

namespace shardscope {

struct NamedAxis {
    std::string name;
    std::int64_t size = 1;
    bool operator==(const NamedAxis&) const = default;
};

/// pz.nx.NamedArray: the data has the positional dimensions first, then the named ones in order.
struct NamedArray {
    std::vector<NamedAxis> namedAxes;
    Shape positionalShape;

    [[nodiscard]] Shape dataShape() const;
};

/// pz.nx.NamedArrayView: names and positions stand for any dimensions of the data.
struct NamedArrayView {
    Shape dataShape;
    std::map<std::string, std::size_t> dimensionOfName; ///< into dataShape
    std::vector<std::size_t> dimensionOfPosition; ///< into dataShape
};

/// An array without names.
struct PlainArray {
    Shape shape;
};

struct ArrayLeaf {
    std::string path;
    std::variant<NamedArray, NamedArrayView, PlainArray> array;
};
/// Leaves in the order in which they are visited: that of keys in a mapping.
using ArrayTree = std::vector<ArrayLeaf>;

/// From names of array axes to mesh axes: Single, Tuple, or None.
using NameToMesh = std::map<std::string, SpecEntry>;

struct LeafSharding {
    std::string path;
    Shape dataShape;
    /// Nothing for a leaf that was ignored.
    std::optional<NamedSharding> sharding;
    /// What was meant, where Penzai does something else: its specs list named axes alone, so that on a NamedArray with
    /// positional dimensions the entries land on those. Here they stand on the dimensions of the names.
    std::optional<NamedSharding> intended;

    /// Who holds what once the array is put there. Error: Indivisible.
    [[nodiscard]] Result<Layout> layout() const;
};

/// penzai's name_to_name_sharding. Names that an array lacks are not used. Errors, at the leaf's path: NonNamedLeaf
/// unless `ignoreUnnamed`; AxisUsedTwice within a leaf; UnknownAxis for an axis that a leaf uses; InvalidAttribute for
/// a view whose dimensions are not those of its data.
[[nodiscard]] Result<std::vector<LeafSharding>> nameToNameSharding(
    const ArrayTree& tree, const MeshPtr& mesh, const std::optional<NameToMesh>& mapping, bool ignoreUnnamed = false);

} // namespace shardscope
