// SPDX-License-Identifier: GPL-3.0-or-later
// What different systems make of the spec that rules resolve to, once the mesh is known.
//
// Flax and T5X take it as it is. MaxText leaves out mesh axes of size 1 of activations, and, where it knows the shape,
// does not shard a dimension that does not divide; in the specs of its train state axes of size 1 stay. Whatever the
// system, an axis that the mesh lacks shards nothing here: in a rule it is a warning (a spec that a person wrote is
// checked with validate() instead).
//
//     mesh {data=4, model=1}, rules batch -> data, embed -> model, shape [6, 8]
//     Flax     P(data, model), which JAX refuses, since 6 does not divide by 4
//     MaxText  P(None, None): model has size 1, and 6 does not divide by 4; of its state P(data, model), as Flax
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"
#include "sharding/partition_spec.h"

namespace shardscope {

enum class Dialect : std::uint8_t {
    FlaxLinen,
    T5x,
    MaxText, ///< as it constrains activations
    MaxTextState, ///< as it shards the arrays of its train state
};
/// Whether the rules and the mesh are MaxText's, whatever is made of the specs.
[[nodiscard]] inline bool isMaxText(Dialect dialect)
{
    return dialect == Dialect::MaxText || dialect == Dialect::MaxTextState;
}

/// "flax-linen", "t5x", "maxtext", "maxtext-state", as files and the command line have them; also "flax" when reading.
[[nodiscard]] std::string_view name(Dialect dialect);
[[nodiscard]] std::optional<Dialect> parseDialect(std::string_view text);

/// Axes that a dimension lost on the mesh.
struct DroppedAxes {
    enum class Reason : std::uint8_t { NotInMesh, SizeOne, Indivisible };
    Reason reason = Reason::NotInMesh;
    std::size_t dimension = 0;
    std::vector<std::string> axes;
    std::int64_t size = 0; ///< of the dimension, for Indivisible
    std::int64_t partitions = 1; ///< product of the axes' sizes, for Indivisible
    bool operator==(const DroppedAxes&) const = default;
};

struct SpecOnMesh {
    PartitionSpec spec;
    std::vector<DroppedAxes> dropped; ///< by dimension
};

/// `shape` absent: not known; nothing is left out for not dividing then.
[[nodiscard]] SpecOnMesh onMesh(const PartitionSpec& resolved, Dialect dialect, const Mesh& mesh,
    std::optional<std::span<const std::int64_t>> shape);

} // namespace shardscope
