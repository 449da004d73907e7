// SPDX-License-Identifier: GPL-3.0-or-later
// A tree of arrays with named axes and a mapping from their names to mesh axes, without a window: what the user has
// written, and what follows for every array on a mesh.
//
//     arrays   one  a 4, b 8, c 6        mapping  a -> bar        mesh foo 4, bar 2
//              two  a 8                           b -> foo
//     one: P('bar', 'foo', None), [2, 2, 6] per device;  two: P('bar'), [4]
//
// Arrays and sizes are kept as they were typed, also where they cannot be read: an error belongs to its array alone.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/types.h"
#include "sharding/named_arrays.h"

namespace shardscope {

/// An array as it is written: "a 4, b 8", with positional dimensions "3, a 4", or without any names "[3, 4]".
struct WrittenArray {
    std::string path; ///< its place in the tree, parts divided by '/'
    std::string axes;
    bool operator==(const WrittenArray&) const = default;
};

/// A name of array axes, and the mesh axes that it is mapped to, major first; none: it stays whole.
struct WrittenMapping {
    std::string name;
    std::vector<std::string> axes;
    bool operator==(const WrittenMapping&) const = default;
};

struct NamedTree {
    std::vector<WrittenArray> arrays;
    std::vector<WrittenMapping> mapping;
    /// No mapping: names stand for mesh axes of the same name.
    bool sameNames = false;
    bool ignoreUnnamed = false;
    DType dtype = DType::F32;
    bool operator==(const NamedTree&) const = default;
};

/// What an array becomes.
struct ArrayOutcome {
    std::string path;
    /// The axes that were read; absent: they cannot be.
    std::optional<std::variant<NamedArray, PlainArray>> array;
    std::optional<Error> problem;
    std::vector<std::string> names; ///< of the data's dimensions, "" for positional ones
    PartitionSpec spec; ///< in positional order
    std::optional<Layout> layout; ///< also where it does not divide, padded; absent before there is a spec
    /// Penzai lists named axes alone, so that they land on the positional dimensions: what it would do instead.
    std::optional<PartitionSpec> penzaiSpec;
    bool ignored = false;
    std::int64_t bytesPerDevice = 0;
};

/// Errors: Syntax with its column, OutOfRange for sizes below 0, TooLarge, InvalidAttribute where a name occurs twice.
[[nodiscard]] Result<std::variant<NamedArray, PlainArray>> parseArrayAxes(std::string_view text);
[[nodiscard]] std::string axesText(const NamedArray& array);

/// Every array on its own; errors are those of nameToNameSharding(), and Indivisible, at their paths.
[[nodiscard]] std::vector<ArrayOutcome> resolve(const NamedTree& tree, const MeshPtr& mesh);

/// The names that arrays have, in order of appearance, then those of the mapping that none has.
[[nodiscard]] std::vector<std::string> namesOf(const NamedTree& tree, const std::vector<ArrayOutcome>& outcomes);
/// How many arrays have an axis of that name.
[[nodiscard]] int usesOf(const std::string& name, const std::vector<ArrayOutcome>& outcomes);

/// The mesh axes of a name; null where nothing is said about it.
[[nodiscard]] const std::vector<std::string>* mappedAxes(const NamedTree& tree, const std::string& name);
/// Sets or, with no axes, removes what a name is mapped to.
void setMapping(NamedTree& tree, const std::string& name, std::vector<std::string> axes);

/// The notebook's arrays and mapping: a to bar and b to foo where the mesh has these axes, else to its second and first
/// axis.
[[nodiscard]] NamedTree notebookTree(const Mesh& mesh);

} // namespace shardscope
