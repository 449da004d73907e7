// SPDX-License-Identifier: GPL-3.0-or-later
// PartitionSpec: per dimension of an array, the mesh axes that shard it, by name.
//
//     P('data', None)              {Single data}, {None}
//     P(('pod', 'data'), 'model')  {Tuple pod, data}, {Single model}
//
// The spec keeps the form in which it was written: ('x',) is not 'x', () is not None, trailing Nones stay. JAX compares
// and prints these forms differently; see canonical().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "mesh/mesh.h"

namespace shardscope {

struct SpecEntry {
    enum class Kind : std::uint8_t { None, Single, Tuple, Unconstrained };
    Kind kind = Kind::None;
    std::vector<std::string> axes; ///< one for Single, any number for Tuple, major axis first

    static SpecEntry none() { return {}; }
    static SpecEntry axis(std::string name) { return { Kind::Single, { std::move(name) } }; }
    static SpecEntry tuple(std::vector<std::string> names) { return { Kind::Tuple, std::move(names) }; }
    static SpecEntry unconstrained() { return { Kind::Unconstrained, {} }; }
    bool operator==(const SpecEntry&) const = default;
};

struct PartitionSpec {
    std::vector<SpecEntry> entries;

    [[nodiscard]] std::size_t size() const { return entries.size(); }
    /// Axes of a dimension; empty for None, Unconstrained and dimensions after the end of the spec.
    [[nodiscard]] const std::vector<std::string>& axesOf(std::size_t dimension) const;
    bool operator==(const PartitionSpec&) const = default;
};

/// One-element tuples become their axis and empty tuples None, as newer JAX writes specs. Trailing Nones stay.
[[nodiscard]] PartitionSpec canonical(const PartitionSpec& spec);

/// What a spec needs on every mesh: AxisUsedTwice.
[[nodiscard]] Result<void> validate(const PartitionSpec& spec);
/// JAX's own rules, in JAX's order: NestedTuple cannot occur in this type; AxisUsedTwice, UnknownAxis.
[[nodiscard]] Result<void> validate(const PartitionSpec& spec, const Mesh& mesh);
/// The above, then SpecTooLong and Indivisible for an array of this shape (first dimension that fails).
[[nodiscard]] Result<void> validate(const PartitionSpec& spec, const Mesh& mesh, std::span<const std::int64_t> shape);

} // namespace shardscope
